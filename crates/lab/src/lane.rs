//! One contender on its way through a run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use velo_load::TargetId;
use velo_spec::Contender;

use crate::build::Built;
use crate::launched::Launched;

/// The least settling, in nanoseconds.
const SETTLING_NS: u64 = 10_000_000;
/// The least window: short, so that the drift of the machine hits all contenders alike.
const WINDOW_NS: u64 = 50_000_000;
/// The least that draining may take.
const DRAIN_NS: u64 = 20_000_000;
/// Rounds of all connections in settling, in a window, and in a window of the warm-up.
const SETTLING_ROUNDS: f64 = 3.0;
const WINDOW_ROUNDS: f64 = 25.0;
const WARM_UP_ROUNDS: f64 = 5.0;
/// However slow a contender is.
const LONGEST_WINDOW_NS: u64 = 20_000_000_000;

/// A verified contender.
pub(crate) struct Lane {
    /// Its index in the records.
    pub(crate) record: usize,
    pub(crate) contender: Contender,
    pub(crate) built: Built,
    /// How long it took to stop when it was verified.
    pub(crate) stop_ns: u64,
    /// How many processes it had when it was verified.
    pub(crate) verified_processes: usize,
    /// Its workloads.
    pub(crate) tracks: Vec<Track>,
    pub(crate) life: Option<Life>,
    /// Launches that ended before their plan.
    pub(crate) early_ends: u32,
    /// Windows in a row with requests that got no answer.
    pub(crate) silent_windows: u32,
}

/// One workload of a contender.
#[derive(Debug, Clone)]
pub(crate) struct Track {
    /// Its index in the run's workloads.
    pub(crate) workload: usize,
    pub(crate) connections: u32,
    pub(crate) lengths: Lengths,
    /// What the first launch's warm-up took.
    pub(crate) learnt: Option<Learnt>,
}

/// A warm-up to be replayed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Learnt {
    pub(crate) requests: u64,
    pub(crate) duration: Duration,
}

/// How long a contender is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) settling_ns: u64,
    pub(crate) window_ns: u64,
    pub(crate) warm_up_ns: u64,
    /// Until the last answer has come.
    pub(crate) drain_ns: u64,
}

impl Lengths {
    /// From the rate seen: enough rounds of all connections, and never less than the floor.
    pub(crate) fn of(rate_per_s: f64, connections: u32) -> Self {
        let rounds = |rounds: f64, least: u64| -> u64 {
            let ns = rounds * f64::from(connections) / rate_per_s * 1e9;
            // Without a rate (no answer yet) the quotient is infinite or not a number: the longest.
            if ns.is_finite() { (ns as u64).clamp(least, LONGEST_WINDOW_NS) } else { LONGEST_WINDOW_NS }
        };
        Self {
            settling_ns: rounds(SETTLING_ROUNDS, SETTLING_NS),
            window_ns: rounds(WINDOW_ROUNDS, WINDOW_NS),
            warm_up_ns: rounds(WARM_UP_ROUNDS, WINDOW_NS),
            drain_ns: rounds(1.0, 0),
        }
    }

    /// How long a window waits for its last answers before it leaves them to the next one. Some servers need seconds
    /// to answer the last requests of each connection (puma waits 0.2 s on a quiet one before it serves another).
    pub(crate) fn drain_limit_ns(&self) -> u64 {
        (2 * self.drain_ns).max(DRAIN_NS)
    }

    /// Before any rate is known.
    pub(crate) fn first() -> Self {
        Self { settling_ns: SETTLING_NS, window_ns: WINDOW_NS, warm_up_ns: WINDOW_NS, drain_ns: 0 }
    }
}

/// A contender's processes in a launch.
pub(crate) struct Life {
    pub(crate) launched: Launched,
    pub(crate) target: TargetId,
    /// Its processes after warm-up; before that, `None`: it may still be starting workers.
    pub(crate) processes: Option<BTreeSet<u32>>,
    /// The last reading of its CPU time.
    pub(crate) cpu_ns: u64,
    /// The first window of a life is kept as cold figures.
    pub(crate) is_cold: bool,
}

/// Why a contender's launch ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The contender failed.
    Failed(String),
    /// Its processes are not those that were warmed up.
    Changed(String),
}

impl Lane {
    /// Readings of CPU time for the edges of a window.
    pub(crate) fn cage(&self) -> Option<Arc<crate::process::cage::Cage>> {
        self.life.as_ref().map(|life| Arc::clone(&life.launched.cage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_follow_the_rule() {
        let fast = Lengths::of(100_000.0, 64);
        assert_eq!((fast.settling_ns, fast.window_ns), (SETTLING_NS, WINDOW_NS));
        let slow = Lengths::of(1_000.0, 64);
        assert_eq!((slow.settling_ns, slow.window_ns), (192_000_000, 1_600_000_000));
        for rate in [0.0, f64::NAN, f64::INFINITY, -1.0, 1e-9] {
            let lengths = Lengths::of(rate, 64);
            assert!((WINDOW_NS..=LONGEST_WINDOW_NS).contains(&lengths.window_ns), "{rate}: {lengths:?}");
        }
    }
}
