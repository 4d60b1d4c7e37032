//! Single calls: what one request costs when it is the only one in flight, by condition and by phase.

mod held_back;
mod judge;
mod middle;
mod row;
mod standing;
mod table;

pub(crate) use judge::{Calls, judge};
pub use row::{CallCount, CallRow};
pub use table::{CallTable, CallsUnderCondition};
