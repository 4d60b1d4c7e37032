use serde::Serialize;
use velo_model::{Figure, Role};
use velo_record::Outcomes;

use crate::doubt::coin::CoinFinding;
use crate::doubt::consistency::ConsistencyFinding;
use crate::doubt::limit::LimitFinding;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::doubt::placement::Left;
use crate::doubt::warming::StillWarming;

/// Which rule keeps a row from being ranked, with its figures; what it says as text is the reason. Shares are parts of 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case", tag = "cause")]
pub enum Cause {
    /// There is no counted window with an answer; of a task no process.
    NotMeasured {
        /// Which of the two.
        role: Role,
        /// All that were measured were disturbed, and are dropped.
        dropped: bool,
    },
    /// An answer was wrong.
    WrongAnswers {
        /// How many.
        wrong: u64,
        /// Of so many requests.
        requests: u64,
        /// The first of them in words.
        example: Option<String>,
    },
    /// The coin is not fair.
    UnfairCoin {
        /// The tests that it failed.
        coin: CoinFinding,
    },
    /// Too many requests failed.
    Failures {
        /// Of all requests.
        share: f64,
        /// The failures by class.
        answers: Outcomes,
    },
    /// A process of a task ended before its plan.
    #[serde(rename = "failures")]
    ProcessEndedEarly {
        /// Which.
        process: u32,
        /// Why, as it was recorded.
        ended: String,
    },
    /// The counted windows are unlike the warm-up of the same launch.
    Inconsistent {
        /// Which figure.
        figure: Figure,
        /// In which parts of the run, and by how much.
        parts: ConsistencyFinding,
    },
    /// Its figure rose or fell while it was measured.
    Unsteady {
        /// Which figure.
        figure: Figure,
        /// In which parts of the run, and by how much.
        parts: ConsistencyFinding,
    },
    /// Its goodput rose while it was measured: its warm-up was too short.
    StillWarming {
        /// By how much, and what would cure it.
        #[serde(flatten)]
        warming: StillWarming,
    },
    /// Requests in flight and service times disagree.
    LittlesLaw {
        /// By how much over all windows.
        share: f64,
    },
    /// Externally started, and nothing is seen of its processes: nobody knows who was the limit.
    RanAlready {
        /// Why, and what would cure it, one line; `None` where the run does not say.
        why: Option<String>,
    },
    /// Externally started, and the only one: such servers are one launch each, and are ranked among themselves alone.
    OnlyExternal,
    /// The contender was not seen to be the limit.
    NotServerBound {
        /// What was.
        limit: LimitFinding,
    },
    /// Others were busy in its windows and not in those of the rest.
    OthersBusy {
        /// Of the CPUs, in its windows.
        share: f64,
        /// The same in the windows of the rest.
        rest_share: f64,
    },
    /// Its answers came from files as they were before they were changed.
    StaleData {
        /// Of its answers after the change, those that were wrong.
        share: f64,
    },
    /// It has not read its files for each request, or for each iteration of a task.
    NotRead {
        /// Which of the two.
        role: Role,
        /// Of what must be read.
        share: f64,
    },
    /// The workload has a stated rate in place of a closed loop: contenders compare by what they use at that rate.
    StatedRate {
        /// Requests per second.
        rate_per_s: f64,
    },
    /// It ran outside of the CPUs that it was given, or used more CPU time than these have.
    OutsideCpus {
        /// What shows it.
        left: Left,
    },
    /// Its CPU time per request is not possible for the work: others did it.
    ImpossibleCpuTime {
        /// CPU time per request, in nanoseconds: the least over its loads.
        cpu_ns: f64,
        /// The same of the reference; `None` where the contender used none at all.
        reference_ns: Option<f64>,
        /// Less than this part of the reference's is not possible.
        least_share: f64,
    },
    /// Its own clock leaves out a part of the time.
    OwnClock {
        /// Where that was seen; the other loads of its listing have the same program.
        workload: String,
        /// What it says, of what the lab's does.
        share: f64,
    },
    /// The server of files used too much CPU time beside the client: it may have been the limit.
    FileServer {
        /// Of the client's CPU time.
        share: f64,
    },
    /// Too few launches; of a task too few processes.
    FewLaunches {
        /// Which of the two.
        role: Role,
        /// How many there are.
        launches: u32,
        /// How many a rank needs.
        needed: u32,
    },
    /// Nothing is ranked in this run.
    Run {
        /// Why not.
        #[serde(skip)]
        because: NothingRanked,
    },
}

impl Cause {
    /// What is left of the figures of a row that this keeps from being ranked.
    pub fn validity(&self) -> Validity {
        match self {
            Self::Run { .. } | Self::FewLaunches { .. } | Self::OnlyExternal => Validity::Stands,
            Self::NotServerBound { .. } | Self::RanAlready { .. } | Self::FileServer { .. } => {
                Validity::Bound
            }
            Self::StatedRate { .. } => Validity::NoGoodput,
            Self::Failures { .. }
            | Self::ProcessEndedEarly { .. }
            | Self::Inconsistent { .. }
            | Self::Unsteady { .. }
            | Self::StillWarming { .. }
            | Self::OthersBusy { .. }
            | Self::LittlesLaw { .. } => Validity::Doubtful,
            Self::WrongAnswers { .. }
            | Self::UnfairCoin { .. }
            | Self::StaleData { .. }
            | Self::NotRead { .. }
            | Self::OutsideCpus { .. }
            | Self::ImpossibleCpuTime { .. }
            | Self::OwnClock { .. } => Validity::Invalid,
            Self::NotMeasured { .. } => Validity::Missing,
        }
    }
}

/// What the figures of a row can be used for: the one decision, which reports and comparisons follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// They are the contender's own.
    Stands,
    /// They were measured, but the contender was not shown to be the limit: its goodput is a lower bound.
    Bound,
    /// They are those of a stated rate: there is no goodput of its own.
    NoGoodput,
    /// They were measured, and a check says that they may be those of something else.
    Doubtful,
    /// The contender did not do the work that was asked of it, or not itself.
    Invalid,
    /// There are none.
    Missing,
}
