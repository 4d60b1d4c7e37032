//! A limit on the memory of a contender's processes together, kept by the kernel.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// Bytes that a contender's processes may have together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryLimit(pub(crate) u64);

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        match units.iter().find(|(_, size)| self.0 >= *size && self.0.is_multiple_of(*size)) {
            Some((unit, size)) => write!(f, "{} {unit}", self.0 / size),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// Which version of control groups a folder belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

impl MemoryLimit {
    /// Sets the limit of a control group. Swap is no way around it: there would be no limit to what a program can swap.
    pub(crate) fn set(self, group: &Path, version: Version) -> io::Result<()> {
        // Version 1 counts memory and swap together, version 2 swap alone.
        let (memory, swap, swap_bytes) = match version {
            Version::V1 => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", self.0),
            Version::V2 => ("memory.max", "memory.swap.max", 0),
        };
        fs::write(group.join(memory), self.0.to_string())?;
        // A kernel that does not count swap has no such file.
        let swap = group.join(swap);
        if swap.exists() { fs::write(swap, swap_bytes.to_string()) } else { Ok(()) }
    }
}

/// How many processes of a control group the kernel has ended for its limit; `None` where it does not say.
pub(crate) fn kills(group: &Path) -> Option<u64> {
    ["memory.events", "memory.oom_control"]
        .into_iter()
        .find_map(|file| kills_in(&fs::read_to_string(group.join(file)).ok()?))
}

fn kills_in(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_said_in_the_unit_that_fits() {
        for (bytes, words) in [
            (512 << 20, "512 MiB"),
            (2 << 30, "2 GiB"),
            (1536 << 20, "1536 MiB"),
            (1000, "1000 bytes"),
            (4096, "4 KiB"),
        ] {
            assert_eq!(MemoryLimit(bytes).to_string(), words);
        }
    }

    #[test]
    fn both_versions_say_how_often_they_killed() {
        assert_eq!(kills_in("low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n"), Some(2));
        assert_eq!(kills_in("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"), Some(1));
        assert_eq!(kills_in("oom_kill_disable 0\nunder_oom 0\n"), None);
    }

    #[test]
    fn memory_and_swap_are_limited() {
        let group = tempfile::tempdir().unwrap();
        let written = |file: &str| fs::read_to_string(group.path().join(file)).ok();
        MemoryLimit(1 << 20).set(group.path(), Version::V2).unwrap();
        assert_eq!((written("memory.max").as_deref(), written("memory.swap.max")), (Some("1048576"), None));
        fs::write(group.path().join("memory.swap.max"), "max").unwrap();
        fs::write(group.path().join("memory.memsw.limit_in_bytes"), "-1").unwrap();
        MemoryLimit(1 << 20).set(group.path(), Version::V2).unwrap();
        MemoryLimit(1 << 20).set(group.path(), Version::V1).unwrap();
        assert_eq!(written("memory.swap.max").as_deref(), Some("0"));
        assert_eq!(written("memory.memsw.limit_in_bytes").as_deref(), Some("1048576"));
        assert_eq!(kills(group.path()), None);
        fs::write(group.path().join("memory.events"), "oom_kill 4\n").unwrap();
        assert_eq!(kills(group.path()), Some(4));
    }
}
