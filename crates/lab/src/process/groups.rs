//! Control groups with all that the processes in them have made below: what moves into a group of its own there is still inside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::tree;

/// Between two tries to remove one.
const REMOVE_POLL: Duration = Duration::from_millis(2);

/// A group and all below it, each behind those that are below it.
fn with_all_below(group: &Path) -> Vec<PathBuf> {
    let mut found = vec![group.to_owned()];
    let mut looked_at = 0;
    while let Some(dir) = found.get(looked_at) {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        // A group is a folder; what it is set with and tells are files.
        let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let below: Vec<PathBuf> = below.map(|entry| entry.path()).collect();
        found.extend(below);
        looked_at += 1;
    }
    found.reverse();
    found
}

/// The processes in a group and below it that are no zombies, in ascending order.
pub(crate) fn pids(group: &Path) -> Vec<u32> {
    let of = |dir: &PathBuf| fs::read_to_string(dir.join("cgroup.procs")).unwrap_or_default();
    let texts: Vec<String> = with_all_below(group).iter().map(of).collect();
    let numbers = texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.parse().ok());
    let mut pids: Vec<u32> = numbers.filter(|&pid| tree::is_alive(pid)).collect();
    pids.sort_unstable();
    pids.dedup();
    pids
}

/// Removes a group and all below it, which must be empty; processes that were killed may still be on their way out.
///
/// # Errors
/// When that takes longer than the limit.
pub(crate) fn remove(group: &Path, limit: Duration) -> io::Result<()> {
    let deadline = Instant::now() + limit;
    loop {
        let removed = with_all_below(group).iter().try_for_each(|dir| match fs::remove_dir(dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        });
        match removed {
            Err(_) if Instant::now() < deadline => std::thread::sleep(REMOVE_POLL),
            removed => return removed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_and_removed_from_the_bottom_up() {
        let mount = tempfile::tempdir().unwrap();
        let group = mount.path().join("a");
        fs::create_dir_all(group.join("b/c")).unwrap();
        fs::create_dir(group.join("d")).unwrap();
        let own = std::process::id();
        fs::write(group.join("b/c/cgroup.procs"), format!("{own}\n{}\n", u32::MAX)).unwrap();
        assert_eq!(pids(&group), [own], "one that has ended does not count");
        assert!(remove(&group, Duration::ZERO).is_err(), "here a file is in the way");
        fs::remove_file(group.join("b/c/cgroup.procs")).unwrap();
        remove(&group, Duration::ZERO).unwrap();
        assert!(!group.exists());
        remove(&group, Duration::ZERO).unwrap();
    }
}
