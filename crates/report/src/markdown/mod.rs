//! A judged run as Markdown: the same content as on a terminal, and the details that do not fit there.

pub(crate) mod comparison;
mod document;
mod notes;
mod report;
mod section;
pub(crate) mod strictness;

pub use report::markdown;
