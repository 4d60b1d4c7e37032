//! Which folders hold runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::exit::usage;
use crate::out;

const RUN_FILE: &str = "run.json";

/// A folder that looks like one of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) dir: PathBuf,
    /// The folder's own name.
    pub(super) name: String,
}

/// The runs in these folders: each is one of a run, or holds such. Each run once, the last by name first: names begin with the
/// time, so that the newest come first.
pub(super) fn runs(dirs: &[PathBuf]) -> anyhow::Result<Vec<Found>> {
    let mut found: BTreeMap<PathBuf, Found> = BTreeMap::new();
    for dir in dirs {
        if !dir.is_dir() {
            return Err(usage(format!(
                "{}: expected a run's folder, or one that holds such\n  velo run makes them in results/",
                shown(dir)
            )));
        }
        let own = if is_run(dir) { vec![dir.clone()] } else { within(dir)? };
        if own.is_empty() {
            out::talk(&format!("note: {} holds no run\n", shown(dir)));
        }
        for dir in own {
            let real = fs::canonicalize(&dir).with_context(|| format!("{} cannot be read", shown(&dir)))?;
            let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.entry(real).or_insert(Found { dir, name });
        }
    }
    let mut found: Vec<Found> = found.into_values().collect();
    found.sort_by(|a, b| (&b.name, &b.dir).cmp(&(&a.name, &a.dir)));
    Ok(found)
}

/// The runs one level below a folder.
fn within(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unread = || format!("{} cannot be read", shown(dir));
    let mut own = Vec::new();
    for entry in fs::read_dir(dir).with_context(unread)? {
        let path = entry.with_context(unread)?.path();
        if is_run(&path) {
            own.push(path);
        }
    }
    Ok(own)
}

fn is_run(dir: &Path) -> bool {
    dir.join(RUN_FILE).exists()
}

/// A path for people: a name that somebody made up says nothing to the terminal.
pub(super) fn shown(path: &Path) -> String {
    let shown = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    path.to_string_lossy().chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(dir: &Path) {
        fs::create_dir_all(dir).unwrap();
        fs::write(dir.join(RUN_FILE), "{}").unwrap();
    }

    #[test]
    fn each_run_is_found_once_the_newest_first() {
        let root = tempfile::tempdir().unwrap();
        let results = root.path().join("results");
        for name in ["2026-11-20-a", "2026-11-22-c", "2026-11-21-b"] {
            run(&results.join(name));
        }
        run(&results.join("deep").join("2026-11-23-d"));
        fs::create_dir(results.join("notes")).unwrap();
        fs::write(results.join("run"), "no folder").unwrap();
        let twice = [results.clone(), results.join("2026-11-20-a"), results.join("../results/2026-11-22-c")];
        let names: Vec<String> = runs(&twice).unwrap().into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["2026-11-22-c", "2026-11-21-b", "2026-11-20-a"]);
    }

    #[test]
    fn what_is_no_folder_is_typed_wrong() {
        let root = tempfile::tempdir().unwrap();
        let error = runs(&[root.path().join("nowhere")]).unwrap_err();
        assert_eq!(crate::exit::code(&error), crate::exit::USAGE);
        assert_eq!(runs(&[root.path().to_owned()]).unwrap(), [], "an empty one holds none");
    }
}
