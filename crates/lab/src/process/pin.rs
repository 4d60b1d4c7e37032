//! Moves processes of others to some CPUs, and knows where they were.

use std::collections::BTreeMap;
use std::io;

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};

use super::tree;

/// Threads that begin while others are moved may still have where their parents were.
const ROUNDS: u32 = 3;

/// Where the threads of a process could run before it was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pinned {
    pid: u32,
    /// With its number nobody else's.
    start_ticks: u64,
    /// By thread.
    cpus: BTreeMap<u32, Vec<u32>>,
}

/// Moves all threads of these processes to these CPUs. What they have started after that is there too, since it begins where
/// its parent is. The error is one line; then all are where they were.
pub(crate) fn pin(pids: &[u32], cpus: &[u32]) -> Result<Vec<Pinned>, String> {
    let mut all: Vec<Pinned> = Vec::new();
    for process in pids.iter().filter_map(|&pid| tree::process(pid)) {
        all.push(Pinned { pid: process.pid, start_ticks: process.start_ticks, cpus: BTreeMap::new() });
    }
    for _ in 0..ROUNDS {
        for at in 0..all.len() {
            if let Err(error) = all[at].move_to(cpus) {
                all.iter().for_each(Pinned::put_back);
                return Err(format!(
                    "a thread of process {} cannot be moved to other CPUs: {error}",
                    all[at].pid
                ));
            }
        }
    }
    Ok(all)
}

impl Pinned {
    fn move_to(&mut self, cpus: &[u32]) -> io::Result<()> {
        for tid in tree::threads_of(self.pid) {
            let Some(before) = allowed(tid).filter(|before| before != cpus) else { continue };
            match allow(tid, cpus) {
                Ok(()) => _ = self.cpus.entry(tid).or_insert(before),
                // It has ended meanwhile.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Lets each thread run where it could; those that have begun since, where the process's first one could.
    pub(crate) fn put_back(&self) {
        if tree::process(self.pid).is_none_or(|one| one.start_ticks != self.start_ticks) {
            return;
        }
        let Some(first) = self.cpus.get(&self.pid).or_else(|| self.cpus.values().next()) else { return };
        for tid in tree::threads_of(self.pid) {
            // One that has ended needs no CPUs.
            let _ = allow(tid, self.cpus.get(&tid).unwrap_or(first));
        }
    }

    /// `77 1234 77=0,1 78=0,1`: for the guard.
    pub(crate) fn to_line(&self) -> String {
        let list = |cpus: &[u32]| cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let threads = self.cpus.iter().map(|(tid, cpus)| format!(" {tid}={}", list(cpus)));
        format!("{} {}{}", self.pid, self.start_ticks, threads.collect::<String>())
    }

    /// What [`Pinned::to_line`] has written.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let (pid, start_ticks) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let thread = |word: &str| {
            let (tid, cpus) = word.split_once('=')?;
            Some((tid.parse().ok()?, tree::parse_cpu_list(cpus)))
        };
        Some(Self { pid, start_ticks, cpus: words.map(thread).collect::<Option<_>>()? })
    }
}

fn allowed(tid: u32) -> Option<Vec<u32>> {
    let set = sched_getaffinity(Some(Pid::from_raw(tid as i32)?)).ok()?;
    Some((0..CpuSet::MAX_CPU as u32).filter(|&cpu| set.is_set(cpu as usize)).collect())
}

fn allow(tid: u32, cpus: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().filter(|&&cpu| (cpu as usize) < CpuSet::MAX_CPU).for_each(|&cpu| set.set(cpu as usize));
    Ok(sched_setaffinity(Pid::from_raw(tid as i32), &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_is_put_back_also_by_its_line() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let before = allowed(child.id()).unwrap();
        let one = [before[0]];
        let pinned = pin(&[child.id()], &one).unwrap();
        assert_eq!(allowed(child.id()).unwrap(), one);
        let read: Vec<Pinned> = pinned.iter().filter_map(|one| Pinned::of_line(&one.to_line())).collect();
        assert_eq!(read, pinned);
        read.iter().for_each(Pinned::put_back);
        assert_eq!(allowed(child.id()).unwrap(), before);
        child.kill().unwrap();
        child.wait().unwrap();
        for odd in ["", "1", "1 x", "1 2 3", "1 2 3=", "-1 2 3=0"] {
            assert!(Pinned::of_line(odd).is_none_or(|one| one.cpus.values().all(Vec::is_empty)), "{odd}");
        }
    }
}
