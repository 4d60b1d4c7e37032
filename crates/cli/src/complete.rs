//! What a shell offers behind a word that was begun: workloads, contenders and runs that are there. Whatever goes wrong while
//! somebody types offers nothing, in silence.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter as _};

use crate::root::Root;

/// A folder of results may hold any number.
const MOST_RUNS: usize = 50;

/// Names of workloads.
pub(crate) fn workloads(begun: &OsStr) -> Vec<CompletionCandidate> {
    let Ok(root) = Root::read(None, &[]) else { return Vec::new() };
    let candidates = root.workloads.iter().map(|workload| {
        CompletionCandidate::new(&workload.name).help(Some(workload.question.clone().into()))
    });
    begun_with(begun, candidates)
}

/// Names of contenders, and of all in a language.
pub(crate) fn contenders(begun: &OsStr) -> Vec<CompletionCandidate> {
    let Ok(root) = Root::read(None, &[]) else { return Vec::new() };
    let names = root.contenders.iter().map(|contender| contender.name.as_str());
    let mut languages: Vec<&str> = names.clone().filter_map(|name| Some(name.split_once('/')?.0)).collect();
    languages.dedup();
    let languages = languages.into_iter().map(|language| format!("{language}/*"));
    begun_with(begun, names.map(str::to_owned).chain(languages).map(CompletionCandidate::new))
}

/// Folders of runs, the newest first, and all other folders.
pub(crate) fn runs(begun: &OsStr) -> Vec<CompletionCandidate> {
    let mut candidates = begun_with(begun, newest_runs().into_iter().map(CompletionCandidate::new));
    for folder in PathCompleter::any().complete(begun) {
        if candidates.iter().all(|run| run.get_value() != folder.get_value()) {
            candidates.push(folder);
        }
    }
    candidates
}

/// Their names begin with when they began.
fn newest_runs() -> Vec<PathBuf> {
    let Ok(root) = Root::read(None, &[]) else { return Vec::new() };
    let dir = root.results_dir();
    let here = std::env::current_dir().ok();
    let shown = here.and_then(|here| dir.strip_prefix(here).ok().map(PathBuf::from)).unwrap_or(dir.clone());
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_run = |entry: &fs::DirEntry| entry.path().join("run.json").is_file();
    let mut names: Vec<_> = entries.filter(is_run).map(|entry| entry.file_name()).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.into_iter().take(MOST_RUNS).map(|name| shown.join(name)).collect()
}

fn begun_with(
    begun: &OsStr,
    candidates: impl Iterator<Item = CompletionCandidate>,
) -> Vec<CompletionCandidate> {
    let begun = begun.as_encoded_bytes();
    candidates.filter(|candidate| candidate.get_value().as_encoded_bytes().starts_with(begun)).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Args;

    fn offered(words: &[&str]) -> Vec<String> {
        let words: Vec<_> = ["velo"].iter().chain(words).map(Into::into).collect();
        let last = words.len() - 1;
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut command = Args::command();
        let candidates = clap_complete::engine::complete(&mut command, words, last, Some(&here)).unwrap();
        candidates.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn workloads_and_contenders_of_the_checkout_are_offered() {
        assert_eq!(offered(&["run", "co"]), ["coin"]);
        assert_eq!(offered(&["verify", "wa"]), ["wait"]);
        assert_eq!(offered(&["show", "vo"]), ["void"]);
        let go = offered(&["run", "coin", "--only", "go/"]);
        assert!(go.contains(&"go/gin".to_owned()) && go.contains(&"go/*".to_owned()), "{go:?}");
        assert!(go.iter().all(|name| name.starts_with("go/")), "{go:?}");
        assert_eq!(offered(&["compare", "a", "--between", "rust/ref"]), ["rust/reference"]);
    }

    #[test]
    fn flags_and_commands_are_offered_too() {
        assert!(offered(&["run", "--dry"]).contains(&"--dry-run".to_owned()));
        assert!(offered(&["comp"]).contains(&"compare".to_owned()));
        assert!(!offered(&["load", "--"]).contains(&"--no-tui".to_owned()), "what is hidden is not");
    }
}
