use serde::{Deserialize, Serialize};
use velo_model::{CoinCounts, ContenderName, LinkWay, LoadCondition, Outcomes, PartyRole, RequestSpan};

use crate::party::sum_of;
use crate::{BusyProcess, Canary, EncodedHistogram, Party};

/// One stretch of load on one contender: one line of `windows.ndjson`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Window {
    /// The contender.
    pub contender: ContenderName,
    /// The workload.
    pub workload: String,
    /// Its launch, from 1.
    pub launch: u32,
    /// Its block within launch and workload, from 1; 0 before the blocks.
    pub block: u32,
    /// Its place within the block, from 1.
    pub position: u32,
    /// What it is for, with what only such a window has.
    pub purpose: Purpose,
    /// When its load began, since the run's start.
    pub started_ns: u64,
    /// Load before the window, not counted.
    pub settling_ns: u64,
    /// The window as it was.
    pub duration_ns: u64,
    /// From the window's end to the last answer, not counted.
    pub drain_ns: u64,
    /// Outcomes of the window's requests: of a closed loop those whose outcome was seen within it, of an open loop those
    /// whose intended start lay within it.
    pub outcomes: Outcomes,
    /// Outcomes of the requests of settling and draining.
    pub outside: Outcomes,
    /// Counts for each request of the mix, in its order.
    pub requests: Vec<RequestCounts>,
    /// The first wrong answers in words, a few at most.
    pub wrong_examples: Vec<String>,
    /// Connections.
    pub connections: ConnectionCounts,
    /// Requests in flight, integrated over the window by a counter of its own, in request-nanoseconds.
    pub in_flight_request_ns: u64,
    /// Service times of the requests, each clipped at the window's edges, summed: what the integral must equal.
    pub clipped_service_ns: u64,
    /// Service time of the correct answers within the window.
    pub service_time: EncodedHistogram,
    /// Where contenders read files.
    pub data: Option<DataWindow>,
    /// Draws of a coin, where the workload has one.
    pub coin: Option<CoinCounts>,
    /// Who took part, and what each used.
    pub parties: Vec<Party>,
    /// The host's side.
    pub host: HostWindow,
    /// What passed the link, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkWindow>,
}

/// What passed the link between load and contender over settling, window and draining.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkWindow {
    /// From the load to the contender.
    pub up: LinkWay,
    /// From the contender to the load.
    pub down: LinkWay,
}

impl LinkWindow {
    /// What was added since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self { up: self.up.since(&earlier.up), down: self.down.since(&earlier.down) }
    }
}

/// What a window is for, with what only such a window has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Purpose {
    /// The first after process start: cold figures.
    Cold {
        /// Its open loop, where the workload states a rate.
        paced: Option<PacedWindow>,
    },
    /// Warm-up: not counted.
    WarmUp {
        /// Its open loop, where the workload states a rate.
        paced: Option<PacedWindow>,
    },
    /// Counted, in a closed loop.
    Block,
    /// One of the pairs that show whether the generator matters.
    Proof {
        /// CPU time that the generator wasted with each request; `None` in the plain one of the pair.
        slowed_ns: Option<u64>,
    },
    /// An open loop at a stated rate.
    Paced(PacedWindow),
    /// Some requests at once; its makespan is [`Window::duration_ns`].
    Burst(BurstWindow),
}

/// What a window is for: a [`Purpose`] without what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WindowKind {
    /// The first after process start: cold figures.
    Cold,
    /// Warm-up: not counted.
    WarmUp,
    /// Counted, in a closed loop.
    Block,
    /// One of the pairs that show whether the generator matters.
    Proof,
    /// An open loop at a stated rate.
    Paced,
    /// Some requests at once.
    Burst,
}

/// What makes bursts of one request comparable, in the order to report them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BurstShape {
    /// A point of the sweep of connections: one request on each.
    pub sweep: bool,
    /// How many.
    pub requests: u32,
    /// Over how many connections.
    pub connections: u32,
    /// One was sent alone and answered before the others were sent, as `ab` does it, each over a connection of its own.
    pub first_alone: bool,
}

impl BurstShape {
    /// The load that it is.
    pub fn condition(self) -> LoadCondition {
        let Self { requests, connections, first_alone, .. } = self;
        LoadCondition::Burst { requests, connections, first_alone }
    }
}

/// Requests over some connections, until all are answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BurstWindow {
    /// How many requests, and how they were sent.
    #[serde(flatten)]
    pub shape: BurstShape,
    /// From its beginning to each correct answer.
    pub answered: EncodedHistogram,
    /// Each request of at most 500 in time, in the order sent; of more none.
    pub spans: Vec<RequestSpan>,
    /// What it took beside time.
    pub saturation: BurstSaturation,
}

