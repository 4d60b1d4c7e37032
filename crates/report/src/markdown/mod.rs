//! A judged run as Markdown: the same content as on a terminal, and the details that do not fit there.

mod bursts;
pub(crate) mod comparison;
mod cost;
mod counters;
mod document;
mod latency;
mod notes;
mod pairs;
mod report;
mod tasks;

pub use report::markdown;
