//! Tasks: programs without a server, by the time of an iteration. Cold and steady are two figures.

mod handler_share;
mod standing;
mod task;

pub use handler_share::HandlerShare;
pub(crate) use handler_share::shares;
pub use task::{TaskRow, TaskTable};
pub(crate) use task::{TaskTime, Tasks, is_disturbed, judge, log_ratios};
