//! `velo contenders`: writes out the contenders and workloads that this program carries.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;

use crate::args::ContendersArgs;
use crate::carried::{self, File};
use crate::exit::{self, usage};
use crate::out;

/// How many changed files an error names.
const NAMED: usize = 10;

pub(crate) fn run(args: &ContendersArgs) -> anyhow::Result<u8> {
    let written = write(&args.dir, carried::FILES, args.force)?;
    let shown = args.dir.display();
    out::print(&format!(
        "{shown}: {} files of contenders/ and workloads/, {}; {written} written\n",
        carried::FILES.len(),
        carried::size()
    ))?;
    out::talk(&format!(
        "next: cd {shown}\n      velo list       the contenders, and how to install the toolchains that are missing\n      velo run coin   measure the published stacks, about 3 minutes once built\n"
    ));
    Ok(exit::DONE)
}

/// Writes what is not there yet, and returns how many files that were. Where a file has been changed, nothing is written,
/// unless by force.
fn write(dir: &Path, files: &[File], force: bool) -> anyhow::Result<usize> {
    let mut missing = Vec::new();
    let mut changed = Vec::new();
    for file in files {
        let path = dir.join(file.path);
        match fs::read(&path) {
            Ok(bytes) if bytes == file.bytes => {}
            Ok(_) => changed.push(file),
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push(file),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        }
    }
    if !changed.is_empty() && !force {
        return Err(usage(refusal(dir, &changed)));
    }
    let wanted: Vec<&File> = missing.into_iter().chain(changed).collect();
    for file in &wanted {
        let path = dir.join(file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
        }
        fs::write(&path, file.bytes).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(wanted.len())
}

fn refusal(dir: &Path, changed: &[&File]) -> String {
    let files =
        if changed.len() == 1 { "1 file differs" } else { &format!("{} files differ", changed.len()) };
    let mut text = format!("{}: {files} from what this velo carries; nothing was written\n", dir.display());
    for file in changed.iter().take(NAMED) {
        text.push_str(&format!("  {}\n", file.path));
    }
    if let Some(more) = changed.len().checked_sub(NAMED).filter(|more| *more > 0) {
        text.push_str(&format!("  and {more} more\n"));
    }
    text + "  name another folder, or replace them with --force"
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[File] = &[
        File { path: "contenders/go/gin/main.go", bytes: b"package main" },
        File { path: "workloads/coin/workload.toml", bytes: b"name" },
    ];

    #[test]
    fn what_is_carried_is_a_root() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("new/folder");
        assert_eq!(write(&dir, carried::FILES, false).unwrap(), carried::FILES.len());
        let workloads = velo_spec::read::workloads(&dir).unwrap();
        let contenders = velo_spec::read::contenders(&dir).unwrap();
        velo_spec::read::cross_check(&workloads, &contenders).unwrap();
        assert_eq!(write(&dir, carried::FILES, false).unwrap(), 0);
    }

    #[test]
    fn what_was_changed_stays_unless_by_force() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path();
        write(dir, FILES, false).unwrap();
        let (changed, missing) = (dir.join(FILES[0].path), dir.join(FILES[1].path));
        fs::write(&changed, "mine").unwrap();
        fs::remove_file(&missing).unwrap();
        let error = write(dir, FILES, false).unwrap_err().to_string();
        assert!(error.contains("1 file differs") && error.contains(FILES[0].path), "{error}");
        assert_eq!(fs::read_to_string(&changed).unwrap(), "mine");
        assert!(!missing.exists());
        assert_eq!(write(dir, FILES, true).unwrap(), 2);
        assert_eq!(fs::read(&changed).unwrap(), FILES[0].bytes);
    }

    #[test]
    fn of_many_changed_files_some_are_named() {
        let of = |count| refusal(Path::new("d"), &vec![&FILES[0]; count]);
        assert!(of(NAMED).ends_with("main.go\n  name another folder, or replace them with --force"));
        assert!(of(NAMED + 2).contains("  and 2 more\n"), "{}", of(NAMED + 2));
    }
}
