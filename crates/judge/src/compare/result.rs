//! What a comparison comes to, as data: the JSON of `velo compare`.

use serde::Serialize;
use velo_model::{ContenderName, Figure, Link, LoadCondition, Protocol};

use super::hours::WaitingHours;
use super::identity::Difference;
use crate::claims::claim::Holds;
use crate::measure::estimate::Estimate;
use crate::rank::pairs::Standing;

/// The version of a comparison's format.
pub const FORMAT: u32 = 2;

/// The answer to one of two questions, and which.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "question")]
pub enum Comparison {
    /// The same contenders, before and after.
    AcrossTime(ComparedRuns),
    /// Several contenders within one run.
    AcrossContenders(ComparedContenders),
}

/// Two runs: each contender against itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedRuns {
    /// [`FORMAT`].
    pub format: u32,
    /// The earlier run.
    pub before: RunHead,
    /// The later one.
    pub after: RunHead,
    /// Of each interval alone.
    pub confidence: f64,
    /// The probability of even one false separation among all changes of a figure (Holm), and of even one in what the
    /// conditions ask about.
    pub level: f64,
    /// What is not the same in the two runs.
    pub differences: Vec<Difference>,
    /// The workloads that are not compared.
    pub refused: Vec<Refused>,
    /// The workloads that are.
    pub workloads: Vec<ComparedWorkload>,
    /// What changed and by how much: by figure, workload, contender.
    pub changes: Vec<Change>,
    /// What could not be compared.
    pub not_compared: Vec<NotCompared>,
    /// What was asked with `--fail-on`.
    pub conditions: Vec<JudgedCondition>,
}

/// A run in a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunHead {
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// The version of `velo` that measured.
    pub velo: String,
    /// Why nothing in it is ranked, when nothing is.
    pub nothing_ranked: Option<String>,
}

/// A workload that is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refused {
    /// Which.
    pub workload: String,
    /// Why.
    pub reason: String,
}

/// A workload that is compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedWorkload {
    /// Its name.
    pub name: String,
    /// Connections.
    pub connections: u32,
    /// A connection was closed after so many requests; left out where they were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_connection: Option<u32>,
    /// What was spoken on them.
    pub protocol: Protocol,
    /// Requests in flight on each.
    pub streams: u32,
    /// The link between load and contender, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Its own rate of an open loop, in place of a closed one.
    pub rate_per_s: Option<f64>,
    /// The reference over which servers are compared, so that the machine's level cancels.
    pub reference: Option<ContenderName>,
    /// Why there is none, so that the machine's own change is in the figures.
    pub no_reference: Option<String>,
    /// The change of the reference's own figures: of the machine's level.
    pub machine: Vec<LevelChange>,
}

/// How a figure of the reference changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LevelChange {
    /// Which figure.
    pub figure: Figure,
    /// After over before.
    pub ratio: Ratio,
}

/// A ratio of two runs, after over before, with Welch's interval at the comparison's confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ratio {
    /// The ratio; above 0.
    pub value: f64,
    /// The interval's lower end; none with one launch in either run.
    pub low: Option<f64>,
    /// The interval's upper end; there when the lower one is.
    pub high: Option<f64>,
}

/// How a figure of a contender changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// Which figure.
    pub figure: Figure,
    /// On which workload; none of startup.
    pub workload: Option<String>,
    /// Whose.
    pub contender: ContenderName,
    /// The load, of figures that are measured under several; none of other figures.
    pub load: Option<LoadCondition>,
    /// The figure before, per second or in nanoseconds, with the machine's level in it: the geometric mean over launches, as the
    /// ratio is one of geometric means.
    pub before: Estimate,
    /// The figure after.
    pub after: Estimate,
    /// Whether the ratio is one of ratios over the reference, so that the machine's own change is not in it.
    pub over_reference: bool,
    /// After over before.
    pub ratio: Ratio,
    /// The two-sided p-value of no change; none with one launch in either run.
    pub p: Option<f64>,
    /// The same adjusted for all changes of this figure; none where no verdict may rest on it.
    pub p_holm: Option<f64>,
    /// What follows.
    pub state: ChangeState,
    /// Why no verdict may rest on it.
    pub doubt: Option<String>,
}

/// What is known of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeState {
    /// Separated, for the worse.
    Worse,
    /// Separated, for the better.
    Better,
    /// Not told apart from no change, which is not to say that there is none.
    Open,
}

/// What could not be compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotCompared {
    /// Which figure; none: no figure.
    pub figure: Option<Figure>,
    /// On which workload; none of startup.
    pub workload: Option<String>,
    /// Whose.
    pub contender: ContenderName,
    /// The load, of figures that are measured under several; none of other figures.
    pub load: Option<LoadCondition>,
    /// Why.
    pub reason: String,
    /// Whether it had a figure before and failed after: excluded, wrong answers and the like.
    pub is_lost: bool,
}

