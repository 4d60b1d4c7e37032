//! Judges two running services that were loaded in turn: how far apart they are, as they run now.
//!
//! A running process is one launch. How much another launch of the same programs would differ is not known, so the
//! intervals here are of these processes alone; they come from batches of consecutive blocks.

mod blocks;
mod condition;
mod figure;
mod figures;
mod finding;
mod judge;
mod notes;
mod result;

pub use condition::{AgainstCondition, AgainstConditionError, parse_conditions};
pub use figure::{AgainstFigure, AgainstFigureName, AgainstRatio, Which};
pub use finding::{AgainstFinding, AgainstNote};
pub use judge::judge;
#[cfg(feature = "schema")]
pub use result::against_schema;
pub use result::{AgainstConditionResult, AgainstResult, FORMAT, IntervalScope};
