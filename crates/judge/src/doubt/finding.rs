use std::net::IpAddr;

use serde::Serialize;
use velo_model::{ContenderName, Figure};
use velo_record::{Outcomes, RatePurpose};

use super::coin::CoinFinding;
use super::consistency::ConsistencyFinding;
use super::fairness::Fairness;
use super::limit::LimitFinding;
use crate::measure::blocks::DisturbedBy;
use crate::measure::taken::TakenShares;

/// What a check found, with its figures: a report has the words. Shares are parts of 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        /// At which rate; `None` for that of a load alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<StatedRate>,
        /// Sent, of those that were due.
        sent_share: f64,
        /// Why, where that was looked into.
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<NotSent>,
    },
    /// The requests of an open loop were sent, but not in time.
    RateOfferedLate {
        /// At which rate; `None` for that of a load alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<StatedRate>,
        /// What was still unsent at a window's end.
        behind_share: f64,
    },
    /// Some requests of an open loop were due but never sent.
    NeverSent {
        /// At which rate; `None` for that of a load alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<StatedRate>,
        /// How many.
        requests: u64,
        /// Why, where that was looked into.
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<NotSent>,
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
    /// Requests were sent late.
    SendLag {
        /// At which rate; `None` for that of a load alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<StatedRate>,
        /// The 99th percentile of how late.
        p99_ns: u64,
        /// Whether the loop was closed: service times leave out what response times include.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        closed_loop: bool,
    },
    /// Too few response times for some percentiles.
    ResponseTimeSamples {
        /// At which rate; `None` for that of a load alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<StatedRate>,
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
    /// Servers that were started by somebody else, and of which nothing is seen.
    ExternallyStarted {
        /// Which.
        contenders: Vec<ContenderName>,
    },
    /// Servers that were started by somebody else: one launch each.
    ExternalLaunch {
        /// Which.
        contenders: Vec<ContenderName>,
    },
    /// The same, which may run on other CPUs than contenders are given.
    ExternalPlacement {
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
    /// Others and the hypervisor took CPU time while windows were measured.
    CpuTimeTaken {
        /// On either side, over the run.
        taken: TakenShares,
        /// Who the others were, as far as that was seen: `others (cc1)`.
        others: String,
    },
    /// A fixed piece of work took longer on a CPU in some launches than in the others.
    SlowerCpu {
        /// Which.
        launches: Vec<u32>,
        /// Longer by more than this share.
        longer_share: f64,
    },
    /// The kernel counts what the hypervisor steals as CPU time of the task that it is stolen from; it was taken out.
    StealInCpuTimes,
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
    /// Somebody stopped a load.
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
    /// Bodies were not compared with anything.
    BodiesUnchecked,
    /// A closed loop cannot show stalls.
    ClosedLoop,
    /// A thread of the generator stood still.
    GeneratorPaused {
        /// The longest time.
        longest_ns: u64,
        /// Whether the loop was closed.
        closed_loop: bool,
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
        /// Whether the loop was closed.
        closed_loop: bool,
    },
    /// One of the generator's threads was the limit of its connections.
    ThreadBusy {
        /// Of its CPU time.
        share: f64,
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
    /// Histograms of a load alone cannot be read.
    HistogramsUnreadable {
        /// Of which durations: `first-byte`.
        times: Vec<String>,
    },
}

/// Why requests of an open loop were not sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case", tag = "cause")]
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

/// Why connections had no request in flight, by what was counted on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatedRate {
    /// What for.
    pub purpose: RatePurpose,
    /// Requests per second.
    pub rate_per_s: f64,
}
