//! One contender on its way through a run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use velo_model::{Contender, LoadSettings, PartyRole};
use velo_record::{ContenderRecord, ContenderState, DRAIN_NS, GroupRate, RatePurpose};

use crate::host::counters::Counters;
use crate::progress::Part;
use crate::sides::load_side::TargetNumber;
use crate::sides::origin::Origin;
use crate::sides::serve_side::{Processes, Server};

/// The least settling, in nanoseconds.
const SETTLING_NS: u64 = 10_000_000;
/// The least window: short, so that the drift of the machine hits all contenders alike.
pub(crate) const WINDOW_NS: u64 = 50_000_000;
/// The least window of a warm-up: fifteen of them are the least warm-up, and a stack without a compiler needs no more.
const WARM_UP_NS: u64 = 20_000_000;
/// Rounds of all connections in settling, in a window, and in a window of the warm-up. A window of twelve has the last digit of a
/// rate from the edges (8 of 768 requests), well below what windows scatter by, and Little's law needs ten. Windows of a warm-up are
/// compared with those of blocks, and shorter ones would lose more of their rate at their edges.
const SETTLING_ROUNDS: f64 = 2.0;
const WINDOW_ROUNDS: f64 = 12.0;
const WARM_UP_ROUNDS: f64 = 8.0;
/// Settling and window at a stated rate.
const STATED_NS: u64 = 250_000_000;
/// However slow a contender is.
pub(crate) const LONGEST_WINDOW_NS: u64 = 20_000_000_000;

/// A verified contender.
pub(crate) struct Lane {
    /// Its index in the records.
    pub(crate) record: usize,
    pub(crate) contender: Contender,
    pub(crate) origin: Origin,
    /// It is the reference once more, which only the control needs.
    pub(crate) is_twin: bool,
    /// How long it took to stop when it was verified.
    pub(crate) stop_ns: u64,
    /// How many processes it had when it was verified.
    pub(crate) verified_processes: usize,
    /// Its workloads.
    pub(crate) tracks: Vec<Track>,
    pub(crate) life: Option<Life>,
    /// Launches that ended before their plan.
    pub(crate) early_ends: u32,
    /// Since its last window that was answered.
    pub(crate) silence: Silence,
}

/// Windows in a row with requests that got no answer.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Silence {
    pub(crate) windows: u32,
    /// How long they lasted.
    pub(crate) lasted: Duration,
}

/// One workload of a contender.
#[derive(Debug, Clone)]
pub(crate) struct Track {
    /// Its index in the run's workloads.
    pub(crate) workload: usize,
    pub(crate) connections: u32,
    /// Requests in flight on each connection.
    pub(crate) streams: u32,
    /// A connection is closed after so many.
    pub(crate) requests_per_connection: Option<u32>,
    pub(crate) lengths: Lengths,
    /// What the first launch's warm-up took.
    pub(crate) learnt: Option<Learnt>,
    /// Answers per second in the first launch's warm-up.
    pub(crate) rate_per_s: Option<f64>,
    /// How busy the generator was in the first launch's warm-up, as a share of its CPU time.
    pub(crate) generator_busy: Option<f64>,
    /// Goodput of the counted windows so far.
    pub(crate) goodputs_per_s: Vec<f64>,
    /// The one rate of its group.
    pub(crate) common_rate_per_s: Option<f64>,
    /// The highest rate of an open loop that it met.
    pub(crate) highest_met_per_s: Option<f64>,
    /// The workload's own rate of an open loop, in place of a closed one.
    pub(crate) stated_per_s: Option<f64>,
    /// How many requests of a burst it served at a time, once that was seen; `None` also where it was all of them.
    pub(crate) at_a_time: Option<u32>,
}

/// A generator that is no busier than this is not the limit, and slowing it would show nothing.
const PROVEN_FROM: f64 = 0.6;

/// Points of a sweep upward.
pub(crate) const CURVE_POINTS: u32 = 10;
/// The first and the last of them, as shares of the goodput; the others are at equal distances between.
const CURVE_FROM: f64 = 0.1;
const CURVE_TO: f64 = 1.1;

