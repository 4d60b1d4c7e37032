//! A judged run for a terminal: the table, what it is worth, the published comparison.

pub(crate) mod comparison;
mod notes;
mod options;
pub(crate) mod page;
mod published;
mod report;
mod section;
pub(crate) mod strictness;
pub(crate) mod style;
mod table;

pub use options::TerminalOptions;
pub use report::terminal;
