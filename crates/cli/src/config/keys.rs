//! Which keys there are: the flags of a command, but for those that make no sense in a file.

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use crate::args::Args;

/// The commands that a file may hold a table for.
pub(crate) const VERBS: [&str; 3] = ["load", "run", "gate"];
/// Not keys: they are about one call, or about the file itself.
const TYPED_ONLY: [&str; 8] = ["config", "no_config", "help", "version", "root", "out", "dry_run", "like"];

/// A command with its flags as clap completes them.
pub(crate) fn command(verb: &str) -> Command {
    let mut all = Args::command();
    all.build();
    all.find_subcommand(verb).cloned().unwrap_or_default()
}

/// The keys and what they stand for.
pub(crate) fn of(command: &Command) -> impl Iterator<Item = (String, &Arg)> {
    command
        .get_arguments()
        .map(|arg| (name(arg), arg))
        .filter(|(name, arg)| !arg.is_hide_set() && !TYPED_ONLY.contains(&name.as_str()))
}

fn name(arg: &Arg) -> String {
    arg.get_long().unwrap_or(arg.get_id().as_str()).replace('-', "_")
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `true` stands for the flag, `false` for nothing.
    Switch,
    /// A text or a number.
    Single,
    /// The same, or `true` for the flag alone.
    SwitchOrSingle,
    /// A list of texts, one flag each, or a single one.
    Several,
    /// A list of texts that stand behind one flag with commas between, or all in one text.
    Commas,
}

impl Kind {
    pub(crate) fn of(arg: &Arg) -> Self {
        let takes_none = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
        match arg.get_action() {
            ArgAction::SetTrue => Self::Switch,
            ArgAction::Append => Self::Several,
            _ if takes_none => Self::SwitchOrSingle,
            _ if ["fail_on", "expect_status", "expect_grpc_status", "steps", "bound"]
                .contains(&arg.get_id().as_str()) =>
            {
                Self::Commas
            }
            _ => Self::Single,
        }
    }

    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Switch => "true or false",
            Self::Single => "a text or a number",
            Self::SwitchOrSingle => "a text, a number, true or false",
            Self::Several | Self::Commas => "a list of texts",
        }
    }
}

#[cfg(test)]
pub(crate) mod schema {
    use serde_json::{Value, json};

    use super::*;

    /// The JSON Schema of `velo.toml`, for editors.
    pub(crate) fn of_file() -> Value {
        let mut tables: serde_json::Map<String, Value> =
            VERBS.iter().map(|verb| ((*verb).to_owned(), of_table(verb))).collect();
        let contender = "The service that velo gate judges: the keys of contender.toml.";
        tables.insert("contender".to_owned(), json!({ "type": "object", "description": contender }));
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "velo.toml",
            "description": "What velo load, velo run and velo gate take that is not typed. Flags win.",
            "type": "object",
            "additionalProperties": false,
            "properties": tables,
        })
    }

    fn of_table(verb: &str) -> Value {
        let command = command(verb);
        let keys: serde_json::Map<String, Value> =
            of(&command).map(|(name, arg)| (name, of_key(arg))).collect();
        json!({ "type": "object", "additionalProperties": false, "properties": keys })
    }

    fn of_key(arg: &Arg) -> Value {
        let text = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let mut schema = match Kind::of(arg) {
            Kind::Switch => json!({ "type": "boolean" }),
            Kind::Single => json!({ "type": ["string", "number"] }),
            Kind::SwitchOrSingle => json!({ "type": ["string", "number", "boolean"] }),
            Kind::Several | Kind::Commas => json!({
                "type": ["string", "number", "array"],
                "items": { "type": ["string", "number"] },
            }),
        };
        schema["description"] = Value::String(text);
        schema
    }
}
