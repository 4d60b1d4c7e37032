use serde::Serialize;
use velo_record::{EndedBy, Identity, Outcomes, Plan, RunState, Timings};

use super::link::LinkUse;
use super::workload::JudgedWorkload;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::doubt::verdict::Verdict;
use crate::rank::geometric::GeometricMean;
use crate::run::host::HostSummary;
use crate::words::as_json::some_in_words;

/// The version of the judgement's format.
pub const FORMAT: u32 = 3;

/// A judged run: what was measured and what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judgement {
    /// The version of this format.
    pub format: u32,
    /// When the run began, RFC 3339, UTC.
    pub started_at: String,
    /// The command line of the run, without the program's path.
    pub command: Vec<String>,
    /// The seed of everything random.
    pub seed: u64,
    /// What measured.
    pub identity: Identity,
    /// How far the run came: anything but complete is a partial run.
    pub state: RunState,
    /// The plan, once it was fixed.
    pub plan: Option<Plan>,
    /// What ended the measuring.
    pub ended_by: Option<EndedBy>,
    /// Of the intervals, unless said otherwise: 1 - the level of the look that decided.
    pub confidence: f64,
    /// How long the stages took.
    pub timings: Timings,
    /// Why nothing is ranked, when nothing is.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub nothing_ranked: Option<NothingRanked>,
    /// The machine.
    pub host: HostSummary,
    /// What became of all requests of all windows.
    pub answers: Outcomes,
    /// The worst disagreement of Little's law in any counted window.
    pub littles_law_worst: Option<f64>,
    /// What the processes of a contender could have in memory together.
    pub memory_limit_bytes: Option<u64>,
    /// The link between load and contenders, where there was one, and what it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkUse>,
    /// Settings that depart from the workloads' own, in words: they mark the result.
    pub overrides: Vec<String>,
    /// What else is to be known of the run.
    pub verdicts: Vec<Verdict>,
    /// One figure over all workloads, where there are two or more with scores.
    pub geometric_mean: Option<GeometricMean>,
    /// The workloads, in the order asked.
    pub workloads: Vec<JudgedWorkload>,
}

impl Judgement {
    /// The names that `velo run` takes, in the order asked: a workload with several loads has one.
    pub fn listed_workloads(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.workloads.iter().map(|workload| workload.listed_as.as_str()).collect();
        names.dedup();
        names
    }
}
