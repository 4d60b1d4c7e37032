//! `velo.toml`: what stands behind `velo load`, `velo run` and `velo gate` without being typed. A key is a flag's long name with `_` for
//! `-`, so that whatever a flag takes, says and refuses is the same in both places.

pub(crate) mod keys;
mod words;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory as _};
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;
use velo_request::{SourceFile, nearest};

use crate::args::Args;
use crate::exit::usage;
use crate::found::check_owner;
use crate::out;

const NAME: &str = "velo.toml";

type Section = BTreeMap<String, Spanned<toml::Value>>;

/// The file: a table for each command.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Tables {
    load: Section,
    run: Section,
    gate: Section,
    /// A contender's manifest, which `velo gate` reads for itself.
    #[serde(rename = "contender")]
    _contender: Option<IgnoredAny>,
}

impl Tables {
    fn of(self, verb: &str) -> Option<Section> {
        match verb {
            "load" => Some(self.load),
            "run" => Some(self.run),
            "gate" => Some(self.gate),
            _ => None,
        }
    }
}

/// The command line with what a config file adds behind its command; flags that were typed win, also over keys that
/// conflict with them.
///
/// # Errors
/// When the file cannot be read, is not TOML, or holds a key or value that the command does not take.
pub(crate) fn completed(line: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    // Errors of the command line are told when all of it is known: a file may give what is missing.
    let Ok(matches) = Args::command().ignore_errors(true).try_get_matches_from(&line) else {
        return Ok(line);
    };
    let Some((verb, given)) = matches.subcommand().filter(|(verb, _)| keys::VERBS.contains(verb)) else {
        return Ok(line);
    };
    let Some(path) = file(given)? else { return Ok(line) };
    let source = SourceFile::read(&path)?;
    let Some(section) = source.parse::<Tables>()?.of(verb) else { return Ok(line) };
    let (added, used) = Adding::new(verb, &path, &source).all(&section, given)?;
    if !used.is_empty() && !is_given(given, "quiet") {
        out::talk(&format!("config   {}: {}\n", path.display(), used.join(", ")));
    }
    Ok(inserted(line, verb, added))
}

/// The file named, else the first from this folder upward.
fn file(given: &ArgMatches) -> anyhow::Result<Option<PathBuf>> {
    if let Some(path) = given.get_one::<PathBuf>("config") {
        return if path.is_file() {
            Ok(Some(path.clone()))
        } else {
            Err(usage(format!(
                "--config {}: there is no such file\n  expected a file like {NAME}; docs/load.md has its keys",
                path.display()
            )))
        };
    }
    if is_given(given, "no_config") {
        return Ok(None);
    }
    let here = std::env::current_dir()?;
    let found = here.ancestors().map(|dir| dir.join(NAME)).find(|path| path.is_file());
    if let Some(path) = &found {
        let shown = path.display();
        let instead = format!("--config {shown} uses it all the same, --no-config does without");
        check_owner(path, &instead)?;
    }
    Ok(found.map(|path| path.strip_prefix(&here).map(Path::to_owned).unwrap_or(path)))
}

/// Whether an argument was typed.
pub(crate) fn is_given(given: &ArgMatches, id: &str) -> bool {
    given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine)
}

/// Behind the command, before whatever else was typed, in which `--` may end the flags.
pub(crate) fn inserted(mut line: Vec<OsString>, verb: &str, added: Vec<String>) -> Vec<OsString> {
    let is_value = |at: usize| at > 0 && line[at - 1] == "--root";
    let at = (1..line.len()).find(|&at| line[at] == verb && !is_value(at)).map_or(line.len(), |at| at + 1);
    line.splice(at..at, added.into_iter().map(OsString::from));
    line
}

/// One command's keys on their way to its command line.
struct Adding<'a> {
    verb: &'a str,
    command: Command,
    folder: &'a Path,
    source: &'a SourceFile,
}

impl<'a> Adding<'a> {
    fn new(verb: &'a str, path: &'a Path, source: &'a SourceFile) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self { verb, command: keys::command(verb), folder, source }
    }

    /// The words to add, and the keys that they come from. Keys that are not used are checked too.
    fn all<'s>(
        &self,
        section: &'s Section,
        given: &ArgMatches,
    ) -> anyhow::Result<(Vec<String>, Vec<&'s str>)> {
        let (mut added, mut used) = (Vec::new(), Vec::new());
        for (key, value) in section {
            let words = self.words(key, value)?;
            let arg = self.argument(key, value)?;
            if !is_settled(&self.command, arg, given) && !words.is_empty() {
                added.extend(words);
                used.push(key.as_str());
            }
        }
        Ok((added, used))
    }

    fn argument(&self, key: &str, value: &Spanned<toml::Value>) -> anyhow::Result<&Arg> {
        keys::of(&self.command).find(|(name, _)| name == key).map(|(_, arg)| arg).ok_or_else(|| {
            let names: Vec<String> = keys::of(&self.command).map(|(name, _)| name).collect();
            let expected = match nearest(key, names.iter().map(String::as_str)) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("expected a long flag with `_` for `-`; velo help {} lists them", self.verb),
            };
            let place = format!("{}.{key}", self.verb);
            self.source.wrong(value.span(), &place, format!("unknown key `{key}`"), expected).into()
        })
    }

    fn words(&self, key: &str, value: &Spanned<toml::Value>) -> anyhow::Result<Vec<String>> {
        let arg = self.argument(key, value)?;
        let wrong = |problem: &str, expected: String| -> anyhow::Error {
            self.source.wrong(value.span(), &format!("{}.{key}", self.verb), problem, expected).into()
        };
        let words = words::of(arg, value.get_ref(), self.folder)
            .map_err(|expected| wrong("this value is of another type", format!("expected {expected}")))?;
        for word in &words {
            if let Some(problem) = words::refusal(self.verb, word) {
                return Err(wrong("this value will not do", problem));
            }
        }
        Ok(words)
    }
}

/// Whether what was typed leaves no room for this argument of the command: the flag itself, or one that conflicts with it.
pub(crate) fn is_settled(command: &Command, arg: &Arg, given: &ArgMatches) -> bool {
    let typed = |other: &Arg| is_given(given, other.get_id().as_str());
    typed(arg)
        || command.get_arguments().filter(|other| typed(other)).any(|other| conflict(command, arg, other))
}

fn conflict(command: &Command, one: &Arg, other: &Arg) -> bool {
    let names = |a: &Arg, b: &Arg| {
        command.get_arg_conflicts_with(a).iter().any(|conflicting| conflicting.get_id() == b.get_id())
    };
    let share_a_choice = command.get_groups().cloned().any(|mut group| {
        !group.is_multiple() && [one, other].iter().all(|arg| group.get_args().any(|id| id == arg.get_id()))
    });
    share_a_choice || names(one, other) || names(other, one)
}

#[cfg(test)]
mod tests;
