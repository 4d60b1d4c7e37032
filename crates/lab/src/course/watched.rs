//! The parties of a launch while they are loaded: what the kernel says of their processes before and after.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use velo_load::{Edge, EdgeHook};
use velo_model::PartyRole;
use velo_record::{Party, Placement};

use crate::process::tree::{self, Snapshot};
use crate::sides::serve_side::{Processes, Server};

/// The most processes whose CPU time is kept one by one.
const MOST_PROCESSES: usize = 64;
/// A reading that failed or was not made; no process tree has used that much.
const UNREAD: u64 = u64::MAX;

/// A party of a launch that was started here.
pub(crate) struct Watched {
    role: PartyRole,
    processes: Arc<dyn Processes>,
    edges: Arc<Edges>,
    before: Snapshot,
    after: Snapshot,
    /// CPU time since it was started, as loading begins and as it ends.
    cpu_ns: [Option<u64>; 2],
}

/// CPU time at the edges of a window, read by the generator's own thread as it passes them.
#[derive(Debug)]
struct Edges {
    start_ns: AtomicU64,
    end_ns: AtomicU64,
}

impl Watched {
    /// All of a server, with what their processes have used until now.
    pub(crate) fn all(server: &dyn Server) -> Vec<Self> {
        let parties = server.parties().into_iter();
        parties
            .map(|(role, processes)| Self {
                role,
                before: processes.used_by(&processes.pids()),
                after: Snapshot::default(),
                processes,
                edges: Arc::new(Edges::default()),
                cpu_ns: [None; 2],
            })
            .collect()
    }

    /// As the edges of the window are passed, the CPU time of each is read.
    pub(crate) fn hook(all: &[Self]) -> EdgeHook {
        let timed: Vec<_> =
            all.iter().map(|one| (Arc::clone(&one.edges), Arc::clone(&one.processes))).collect();
        Arc::new(move |edge| {
            for (edges, processes) in &timed {
                let slot = match edge {
                    Edge::WindowStart => &edges.start_ns,
                    Edge::WindowEnd => &edges.end_ns,
                };
                slot.store(processes.cpu_ns().unwrap_or(UNREAD), Ordering::Relaxed);
            }
        })
    }

    pub(crate) fn begin(all: &mut [Self]) {
        all.iter_mut().for_each(|one| one.cpu_ns[0] = one.processes.cpu_ns());
    }

    pub(crate) fn end(all: &mut [Self]) {
        all.iter_mut().for_each(|one| one.cpu_ns[1] = one.processes.cpu_ns());
    }

    /// What the processes have used is read once more, in more time than [`Watched::end`] takes.
    pub(crate) fn look(all: &mut [Self]) {
        all.iter_mut().for_each(|one| one.after = one.processes.used_by(&one.processes.pids()));
    }

    /// CPU time of all together while they were loaded; `None` where it is not known of one, or there is none.
    pub(crate) fn used_ns(all: &[Self]) -> Option<u64> {
        all.iter().map(Self::cpu_total_ns).reduce(|one, other| one?.checked_add(other?))?
    }

    /// The same since they were started.
    pub(crate) fn used_since_start_ns(all: &[Self]) -> Option<u64> {
        all.iter().map(|one| one.cpu_ns[1]).reduce(|one, other| one?.checked_add(other?))?
    }

    fn cpu_total_ns(&self) -> Option<u64> {
        let [before, after] = self.cpu_ns;
        before.zip(after).map(|(before, after)| after.saturating_sub(before))
    }

    /// What was seen of it. `elapsed_ns`: between the two readings of its CPU time; `loaded_ns`: settling, window and draining.
    pub(crate) fn party(&self, placement: &Placement, elapsed_ns: u64, loaded_ns: u64) -> Party {
        let cpu_total_ns = self.cpu_total_ns();
        let outside_cpus = (!self.after.is_empty()).then(|| {
            let used = tree::difference(&self.before, &self.after);
            self.processes.outside_cpus(&used, placement.cpus(self.role))
        });
        Party {
            role: self.role,
            cpu_ns: self.edges.between(),
            cpu_total_ns,
            cpu_elapsed_ns: cpu_total_ns.map(|_| elapsed_ns),
            outside_cpus,
            ..by_process(&self.before, &self.after, loaded_ns)
        }
    }
}

impl Default for Edges {
    fn default() -> Self {
        Self { start_ns: AtomicU64::new(UNREAD), end_ns: AtomicU64::new(UNREAD) }
    }
}

impl Edges {
    fn between(&self) -> Option<u64> {
        let (start, end) = (self.start_ns.load(Ordering::Relaxed), self.end_ns.load(Ordering::Relaxed));
        (start != UNREAD && end != UNREAD).then(|| end.saturating_sub(start))
    }
}

/// What each process and thread used over the whole stretch.
fn by_process(before: &Snapshot, after: &Snapshot, loaded_ns: u64) -> Party {
    let used = tree::difference(before, after);
    let mut by_process = HashMap::new();
    for ((pid, _), thread) in &used {
        *by_process.entry(*pid).or_insert(0u64) += thread.cpu_ns;
    }
    let mut cpu_by_process_ns: Vec<u64> = by_process.into_values().filter(|&cpu_ns| cpu_ns > 0).collect();
    cpu_by_process_ns.sort_unstable_by(|a, b| b.cmp(a));
    cpu_by_process_ns.truncate(MOST_PROCESSES);
    let busy = used.iter().filter(|(_, thread)| thread.cpu_ns * 2 >= loaded_ns).count() as u32;
    Party {
        cpu_by_process_ns,
        busy_threads: (!after.is_empty()).then_some(busy),
        context_switches: (!after.is_empty()).then(|| used.iter().map(|(_, thread)| thread.timeslices).sum()),
        ..Party::new(PartyRole::Contender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::tree::ThreadUse;

    #[test]
    fn processes_are_summed_and_busy_threads_counted() {
        let used = |cpu_ns| ThreadUse { cpu_ns, timeslices: 1 };
        let before = Snapshot::from([((1, 1), used(100)), ((2, 2), used(0))]);
        let after =
            Snapshot::from([((1, 1), used(150)), ((1, 9), used(60)), ((2, 2), used(0)), ((3, 3), used(5))]);
        let party = by_process(&before, &after, 100);
        assert_eq!(party.cpu_by_process_ns, [110, 5]);
        assert_eq!(party.busy_threads, Some(2));
    }

    #[test]
    fn an_unread_edge_gives_no_figure() {
        let edges = Edges::default();
        assert_eq!(edges.between(), None);
        edges.end_ns.store(70, Ordering::Relaxed);
        assert_eq!(edges.between(), None);
        edges.start_ns.store(20, Ordering::Relaxed);
        assert_eq!(edges.between(), Some(50));
    }
}
