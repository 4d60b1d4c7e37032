//! One contender in one workload: its figures, its state, its verdicts.

pub(crate) mod bursts;
pub(crate) mod cause;
pub(crate) mod context;
pub(crate) mod counters;
pub(crate) mod judge;
pub(crate) mod latency;
pub(crate) mod launches;
pub(crate) mod paced;
pub(crate) mod reason;
pub(crate) mod row;
pub(crate) mod service_time;
pub(crate) mod standing;
pub(crate) mod state;
pub(crate) mod verdicts;
