//! What is measured, and what comes of it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use velo_load::{DriverChoice, Target, TlsFacts, WindowSettings};
use velo_record::{AgainstBlock, AgainstSide, LoadTarget};

/// Two services, and how they are loaded.
pub struct AgainstOptions {
    /// CPUs of the generator's threads, one each.
    pub cpus: Vec<u32>,
    /// What moves the bytes.
    pub driver: DriverChoice,
    /// A and B.
    pub sides: [SideOptions; 2],
    /// What windows of both have in common: the load model, connections, timeout. Their lengths are found here.
    pub window: WindowSettings,
    /// Load on each side before anything counts.
    pub warm_up_ns: u64,
    /// Of each side, what counts.
    pub duration_ns: u64,
    /// Ends it early when it becomes true.
    pub stop: Arc<AtomicBool>,
}

/// One of the two.
pub struct SideOptions {
    /// Where requests go.
    pub target: Target,
    /// The same for the record.
    pub recorded: LoadTarget,
    /// Which processes are its own.
    pub service: ServiceChoice,
}

/// Which processes are a service's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceChoice {
    /// This one, and what it started.
    Pid(u32),
    /// Those that listen at an address of this machine.
    ListeningAt(SocketAddr),
    /// They are on another machine.
    Elsewhere,
}

/// What was measured.
pub struct AgainstMeasured {
    /// What moved the bytes.
    pub driver: Option<&'static str>,
    /// Asked to end before its time.
    pub interrupted: bool,
    /// Blocks that there was room for.
    pub planned_blocks: u32,
    /// A and B.
    pub sides: [AgainstSide; 2],
    /// What their first TLS handshakes agreed on.
    pub tls: [Option<TlsFacts>; 2],
    /// Whole blocks.
    pub blocks: Vec<AgainstBlock>,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgainstSoFar {
    /// Blocks that are done; 0 in the warm-up.
    pub blocks: u32,
    /// Blocks that there is room for; 0 in the warm-up.
    pub planned: u32,
    /// Correct answers per second of A and B, over what counts so far.
    pub correct_per_s: [f64; 2],
}