impl Track {
    /// Before anything is known of it.
    pub(crate) fn new(workload: usize, load: &LoadSettings) -> Self {
        Self {
            workload,
            connections: load.connections,
            streams: load.streams.max(1),
            requests_per_connection: load.requests_per_connection,
            lengths: if load.rate_per_s.is_some() { Lengths::stated() } else { Lengths::first() },
            stated_per_s: load.rate_per_s,
            learnt: None,
            rate_per_s: None,
            generator_busy: None,
            goodputs_per_s: Vec::new(),
            common_rate_per_s: None,
            highest_met_per_s: None,
            at_a_time: None,
        }
    }

    /// Requests in flight over all connections.
    pub(crate) fn most_in_flight(&self) -> u32 {
        self.connections.saturating_mul(self.streams)
    }

    /// Whether the generator was busy enough in the warm-up that it may be what limits the contender.
    pub(crate) fn may_be_limited_by_generator(&self) -> bool {
        self.stated_per_s.is_none() && self.generator_busy.is_some_and(|share| share > PROVEN_FROM)
    }

    /// What it can do in a closed loop, as far as that is known: the median of its counted windows, else its warm-up.
    pub(crate) fn goodput_per_s(&self) -> Option<f64> {
        velo_stats::median(&self.goodputs_per_s).or(self.rate_per_s).filter(|rate| *rate > 0.0)
    }

    /// The rate that it is given for a purpose; `None` when what that needs is not known, or the rate is to be given.
    pub(crate) fn rate_for(&self, purpose: RatePurpose) -> Option<f64> {
        match purpose {
            GroupRate::PURPOSE => self.common_rate_per_s,
            RatePurpose::Share { percent } => Some(self.highest_met_per_s? * f64::from(percent) / 100.0),
            RatePurpose::Curve { point } => Some(self.goodput_per_s()? * curve_share(point)),
            RatePurpose::Search => None,
        }
    }
}

fn curve_share(point: u32) -> f64 {
    CURVE_FROM + (CURVE_TO - CURVE_FROM) * f64::from(point) / f64::from(CURVE_POINTS - 1)
}

/// A warm-up to be replayed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Learnt {
    pub(crate) requests: u64,
    pub(crate) duration: Duration,
    /// What the first launch took beside it, to see that it was enough.
    pub(crate) beside: Duration,
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
    /// From the rate seen: enough rounds of all that is in flight, and never less than the floor.
    pub(crate) fn of(rate_per_s: f64, in_flight: u32) -> Self {
        let rounds = |rounds: f64, least: u64| -> u64 {
            let ns = rounds * f64::from(in_flight) / rate_per_s * 1e9;
            // Without a rate (no answer yet) the quotient is infinite or not a number: the longest.
            if ns.is_finite() { (ns as u64).clamp(least, LONGEST_WINDOW_NS) } else { LONGEST_WINDOW_NS }
        };
        Self {
            settling_ns: rounds(SETTLING_ROUNDS, SETTLING_NS),
            window_ns: rounds(WINDOW_ROUNDS, WINDOW_NS),
            warm_up_ns: rounds(WARM_UP_ROUNDS, WARM_UP_NS),
            drain_ns: rounds(1.0, 0),
        }
    }

    /// Of a contender from which no answer came yet: a little longer than requests are waited for.
    pub(crate) fn unanswered(timeout_ns: u64) -> Self {
        let window_ns = timeout_ns.saturating_add(timeout_ns / 5).clamp(WINDOW_NS, LONGEST_WINDOW_NS);
        Self { settling_ns: SETTLING_NS, window_ns, warm_up_ns: window_ns, drain_ns: DRAIN_NS }
    }

    /// How long a window waits for its last answers before it leaves them to the next one. Some servers need seconds
    /// to answer the last requests of each connection (puma waits 0.2 s on a quiet one before it serves another).
    pub(crate) fn drain_limit_ns(&self) -> u64 {
        (2 * self.drain_ns).max(DRAIN_NS)
    }

    /// At a stated rate, whatever the contender makes of it: long enough for the requests in flight to settle where answers
    /// take a fraction of a second.
    pub(crate) fn stated() -> Self {
        Self { settling_ns: STATED_NS, window_ns: STATED_NS, warm_up_ns: STATED_NS, drain_ns: 0 }
    }

    /// Before any rate is known.
    pub(crate) fn first() -> Self {
        Self { settling_ns: SETTLING_NS, window_ns: WINDOW_NS, warm_up_ns: WINDOW_NS, drain_ns: 0 }
    }
}

