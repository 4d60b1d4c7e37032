//! What one process of a task says.

use velo_record::{TaskIteration, TaskProcess};
use velo_spec::Role;
use velo_stats::median;

use crate::series::blocks::HostBounds;

/// An iteration may take this much longer by the lab's clock than by its own: two pipes, and waking up twice.
const OUTSIDE_NS: u64 = 1_000_000;

/// The same of a client, in the middle.
const CLIENT_OUTSIDE_NS: f64 = 200_000.0;

pub(crate) fn is_disturbed(process: &TaskProcess, bounds: HostBounds) -> bool {
    bounds.are_reached(process.others_share, process.steal_share)
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

/// CPU time of the server of files over that of a client; `None` where either is not known.
pub(super) fn server_cpu_share(processes: &[&TaskProcess]) -> Option<f64> {
    let both = processes.iter().map(|process| Some((process.server_cpu_ns?, process.cpu_ns?)));
    let both: Vec<(u64, u64)> = both.collect::<Option<_>>()?;
    let (server, client) =
        both.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0 as f64, sum.1 + one.1 as f64));
    (client > 0.0).then_some(server / client)
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
    /// Of processes of a task or of a client.
    pub(super) fn of(role: Role, all: &[&TaskProcess]) -> Self {
        if role == Role::Client { Self::of_client(all) } else { Self::of_task(all) }
    }

    /// The program starts while its first line waits, so that only the others tell of its clock.
    fn of_task(all: &[&TaskProcess]) -> Self {
        let sum = |ns: fn(&TaskIteration) -> u64| -> f64 {
            all.iter().flat_map(|process| process.iterations.iter().skip(1)).map(|one| ns(one) as f64).sum()
        };
        Self {
            own_ns: sum(|iteration| iteration.own_ns),
            outside_ns: sum(|iteration| iteration.outside_ns),
            accountable_ns: sum(|iteration| iteration.outside_ns.saturating_sub(OUTSIDE_NS)),
        }
    }

    /// Of a client: the middle of what its steady time is made of, which a few late ones do not move, so that pipes are allowed less.
    /// Files may take less than what is allowed to a task.
    fn of_client(all: &[&TaskProcess]) -> Self {
        let middle = |ns: fn(&TaskIteration) -> u64| -> f64 {
            let later = all.iter().flat_map(|process| &process.iterations[process.iterations.len() / 2..]);
            median(&later.map(|one| ns(one) as f64).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        let outside_ns = middle(|iteration| iteration.outside_ns);
        Self {
            own_ns: middle(|iteration| iteration.own_ns),
            outside_ns,
            accountable_ns: (outside_ns - CLIENT_OUTSIDE_NS).max(0.0),
        }
    }

    pub(super) fn share(self) -> Option<f64> {
        (self.outside_ns > 0.0).then_some(self.own_ns / self.outside_ns)
    }
}