/// What a burst took beside time. The network's counters are those of the whole host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BurstSaturation {
    /// How often a connection was turned away because a queue of those to be accepted was full (`ListenOverflows`).
    pub listen_overflows: Option<u64>,
    /// How often the first packet of a connection was sent again, a second or more later (`TCPSynRetrans`).
    pub syn_retransmits: Option<u64>,
    /// Resident set size of the process tree, shared pages once, before it.
    pub memory_before_bytes: Option<u64>,
    /// The same while the requests waited: after half of the time that each has to wait.
    pub memory_waiting_bytes: Option<u64>,
}

/// The files that a contender reads, and what it read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DataWindow {
    /// Which version lay there, from 0. It changes between windows, while no request is in flight.
    pub version: u32,
    /// The size of the files together: what each request must read.
    pub file_bytes: u64,
    /// What the process tree read over settling, window and draining, as the kernel counted it (`rchar`); sockets count too.
    pub read_bytes: Option<u64>,
}

/// The open loop of a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PacedWindow {
    /// Requests a second on average, Poisson.
    pub rate_per_s: f64,
    /// Why this rate.
    pub purpose: RatePurpose,
    /// Requests that the schedule had for the window.
    pub offered: u64,
    /// Those of them that were sent.
    pub sent: u64,
    /// From the intended start, of the correct answers.
    pub response_time: EncodedHistogram,
    /// From the intended start to the actual send.
    pub send_lag: EncodedHistogram,
}

/// Why a rate was chosen.
// Its order is the one in which open loops are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum RatePurpose {
    /// The one rate that a group of contenders can meet: CPU time per request at equal work.
    #[serde(rename = "equal-work")]
    CommonRate,
    /// A share of the contender's own highest rate that was met.
    Share {
        /// Of a hundred.
        percent: u32,
    },
    /// A point of a sweep upward, from 0.
    Curve {
        /// Which.
        point: u32,
    },
    /// A try on the way to the highest rate that is met.
    Search,
}

impl RatePurpose {
    /// Whether all contenders of a group are given the same rate for it.
    pub fn is_common(self) -> bool {
        self == Self::CommonRate
    }
}

/// Counts for one request of the mix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestCounts {
    /// Its name.
    pub name: String,
    /// Correct answers within the window.
    pub correct: u64,
    /// Failures of any class.
    pub failed: u64,
}

/// Connections of a window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConnectionCounts {
    /// Asked for.
    pub asked: u32,
    /// Open at the window's end.
    pub established: u32,
    /// Reopened before the window because the contender's idle timers had closed them while it was stopped.
    pub reopened_after_stop: u32,
    /// Requests still in flight when draining reached its limit; the next window takes them over.
    pub carried: u32,
    /// Reopened under load: after `Connection: close`, an HTTP/1.0 answer, or a failure.
    pub reconnects: u64,
    /// Correct answers within the window, for each connection.
    pub completions: Vec<u32>,
}

/// What the kernel said of the host in a window.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostWindow {
    /// The share of all CPUs' time stolen by the hypervisor, from the end of the window before to the end of this.
    pub steal_share: Option<f64>,
    /// The share of all CPUs' time used by others than contender and `velo`, over the same stretch.
    pub others_share: Option<f64>,
    /// CPU time that others used while this contender was let run: that of the whole host, which the kernel counts in ticks,
    /// less that of contenders and `velo`. A window's own can be off by some ticks and below 0; their sum is not.
    pub others_cpu_ns: Option<i64>,
    /// How long that was.
    pub others_elapsed_ns: Option<u64>,
    /// CPU time that others and the hypervisor took on the contender's CPUs meanwhile; like that of others it can be below 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_server_ns: Option<i64>,
    /// The same on the CPUs of the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_load_ns: Option<i64>,
    /// What of the former the hypervisor took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen_server_ns: Option<u64>,
    /// The share of that stretch in which some task waited for a CPU (pressure stall information).
    pub cpu_pressure_share: Option<f64>,
    /// The busiest of those others, largest first; looked at once a second at most, so empty where none stood out or
    /// nobody looked.
    pub others: Vec<BusyProcess>,
    /// How often, since the look before, a CPU was slowed down for heat or the control group of `velo` had used up its
    /// quota.
    pub throttled: Option<u64>,
    /// Pages that went to swap or came back since the look before.
    pub swapped_pages: Option<u64>,
    /// A fixed spin timed on each CPU just before the window; once a block, in its first window.
    pub canary: Vec<Canary>,
}

impl Purpose {
    /// Which purpose, without what it holds.
    pub fn kind(&self) -> WindowKind {
        match self {
            Self::Cold { .. } => WindowKind::Cold,
            Self::WarmUp { .. } => WindowKind::WarmUp,
            Self::Block => WindowKind::Block,
            Self::Proof { .. } => WindowKind::Proof,
            Self::Paced(_) => WindowKind::Paced,
            Self::Burst(_) => WindowKind::Burst,
        }
    }
}

