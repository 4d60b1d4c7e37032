//! What a report says, in clean words, before it is laid out: the terminal and the Markdown say the same.

pub(crate) mod against;
pub(crate) mod answer;
mod aside;
pub(crate) mod bursts;
pub(crate) mod calls;
pub(crate) mod charts;
pub(crate) mod class;
pub(crate) mod compared;
pub(crate) mod comparison;
pub(crate) mod cost;
mod details;
pub(crate) mod gate;
mod head;
mod latency;
mod names;
mod notes;
pub(crate) mod pairs;
mod phrases;
mod published;
mod rows;
pub(crate) mod run;
pub(crate) mod series;
pub(crate) mod strictness;
pub(crate) mod tasks;
mod tax;
mod workload;
mod worth;

pub(crate) use head::{has_servers, load, sections};
pub(crate) use names::{name_in, name_of, named};
pub(crate) use notes::{note, notes, run_notes};
pub use phrases::{carried, turns};
pub(crate) use phrases::{kind, plural, rank_of, rank_range, with_interval};
pub(crate) use rows::goodput;
pub use series::load as load_in_words;
pub(crate) use workload::parts;
pub(crate) use worth::{host_shares, worth};
