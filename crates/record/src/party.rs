use serde::{Deserialize, Serialize};
use velo_model::PartyRole;

/// What one of those who took part used, as the kernel counted it: in a window, or from the start to the end of a task's process. What
/// is not known of a party, or nobody looked at, is missing, and most of it not written: there is one in each window for each role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Party {
    /// What it does in the measurement.
    pub role: PartyRole,
    /// CPU time within the window; of a task's process all of it. That of the contender is its process tree's.
    pub cpu_ns: Option<u64>,
    /// CPU time over settling, window and draining.
    pub cpu_total_ns: Option<u64>,
    /// From before the first to after the last of the two readings that [`Party::cpu_total_ns`] is the difference of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_elapsed_ns: Option<u64>,
    /// CPUs outside of its own on which a thread that ran in the window may run, or ran last; `None` when nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside_cpus: Option<Vec<u32>>,
    /// CPU time within the window of each thread of the generator, in the order of the placement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_by_thread_ns: Vec<u64>,
    /// CPU time over settling, window and draining of each process that used any, largest first, at most 64.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_by_process_ns: Vec<u64>,
    /// Threads that used at least half of a CPU in settling, window and draining together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_threads: Option<u32>,
    /// Context switches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_switches: Option<u64>,
    /// Instructions that it executed over settling, window and draining, where the CPU counts them for us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// CPU cycles over the same stretch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
}

impl Party {
    /// One of which nothing is known yet.
    pub fn new(role: PartyRole) -> Self {
        Self {
            role,
            cpu_ns: None,
            cpu_total_ns: None,
            cpu_elapsed_ns: None,
            outside_cpus: None,
            cpu_by_thread_ns: Vec::new(),
            cpu_by_process_ns: Vec::new(),
            busy_threads: None,
            context_switches: None,
            instructions: None,
            cycles: None,
        }
    }
}

/// The sum over the parties of a role; `None` where there is none, or the figure of one is missing.
pub(crate) fn sum_of(
    parties: &[Party],
    role: PartyRole,
    figure: impl Fn(&Party) -> Option<u64>,
) -> Option<u64> {
    let mut figures = parties.iter().filter(|party| party.role == role).map(figure);
    let first = figures.next()??;
    figures.try_fold(first, |sum, figure| Some(sum.saturating_add(figure?)))
}
