//! One contender in one workload: its figures, its state, its verdicts.

pub(crate) mod bursts;
pub(crate) mod counters;
pub(crate) mod disturber;
pub(crate) mod impossible;
pub(crate) mod judge;
pub(crate) mod latency;
pub(crate) mod launch_apart;
pub(crate) mod launches;
pub(crate) mod measurements;
pub(crate) mod paced;
pub(crate) mod row;
pub(crate) mod service_time;
pub(crate) mod standing;
pub(crate) mod verdicts;
