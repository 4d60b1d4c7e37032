//! One task on its way through a run.

use crate::prepare::verify::VerifiedTask;

/// A verified task in a workload, on its way through a run.
pub(crate) struct TaskLane {
    pub(crate) verified: VerifiedTask,
    /// Processes that ended before their plan.
    pub(crate) early_ends: u32,
}

impl TaskLane {
    pub(crate) fn new(verified: VerifiedTask) -> Self {
        Self { verified, early_ends: 0 }
    }
}
