//! Judges a run: from what it left on disk to estimates, ranks, verdicts and the state of published claims.
//!
//! Pure: no process, no socket, no clock. The same code judges a run that has just ended and an old one.
#![forbid(unsafe_code)]

pub mod compare;
pub mod load;
pub mod planning;
pub mod words;

mod calls;
mod checks;
mod claims;
mod detail;
mod rank;
mod rows;
mod run;
mod series;
mod tasks;

pub use calls::{CallCount, CallRow, CallTable, CallsUnderCondition};
pub use checks::{bounds, consistency};
pub use run::judge::judge;

pub use checks::coin::{CoinFinding, CoinScatter, CoinTest, ScatterOver};
pub use checks::consistency::{Consistency, ConsistencyFinding, ConsistencyOf};
pub use checks::control::Control;
pub use checks::fairness::{Fairness, Starved};
pub use checks::finding::{Finding, IdleCause, StatedRate};
pub use checks::limit::{Limit, LimitFinding};
pub use checks::littles_law::LittlesLaw;
pub use checks::placement::Left;
pub use checks::proof::{Proof, ProofFound};
pub use checks::steadiness::{Steadiness, Steady, SteadyFigure};
pub use checks::strictness::{StrictnessAnswer, StrictnessCase, StrictnessTable, strictness};
pub use checks::verdict::{Check, Kind, Verdict};
pub use checks::warming::StillWarming;
pub use claims::claim::{Holds, JudgedClaim, JudgedPair};
pub use claims::published::ComparedRow;
pub use detail::{
    BurstDetail, ContenderDetail, Distribution, DistributionOf, FigureRatios, PairRatio, ProcessDetail,
    WindowColumns, WorkloadDetail, detail,
};
pub use rank::cost::{Basis, Cost, CostRow};
pub use rank::equal_work::{EqualWorkGroup, EqualWorkPair, EqualWorkRanking, EqualWorkRow};
pub use rank::geometric::{ContenderMean, GeometricMean};
pub use rank::pairs::{ComparedPair, Pairs, Standing, WouldTell};
pub use rank::tax::{Tax, TaxAtRate, TaxOf, Told, Unlike};
pub use rows::bursts::{BurstRow, JudgedBurst};
pub use rows::cause::{Cause, Validity};
pub use rows::counters::Counters;
pub use rows::latency::{Curve, Knee, KneeReason};
pub use rows::launches::{Processes, Span};
pub use rows::paced::{PacedFigures, ResponseTimes};
pub use rows::reason::{BurstFault, CallFault, CallPhase, Reason};
pub use rows::row::{Cold, Connections, Row};
pub use rows::service_time::Percentiles;
pub use rows::state::RowState;
pub use run::host::HostSummary;
pub use run::judgement::{FORMAT, Judgement};
pub use run::link::LinkUse;
pub use run::looks::{Looked, look};
pub use run::nothing_ranked::NothingRanked;
pub use run::schema::{judgement_schema, strictness_schema};
pub use run::so_far::{unfit_for_tasks, unfit_host};
pub use run::workload::JudgedWorkload;
pub use series::blocks::{DisturbedBy, STEAL as MAX_STEAL_SHARE, Unfit};
pub use series::estimate::Estimate;
pub use series::shown::{Better, Series, SeriesLoad, SeriesOf, SeriesPoint, SeriesUnit};
pub use tasks::{Batch, DownloadCost, HandlerShare, TaskRow, TaskTable};
pub use words::failures_in_words;
