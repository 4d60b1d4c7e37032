//! Documents on a terminal.

mod block;
mod document;
mod options;
pub(crate) mod page;
pub(crate) mod style;
mod table;

pub(crate) use document::print;
pub use options::TerminalOptions;
