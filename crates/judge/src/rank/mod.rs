//! How rows compare: ranks, pairs, ratios, taxes, cost.

pub(crate) mod common_rate;
pub(crate) mod contest;
pub(crate) mod cost;
pub(crate) mod geometric;
pub(crate) mod pairs;
pub(crate) mod ranking;
pub(crate) mod tax;
