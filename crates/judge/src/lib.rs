//! Judges a run: from what it left on disk to estimates, ranks, verdicts and the state of published claims.
//!
//! Pure: no process, no socket, no clock. The same code judges a run that has just ended and an old one.
#![forbid(unsafe_code)]

pub mod against;
pub mod compare;
pub mod gate;
pub mod load;
pub mod planning;
pub mod words;

mod calls;
mod claims;
mod detail;
mod doubt;
mod measure;
mod rank;
mod rows;
mod run;
mod sentences;
mod table;
mod tasks;

pub use calls::{CallCount, CallRow, CallTable, CallsUnderCondition};
pub use doubt::{bounds, consistency};
pub use run::judge::{JudgedRun, judge, judge_run};

pub use claims::claim::{Holds, JudgedClaim, JudgedPair};
pub use claims::published::ComparedRow;
pub use detail::{
    BurstDetail, ContenderDetail, Distribution, DistributionOf, FigureRatios, PairRatio, ProcessDetail,
    WindowColumns, WorkloadDetail, quantiles,
};
pub use doubt::cause::{Cause, Validity};
pub use doubt::coin::{CoinFinding, CoinScatter, CoinTest, ScatterOver};
pub use doubt::consistency::{Consistency, ConsistencyFinding, ConsistencyOf};
pub use doubt::control::Control;
pub use doubt::fairness::{Fairness, Starved};
pub use doubt::finding::{Finding, IdleCause, NotSent, StatedRate};
pub use doubt::limit::{LimitFinding, PartyShare};
pub use doubt::littles_law::LittlesLaw;
pub use doubt::nothing_ranked::NothingRanked;
pub use doubt::offered::is_rate_met;
pub use doubt::placement::Left;
pub use doubt::proof::{Proof, ProofFound};
pub use doubt::reason::{BurstFault, CallFault, CallPhase, Reason};
pub use doubt::samples::samples_needed_by;
pub use doubt::state::RowState;
pub use doubt::steadiness::{Steadiness, Steady};
pub use doubt::strictness::{StrictnessAnswer, StrictnessCase, StrictnessTable, strictness};
pub use doubt::verdict::{Check, Kind, Verdict};
pub use doubt::warming::StillWarming;
pub use measure::blocks::{DisturbedBy, Unfit};
pub use measure::estimate::Estimate;
pub use measure::exposure::Exposure;
pub use measure::taken::TakenShares;
pub use rank::cost::{Basis, Cost, CostRow, per_core_second};
pub use rank::geometric::{ContenderMean, GeometricMean};
pub use rank::pairs::{ComparedPair, FigurePairs, Pairs, Standing, WouldTell};
pub use rank::tax::{Tax, TaxAtRate, TaxOf, Told, Unlike};
pub use rows::bursts::{BurstRow, JudgedBurst};
pub use rows::counters::Counters;
pub use rows::latency::{Curve, Knee, KneeReason};
pub use rows::launches::{Processes, Span};
pub use rows::paced::{PacedFigures, ResponseTimes};
pub use rows::row::{Cold, Connections, Row};
pub use rows::service_time::Percentiles;
pub use run::host::HostSummary;
pub use run::judgement::{FORMAT, Judgement};
pub use run::link::LinkUse;
pub use run::looks::{Looked, look};
#[cfg(feature = "schema")]
pub use run::schema::{judgement_schema, strictness_schema};
pub use run::so_far::{unfit_for_tasks, unfit_host};
pub use run::workload::JudgedWorkload;
pub use table::series::{Series, SeriesPoint};
pub use tasks::{Batch, DownloadCost, HandlerShare, TaskRow, TaskTable};
pub use words::failures_in_words;
