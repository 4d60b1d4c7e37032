use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use velo_record::Outcomes;

use super::figures::Time;
use crate::doubt::fairness::Fairness;
use crate::doubt::finding::IdleCause;
use crate::doubt::verdict::Verdict;

impl Serialize for LoadFinding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a check says of a load.
pub type LoadVerdict = Verdict<LoadFinding>;

/// What a check of a load found, with its figures; it is written in words. Shares are parts of 1.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(with = "String")]
pub enum LoadFinding {
    /// `velo` is a debug build.
    DebugBuild,
    /// Somebody stopped it.
    Interrupted {
        /// When.
        after_ns: u64,
        /// How long it should have been, where that was asked.
        asked_ns: Option<u64>,
    },
    /// No connection could be opened any more.
    GaveUp {
        /// When.
        after_ns: u64,
        /// Requests until then.
        tried: u64,
        /// Of so many that were asked.
        of: Option<u64>,
    },
    /// There was no correct answer in the stretch.
    NothingWorked {
        /// What there was in it.
        answers: Outcomes,
        /// What there was before and behind it.
        outside: Outcomes,
    },
    /// Requests failed, and no condition is about failures.
    FailuresExitWithZero,
    /// Requests of the warm-up failed.
    WarmUpFailures {
        /// Its outcomes.
        answers: Outcomes,
    },
    /// Requests failed that a closed loop had in flight at the stretch's end.
    DrainedFailures {
        /// The outcomes of all of them.
        answers: Outcomes,
    },
    /// Answers were wrong.
    WrongAnswers {
        /// How many.
        answers: u64,
        /// Of all requests.
        share: f64,
    },
    /// Requests failed otherwise.
    Failures {
        /// Of all requests.
        share: f64,
        /// The failures by class.
        answers: Outcomes,
    },
    /// Bodies were not compared with anything.
    BodiesUnchecked,
    /// The rate of an open loop could not be offered.
    RateNotOffered {
        /// Sent per second.
        sent_per_s: f64,
        /// Due per second.
        offered_per_s: f64,
        /// How many were dropped.
        dropped: u64,
        /// Why.
        cause: NotSent,
    },
    /// Some requests of an open loop were due but never sent.
    NeverSent {
        /// How many.
        requests: u64,
        /// Why.
        cause: NotSent,
    },
    /// Too few samples for some percentiles.
    Samples {
        /// Which, and how many each needs.
        missing: Vec<(&'static str, u64)>,
        /// How many there are.
        samples: u64,
    },
    /// A closed loop cannot show stalls.
    ClosedLoop,
    /// Requests were sent late.
    SendLag {
        /// The 99th percentile of how late.
        p99_ns: f64,
        /// Whether the loop was open.
        open_loop: bool,
    },
    /// A thread of the generator stood still.
    GeneratorPaused {
        /// The longest time.
        longest_ns: u64,
        /// Whether the loop was open.
        open_loop: bool,
    },
    /// A generator that polls is always busy.
    BusyPolling,
    /// The limit of its control group held the generator back.
    Throttled {
        /// The CPUs' time that the group may use.
        cpus: f64,
        /// Periods in which it was held back.
        throttled: u64,
        /// Of so many.
        periods: u64,
        /// How long.
        held_ns: u64,
    },
    /// The generator was the limit.
    GeneratorBusy {
        /// Of its CPU time.
        share: f64,
        /// Whether the loop was open.
        open_loop: bool,
    },
    /// One of the generator's threads was the limit of its connections.
    ThreadBusy {
        /// Of its CPU time.
        share: f64,
    },
    /// Requests in flight and service times disagree.
    LittlesLaw {
        /// By how much.
        share: f64,
    },
    /// Connections had no request in flight.
    ConnectionsIdle {
        /// Those that were kept busy, of all.
        busy_share: f64,
        /// Why the others were not.
        cause: IdleCause,
    },
    /// Fewer connections were open at the end than were asked for.
    ConnectionsMissing {
        /// Open.
        open: u32,
        /// Asked for.
        asked: u32,
    },
    /// Connections were closed and opened again.
    ConnectionsReopened {
        /// How many.
        connections: u64,
    },
    /// The server closed connections for having been idle.
    ConnectionsClosedIdle {
        /// How many.
        connections: u64,
        /// The shortest time without a request after which it did.
        shortest_ns: u64,
    },
    /// The server took fewer requests at once on a connection than were asked for.
    StreamsLimited {
        /// As many as it took.
        allowed: u32,
        /// Asked for.
        asked: u32,
    },
    /// No local port was free.
    NoPort {
        /// So often.
        times: u64,
    },
    /// Connections got far less than the others.
    ConnectionsStarved {
        /// Which, and how unequal their shares are.
        fairness: Fairness,
    },
    /// Histograms cannot be read.
    Unreadable {
        /// Which.
        times: Vec<Time>,
    },
}

/// Why requests of an open loop were not sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NotSent {
    /// There was no connection to send them on.
    NoConnection {
        /// How many.
        requests: u64,
    },
    /// The generator was at its limit.
    GeneratorBusy {
        /// Of its CPU time.
        share: f64,
    },
    /// All connections were in use, since the server took many times as long as for its fastest answer.
    ServerSlow {
        /// The median service time.
        p50_ns: u64,
        /// The least service time.
        min_ns: u64,
    },
    /// All connections were in use when they were due.
    NoneFree,
    /// All connections were in use until the load ended.
    NoneFreeBeforeEnd,
}
