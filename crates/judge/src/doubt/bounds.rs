//! The bounds of rules that others show beside what was found, or hold what they see against.

pub use super::limit::GENERATOR_BUSY;
pub use crate::measure::blocks::{OTHERS, STEAL, UNFIT as DROPPED_BLOCKS};

/// Requests in flight and service times may differ by this share of the former.
pub const LITTLES_LAW: f64 = 0.05;
/// A smaller share of dropped blocks than this is nothing to worry about.
pub const DROPPED_BLOCKS_DOUBTFUL: f64 = 0.2;

/// A server that keeps its connections opens none again; above this share of the answers (one for each 200) that is told.
pub const REOPENED: f64 = 0.005;

/// Nothing is ranked on fewer launches.
pub(crate) const LEAST_LAUNCHES: u32 = 5;