/// One condition of `--fail-on`, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgedCondition {
    /// As it was typed: `regression:3%`.
    pub text: String,
    /// The bound, as a share.
    pub bound: f64,
    /// How many changes it was held against.
    pub told: u32,
    /// Does not hold: there is a breach. Holds: every interval lies within the bound. Else it is inconclusive.
    pub holds: Holds,
    /// Who is worse by more than the bound, and who failed.
    pub breaches: Vec<Breach>,
    /// Of whom it is inconclusive.
    pub untold: Vec<Untold>,
}

/// A contender that breaks a condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Breach {
    /// By which figure; none of one that failed altogether.
    pub figure: Option<Figure>,
    /// On which workload.
    pub workload: Option<String>,
    /// Who.
    pub contender: ContenderName,
    /// The load, of figures that are measured under several; none of other figures.
    pub load: Option<LoadCondition>,
    /// After over before; none of one that failed.
    pub ratio: Option<Ratio>,
    /// The two-sided p-value of no change, adjusted for all changes that the conditions ask about.
    pub p_holm: Option<f64>,
    /// Why it failed, when it did.
    pub reason: Option<String>,
}

/// A change for which a condition is inconclusive.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Untold {
    /// Which figure.
    pub figure: Figure,
    /// On which workload.
    pub workload: Option<String>,
    /// Whose.
    pub contender: ContenderName,
    /// The load, of figures that are measured under several; none of other figures.
    pub load: Option<LoadCondition>,
    /// After over before.
    pub ratio: Ratio,
    /// Half of the interval's width, relative to the ratio.
    pub half_width: Option<f64>,
    /// For an interval wider than the bound: launches in each run after which about half of all comparisons have one as narrow.
    pub launches: Option<u32>,
    /// Why no verdict may rest on it, when none may.
    pub doubt: Option<String>,
}

/// Several contenders within one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedContenders {
    /// [`FORMAT`].
    pub format: u32,
    /// The run.
    pub run: RunHead,
    /// Of the intervals, unless the pairs say otherwise.
    pub confidence: f64,
    /// Who is compared, in the order asked.
    pub contenders: Vec<ContenderName>,
    /// Each pair of them: by workload and figure, in the order asked.
    pub pairs: Vec<ContenderPair>,
    /// What whole calls come to for many users, workload by workload.
    pub waiting: Vec<WaitingHours>,
    /// What could not be compared.
    pub not_compared: Vec<NotCompared>,
}

/// Two contenders by one figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContenderPair {
    /// Which figure.
    pub figure: Figure,
    /// On which workload.
    pub workload: String,
    /// The load, of figures that are measured under several; none of other figures.
    pub load: Option<LoadCondition>,
    /// The one that was named first.
    pub over: ContenderName,
    /// The other.
    pub under: ContenderName,
    /// Its figure, per second or in nanoseconds.
    pub over_figure: Option<Estimate>,
    /// The figure of the other.
    pub under_figure: Option<Estimate>,
    /// First over second, paired by block (of tasks by process).
    pub ratio: Option<Estimate>,
    /// What the judge says of the pair; none where it has no such pair.
    pub state: Option<Standing>,
    /// The two-sided p-value of no difference, adjusted for all pairs of the judge.
    pub p_holm: Option<f64>,
    /// Why the judge has no such pair.
    pub reason: Option<String>,
}

/// Why there is no comparison.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// Two runs have nothing that can be compared.
    #[error("the two runs have nothing to compare\n  {}", reasons.join("\n  "))]
    NothingLeft {
        /// Why, each in words.
        reasons: Vec<String>,
    },
    /// A contender is named that the run does not have.
    #[error("--between {name}: not a contender of this run{hint}\n  expected two or more of: {known}")]
    NoSuchContender {
        /// As it was typed.
        name: ContenderName,
        /// `; did you mean ...?`, or nothing.
        hint: String,
        /// Those of the run.
        known: String,
    },
    /// Fewer than two different contenders are named.
    #[error("--between needs two contenders or more, each named once, as in --between go/gin js/fastify")]
    NotSeveral,
}

impl Ratio {
    /// The interval's ends; `None` with one launch in either run.
    pub fn interval(&self) -> Option<(f64, f64)> {
        Some((self.low?, self.high?))
    }

    /// Half of the interval's width, relative to the ratio; `None` without an interval, and when it is not finite.
    pub fn relative_half_width(&self) -> Option<f64> {
        let (low, high) = self.interval()?;
        let half = (high / 2.0 - low / 2.0) / self.value;
        half.is_finite().then_some(half)
    }
}

impl ComparedRuns {
    /// Whether a condition is broken.
    pub fn is_broken(&self) -> bool {
        self.conditions.iter().any(|condition| condition.holds == Holds::DoesNotHold)
    }

    /// The conditions that neither hold nor are broken.
    pub fn undecided(&self) -> impl Iterator<Item = &JudgedCondition> {
        self.conditions.iter().filter(|condition| condition.holds == Holds::CannotBeTold)
    }
}

/// The JSON Schema of a [`Comparison`] as it is written: every member is there, missing figures as null.
#[cfg(feature = "schema")]
pub fn comparison_schema() -> serde_json::Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<Comparison>().to_value()
}
