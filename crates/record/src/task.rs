use serde::{Deserialize, Serialize};
use velo_model::PartyRole;

use crate::Party;
use crate::party::sum_of;

/// One process of a program without a server, from its start to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskProcess {
    /// The workload.
    pub workload: String,
    /// Which of the contender's processes, from 1: the n-th of all contenders are measured in turn, in random order.
    pub process: u32,
    /// Its iterations in order; those with a wrong answer are not among them.
    pub iterations: Vec<TaskIteration>,
    /// Lines that it answered wrongly.
    pub wrong_answers: u64,
    /// The first of them in words, a few at most.
    pub wrong_examples: Vec<String>,
    /// Who took part, and what each used: the contender, and of a client the server of its files.
    pub parties: Vec<Party>,
    /// The largest resident size, summed over processes.
    pub memory_peak_bytes: Option<u64>,
    /// The size of the files that each iteration must read.
    pub file_bytes: u64,
    /// What the process tree read, as the kernel counted it (`rchar`).
    pub read_bytes: Option<u64>,
    /// Of a client: from the start to the end of a process that fetches one file, by the lab's clock; the median where each file has a
    /// process of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_ns: Option<u64>,
    /// The share of all CPUs' time used by others meanwhile.
    pub others_share: Option<f64>,
    /// The share stolen by the hypervisor.
    pub steal_share: Option<f64>,
    /// Why it ended before its plan.
    pub ended_early: Option<String>,
}

impl TaskProcess {
    /// CPU time of the parties of a role from its start to its end; `None` where there is none, or it is not known of one.
    pub fn cpu_ns(&self, role: PartyRole) -> Option<u64> {
        sum_of(&self.parties, role, |party| party.cpu_ns)
    }
}

/// One line of input and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskIteration {
    /// What the program says that the work took.
    pub own_ns: u64,
    /// From the line written to the answer read, by the lab's clock.
    pub outside_ns: u64,
}
