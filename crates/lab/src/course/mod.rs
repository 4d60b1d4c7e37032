//! What is measured, in which order, for how long, and what follows from what was seen.

pub(crate) mod after_window;
pub(crate) mod backlog;
pub(crate) mod blocks;
pub(crate) mod burst_plan;
pub(crate) mod bursts;
pub(crate) mod calls;
pub(crate) mod common_rate;
pub(crate) mod countdown;
pub(crate) mod fix_plan;
pub(crate) mod lane;
pub(crate) mod latency;
pub(crate) mod latency_plan;
pub(crate) mod launches;
pub(crate) mod launching;
pub(crate) mod measure;
pub(crate) mod near;
pub(crate) mod order;
pub(crate) mod part;
pub(crate) mod plan;
pub(crate) mod proof;
pub(crate) mod rate_search;
pub(crate) mod renewal;
pub(crate) mod rig;
pub(crate) mod steady;
pub(crate) mod tasks;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod warming;
pub(crate) mod watched;
pub(crate) mod window;