impl WindowKind {
    /// Whether other contenders may be measured before and after such a window: its contender is then stopped between windows.
    /// In a warm-up and in the proof it is not.
    pub fn is_interleaved(self) -> bool {
        match self {
            Self::Block | Self::Paced | Self::Burst => true,
            Self::Cold | Self::WarmUp | Self::Proof => false,
        }
    }

    /// Whether its load is neither the workload's own nor an open loop of its requests, so that it is judged apart from the others. Such
    /// windows come after the blocks of a launch.
    pub fn is_apart(self) -> bool {
        self == Self::Burst
    }

    /// Whether its load may be more than the contender can serve: what it refuses or leaves unanswered is then a figure, and no failure.
    pub fn may_overload(self) -> bool {
        matches!(self, Self::Paced | Self::Burst)
    }
}

/// What a window of blocks waits at most for its last answers, in nanoseconds, unless its settling takes longer. Only in the last block of
/// a launch it waits until the timeout.
pub const DRAIN_NS: u64 = 20_000_000;

impl Window {
    /// How long it was loaded: settling, window and draining, in nanoseconds.
    pub fn loaded_ns(&self) -> u64 {
        self.settling_ns.saturating_add(self.duration_ns).saturating_add(self.drain_ns)
    }

    /// The same with no more draining than every block has: while the last block of a launch waits on, nothing is sent.
    pub fn evenly_loaded_ns(&self) -> u64 {
        // A warm-up has no settling, and its windows never wait for long.
        let most_ns = if self.settling_ns == 0 { u64::MAX } else { DRAIN_NS.max(self.settling_ns) };
        let drain_ns = self.drain_ns.min(most_ns);
        self.settling_ns.saturating_add(self.duration_ns).saturating_add(drain_ns)
    }

    /// Whether it is measured in blocks: goodput, and what is at stated rates. The search for a rate has block 0.
    pub fn is_of_a_block(&self) -> bool {
        match self.kind() {
            WindowKind::Block => true,
            WindowKind::Paced => self.block > 0,
            WindowKind::Cold | WindowKind::WarmUp | WindowKind::Proof | WindowKind::Burst => false,
        }
    }

    /// Which purpose it has.
    pub fn kind(&self) -> WindowKind {
        self.purpose.kind()
    }

    /// Its open loop; `None` of a closed one.
    pub fn paced(&self) -> Option<&PacedWindow> {
        match &self.purpose {
            Purpose::Paced(paced) => Some(paced),
            Purpose::Cold { paced } | Purpose::WarmUp { paced } => paced.as_ref(),
            Purpose::Block | Purpose::Proof { .. } | Purpose::Burst(_) => None,
        }
    }

    /// Its burst, where it is one.
    pub fn burst(&self) -> Option<&BurstWindow> {
        match &self.purpose {
            Purpose::Burst(burst) => Some(burst),
            _ => None,
        }
    }

    /// CPU time that the generator wasted with each request, where it did.
    pub fn slowed_ns(&self) -> Option<u64> {
        match self.purpose {
            Purpose::Proof { slowed_ns } => slowed_ns,
            _ => None,
        }
    }

    /// Outcomes of all requests, those of settling and draining included.
    pub fn all(&self) -> Outcomes {
        let mut all = self.outcomes;
        all.add(&self.outside);
        all
    }

    /// Correct responses per second.
    pub fn goodput_per_s(&self) -> f64 {
        self.outcomes.correct as f64 * 1e9 / self.duration_ns as f64
    }

    /// CPU time of the contender per correct response in nanoseconds: that of settling, window and draining
    /// over the answers of all three, which no clock edge cuts.
    pub fn cpu_per_request_ns(&self) -> Option<f64> {
        let answers = self.all().correct;
        let cpu = self.cpu_total_ns(PartyRole::Contender)?;
        (answers > 0).then(|| cpu as f64 / answers as f64)
    }

    /// What the first party of a role used.
    pub fn party(&self, role: PartyRole) -> Option<&Party> {
        self.parties.iter().find(|party| party.role == role)
    }

    /// CPU time of the parties of a role within the window; `None` where there is none, or it is not known of one.
    pub fn cpu_ns(&self, role: PartyRole) -> Option<u64> {
        sum_of(&self.parties, role, |party| party.cpu_ns)
    }

    /// The same over settling, window and draining.
    pub fn cpu_total_ns(&self, role: PartyRole) -> Option<u64> {
        sum_of(&self.parties, role, |party| party.cpu_total_ns)
    }
}
