//! The lab: builds contenders, starts them, checks them, measures them in interleaved windows, and writes a record.

mod against;
mod behind;
mod build;
mod clock;
mod course;
mod error;
mod host;
mod options;
mod prepare;
mod preview;
mod process;
mod progress;
mod run;
mod serve;
mod sides;

pub use against::{AgainstMeasured, AgainstOptions, AgainstSoFar, ServiceChoice, SideOptions, against};
pub use behind::Behind;
pub use build::build_log::excerpt as build_excerpt;
pub use build::content::hash as content_hash;
pub use error::LabError;
pub use host::doctor;
pub use host::toolchain;
pub use options::{RunOptions, SingleCalls, TurnOrder, VerifyOptions};
pub use prepare::conformance::example as example_request;
pub use preview::{Preview, Previewed, preview};
pub use progress::{BuildOutcome, Event, Part, Progress, SoFar, Stop};
pub use run::{Ran, build, run, verify};
pub use serve::serve;
pub use sides::external::ExternalServers;

/// Must be the first call in `main`: the lab starts its guard, and what starts clients, by running its own program again.
pub fn become_helper_if_asked() {
    process::guard::become_if_asked();
    process::each::become_if_asked();
}
