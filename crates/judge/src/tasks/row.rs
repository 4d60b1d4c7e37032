//! A task in a workload: its figures and whether it may be ranked.

use serde::Serialize;
use velo_model::{Class, ContenderName, Role};

use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::doubt::verdict::Verdict;
use crate::measure::estimate::Estimate;

/// A task or a client in a workload; an iteration of a client is what it fetches with one line, a file or several. Figures are of
/// processes in which nobody disturbed and all lines were answered; the `launches` of an estimate are processes, and its interval is one
/// of 95 %.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskRow {
    /// The contender.
    pub contender: ContenderName,
    /// Whether it is a task or a client.
    pub role: Role,
    /// What kind of program it is.
    pub class: Class,
    /// The contender of the same folder that this one differs from in some keys.
    pub variant_of: Option<ContenderName>,
    /// What its version command printed.
    pub version: Option<String>,
    /// Whether it is ranked by steady time, and where; else why not.
    pub state: RowState,
    /// Processes that count.
    pub processes: u32,
    /// Processes that do not, because others or the hypervisor took CPU time meanwhile.
    pub dropped: u32,
    /// Right answers in all processes.
    pub iterations: u64,
    /// The first iteration of a process, by its own clock; mean over processes. As JSON it stands in the series of the workload.
    #[serde(skip)]
    pub cold_ns: Option<Estimate>,
    /// In each process the median of the second half of its iterations, by its own clock; mean over processes. As JSON it stands in the series.
    #[serde(skip)]
    pub steady_ns: Option<Estimate>,
    /// Of a client: from the start to the end of a process that is told one line; mean over processes.
    pub process_ns: Option<Estimate>,
    /// CPU time of the process tree over its answers, its start included; mean over processes.
    pub cpu_per_iteration_ns: Option<Estimate>,
    /// The largest resident size, summed over processes, median.
    pub memory_peak_bytes: Option<u64>,
    /// Lines that it answered wrongly, in all processes.
    pub wrong_answers: u64,
    /// The first of them in words, a few at most.
    pub wrong_examples: Vec<String>,
    /// What it read over what its iterations must read, the least of all processes; `None` where that is not known or it
    /// need read nothing.
    pub read_share: Option<f64>,
    /// Its own times over those of the lab's clock: of the middle of what its steady time is made of.
    pub own_clock_share: Option<f64>,
    /// Of a client: CPU time of the server of its files over its own.
    pub server_cpu_share: Option<f64>,
    /// What else is to be known.
    pub verdicts: Vec<Verdict>,
}

impl TaskRow {
    /// Why its times cannot be used; `None` when they can.
    pub(crate) fn fault(&self) -> Option<Reason> {
        (!self.is_comparable()).then(|| Reason::Standing(Box::new(self.state.clone())))
    }

    /// True when its times stand, though nothing in the run is ranked or there are too few processes.
    pub fn is_comparable(&self) -> bool {
        self.state.stands()
    }
}
