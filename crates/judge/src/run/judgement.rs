use schemars::JsonSchema;
use serde::Serialize;
use velo_record::{EndedBy, Identity, Plan, RunState, Timings};
use velo_spec::{ContenderName, Source};

use crate::checks::answers::Answers;
use crate::checks::control::Control;
use crate::checks::strictness::StrictnessCase;
use crate::checks::verdict::Verdict;
use crate::claims::claim::JudgedClaim;
use crate::claims::published::ComparedRow;
use crate::rank::cost::Cost;
use crate::rank::equal_work::EqualWorkRanking;
use crate::rank::geometric::GeometricMean;
use crate::rank::pairs::Pairs;
use crate::rank::tax::Tax;
use crate::rows::bursts::JudgedBurst;
use crate::rows::row::Row;
use crate::run::host::HostSummary;
use crate::series::figures::Estimate;
use crate::tasks::TaskTable;

/// The version of the judgement's format.
pub const FORMAT: u32 = 1;

/// A judged run: what was measured and what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
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
    pub nothing_ranked: Option<String>,
    /// The machine.
    pub host: HostSummary,
    /// What became of all requests of all windows.
    pub answers: Answers,
    /// The worst disagreement of Little's law in any counted window.
    pub littles_law_worst: Option<f64>,
    /// What the processes of a contender could have in memory together.
    pub memory_limit_bytes: Option<u64>,
    /// Settings that depart from the workloads' own, in words: they mark the result.
    pub overrides: Vec<String>,
    /// What else is to be known of the run.
    pub verdicts: Vec<Verdict>,
    /// One figure over all workloads, where there are two or more with scores.
    pub geometric_mean: Option<GeometricMean>,
    /// The workloads, in the order asked.
    pub workloads: Vec<JudgedWorkload>,
}

/// A workload of a judged run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgedWorkload {
    /// Its name.
    pub name: String,
    /// One line: what is asked.
    pub question: String,
    /// The published comparison that it reproduces.
    pub source: Source,
    /// Connections, each with one request in flight.
    pub connections: u32,
    /// The workload's own rate of an open loop, in place of a closed one.
    pub rate_per_s: Option<f64>,
    /// The contender that scores are relative to.
    pub baseline: ContenderName,
    /// Why there are no scores, when there are none.
    pub baseline_fault: Option<String>,
    /// The generator's ceiling on this host: the reference's goodput.
    pub ceiling_per_s: Option<Estimate>,
    /// The reference against itself.
    pub controls: Vec<Control>,
    /// One row a contender: ranked ones first, best first.
    pub rows: Vec<Row>,
    /// How the ranked ones compare; none when there are fewer than two.
    pub pairs: Option<Pairs>,
    /// The second ranking: by CPU time per request at one rate for all.
    pub equal_work: EqualWorkRanking,
    /// What a stated load would cost, when that was asked.
    pub cost: Option<Cost>,
    /// Programs without a server; none where the run has none.
    pub tasks: Option<TaskTable>,
    /// Requests sent at once, and the sweep of connections.
    pub bursts: Vec<JudgedBurst>,
    /// Framework taxes.
    pub taxes: Vec<Tax>,
    /// The published table beside the measured one.
    pub published: Vec<ComparedRow>,
    /// The published claims and their verdicts.
    pub claims: Vec<JudgedClaim>,
    /// What contenders do with input that the workload leaves to them.
    pub strictness: Vec<StrictnessCase>,
}
