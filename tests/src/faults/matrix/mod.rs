//! The matrix: load generators against the faults, each one's own report held against the server's truth.

mod judge;
mod read;
mod report;
mod run;
mod table;
mod tool;

pub use judge::{Evidence, Grade, Marks, Verdict, judge};
pub use report::{Listed, Report};
pub use run::{LIMIT, cell};
pub use table::{Cell, table};
pub use tool::{Amount, Asked, CONNECTIONS, Tool};
