//! The repository's contenders and workloads, so that an installed `velo` has them.

use std::collections::BTreeMap;

/// A file of the repository.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path below the repository's folder.
    pub(crate) path: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// All files of `contenders/` and `workloads/`, by path; `build.rs` lists them.
pub(crate) const FILES: &[File] = &include!(concat!(env!("OUT_DIR"), "/carried.rs"));

/// The names of the workloads, and the files of each.
pub(crate) fn workloads() -> BTreeMap<&'static str, Vec<(&'static str, &'static [u8])>> {
    let mut workloads = BTreeMap::<_, Vec<_>>::new();
    for file in FILES {
        let own = file.path.strip_prefix("workloads/").and_then(|path| path.split_once('/'));
        if let Some((name, path)) = own {
            workloads.entry(name).or_default().push((path, file.bytes));
        }
    }
    workloads
}

/// The repository's `void` under another name.
#[cfg(test)]
pub(crate) fn void_named(name: &str) -> velo_model::Workload {
    velo_spec::read::workload_of(name, &workloads()["void"]).expect("a workload")
}

/// Their size together, as in 517 kB.
pub(crate) fn size() -> String {
    let bytes: usize = FILES.iter().map(|file| file.bytes.len()).sum();
    format!("{} kB", bytes.div_ceil(1000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Nothing that a build left, and nothing is missing.
    #[test]
    fn it_is_what_git_tracks() {
        let mut git = Command::new("git");
        git.args(["ls-files", "--stage", "-z", "contenders", "workloads"]);
        git.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let Ok(output) = git.output() else { return };
        let listed = String::from_utf8(output.stdout).unwrap();
        if listed.is_empty() {
            // Not a checkout, but an archive of one.
            return;
        }
        let mut tracked = Vec::new();
        for line in listed.split_terminator('\0') {
            let (how, path) = line.split_once('\t').unwrap();
            assert!(how.starts_with("100644 "), "{path}: only plain files are carried");
            tracked.push(path);
        }
        tracked.sort_unstable();
        let mut carried: Vec<&str> = FILES.iter().map(|file| file.path).collect();
        carried.sort_unstable();
        assert_eq!(carried, tracked);
    }
}
