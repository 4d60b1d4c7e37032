//! What a report says, in clean words, before it is laid out: the terminal and the Markdown say the same.

pub(crate) mod answer;
pub(crate) mod bursts;
pub(crate) mod calls;
mod class;
pub(crate) mod comparison;
mod cost;
mod details;
mod head;
mod latency;
mod names;
mod notes;
pub(crate) mod pairs;
mod phrases;
mod published;
mod rows;
pub(crate) mod section;
pub(crate) mod series;
pub(crate) mod strictness;
pub(crate) mod tasks;
mod tax;
mod workload;
mod worth;

pub(crate) use class::class;
pub(crate) use head::{has_servers, head, load, no_ranks, sections};
pub(crate) use names::{name_in, name_of, named};
pub(crate) use notes::{Note, notes, run_notes};
pub use phrases::{carried, turns};
pub(crate) use phrases::{kind, no_score, plural, rank_of, rank_range, with_interval};
pub(crate) use published::{
    bound, claimed, claims_summary, holds, published, published_scores, source, there_and_here,
};
pub(crate) use rows::{Outside, goodput, outside, rank, score, table_rows};
pub(crate) use workload::{appendix, parts};
pub(crate) use worth::{host_shares, worth};
