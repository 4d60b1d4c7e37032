//! `velo run --like RUN`: what an earlier run was asked stands for what is not typed.

mod before;
mod differences;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::CommandFactory as _;
use velo_report::shell;

use crate::args::Args;
use crate::config::{inserted, is_given};
use crate::root::Root;
use crate::{out, run_folder};

use before::Before;

const VERB: &str = "run";
const FLAG: &str = "--like";

/// The command line with the words of the run that it names in place of that name. What cannot be the same is told.
///
/// # Errors
/// When the run cannot be read, is none of `velo run`, or nothing of it is here.
pub(crate) fn completed(line: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    // Errors of the command line are told when all of it is known: the run gives what is missing.
    let Ok(matches) = Args::command().ignore_errors(true).try_get_matches_from(&line) else {
        return Ok(line);
    };
    let Some((VERB, typed)) = matches.subcommand() else { return Ok(line) };
    let Some(path) = typed.get_one::<PathBuf>("like") else { return Ok(line) };
    let file = run_folder::read(path)?.file;
    let before = Before::of(path, file)?;
    let folders: Vec<PathBuf> =
        before.workload_folders().into_iter().chain(values(typed, "workload")).collect();
    let root = Root::read(typed.get_one::<PathBuf>("root").map(PathBuf::as_path), &folders)?;
    let mut words = before.words(&root, typed)?;
    if !is_given(typed, "config") && !is_given(typed, "no_config") {
        words.push("--no-config".to_owned());
    }
    let completed = inserted(without(line), VERB, words);
    let shown: Vec<String> =
        completed.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    out::talk(&format!("like     {}: {}\n", path.display(), shell::line("velo", &shown)));
    for difference in differences::of(&before, &root, typed)? {
        out::talk(&format!("differs  {difference}\n"));
    }
    Ok(completed)
}

/// The paths that follow a flag.
fn values(matches: &clap::ArgMatches, id: &str) -> Vec<PathBuf> {
    matches.get_raw(id).into_iter().flatten().map(PathBuf::from).collect()
}

/// The line without the flag and its value.
fn without(line: Vec<OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut words = line.into_iter();
    while let Some(word) = words.next() {
        if word == FLAG {
            words.next();
        } else if !word.to_string_lossy().starts_with("--like=") {
            kept.push(word);
        }
    }
    kept
}
