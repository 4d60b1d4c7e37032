//! What a gate comes to, as data: the JSON of `velo gate`.

use serde::Serialize;
use velo_model::{ContenderName, Figure};

use crate::doubt::reason::Reason;
use crate::measure::estimate::Estimate;
use crate::words::as_json::some_in_words;

/// The version of a gate's format.
pub const FORMAT: u32 = 1;

/// Two revisions of a server and what their figures say.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateRun {
    /// [`FORMAT`].
    pub format: u32,
    /// What it comes to.
    pub verdict: GateVerdict,
    /// The server.
    pub contender: ContenderName,
    /// The workload, as the head has it.
    pub workload: String,
    /// The base has the workload too, and another one.
    pub workload_differs: bool,
    /// The revision that is measured against.
    pub base: GateSide,
    /// The revision that is judged.
    pub head: GateSide,
    /// The probability that any figure is called worse where none is.
    pub level: f64,
    /// Launches of both sides that were made.
    pub launches: u32,
    /// Launches that the budget had room for, at most as many as the test looks at; 0 when nothing was
    /// measured.
    pub planned: u32,
    /// The measuring time that was given, in nanoseconds.
    pub budget_ns: u64,
    /// The measuring time that was used.
    pub measured_ns: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// The command line, without the program's path.
    pub command: Vec<String>,
    /// The figures that a bound is held against, in the order asked.
    pub figures: Vec<GateFigure>,
    /// What each side needed for a request beside that, as far as it was counted.
    pub per_request: Vec<PerRequest>,
    /// Figures of which a change for the worse is accepted.
    pub accepted: Vec<Acceptance>,
    /// What is doubtful about the sides, each in words.
    pub doubts: Vec<String>,
}

/// What a gate is about, as far as its run does not say it.
#[derive(Debug, Clone)]
pub struct GateSubject {
    /// The server.
    pub contender: ContenderName,
    /// The workload.
    pub workload: String,
    /// The base has the workload too, and another one.
    pub workload_differs: bool,
    /// The revision that is measured against; its state counts where nothing is measured.
    pub base: GateSide,
    /// The revision that is judged.
    pub head: GateSide,
    /// Figures of which a change for the worse is accepted.
    pub accepted: Vec<Acceptance>,
    /// The measuring time that is given, in nanoseconds.
    pub budget_ns: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// The command line, without the program's path.
    pub command: Vec<String>,
}

/// What a gate comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GateVerdict {
    /// A figure became worse.
    Worse,
    /// The head does not build, does not start, or answers wrong.
    HeadBroken,
    /// The same of the base: there is nothing to measure against.
    BaseBroken,
    /// What the contender needs is not here.
    Unfit,
    /// Stopped before it was known.
    Interrupted,
    /// The budget was used before it was known.
    Undecided,
    /// A figure became worse, and that is accepted.
    Accepted,
    /// The base has no such contender.
    New,
    /// A figure became better, and none is worse by as much as its bound.
    Better,
    /// No figure is worse by as much as its bound.
    Within,
}

/// One of the two revisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateSide {
    /// As it was asked for, or as it was found: `origin/main`, `work tree`.
    pub revision: String,
    /// The commit, 40 hexadecimal digits; of the work tree the one that it is based on.
    pub commit: String,
    /// It is the work tree, with what is not committed.
    pub is_work_tree: bool,
    /// What became of it.
    pub state: SideState,
}

/// What became of a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum SideState {
    /// It was measured, or nothing keeps it from being measured.
    Fit,
    /// It has no such contender.
    Absent,
    /// It was not tried, for want of something.
    Skipped {
        /// One line.
        reason: String,
    },
    /// It failed.
    Broken {
        /// One line.
        reason: String,
        /// The file in the run's folder that holds the whole story.
        log: Option<String>,
    },
}

/// A figure that a bound is held against.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateFigure {
    /// Which.
    pub figure: Figure,
    /// As `--bound` names it.
    pub name: String,
    /// By how much it may be worse, as a share of the base's.
    pub bound: f64,
    /// A change for the worse is accepted.
    pub is_accepted: bool,
    /// What is known of it.
    pub state: GateState,
    /// Why it cannot be had, when it cannot.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<Reason>,
    /// After which launch that was known.
    pub decided_after: Option<u32>,
    /// The one-sided p-value of "not worse" at the last look.
    pub p_worse: Option<f64>,
    /// The base's.
    pub base: Option<Estimate>,
    /// The head's.
    pub head: Option<Estimate>,
    /// The head's over the base's, paired by block.
    pub ratio: Option<Estimate>,
}

/// What is known of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GateState {
    /// It became worse, and is not known to be within its bound.
    Worse,
    /// It became better.
    Better,
    /// It is not worse by as much as its bound.
    Within,
    /// None of these is known.
    Undecided,
    /// It cannot be had.
    Missing,
}

/// What each side needed for a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PerRequest {
    /// What was counted.
    pub what: String,
    /// The base's.
    pub base: Estimate,
    /// The head's.
    pub head: Estimate,
}

/// A change for the worse that is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Acceptance {
    /// Of which figure.
    pub figure: Figure,
    /// Where it is said: `--accept`, or the commit whose message has it.
    pub by: String,
}

impl GateVerdict {
    /// Whether the head does not pass.
    pub fn fails(self) -> bool {
        matches!(self, Self::Worse | Self::HeadBroken)
    }
}
