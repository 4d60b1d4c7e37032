use std::net::IpAddr;

use schemars::JsonSchema;
use serde::Serialize;
use velo_model::{ContenderName, Figure};
use velo_record::{Outcomes, RatePurpose};

use super::coin::CoinFinding;
use super::consistency::ConsistencyFinding;
use super::fairness::Fairness;
use super::limit::LimitFinding;
use crate::measure::blocks::DisturbedBy;

/// What a check found, with its figures: a report has the words. Shares are parts of 1.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case", tag = "found")]
pub enum Finding {
    /// Answers were wrong.
    WrongAnswers {
        /// How many.
        answers: u64,
        /// Of all requests.
        share: f64,
    },
    /// A coin is not fair.
    UnfairCoin {
        /// The tests that it failed.
        coin: CoinFinding,
    },
    /// Requests failed otherwise than by a wrong answer.
    Failures {
        /// Of all requests.
        share: f64,
        /// The failures by class.
        answers: Outcomes,
    },
    /// Requests in flight and service times disagree.
    LittlesLaw {
        /// By how much in the worst window.
        share: f64,
    },
    /// Connections had no request in flight.
    ConnectionsIdle {
        /// Those that were kept busy, of all.
        busy_share: f64,
        /// Why the others were not.
        cause: IdleCause,
    },
    /// Fewer connections were open at the end of a window than were asked for.
    ConnectionsMissing {
        /// The fewest that were open.
        open: u32,
        /// Asked for.
        asked: u32,
    },
    /// Connections were closed under load and opened again, and nothing failed.
    ConnectionsReopened {
        /// How often.
        times: u64,
        /// Once for each so many answers, rounded.
        each_answers: u64,
    },
    /// Connections got far less than the others.
    ConnectionsStarved {
        /// Which, and how unequal their shares are.
        fairness: Fairness,
        /// Below this part of the median of a launch a connection is starved.
        below_share: f64,
    },
    /// Anything but all of the contender limited goodput.
    Bottleneck {
        /// What did.
        limit: LimitFinding,
    },
    /// The CPU use without load is not known, so a busy wait would not be seen.
    IdleCpuUnknown,
    /// Slowing the generator lowered goodput.
    GeneratorMatters {
        /// CPU time wasted with each request, in nanoseconds.
        slowed_ns: u64,
        /// By how much goodput fell.
        cost_share: Option<f64>,
    },
    /// Slowing the generator does not tell whether it matters.
    GeneratorUnresolved {
        /// CPU time wasted with each request, in nanoseconds.
        slowed_ns: u64,
        /// The effect that could not be bounded.
        within_share: f64,
    },
    /// Too few service times for some percentiles.
    ServiceTimeSamples {
        /// The percentiles that are missing: `p99`.
        percentiles: Vec<String>,
    },
    /// Histograms of service times cannot be read.
    ServiceTimesUnreadable {
        /// Of how many windows.
        windows: u32,
    },
    /// Histograms of open loops cannot be read.
    OpenLoopsUnreadable {
        /// How many.
        histograms: u32,
    },
    /// No window of some rates is left: all were in disturbed blocks.
    RatesDropped {
        /// What the rates were for.
        rates: Vec<RatePurpose>,
    },
    /// Too few of the requests of an open loop were sent.
    RateNotOffered {
        /// At which rate.
        at: StatedRate,
        /// Sent, of those that were due.
        sent_share: f64,
    },
    /// The requests of an open loop were sent, but not in time.
    RateOfferedLate {
        /// At which rate.
        at: StatedRate,
        /// What was still unsent at a window's end.
        behind_share: f64,
    },
    /// Some requests of an open loop were due but never sent.
    NeverSent {
        /// At which rate.
        at: StatedRate,
        /// How many.
        requests: u64,
    },
    /// Requests of an open loop failed.
    FailuresAtRate {
        /// At which rate.
        at: StatedRate,
        /// Of all requests at that rate.
        share: f64,
        /// The failures by class.
        answers: Outcomes,
    },
    /// Requests of an open loop were sent late.
    SendLag {
        /// At which rate.
        at: StatedRate,
        /// The 99th percentile of how late.
        p99_ns: u64,
    },
    /// Too few response times for some percentiles.
    ResponseTimeSamples {
        /// At which rate.
        at: StatedRate,
        /// The percentiles that are missing: `p99`.
        percentiles: Vec<String>,
    },
    /// The figure that contenders are ranked by rose or fell over a launch.
    Trend {
        /// Which figure.
        figure: Figure,
        /// From the first third of a launch to its last; below 0: it fell.
        change_share: f64,
    },
    /// Whether a figure held still over a launch is not known.
    TrendUnknown {
        /// Which figure.
        figure: Figure,
        /// The change that could not be bounded.
        within_share: f64,
    },
    /// Counted windows are unlike the warm-up, or launches unlike one another.
    Inconsistent {
        /// Which figure.
        figure: Figure,
        /// In which parts of the run, and by how much.
        parts: ConsistencyFinding,
    },
    /// Others were busy in a contender's windows and not in those of the rest.
    OthersBusy {
        /// Programs that were seen.
        names: Vec<String>,
        /// Of the CPUs, in its windows.
        share: f64,
        /// The same in the windows of the rest.
        rest_share: f64,
    },
    /// A build left programs running, which were ended.
    LeftByBuild {
        /// Their names.
        programs: Vec<String>,
    },
    /// It listens on all of the machine's networks, and not on the address that it was given alone.
    ListensOnAll {
        /// Where.
        address: IpAddr,
    },
    /// Only the beginning and the end of its log are kept.
    LogCut {
        /// The log, in the folder of the run.
        log: String,
        /// What was written in those parts of which some is left out.
        written_bytes: u64,
    },
    /// A launch ended before its plan.
    LaunchEndedEarly {
        /// Which.
        launch: u32,
        /// Why, as it was recorded.
        reason: String,
    },
    /// Launches had a figure far from that of the contender's other launches.
    LaunchesApart {
        /// Which figure.
        figure: Figure,
        /// Which launches.
        launches: Vec<u32>,
        /// Of how many.
        of: u32,
        /// How far the farthest lies from the median of the others; below 0: less.
        change_share: f64,
    },
    /// The warm-up ended at its cap.
    WarmUpNotSteady {
        /// In so many launches.
        launches: u32,
        /// Of all.
        of: u32,
    },
    /// Threads could run outside of the contender's CPUs.
    OutsideCpus {
        /// In which launches.
        launches: Vec<u32>,
    },
    /// SIGTERM did not stop it.
    NotStoppedBySigterm {
        /// In so many launches.
        launches: u32,
        /// Of all.
        of: u32,
    },
    /// A process of a task ended before its plan.
    ProcessEndedEarly {
        /// Which.
        process: u32,
        /// Why, as it was recorded.
        reason: String,
    },
    /// Processes of a task were disturbed.
    ProcessesDropped {
        /// How many are dropped.
        processes: u32,
        /// Of all.
        of: u32,
    },
    /// What a task read is not known.
    ReadBytesUnknown,
    /// A task's iterations still get faster or slower.
    TaskTrend {
        /// The last quarter of the iterations over the one before, less 1; below 0: faster.
        change_share: f64,
    },
    /// `velo` is a debug build.
    DebugBuild,
    /// A setting departs from the workload's own.
    Override {
        /// Which, as it was recorded.
        setting: String,
    },
    /// Servers that were started by somebody else.
    ExternallyStarted {
        /// Which.
        contenders: Vec<ContenderName>,
    },
    /// CPU time that others took is not known; at least one of the two.
    OthersUnknown {
        /// What the hypervisor stole.
        steal: bool,
        /// What other programs used.
        others: bool,
    },
    /// The kernel keeps the time of interrupts apart from that of tasks.
    InterruptsApart,
    /// The machine spoilt blocks.
    BlocksDisturbed {
        /// How many.
        disturbed: u64,
        /// Of all.
        blocks: u64,
        /// By what.
        by: DisturbedBy,
        /// Whether they are counted, because they are most of all; else they are dropped.
        are_counted: bool,
    },
    /// What a run cannot tell from nothing is not known.
    NoiseFloorUnknown {
        /// On which workload.
        workload: String,
        /// Why.
        reason: String,
    },
    /// A program measured as if it were two differs from itself.
    ControlFailed {
        /// On which workload.
        workload: String,
        /// The program.
        contender: ContenderName,
        /// By how much.
        difference_share: f64,
        /// Half of the width of its 95 % interval.
        half_width_share: Option<f64>,
    },
}

/// Why connections had no request in flight, by what was counted on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case", tag = "cause")]
pub enum IdleCause {
    /// Some never got an answer in a launch, or were not open at the end of a window.
    Unserved {
        /// The fewest that got an answer in a launch, where that is not all.
        answered: Option<u32>,
        /// The fewest that were open at the end of a window, where that is not all.
        open: Option<u32>,
        /// Asked for.
        asked: u32,
    },
    /// They were being opened again.
    Reopening,
    /// After failures there is a pause.
    AfterFailures,
    /// All were open and got answers: the generator held back.
    GeneratorHeldBack,
}

/// The rate of an open loop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct StatedRate {
    /// What for.
    pub purpose: RatePurpose,
    /// Requests per second.
    pub rate_per_s: f64,
}
