//! Whether a row is ranked; else which rule keeps it out.

use schemars::JsonSchema;
use serde::Serialize;
use velo_record::Stage;
use velo_spec::ContenderName;

/// Nothing is ranked on fewer launches.
pub(crate) const LEAST_LAUNCHES: u32 = 5;

/// Whether a row is ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum RowState {
    /// Ranked; ranks that were not told apart are shared.
    Ranked {
        /// One more than the number of contenders separated above.
        best: u32,
        /// The number of ranked contenders less those separated below.
        worst: u32,
    },
    /// Measured or about to be, but not ranked.
    NotRanked {
        /// Which rule keeps it out.
        cause: Cause,
        /// The same in words.
        reason: String,
    },
    /// Measures the generator's ceiling; never ranked.
    Reference,
    /// Not tried, for want of something.
    Skipped {
        /// One line.
        reason: String,
        /// What would cure it.
        cure: Option<String>,
    },
    /// Failed.
    Excluded {
        /// Where.
        stage: Stage,
        /// One line.
        reason: String,
        /// The file in the run's folder that holds the whole story.
        log: Option<String>,
    },
}

impl RowState {
    /// What the figures can be used for.
    pub fn validity(&self) -> Validity {
        match self {
            Self::Ranked { .. } => Validity::Stands,
            Self::NotRanked { cause, .. } => cause.validity(),
            Self::Reference => Validity::Bound,
            Self::Skipped { .. } | Self::Excluded { .. } => Validity::Missing,
        }
    }

    /// Whether the figures stand, ranked or not: nothing in the run is ranked, or there are too few launches.
    pub(crate) fn stands(&self) -> bool {
        self.validity() == Validity::Stands
    }

    /// Whether the figures mean what they say, ranked or not; what was found wrong with others makes theirs meaningless.
    pub fn has_figures(&self) -> bool {
        matches!(self.validity(), Validity::Stands | Validity::Bound | Validity::NoGoodput)
    }

    /// Why it has no rank, in a sentence's words; `None` where it has one.
    pub(crate) fn why_not_ranked(&self) -> Option<String> {
        match self {
            Self::Ranked { .. } => None,
            Self::NotRanked { reason, .. } => Some(reason.clone()),
            Self::Reference | Self::Skipped { .. } | Self::Excluded { .. } => Some(self.in_words()),
        }
    }

    /// The words about a contender in this state: `go/gin is not ranked: ...`.
    pub(crate) fn of(&self, contender: &ContenderName, words: &str) -> String {
        let verb = match self {
            Self::Skipped { .. } | Self::Excluded { .. } => "was",
            _ => "is",
        };
        format!("{contender} {verb} {words}")
    }

    /// The state in a word or two: `not ranked`.
    pub(crate) fn in_short(&self) -> &'static str {
        match self {
            Self::Ranked { .. } => "ranked",
            Self::NotRanked { .. } => "not ranked",
            Self::Reference => "the reference",
            Self::Skipped { .. } => "skipped",
            Self::Excluded { .. } => "excluded",
        }
    }

    /// `not ranked: the generator was busy 97 %`.
    pub fn in_words(&self) -> String {
        match self {
            Self::Ranked { best, worst } if best == worst => format!("ranked {best}"),
            Self::Ranked { best, worst } => format!("ranked {best} to {worst}"),
            Self::NotRanked { reason, .. } => format!("not ranked: {reason}"),
            Self::Reference => "the reference, never ranked".to_owned(),
            Self::Skipped { reason, .. } => format!("skipped: {reason}"),
            Self::Excluded { reason, .. } => format!("excluded: {reason}"),
        }
    }
}

/// Which rule keeps a row from being ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// There is no counted window with an answer.
    NotMeasured,
    /// An answer was wrong.
    WrongAnswers,
    /// The coin is not fair.
    UnfairCoin,
    /// Too many requests failed.
    Failures,
    /// The counted windows are unlike the warm-up of the same launch.
    Inconsistent,
    /// Its figure rose or fell while it was measured.
    Unsteady,
    /// Requests in flight and service times disagree.
    LittlesLaw,
    /// It ran already: its CPU time cannot be read, so nobody knows who was the limit.
    RanAlready,
    /// The contender was not seen to be the limit.
    NotServerBound,
    /// Its answers came from files as they were before they were changed.
    StaleData,
    /// It has not read its files for each request.
    NotRead,
    /// The workload has a stated rate in place of a closed loop: contenders compare by what they use at that rate.
    StatedRate,
    /// It ran outside of the CPUs that it was given, or used more CPU time than these have.
    OutsideCpus,
    /// Its CPU time per request is not possible for the work: others did it.
    ImpossibleCpuTime,
    /// Its own clock leaves out most of the time.
    OwnClock,
    /// Too few launches; of a task too few processes.
    FewLaunches,
    /// Nothing is ranked in this run.
    Run,
}

impl Cause {
    /// What is left of the figures of a row that this keeps from being ranked.
    pub fn validity(self) -> Validity {
        match self {
            Self::Run | Self::FewLaunches => Validity::Stands,
            Self::NotServerBound | Self::RanAlready => Validity::Bound,
            Self::StatedRate => Validity::NoGoodput,
            Self::Failures | Self::Inconsistent | Self::Unsteady | Self::LittlesLaw => Validity::Doubtful,
            Self::WrongAnswers
            | Self::UnfairCoin
            | Self::StaleData
            | Self::NotRead
            | Self::OutsideCpus
            | Self::ImpossibleCpuTime
            | Self::OwnClock => Validity::Invalid,
            Self::NotMeasured => Validity::Missing,
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
