//! What one process of a task says.

use velo_model::PartyRole;
use velo_record::{ContenderRecord, TaskIteration, TaskProcess};
use velo_stats::median;

use crate::measure::blocks::is_taken;

pub(crate) fn is_disturbed(process: &TaskProcess) -> bool {
    is_taken(process.others_share, process.steal_share)
}

/// The processes that count: whole, and not disturbed.
pub(super) fn counted<'r>(record: &'r ContenderRecord, workload: &str) -> Vec<&'r TaskProcess> {
    let own = record.tasks.iter().filter(|process| process.workload == workload);
    own.filter(|process| process.ended_early.is_none() && !is_disturbed(process)).collect()
}

/// What steady times are made of: the second half.
pub(super) fn later(process: &TaskProcess) -> &[TaskIteration] {
    &process.iterations[process.iterations.len() / 2..]
}

pub(super) fn median_ns(iterations: &[TaskIteration]) -> Option<f64> {
    median(&iterations.iter().map(|iteration| iteration.own_ns as f64).collect::<Vec<_>>())
}

pub(super) fn answers(process: &TaskProcess) -> f64 {
    process.iterations.len() as f64 + process.wrong_answers as f64
}

pub(super) fn cpu_per_iteration_ns(process: &TaskProcess) -> Option<f64> {
    let cpu_ns = process.cpu_ns(PartyRole::Contender)? as f64;
    (answers(process) > 0.0).then(|| cpu_ns / answers(process))
}

pub(super) fn read_share(process: &TaskProcess) -> Option<f64> {
    let needed = answers(process) * process.file_bytes as f64;
    (needed > 0.0).then_some(process.read_bytes? as f64 / needed)
}

/// CPU time of the server of files over that of a client; `None` where either is not known.
pub(super) fn server_cpu_share(processes: &[&TaskProcess]) -> Option<f64> {
    let both = processes
        .iter()
        .map(|process| Some((process.cpu_ns(PartyRole::FileServer)?, process.cpu_ns(PartyRole::Contender)?)));
    let both: Vec<(u64, u64)> = both.collect::<Option<_>>()?;
    let (server, client) =
        both.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0 as f64, sum.1 + one.1 as f64));
    (client > 0.0).then_some(server / client)
}

/// The times of a program by its own clock and by the lab's: the middle of what its steady time is made of, which the start of a process
/// and a few late answers do not move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clocks {
    pub(super) own_ns: f64,
    /// What an iteration takes longer by the lab's.
    pub(super) beside_ns: f64,
}

impl Clocks {
    /// `None` where there are no iterations.
    pub(super) fn of(processes: &[&TaskProcess]) -> Option<Self> {
        let middle = |ns: fn(&TaskIteration) -> f64| {
            let later = processes.iter().flat_map(|process| later(process));
            median(&later.map(ns).collect::<Vec<_>>())
        };
        Some(Self {
            own_ns: middle(|iteration| iteration.own_ns as f64)?,
            beside_ns: middle(|iteration| iteration.outside_ns as f64 - iteration.own_ns as f64)?,
        })
    }

    pub(super) fn outside_ns(self) -> f64 {
        self.own_ns + self.beside_ns
    }

    pub(super) fn share(self) -> Option<f64> {
        (self.outside_ns() > 0.0).then_some(self.own_ns / self.outside_ns())
    }
}
