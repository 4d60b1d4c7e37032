//! The processes that a contender has started, wherever they went.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use super::children;
use super::tree::{self, Process};

/// What is known of a contender's processes.
#[derive(Debug, Default)]
pub(super) struct Kin {
    /// When each that was seen last was started, by number: together they are nobody else's.
    seen: Mutex<BTreeMap<u32, u64>>,
}

impl Kin {
    /// All that live, in ascending order: those inside of its groups, those that hold its mark (`KEY=value`) in their environment, those of the
    /// process group of its first one, those that were seen before, what all of these have started, and orphans that can be nobody else's.
    pub(super) fn find(&self, inside: &[u32], mark: &str, group: Option<u32>) -> Vec<u32> {
        let mut roots: BTreeSet<u32> = inside.iter().copied().collect();
        roots.extend(tree::with_environment(mark));
        roots.extend(children::adopted_of_only_cage());
        let all = tree::processes();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        roots.extend(
            all.iter()
                .filter(|one| Some(one.group) == group || seen.get(&one.pid) == Some(&one.start_ticks))
                .map(|one| one.pid),
        );
        let found = with_descendants(roots, &all);
        *seen = found.iter().map(|one| (one.pid, one.start_ticks)).collect();
        found.iter().filter(|one| !one.is_zombie).map(|one| one.pid).collect()
    }
}

/// Some processes, those that they have started, and so on; in ascending order.
pub(super) fn with_descendants(mut known: BTreeSet<u32>, all: &[Process]) -> Vec<Process> {
    loop {
        let before = known.len();
        // More than once, since a parent may have a higher number than its child.
        known.extend(
            all.iter().filter(|one| known.contains(&one.parent)).map(|one| one.pid).collect::<Vec<_>>(),
        );
        if known.len() == before {
            break;
        }
    }
    let mut found: Vec<Process> = all.iter().copied().filter(|one| known.contains(&one.pid)).collect();
    found.sort_unstable_by_key(|one| one.pid);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_in_any_order_of_their_numbers() {
        let process =
            |(pid, parent): (u32, u32)| Process { pid, parent, group: 1, start_ticks: 0, is_zombie: false };
        let all: Vec<Process> =
            [(1, 0), (5, 90), (40, 1), (90, 40), (7, 1)].into_iter().map(process).collect();
        let found = with_descendants(BTreeSet::from([40, 1234]), &all);
        assert_eq!(found.iter().map(|one| one.pid).collect::<Vec<_>>(), [5, 40, 90]);
    }
}
