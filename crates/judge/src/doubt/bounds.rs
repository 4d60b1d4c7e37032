//! The bounds of rules that others show beside what was found, or hold what they see against.

pub use super::limit::GENERATOR_BUSY;
pub use crate::measure::blocks::{OTHERS, TAKEN, UNFIT as DROPPED_BLOCKS};

/// Requests in flight and service times may differ by this share of the former.
pub const LITTLES_LAW: f64 = 0.05;
/// A smaller share of dropped blocks than this is nothing to worry about.
pub const DROPPED_BLOCKS_DOUBTFUL: f64 = 0.2;

/// From this share of CPU time taken on (the mean over the run, on the worse side) the machine was busy: contenders are ranked by CPU time
/// per request as well, which leaves out what others took, and the answer rests on that.
pub const BUSY_HOST: f64 = 0.02;
/// A smaller share than this is nothing to speak of.
pub(crate) const QUIET_HOST: f64 = 0.01;

/// A server that keeps its connections opens none again; above this share of the answers (one for each 200) that is told.
pub const REOPENED: f64 = 0.005;

/// Nothing is ranked on fewer launches.
pub(crate) const LEAST_LAUNCHES: u32 = 5;
