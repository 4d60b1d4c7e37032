//! What one process of a task says.

use velo_record::{TaskIteration, TaskProcess};
use velo_stats::median;

use crate::series::blocks;

/// An iteration may take this much longer by the lab's clock than by its own: two pipes, and waking up twice.
const OUTSIDE_NS: u64 = 1_000_000;

pub(crate) fn is_disturbed(process: &TaskProcess) -> bool {
    blocks::is_disturbed(process.others_share, process.steal_share)
}

pub(super) fn median_ns(iterations: &[TaskIteration]) -> Option<f64> {
    median(&iterations.iter().map(|iteration| iteration.own_ns as f64).collect::<Vec<_>>())
}

pub(super) fn answers(process: &TaskProcess) -> f64 {
    process.iterations.len() as f64 + process.wrong_answers as f64
}

pub(super) fn cpu_per_iteration_ns(process: &TaskProcess) -> Option<f64> {
    let cpu_ns = process.cpu_ns? as f64;
    (answers(process) > 0.0).then(|| cpu_ns / answers(process))
}

pub(super) fn read_share(process: &TaskProcess) -> Option<f64> {
    let needed = answers(process) * process.file_bytes as f64;
    (needed > 0.0).then_some(process.read_bytes? as f64 / needed)
}

/// The times of a task by its own clock and by the lab's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clocks {
    pub(super) own_ns: f64,
    pub(super) outside_ns: f64,
    /// Without what pipes may cost.
    pub(super) accountable_ns: f64,
}

impl Clocks {
    /// The program starts while its first line waits, so that only the others tell of its clock.
    pub(super) fn of(all: &[&TaskProcess]) -> Self {
        let sum = |ns: fn(&TaskIteration) -> u64| -> f64 {
            all.iter().flat_map(|process| process.iterations.iter().skip(1)).map(|one| ns(one) as f64).sum()
        };
        Self {
            own_ns: sum(|iteration| iteration.own_ns),
            outside_ns: sum(|iteration| iteration.outside_ns),
            accountable_ns: sum(|iteration| iteration.outside_ns.saturating_sub(OUTSIDE_NS)),
        }
    }

    pub(super) fn share(self) -> Option<f64> {
        (self.outside_ns > 0.0).then_some(self.own_ns / self.outside_ns)
    }
}
