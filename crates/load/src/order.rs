//! What a worker is told to do in a window, and what it reports.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::live::Live;
use crate::recorder::Tally;
use crate::schedule::{Schedule, WhenFull};

/// One worker's part of a window. Times on the driver's clock.
#[derive(Clone)]
pub(crate) struct WindowOrder {
    pub(crate) plan: usize,
    pub(crate) worker: usize,
    pub(crate) workers: usize,
    pub(crate) connections: usize,
    pub(crate) settling_ns: u64,
    pub(crate) duration_ns: u64,
    pub(crate) drain_limit_ns: u64,
    pub(crate) timeout_ns: u64,
    pub(crate) schedule: Schedule,
    pub(crate) when_full: WhenFull,
    pub(crate) most_requests: u64,
    pub(crate) give_up_ns: u64,
    pub(crate) give_up_unreached_ns: u64,
    /// A connection was open in this window; all workers share it.
    pub(crate) reached: Arc<AtomicBool>,
    pub(crate) pipelining: usize,
    pub(crate) requests_per_connection: u32,
    pub(crate) connect: Connect,
    pub(crate) is_burst: bool,
    pub(crate) busy_poll: bool,
    pub(crate) slowed_ns: u64,
    pub(crate) keeps_first_answer: bool,
    pub(crate) live: Option<Arc<Live>>,
}

/// What one worker has to tell of a window. Times on the driver's clock.
pub(crate) struct WorkerReport {
    pub(crate) tally: Tally,
    pub(crate) duration_ns: u64,
    pub(crate) scheduled_ns: Option<u64>,
    pub(crate) drain_ns: u64,
    pub(crate) cpu_ns: u64,
    pub(crate) cpu_total_ns: u64,
    /// Asked to end before its time.
    pub(crate) interrupted: bool,
    pub(crate) driver: &'static str,
}

/// When connections are opened, and which of them an open loop uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connect {
    /// All before the load begins. The one that rests longest is used next, so that all are in use.
    Ahead,
    /// When a request finds none free; opening it is part of that request. The one that was used last is used next, so that there
    /// are no more than are needed.
    OnDemand,
}

/// An edge of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Counting begins.
    WindowStart,
    /// Counting ends.
    WindowEnd,
}

/// Called by the first worker at each edge; must return within microseconds.
pub type EdgeHook = Arc<dyn Fn(Edge) + Send + Sync>;
