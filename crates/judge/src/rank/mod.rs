//! How rows compare: ranks, pairs, ratios, taxes, cost.

pub(crate) mod contest;
pub(crate) mod cost;
pub(crate) mod equal_work;
pub(crate) mod geometric;
pub(crate) mod pairs;
pub(crate) mod ranking;
pub(crate) mod tax;
