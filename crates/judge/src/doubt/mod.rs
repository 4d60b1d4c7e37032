//! What is checked of a contender and its host, and the verdicts that say so.

pub(crate) mod answers;
pub mod bounds;
pub(crate) mod cause;
pub(crate) mod coin;
pub(crate) mod connections;
pub mod consistency;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod data;
pub(crate) mod fairness;
pub(crate) mod finding;
pub(crate) mod limit;
pub(crate) mod littles_law;
pub(crate) mod nothing_ranked;
pub(crate) mod offered;
pub(crate) mod placement;
pub(crate) mod proof;
pub(crate) mod reason;
pub(crate) mod samples;
pub(crate) mod send_lag;
pub(crate) mod state;
pub(crate) mod steadiness;
pub(crate) mod strictness;
pub(crate) mod verdict;
pub(crate) mod warming;
