//! What `/proc` says of processes.

use std::collections::HashMap;
use std::fs;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use rustix::thread::{CpuSet, sched_getaffinity};

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

/// All processes, in no order.
pub(crate) fn processes() -> Vec<Process> {
    numbers_in("/proc").filter_map(process).collect()
}

/// Processes whose environment holds this entry (`KEY=value`), which children inherit whatever group they join.
pub(crate) fn with_environment(entry: &str) -> Vec<u32> {
    numbers_in("/proc")
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|environ| environ.split(|&b| b == 0).any(|item| item == entry.as_bytes()))
        })
        .filter(|&pid| is_alive(pid))
        .collect()
}

/// A process as its `stat` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    /// Its process group.
    pub(crate) group: u32,
    /// When it was started, in ticks since the machine was: with its number that is nobody else's.
    pub(crate) start_ticks: u64,
    pub(crate) is_zombie: bool,
}

/// A process, if there is one of that number.
pub(crate) fn process(pid: u32) -> Option<Process> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Now, on the clock of [`Process::start_ticks`].
pub(crate) fn now_in_ticks() -> u64 {
    let since_boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let per_s = rustix::param::clock_ticks_per_second();
    let (seconds, ns) = (since_boot.tv_sec as u64, since_boot.tv_nsec as u64);
    seconds * per_s + ns * per_s / 1_000_000_000
}

/// The name in parentheses may hold anything, blanks and parentheses included, so the fields are counted from
/// the last parenthesis.
fn parse_stat(text: &str) -> Option<Process> {
    let pid = text.split_once(' ')?.0.parse().ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let is_zombie = matches!(fields.next()?, "Z" | "X");
    let (parent, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    // The 22nd field; the group is the fifth.
    let start_ticks = fields.nth(16)?.parse().ok()?;
    Some(Process { pid, parent, group, start_ticks, is_zombie })
}

/// Whether a process still runs: a zombie does not.
pub(crate) fn is_alive(pid: u32) -> bool {
    process(pid).is_some_and(|one| !one.is_zombie)
}

/// Threads of these processes.
pub(crate) fn threads(pids: &[u32]) -> u32 {
    pids.iter().map(|pid| threads_of(*pid).count() as u32).sum()
}

/// The threads of a process, in no order.
pub(crate) fn threads_of(pid: u32) -> impl Iterator<Item = u32> {
    numbers_in(&format!("/proc/{pid}/task"))
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

/// CPUs outside of a contender's own on which its threads may run, or ran last. Looked at are the threads that were on a CPU
/// between two snapshots: what a thread that only sleeps might do is of no account.
pub(crate) fn outside_cpus(used: &[((u32, u32), ThreadUse)], own: &[u32]) -> Vec<u32> {
    let mut cpus = Vec::new();
    for &((pid, tid), _) in used.iter().filter(|(_, used)| used.timeslices > 0 || used.cpu_ns > 0) {
        // One that has ended since is not seen; its CPU time is.
        if let Some(Ok(allowed)) = Pid::from_raw(tid as i32).map(|tid| sched_getaffinity(Some(tid))) {
            cpus.extend((0..CpuSet::MAX_CPU as u32).filter(|&cpu| allowed.is_set(cpu as usize)));
        }
        let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/stat")).unwrap_or_default();
        cpus.extend(last_cpu(&text));
    }
    cpus.sort_unstable();
    cpus.dedup();
    cpus.retain(|cpu| !own.contains(cpu));
    cpus
}

/// The CPU on which a thread ran last: the 39th field, the third is right behind the name.
fn last_cpu(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(36)?.parse().ok()
}

/// A process that was taken hold of: its number is nobody else's for as long as this lives, where the kernel can do that.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) pid: u32,
    fd: Option<OwnedFd>,
}

/// Takes hold of processes; those that have ended are left out.
pub(crate) fn hold(pids: &[u32]) -> Vec<Held> {
    let hold = |&pid: &u32| match pidfd_open(Pid::from_raw(pid as i32)?, PidfdFlags::empty()) {
        Ok(fd) => Some(Held { pid, fd: Some(fd) }),
        Err(Errno::SRCH) => None,
        // A kernel before 5.3, or too many open files: then by number, as it always was.
        Err(_) => Some(Held { pid, fd: None }),
    };
    pids.iter().filter_map(hold).collect()
}

impl Held {
    /// Signals it, unless it has ended.
    pub(crate) fn signal(&self, signal: Signal) {
        // That it has ended meanwhile is no error.
        let _ = match (&self.fd, Pid::from_raw(self.pid as i32)) {
            (Some(fd), _) => pidfd_send_signal(fd, signal),
            (None, Some(pid)) => kill_process(pid, signal),
            (None, None) => Ok(()),
        };
    }
}

/// The name of a process's program, at most 15 bytes of it.
pub(crate) fn name(pid: u32) -> Option<String> {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.chars().filter(|c| !c.is_control()).collect())
}

