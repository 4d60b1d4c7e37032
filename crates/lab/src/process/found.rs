//! The processes of a server that somebody else has started: seen and counted as those of a contender, and never stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::kin::with_descendants;
use super::tree::{self, Process};

/// A process tree that runs already.
#[derive(Debug)]
pub(crate) struct FoundTree {
    roots: Vec<Process>,
    used: Mutex<Used>,
}

/// CPU time as it was last read.
#[derive(Debug, Default)]
struct Used {
    /// Of each process that lives, by its number and when it was started.
    living_ns: BTreeMap<(u32, u64), u64>,
    /// Of all that have ended.
    ended_ns: u64,
}

impl FoundTree {
    /// Of these processes and what they have started; `None` when none of them is there.
    pub(crate) fn of(pids: &[u32]) -> Option<Self> {
        let mut roots: Vec<Process> = pids.iter().filter_map(|&pid| tree::process(pid)).collect();
        roots.retain(|root| !root.is_zombie);
        let found = Self { roots, used: Mutex::default() };
        (!found.pids().is_empty()).then_some(found)
    }

    /// All that live, in ascending order.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let all = tree::processes();
        let roots: BTreeSet<u32> = all
            .iter()
            .filter(|one| self.roots.iter().any(|root| is_same(root, one)))
            .map(|one| one.pid)
            .collect();
        let mut found = with_descendants(roots, &all);
        found.retain(|one| !one.is_zombie);
        let mut used = self.used();
        let before = std::mem::take(&mut used.living_ns);
        used.living_ns = found
            .iter()
            .map(|one| (one.pid, one.start_ticks))
            .map(|key| (key, before.get(&key).copied().unwrap_or(0)))
            .collect();
        let ended = before.iter().filter(|(key, _)| !used.living_ns.contains_key(key));
        let ended_ns: u64 = ended.map(|(_, ns)| ns).sum();
        used.ended_ns += ended_ns;
        found.iter().map(|one| one.pid).collect()
    }

    /// CPU time of all that were seen, as far as they have used it until now; of one that has ended, until it was last read.
    pub(crate) fn cpu_ns(&self) -> u64 {
        let mut used = self.used();
        for (&(pid, start_ticks), cpu_ns) in &mut used.living_ns {
            let now = process_cpu_ns(pid);
            // Read first and looked at after: a number that another process has by then is not taken for it.
            if let Some(now) =
                now.filter(|_| tree::process(pid).is_some_and(|one| one.start_ticks == start_ticks))
            {
                *cpu_ns = (*cpu_ns).max(now);
            }
        }
        used.ended_ns + used.living_ns.values().sum::<u64>()
    }

    /// Whether any of those that it was found by still lives.
    pub(crate) fn is_alive(&self) -> bool {
        let lives =
            |root: &Process| tree::process(root.pid).is_some_and(|one| is_same(root, &one) && !one.is_zombie);
        self.roots.iter().any(lives)
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_same(one: &Process, other: &Process) -> bool {
    (one.pid, one.start_ticks) == (other.pid, other.start_ticks)
}

/// What a process has used since it began, with its threads that have ended.
fn process_cpu_ns(pid: u32) -> Option<u64> {
    // The clock of a process has its number in all but the last three bits, inverted, and there the clock of its scheduler
    // (CPUCLOCK_SCHED, include/linux/posix-timers.h).
    let clock = (!libc::clockid_t::try_from(pid).ok()? << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of this frame; a clock that is not there is an error.
    let read = unsafe { libc::clock_gettime(clock, &mut time) };
    (read == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_tree_is_counted_with_its_children_until_it_ends() {
        let script = "while [ $i -lt 20000 ]; do i=$((i + 1)); done; sleep 600 & wait";
        let mut shell = Command::new("sh").args(["-c", &format!("i=0; {script}")]).spawn().unwrap();
        let found = FoundTree::of(&[shell.id()]).unwrap();
        let wait = || std::thread::sleep(std::time::Duration::from_millis(5));
        while found.pids().len() < 2 {
            wait();
        }
        assert!(found.pids().contains(&shell.id()) && found.is_alive());
        let used = found.cpu_ns();
        assert!(used > 0 && process_cpu_ns(shell.id()) <= Some(found.cpu_ns()));
        let children: Vec<u32> = found.pids().into_iter().filter(|&pid| pid != shell.id()).collect();
        shell.kill().unwrap();
        shell.wait().unwrap();
        for held in tree::hold(&children) {
            held.signal(rustix::process::Signal::KILL);
        }
        assert!(!found.is_alive());
        assert!(found.cpu_ns() >= used, "what it has used stays");
        found.pids();
        assert!(found.cpu_ns() >= used, "also when it is seen that it has ended");
        assert!(FoundTree::of(&[u32::MAX / 2]).is_none());
    }
}
