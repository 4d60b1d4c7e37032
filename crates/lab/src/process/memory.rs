//! What the processes of one contender occupy in memory, whoever else maps the same files.

use std::collections::BTreeMap;
use std::fs;

/// Steady and peak memory of a process tree in bytes; `None` where the kernel does not say.
///
/// Steady counts each page that is shared within the tree once, and whole, however many strangers share it too. Peak is the sum of
/// `VmHWM`.
pub(crate) fn memory(pids: &[u32]) -> (Option<u64>, Option<u64>) {
    let read = |pid: &u32, file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).ok();
    let mut tree = None;
    let mut peak = None;
    for pid in pids {
        // One that ends between two readings is left out.
        if let Some((rollup, maps)) = read(pid, "smaps_rollup").zip(read(pid, "smaps")) {
            tree.get_or_insert_with(Tree::default).add(&rollup, &maps);
        }
        if let Some(kib) = read(pid, "status").and_then(|status| kib_of(&status, "VmHWM:")) {
            *peak.get_or_insert(0) += kib * 1024;
        }
    }
    (tree.and_then(|tree| tree.kib()).map(|kib| kib * 1024), peak)
}

/// A part of a file that is mapped: device, inode and offset, as the kernel writes them.
type Part = (String, String, String);

/// The pages of a process tree in KiB.
struct Tree {
    /// Anonymous pages: nobody but forks share them, so that proportional sizes add up to each page once; `None`: a kernel before 5.4.
    anonymous: Option<u64>,
    /// Shared memory that is written: it is the tree's own too.
    shared: u64,
    /// What is resident of files. Proportional sizes would be divided among strangers that map the same libraries, so the most that
    /// one process has of a part stands for all.
    files: BTreeMap<Part, u64>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { anonymous: Some(0), shared: 0, files: BTreeMap::new() }
    }
}

impl Tree {
    /// Adds a process by its `smaps_rollup` and `smaps` (Documentation/filesystems/proc.rst).
    fn add(&mut self, rollup: &str, maps: &str) {
        self.anonymous = self.anonymous.zip(kib_of(rollup, "Pss_Anon:")).map(|(sum, own)| sum + own);
        let mut mapping: Option<Mapping> = None;
        for line in maps.lines() {
            if let Some(next) = Mapping::parse(line) {
                self.map(mapping.replace(next));
            } else if let Some(mapping) = &mut mapping {
                let kib = |key| kib_of(line, key);
                mapping.resident = kib("Rss:").unwrap_or(mapping.resident);
                mapping.proportional = kib("Pss:").unwrap_or(mapping.proportional);
                mapping.anonymous = kib("Anonymous:").unwrap_or(mapping.anonymous);
            }
        }
        self.map(mapping);
    }

    fn map(&mut self, mapping: Option<Mapping>) {
        let Some(mapping) = mapping else { return };
        if mapping.is_written_by_all {
            self.shared += mapping.proportional;
        } else if mapping.part.1 != "0" {
            let resident = mapping.resident.saturating_sub(mapping.anonymous);
            let most = self.files.entry(mapping.part).or_default();
            *most = resident.max(*most);
        }
    }

    fn kib(&self) -> Option<u64> {
        Some(self.anonymous? + self.shared + self.files.values().sum::<u64>())
    }
}

/// One mapping of a process; sizes in KiB.
struct Mapping {
    part: Part,
    is_written_by_all: bool,
    resident: u64,
    proportional: u64,
    anonymous: u64,
}

impl Mapping {
    /// The first line of a mapping, `55d0-55d4 rw-p 00002000 fe:00 1234 /bin/x`; `None` for a line of figures.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        fields.next()?.split_once('-')?;
        let may = fields.next()?.as_bytes();
        let (offset, device, inode) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Self {
            part: (device.to_owned(), inode.to_owned(), offset.to_owned()),
            is_written_by_all: may.get(1) == Some(&b'w') && may.get(3) == Some(&b's'),
            resident: 0,
            proportional: 0,
            anonymous: 0,
        })
    }
}

fn kib_of(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    line[key.len()..].split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    /// One that has got as far as to sleep, so that its pages stay as they are.
    fn asleep() -> Child {
        let child = Command::new("sleep").arg("600").spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while fs::read_to_string(format!("/proc/{}/wchan", child.id())).unwrap() != "hrtimer_nanosleep"
            && fs::read_to_string(format!("/proc/{}/syscall", child.id()))
                .map_or(true, |call| !call.starts_with("230 "))
        {
            assert!(Instant::now() < until, "it does not sleep");
            std::thread::sleep(Duration::from_millis(5));
        }
        child
    }

    fn end(mut child: Child) {
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn strangers_that_run_the_same_program_change_nothing() {
        let own = asleep();
        let strangers = [asleep(), asleep(), asleep()];
        let beside = memory(&[own.id()]).0.unwrap();
        let tree = memory(&[own.id(), strangers[0].id()]).0.unwrap();
        strangers.into_iter().for_each(end);
        let alone = memory(&[own.id()]).0.unwrap();
        end(own);
        assert_eq!(beside, alone);
        assert!(beside < tree && tree < 2 * beside, "{beside} and {tree}: what two share counts once");
    }

    #[test]
    fn pages_of_a_tree_count_once() {
        let maps = |library: u64, shared: u64| {
            format!(
                "1000-2000 r-xp 00000000 fe:00 12 /bin/x\nRss: {library} kB\nPss: 1 kB\nAnonymous: 0 kB\n\
                 2000-3000 rw-p 00001000 fe:00 12 /bin/x\nRss: 8 kB\nPss: 8 kB\nAnonymous: 4 kB\n\
                 3000-4000 rw-p 00000000 00:00 0 [heap]\nRss: 50 kB\nPss: 25 kB\nAnonymous: 50 kB\n\
                 4000-5000 rw-s 00000000 00:01 99 /dev/zero (deleted)\nRss: 64 kB\nPss: {shared} kB\nAnonymous: 0 kB\n"
            )
        };
        let mut tree = Tree::default();
        tree.add("Rss: 999 kB\nPss: 9 kB\nPss_Anon: 29 kB\n", &maps(100, 32));
        assert_eq!(tree.kib(), Some(29 + 32 + 100 + 4));
        tree.add("Pss_Anon: 31 kB\n", &maps(120, 32));
        assert_eq!(tree.kib(), Some(60 + 64 + 120 + 4));
        tree.add("Pss: 31 kB\n", &maps(1, 1));
        assert_eq!(tree.kib(), None, "a kernel that does not say");
    }

    #[test]
    fn this_process_has_a_peak() {
        assert!(memory(&[std::process::id()]).1.is_some_and(|peak| peak > 100_000));
        assert_eq!(memory(&[]), (None, None));
        assert_eq!(kib_of("Rss: 1 kB\nPss:    12 kB\n", "Pss:"), Some(12));
    }
}