/// Whether a process group still has a process among these that is not a zombie.
pub(crate) fn is_group_of(group: u32, pids: &[u32]) -> bool {
    pids.iter().any(|&pid| process(pid).is_some_and(|one| one.group == group && !one.is_zombie))
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

fn numbers_in(dir: &str) -> impl Iterator<Item = u32> + use<> {
    fs::read_dir(dir).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_texts_are_read() {
        assert_eq!(parse_schedstat("123 456 7\n"), Some(ThreadUse { cpu_ns: 123, timeslices: 7 }));
        assert_eq!(parse_schedstat("nonsense"), None);
        let rest = "7 40 40 0 -1 4194560 1 0 0 0 120 30 5 6 20 0 1 0 987 6 7";
        let one = Process { pid: 42, parent: 7, group: 40, start_ticks: 987, is_zombie: false };
        assert_eq!(parse_stat(&format!("42 (a) b (c)) S {rest}")), Some(one));
        assert!(parse_stat(&format!("1 (x) Z {rest}")).unwrap().is_zombie);
        assert!(parse_stat("").is_none() && parse_stat("1 (x) S 1 1 1").is_none());
        let own = process(std::process::id()).unwrap();
        let age = now_in_ticks() - own.start_ticks;
        assert!(age < 1_000_000, "{age}: on the same clock");
        assert_eq!(parse_cpu_list("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(parse_cpu_list("x-"), Vec::<u32>::new());
    }

    #[test]
    fn a_thread_on_another_cpu_is_seen_and_one_on_its_own_is_not() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 120 30 5 6 20 0 1 0 5 6 7 8 9 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0";
        assert_eq!(last_cpu(stat), Some(3));
        assert_eq!(last_cpu("7 (a) S 1"), None);
        let own = std::process::id();
        let allowed = allowed_cpus(&[own]);
        let tid = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        let ran = [((own, tid), ThreadUse { cpu_ns: 1, timeslices: 1 })];
        assert_eq!(outside_cpus(&ran, &allowed), Vec::<u32>::new());
        let least = allowed[0];
        let others: Vec<u32> = allowed.iter().copied().filter(|&cpu| cpu != least).collect();
        assert!(outside_cpus(&ran, &others).contains(&least), "it may run there");
        let slept = [((own, tid), ThreadUse::default())];
        assert_eq!(outside_cpus(&slept, &[]), Vec::<u32>::new());
    }

    #[test]
    fn a_process_that_was_taken_hold_of_is_signalled_and_no_other() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let held = hold(&[child.id()]);
        assert_eq!(held.len(), 1);
        held[0].signal(Signal::KILL);
        assert!(!child.wait().unwrap().success());
        // Its number is free again; whoever has it next is not meant.
        assert!(held[0].fd.as_ref().is_none_or(|fd| pidfd_send_signal(fd, Signal::KILL).is_err()));
        assert!(hold(&[child.id()]).is_empty());
    }

    #[test]
    fn this_process_is_seen() {
        let own = std::process::id();
        assert!(is_alive(own));
        assert!(threads(&[own]) >= 1);
        assert!(snapshot(&[own]).contains_key(&(own, own)));
        assert!(!allowed_cpus(&[own]).is_empty());
    }
}
