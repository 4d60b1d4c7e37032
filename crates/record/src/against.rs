use serde::Serialize;
use velo_model::Outcomes;

use crate::{EncodedHistogram, LoadSettings, LoadTarget};

/// What `velo load --against` asked and measured: two running services, loaded in turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstRecord {
    /// The version of velo.
    pub velo: String,
    /// `release`, or `debug`: figures of a debug build are worth little.
    pub build: String,
    /// When the load began, as RFC 3339.
    pub started_at: String,
    /// The command line, without secrets.
    pub command: Vec<String>,
    /// What was asked of both; its duration is that of each side.
    pub settings: LoadSettings,
    /// What moved the bytes: `epoll` or `io_uring`; null where no window was made.
    pub driver: Option<String>,
    /// Interrupted before its time; the figures are of what was until then.
    pub interrupted: bool,
    /// Blocks that the duration has room for; 0 where the load ended before that was known.
    pub planned_blocks: u32,
    /// The service that is judged.
    pub a: AgainstSide,
    /// The service that it is held against.
    pub b: AgainstSide,
    /// One window of each side in each, in the order measured.
    pub blocks: Vec<AgainstBlock>,
    /// CPUs of which `taken_ns` of the blocks is.
    pub watched_cpus: u32,
}

/// One of the two services.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstSide {
    /// What was loaded.
    pub target: LoadTarget,
    /// Whose CPU time was read.
    pub service: AgainstService,
    /// Load before each window that counts only in CPU time per request.
    pub settling_ns: u64,
    /// Each window.
    pub window_ns: u64,
    /// Outcomes within the windows of blocks.
    pub outcomes: Outcomes,
    /// The first failures in words, a few at most.
    pub examples: Vec<String>,
    /// Ended before its time, because no connection could be opened.
    pub gave_up: bool,
    /// Connections opened again under load, warm-up included.
    pub reconnects: u64,
    /// Times of correct answers within the windows, batch by batch of consecutive blocks: response times of an open
    /// loop, service times of a closed one.
    pub times: Vec<EncodedHistogram>,
}

/// The processes of a service that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstService {
    /// Those that listen, or the one that was named; what they started belongs to them. Empty where there is no CPU
    /// time.
    pub pids: Vec<u32>,
    /// The name of the first one's program.
    pub name: Option<String>,
    /// Why there is no CPU time; null where there is.
    pub unknown: Option<String>,
    /// One of them ended while the load went on: what was measured is then of more than one launch.
    pub ended: bool,
}

/// One window of each side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstBlock {
    /// Its batch of consecutive blocks, from 0. Each has connections of its own, so that what some connections happen to
    /// get differs from batch to batch.
    pub batch: u32,
    /// A was loaded before B; it takes turns.
    pub a_first: bool,
    /// A's window.
    pub a: AgainstWindow,
    /// B's window.
    pub b: AgainstWindow,
    /// From the block's beginning to its end.
    pub elapsed_ns: u64,
    /// CPU time that others and the hypervisor took of `watched_cpus` meanwhile; may be below 0, since ticks are
    /// coarse; null where it is not known.
    pub taken_ns: Option<i64>,
}

/// A window of load on one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstWindow {
    /// The window as it was.
    pub duration_ns: u64,
    /// Correct answers within it.
    pub correct: u64,
    /// Failures within it.
    pub failed: u64,
    /// Correct answers in settling, window and draining: what `cpu_ns` was used for.
    pub correct_with_settling: u64,
    /// CPU time of the service in settling, window and draining; null where it is not known.
    pub cpu_ns: Option<u64>,
    /// CPU time of the generator's threads within the window.
    pub generator_cpu_ns: u64,
}
