//! What `/proc` says of processes.

use std::collections::HashMap;
use std::fs;

/// What one thread has used since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ThreadUse {
    pub(crate) cpu_ns: u64,
    /// How often it was put on a CPU.
    pub(crate) timeslices: u64,
}

/// CPU use of each thread of some processes, by process and thread.
pub(crate) type Snapshot = HashMap<(u32, u32), ThreadUse>;

/// Reads what the threads of these processes have used.
pub(crate) fn snapshot(pids: &[u32]) -> Snapshot {
    let mut threads = Snapshot::new();
    for &pid in pids {
        for tid in numbers_in(&format!("/proc/{pid}/task")) {
            let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat"));
            if let Some(used) = text.ok().as_deref().and_then(parse_schedstat) {
                threads.insert((pid, tid), used);
            }
        }
    }
    threads
}

/// `schedstat` of a thread: time on a CPU, time waiting for one (both in ns), and how often it got one
/// (Documentation/scheduler/sched-stats.rst).
fn parse_schedstat(text: &str) -> Option<ThreadUse> {
    let mut fields = text.split_ascii_whitespace();
    let cpu_ns = fields.next()?.parse().ok()?;
    let timeslices = fields.nth(1)?.parse().ok()?;
    Some(ThreadUse { cpu_ns, timeslices })
}

/// The threads that a process tree used between two snapshots.
pub(crate) fn difference(before: &Snapshot, after: &Snapshot) -> Vec<((u32, u32), ThreadUse)> {
    after
        .iter()
        .map(|(&key, now)| {
            let then = before.get(&key).copied().unwrap_or_default();
            let used = ThreadUse {
                cpu_ns: now.cpu_ns.saturating_sub(then.cpu_ns),
                timeslices: now.timeslices.saturating_sub(then.timeslices),
            };
            (key, used)
        })
        .collect()
}

/// Processes of a process group.
pub(crate) fn group_members(group: u32) -> Vec<u32> {
    numbers_in("/proc")
        .filter(|&pid| stat_of(pid).is_some_and(|stat| stat.group == group && !stat.is_zombie))
        .collect()
}

/// Processes whose environment holds this entry (`KEY=value`), which children inherit whatever group they join.
pub(crate) fn with_environment(entry: &str) -> Vec<u32> {
    numbers_in("/proc")
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|environ| environ.split(|&b| b == 0).any(|item| item == entry.as_bytes()))
        })
        .filter(|&pid| stat_of(pid).is_some_and(|stat| !stat.is_zombie))
        .collect()
}

struct Stat {
    group: u32,
    is_zombie: bool,
}

fn stat_of(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name in parentheses may hold anything, blanks and parentheses included, so the fields are counted from
/// the last parenthesis.
fn parse_stat(text: &str) -> Option<Stat> {
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    Some(Stat { group, is_zombie: matches!(state, "Z" | "X") })
}

/// Whether a process still runs: a zombie does not.
pub(crate) fn is_alive(pid: u32) -> bool {
    stat_of(pid).is_some_and(|stat| !stat.is_zombie)
}

/// Threads of these processes.
pub(crate) fn threads(pids: &[u32]) -> u32 {
    pids.iter().map(|pid| numbers_in(&format!("/proc/{pid}/task")).count() as u32).sum()
}

/// Proportional set size and peak resident size, summed over these processes.
pub(crate) fn memory(pids: &[u32]) -> (Option<u64>, Option<u64>) {
    let sum = |file: &str, key: &str| {
        let mut total = None;
        for pid in pids {
            let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok();
            if let Some(kib) = text.as_deref().and_then(|text| kib_of(text, key)) {
                *total.get_or_insert(0) += kib * 1024;
            }
        }
        total
    };
    (sum("smaps_rollup", "Pss:"), sum("status", "VmHWM:"))
}

fn kib_of(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    line[key.len()..].split_ascii_whitespace().next()?.parse().ok()
}

/// The CPUs that any thread of these processes may run on.
pub(crate) fn allowed_cpus(pids: &[u32]) -> Vec<u32> {
    let mut cpus = Vec::new();
    for &pid in pids {
        for tid in numbers_in(&format!("/proc/{pid}/task")) {
            let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/status")).unwrap_or_default();
            let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
            cpus.extend(list.map(parse_cpu_list).unwrap_or_default());
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// `0-3,8` as numbers; what is not a list of CPUs gives none.
pub(crate) fn parse_cpu_list(text: &str) -> Vec<u32> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            cpus.extend(first..=last.min(first.saturating_add(8192)));
        }
    }
    cpus
}

fn numbers_in(dir: &str) -> impl Iterator<Item = u32> {
    fs::read_dir(dir).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_texts_are_read() {
        assert_eq!(parse_schedstat("123 456 7\n"), Some(ThreadUse { cpu_ns: 123, timeslices: 7 }));
        assert_eq!(parse_schedstat("nonsense"), None);
        let stat = parse_stat("42 (a) b (c)) S 1 40 40 0 -1").unwrap();
        assert_eq!((stat.group, stat.is_zombie), (40, false));
        assert!(parse_stat("1 (x) Z 1 1 1").unwrap().is_zombie);
        assert!(parse_stat("").is_none());
        assert_eq!(parse_cpu_list("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(parse_cpu_list("x-"), Vec::<u32>::new());
        assert_eq!(kib_of("Rss: 1 kB\nPss:    12 kB\n", "Pss:"), Some(12));
    }

    #[test]
    fn this_process_is_seen() {
        let own = std::process::id();
        assert!(is_alive(own));
        assert!(threads(&[own]) >= 1);
        assert!(snapshot(&[own]).contains_key(&(own, own)));
        assert!(memory(&[own]).1.is_some_and(|peak| peak > 100_000));
        assert!(!allowed_cpus(&[own]).is_empty());
    }
}
