//! A key's value as the words that would be typed.

use std::error::Error as _;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Arg, CommandFactory as _, ValueHint};

use super::keys::Kind;
use crate::args::Args;

/// The words; as error, what was expected. Files and folders are looked for beside the config file.
pub(crate) fn of(arg: &Arg, value: &toml::Value, folder: &Path) -> Result<Vec<String>, &'static str> {
    let kind = Kind::of(arg);
    let expected = || kind.expected();
    let one = |value: &toml::Value| Some(word(arg, &placed(arg, &text(value)?, folder)));
    let words = match (kind, value) {
        (Kind::Switch | Kind::SwitchOrSingle, toml::Value::Boolean(is_on)) => {
            Some(is_on.then(|| flag(arg)).into_iter().collect())
        }
        (Kind::Switch, _) => None,
        (Kind::Several, toml::Value::Array(list)) => list.iter().map(one).collect(),
        (Kind::Commas, toml::Value::Array(list)) => {
            let texts: Option<Vec<String>> = list.iter().map(text).collect();
            texts.map(|texts| texts.join(",")).map(|all| vec![word(arg, &all)])
        }
        (_, value) => one(value).map(|word| vec![word]),
    };
    words.ok_or_else(expected)
}

fn text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A relative path, also behind the `@` of a text from a file, begins at the config file's folder.
fn placed(arg: &Arg, text: &str, folder: &Path) -> String {
    let beside = |path: &str| folder.join(path).display().to_string();
    let is_path = matches!(arg.get_value_hint(), ValueHint::DirPath | ValueHint::FilePath) && text != "-";
    let takes_a_file = arg.get_value_names().into_iter().flatten().any(|name| name.contains("@FILE"));
    match text.strip_prefix('@') {
        Some(path) if takes_a_file && !path.is_empty() && !path.starts_with('@') => {
            format!("@{}", beside(path))
        }
        _ if is_path => beside(text),
        _ => text.to_owned(),
    }
}

fn flag(arg: &Arg) -> String {
    format!("--{}", arg.get_long().unwrap_or_default())
}

fn word(arg: &Arg, value: &str) -> String {
    if arg.is_positional() { value.to_owned() } else { format!("{}={value}", flag(arg)) }
}

/// Why the command would refuse this word by itself.
pub(crate) fn refusal(verb: &str, word: &str) -> Option<String> {
    let error = Args::command().try_get_matches_from(["velo", verb, word]).err()?;
    let is_about_it = matches!(
        error.kind(),
        ErrorKind::ValueValidation | ErrorKind::InvalidValue | ErrorKind::UnknownArgument
    );
    is_about_it.then(|| match error.source() {
        Some(source) => source.to_string(),
        None => {
            let told = error.to_string();
            told.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    })
}
