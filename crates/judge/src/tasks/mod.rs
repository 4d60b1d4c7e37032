//! Tasks: programs without a server, by the time of an iteration. Cold and steady are two figures.

mod costs;
mod handler_share;
mod judge;
mod own_clock;
mod process;
mod row;
mod standing;
mod table;
mod verdicts;

pub use costs::DownloadCost;
pub(crate) use costs::costs;
pub use handler_share::HandlerShare;
pub(crate) use handler_share::shares;
pub(crate) use judge::{Tasks, judge};
pub(crate) use process::is_disturbed;
pub use row::TaskRow;
pub use table::{Batch, TaskTable};
