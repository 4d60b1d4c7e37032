//! The lab: builds contenders, starts them, checks them, measures them in interleaved windows, and writes a record.

mod astray;
mod blocks;
mod build;
mod build_cache;
mod build_log;
mod burst_plan;
mod bursts;
mod command;
mod conformance;
mod course;
mod data;
mod environment;
mod equal_work;
mod error;
mod fix_plan;
mod heed;
mod host_cpu;
mod lane;
mod latency;
mod latency_plan;
mod launched;
mod launching;
mod loads;
mod measure;
mod network;
mod options;
mod order;
mod origin;
mod placement;
mod planning;
mod prepare;
mod process;
mod progress;
mod proof;
mod rate_search;
mod renewal;
mod run;
mod sampling;
mod started;
mod steady;
mod strict;
mod tasks;
mod translate;
mod twin;
mod warming;
mod window;

pub mod doctor;
pub mod toolchain;

pub use build_log::excerpt as build_excerpt;
pub use conformance::example as example_request;
pub use error::LabError;
pub use options::{RunOptions, TurnOrder, VerifyOptions};
pub use progress::{BuildOutcome, Event, Part, Progress, Stop};
pub use run::{Ran, run, verify};
pub use window::recorded_outcomes;

/// Must be the first call in `main`: the lab starts its guard by running its own program again.
pub fn become_guard_if_asked() {
    process::guard::become_if_asked();
}
