//! The bounds of rules that others show beside what was found, or hold what they see against.

pub use super::limit::GENERATOR_BUSY;
pub use super::littles_law::DISAGREEMENT as LITTLES_LAW;
pub use crate::measure::blocks::{OTHERS, STEAL, UNFIT as DROPPED_BLOCKS};

/// A smaller share of dropped blocks than this is nothing to worry about.
pub const DROPPED_BLOCKS_DOUBTFUL: f64 = 0.2;

/// Nothing is ranked on fewer launches.
pub(crate) const LEAST_LAUNCHES: u32 = 5;
