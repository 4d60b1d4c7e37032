//! A judged run for a terminal: the table, what it is worth, the published comparison.

mod bursts;
pub(crate) mod comparison;
mod cost;
mod latency;
mod notes;
mod options;
pub(crate) mod page;
mod pairs;
mod published;
mod report;
pub(crate) mod style;
mod table;
mod tasks;

pub use options::TerminalOptions;
pub use report::terminal;
