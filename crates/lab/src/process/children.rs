//! Children of this process: those that it started, and those that it was given because their own parents have ended.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use rustix::process::{Pid, WaitOptions, getpgrp, set_child_subreaper, waitpid};

use super::tree::{self, Process};

#[derive(Debug)]
struct Children {
    /// Those that lead a process group of their own, by number.
    started: BTreeSet<u32>,
    /// How many cages there are.
    cages: usize,
    /// When the first of them was made, in ticks of the kernel's clock for the start of processes; what is older was never a contender's.
    since: Option<u64>,
    /// Since when there is no more than one of them, on the same clock.
    alone_since: u64,
}

static CHILDREN: Mutex<Children> =
    Mutex::new(Children { started: BTreeSet::new(), cages: 0, since: None, alone_since: 0 });

fn children() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A cage is made. From the first one on, processes whose parents have ended come to this process, where they are found however
/// they have changed their session and environment.
pub(super) fn cage_made() {
    static ADOPTS: Once = Once::new();
    // Where the kernel refuses, orphans are known by their groups and their environment alone.
    ADOPTS.call_once(|| {
        let _ = set_child_subreaper(Pid::from_raw(1));
    });
    change_cages(|cages| cages + 1);
}

/// A cage is gone, and the first process of it, if there was one.
pub(super) fn cage_gone(first: Option<u32>) {
    if let Some(first) = first {
        forget(first);
    }
    change_cages(|cages| cages.saturating_sub(1));
}

fn change_cages(change: impl Fn(usize) -> usize) {
    let mut children = children();
    children.cages = change(children.cages);
    if children.cages == 1 {
        children.alone_since = tree::now_in_ticks();
        children.since.get_or_insert(tree::now_in_ticks());
    }
}

/// Starts a child that leads a process group of its own.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    // Held until it is noted, so that nobody takes it for one that was given to this process.
    let mut children = children();
    let child = command.spawn()?;
    children.started.insert(child.id());
    Ok(child)
}

/// A child was waited for: its number may be another's.
pub(crate) fn forget(pid: u32) {
    children().started.remove(&pid);
}

/// Children that live and that this process did not start. Where there is more than one cage nobody can tell whose they are, and there
/// are none.
pub(super) fn adopted() -> Vec<Process> {
    let children = children();
    let mut all = if children.cages == 1 { all_adopted(&children) } else { Vec::new() };
    all.retain(|one| !one.is_zombie);
    all
}

/// Those of them that were started when there was no other cage.
pub(super) fn adopted_of_only_cage() -> Vec<u32> {
    let since = children().alone_since;
    adopted().iter().filter(|one| one.start_ticks >= since).map(|one| one.pid).collect()
}

fn all_adopted(children: &Children) -> Vec<Process> {
    let own = std::process::id();
    // What this process starts without a group of its own is in its group.
    let group = getpgrp().as_raw_nonzero().get() as u32;
    // As the first process of a container this one is given everybody's orphans.
    let Some(since) = children.since.filter(|_| own != 1) else { return Vec::new() };
    let mut all = tree::processes();
    all.retain(|one| {
        let is_given = one.parent == own && !children.started.contains(&one.pid);
        is_given && one.group != group && one.start_ticks >= since
    });
    all
}

/// Takes those that have ended off the kernel's list.
pub(super) fn reap_adopted() {
    let children = children();
    for process in all_adopted(&children).iter().filter(|process| process.is_zombie) {
        // It has ended, and nobody else waits for it.
        let _ = waitpid(Pid::from_raw(process.pid as i32), WaitOptions::NOHANG);
    }
}
