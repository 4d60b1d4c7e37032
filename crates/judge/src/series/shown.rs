//! What the contenders of a workload are compared by, in one shape whatever was measured: charts and tables draw a series, and
//! know no kind of measurement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velo_model::{CallCondition, ContenderName};

use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::estimate::Estimate;
use crate::words::as_json::some_in_words;

/// A quantity under a load, of all contenders of a workload that have it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    /// What was measured.
    pub of: SeriesOf,
    /// Under which load.
    pub under: SeriesLoad,
    /// The unit of its values.
    pub unit: SeriesUnit,
    /// Which values are better.
    pub better: Better,
    /// At least one, in the order of the judgement.
    pub points: Vec<SeriesPoint>,
}

/// What a series is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesOf {
    /// Correct responses per second.
    Goodput,
    /// CPU time of the process tree per correct response, under the workload's own load.
    CpuPerRequest,
    /// CPU time of the process tree per correct response at the common rate.
    CpuAtOneRate,
    /// The median response time at the common rate, from the intended start.
    ResponseP50,
    /// Its 99th percentile.
    ResponseP99,
    /// Resident set size of the process tree, shared pages once, after the last block.
    Memory,
    /// The median of the second half of a process's iterations.
    IterationSteady,
    /// The first iteration of a process.
    IterationCold,
    /// From exec to the first correct answer.
    Startup,
    /// CPU time per request over that of the raw contender of the same language and host.
    Tax,
    /// CPU time per request of a service of gRPC over that of the contender of the same language that answers the same over REST.
    GrpcTax,
    /// From the first attempt to connect to the last answer of a burst.
    Makespan,
    /// A whole single call, with nothing else in flight.
    Call,
    /// Of it, opening TCP.
    CallConnect,
    /// Of it, the handshake of TLS.
    CallHandshake,
    /// Of it, from then to the first byte of the answer.
    CallFirstByte,
    /// Of it, from the first byte of the answer to its last.
    CallRest,
}

/// The load that a series was measured under.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum SeriesLoad {
    /// Each connection sends its next request as soon as it has an answer.
    ClosedLoop {
        /// How many connections.
        connections: u32,
    },
    /// An open loop.
    OpenLoop {
        /// Requests per second on average.
        rate_per_s: f64,
    },
    /// Requests that are sent at once.
    Burst {
        /// How many.
        requests: u32,
        /// Over how many connections.
        connections: u32,
        /// One was answered before the others were sent.
        first_alone: bool,
    },
    /// One request at a time.
    Call {
        /// Under which condition.
        condition: CallCondition,
    },
    /// A program's own iterations, or a process without load.
    None,
}

/// The unit of a series's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesUnit {
    /// Per second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// A ratio, of which 1 is no difference.
    Ratio,
}

/// Which of two values is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// The greater one.
    More,
    /// The smaller one.
    Less,
}

/// A contender's value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SeriesPoint {
    /// The contender.
    pub contender: ContenderName,
    /// The value, and how sure it is.
    pub estimate: Estimate,
    /// It could be better: the contender was not seen to be the limit.
    pub at_least: bool,
    /// The best rank that it may hold by this series; `None` where it has none.
    pub best: Option<u32>,
    /// The worst.
    pub worst: Option<u32>,
    /// Whose value it is over, in a series of ratios.
    pub over: Option<ContenderName>,
    /// Why it has no rank, where others have or could have.
    #[serde(serialize_with = "some_in_words")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<Reason>,
}

impl SeriesOf {
    /// Those that `velo compare` compares, in the order in which they are shown.
    pub const COMPARED: [Self; 10] = [
        Self::Goodput,
        Self::CpuPerRequest,
        Self::CpuAtOneRate,
        Self::IterationSteady,
        Self::Startup,
        Self::Call,
        Self::CallConnect,
        Self::CallHandshake,
        Self::CallFirstByte,
        Self::CallRest,
    ];

    /// True of single calls and their phases.
    pub fn is_of_calls(self) -> bool {
        matches!(
            self,
            Self::Call | Self::CallConnect | Self::CallHandshake | Self::CallFirstByte | Self::CallRest
        )
    }

    /// The unit of its values.
    pub fn unit(self) -> SeriesUnit {
        match self {
            Self::Goodput => SeriesUnit::PerSecond,
            Self::Memory => SeriesUnit::Bytes,
            Self::Tax | Self::GrpcTax => SeriesUnit::Ratio,
            Self::CpuPerRequest
            | Self::CpuAtOneRate
            | Self::ResponseP50
            | Self::ResponseP99
            | Self::Startup
            | Self::IterationSteady
            | Self::IterationCold
            | Self::Makespan
            | Self::Call
            | Self::CallConnect
            | Self::CallHandshake
            | Self::CallFirstByte
            | Self::CallRest => SeriesUnit::Nanoseconds,
        }
    }

    /// Which values are better.
    pub fn better(self) -> Better {
        if self == Self::Goodput { Better::More } else { Better::Less }
    }
}

impl SeriesLoad {
    /// The workload's own: an open loop where it states a rate.
    pub(crate) fn own(connections: u32, rate_per_s: Option<f64>) -> Self {
        match rate_per_s {
            None => Self::ClosedLoop { connections },
            Some(rate_per_s) => Self::OpenLoop { rate_per_s },
        }
    }

    /// The condition of single calls.
    pub(crate) fn call(self) -> Option<CallCondition> {
        match self {
            Self::Call { condition } => Some(condition),
            _ => None,
        }
    }

    /// Whether it is the same load but for the rate of an open loop.
    pub(crate) fn is_like(self, other: Self) -> bool {
        matches!((self, other), (Self::OpenLoop { .. }, Self::OpenLoop { .. })) || self == other
    }
}

impl Series {
    pub(crate) fn new(of: SeriesOf, under: SeriesLoad, points: impl Iterator<Item = SeriesPoint>) -> Self {
        Self { of, under, unit: of.unit(), better: of.better(), points: points.collect() }
    }
}

impl SeriesPoint {
    pub(crate) fn new(contender: &ContenderName, estimate: Estimate) -> Self {
        Self {
            contender: contender.clone(),
            estimate,
            at_least: false,
            best: None,
            worst: None,
            over: None,
            reason: None,
        }
    }

    /// With the rank of its state, or why it has none.
    pub(crate) fn ranked_by(self, state: &RowState) -> Self {
        match state {
            RowState::Ranked { best, worst } => Self { best: Some(*best), worst: Some(*worst), ..self },
            state => Self { reason: Reason::not_ranked(state), ..self },
        }
    }
}