/// A contender's processes in a launch.
pub(crate) struct Life {
    pub(crate) server: Box<dyn Server>,
    pub(crate) target: TargetNumber,
    /// Its processes after warm-up; before that, `None`: it may still be starting workers.
    pub(crate) processes: Option<BTreeSet<u32>>,
    /// The last reading of its CPU time.
    pub(crate) cpu_ns: u64,
    /// Of its instructions and cycles, where the CPU counts them for us.
    pub(crate) counters: Option<Counters>,
    /// The first window of a life is kept as cold figures.
    pub(crate) is_cold: bool,
    /// Which version of its data files it reads.
    pub(crate) data_version: u32,
    /// Requests that its last window left in flight.
    pub(crate) in_flight: u32,
    /// How long it may still work on requests of its last window that nobody waits for any more.
    pub(crate) backlog: Duration,
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
    /// Whether it takes part in launches of this kind.
    pub(crate) fn takes_part(&self, part: Part) -> bool {
        // The control is about the blocks.
        part == Part::Blocks || !self.is_twin
    }

    /// Its processes, when it has any and was started here.
    pub(crate) fn processes(&self) -> Option<Arc<dyn Processes>> {
        self.life.as_ref()?.server.processes()
    }

    /// The same with all that was started with them.
    pub(crate) fn parties(&self) -> Vec<(PartyRole, Arc<dyn Processes>)> {
        self.life.as_ref().map_or_else(Vec::new, |life| life.server.parties())
    }
}

/// Of these contenders, by their index, those that nothing was wrong with have been measured.
pub(crate) fn settle(records: &mut [ContenderRecord], those: impl Iterator<Item = usize>) {
    for index in those {
        if records[index].state == ContenderState::Pending {
            records[index].state = ContenderState::Measured;
        }
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
        assert_eq!((slow.settling_ns, slow.window_ns), (128_000_000, 768_000_000));
        assert_eq!((fast.warm_up_ns, slow.warm_up_ns), (WARM_UP_NS, 512_000_000));
        let few = Lengths::of(1_000.0, 1);
        assert_eq!((few.settling_ns, few.window_ns), (SETTLING_NS, WINDOW_NS));
        for rate in [0.0, f64::NAN, f64::INFINITY, -1.0, 1e-9] {
            let lengths = Lengths::of(rate, 64);
            assert!((WINDOW_NS..=LONGEST_WINDOW_NS).contains(&lengths.window_ns), "{rate}: {lengths:?}");
        }
    }

    #[test]
    fn rates_follow_from_what_is_known() {
        let load = LoadSettings {
            connections: 64,
            protocol: velo_model::Protocol::Http1,
            streams: 1,
            link: None,
            connections_per_core: None,
            requests_per_connection: None,
            request: None,
            rate_per_s: None,
            budget_s: None,
            warm_up_s: None,
            as_published: None,
        };
        let mut track = Track::new(0, &load);
        let purposes = [
            GroupRate::PURPOSE,
            RatePurpose::Share { percent: 80 },
            RatePurpose::Curve { point: 0 },
            RatePurpose::Search,
        ];
        assert_eq!(purposes.map(|purpose| track.rate_for(purpose)), [None; 4]);
        track.rate_per_s = Some(900.0);
        assert_eq!(track.goodput_per_s(), Some(900.0));
        track.goodputs_per_s = vec![1000.0, 800.0, 1100.0];
        track.common_rate_per_s = Some(450.0);
        track.highest_met_per_s = Some(950.0);
        let rates = purposes.map(|purpose| track.rate_for(purpose));
        assert_eq!(rates, [Some(450.0), Some(760.0), Some(100.0), None]);
    }

    #[test]
    fn a_sweep_goes_upward_from_a_tenth_to_beyond_the_goodput() {
        let shares: Vec<f64> = (0..CURVE_POINTS).map(curve_share).collect();
        assert!(shares.is_sorted() && shares.len() == 10);
        assert!((shares[0] - 0.1).abs() < 1e-12 && (shares[9] - 1.1).abs() < 1e-12, "{shares:?}");
        assert!((shares[8] - (1.1 - 1.0 / 9.0)).abs() < 1e-12, "{shares:?}");
    }
}
