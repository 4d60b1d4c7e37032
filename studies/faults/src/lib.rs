//! The matrix: load generators against the faults, each one's own report held against the server's truth.

mod case;
mod facts;
pub mod grpc;
pub mod http1;
pub mod http2;
mod judge;
mod over_http2;
mod read;
mod read_grpc;
mod report;
mod run;
mod table;
mod tool;

pub use case::Case;
pub use facts::Facts;
pub use judge::{Evidence, Grade, Marks, Verdict, judge};
pub use report::{Listed, Report};
pub use run::{LIMIT, cell};
pub use table::{Cell, table};
pub use tool::{Amount, Asked, Tool};
