//! Where the runs of a site are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use velo_record::is_archive;

use crate::exit::usage;
use crate::out;
use crate::run_folder::shown;

const RUN_FILE: &str = "run.json";
/// How `velo archive` ends the name of its file.
const ARCHIVE: &str = ".tar.gz";

/// What looks like a run's folder, or like its archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The folder's own name, or the archive's without its ending.
    pub(super) name: String,
}

/// The runs in these folders and archives: each is one of a run, or a folder that holds such. Each run once, the last by name first: names begin with the
/// time, so that the newest come first.
pub(super) fn runs(dirs: &[PathBuf]) -> anyhow::Result<Vec<Found>> {
    let mut found: BTreeMap<PathBuf, Found> = BTreeMap::new();
    for dir in dirs {
        if !dir.is_dir() && !is_archive(dir) {
            return Err(usage(format!(
                "{}: expected a run's folder, its archive, or a folder that holds such\n  velo run makes them in results/",
                shown(dir)
            )));
        }
        let own = if is_run(dir) { vec![dir.clone()] } else { within(dir)? };
        if own.is_empty() {
            out::talk(&format!("note: {} holds no run\n", shown(dir)));
        }
        for path in own {
            let real = fs::canonicalize(&path).with_context(|| format!("{} cannot be read", shown(&path)))?;
            let name = real.file_name().unwrap_or_default().to_string_lossy();
            let name = name.strip_suffix(ARCHIVE).unwrap_or(&name).to_owned();
            found.entry(real).or_insert(Found { path, name });
        }
    }
    let mut found: Vec<Found> = found.into_values().collect();
    found.sort_by(|a, b| (&b.name, &b.path).cmp(&(&a.name, &a.path)));
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

fn is_run(path: &Path) -> bool {
    path.join(RUN_FILE).exists() || is_archive(path)
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
        fs::write(results.join("2026-11-19-z.tar.gz"), b"\x1f\x8b, as an archive begins").unwrap();
        let twice = [results.clone(), results.join("2026-11-20-a"), results.join("../results/2026-11-22-c")];
        let names: Vec<String> = runs(&twice).unwrap().into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["2026-11-22-c", "2026-11-21-b", "2026-11-20-a", "2026-11-19-z"]);
    }

    #[test]
    fn what_is_no_folder_is_typed_wrong() {
        let root = tempfile::tempdir().unwrap();
        let error = runs(&[root.path().join("nowhere")]).unwrap_err();
        assert_eq!(crate::exit::code(&error), crate::exit::USAGE);
        assert_eq!(runs(&[root.path().to_owned()]).unwrap(), [], "an empty one holds none");
    }
}
