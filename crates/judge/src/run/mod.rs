//! A whole run: its host, its looks, its verdicts and the judgement.

pub(crate) mod host;
pub(crate) mod judge;
pub(crate) mod judgement;
mod kinds;
pub(crate) mod link;
pub(crate) mod looks;
#[cfg(feature = "schema")]
pub(crate) mod schema;
pub(crate) mod so_far;
pub(crate) mod verdicts;
pub(crate) mod workload;
