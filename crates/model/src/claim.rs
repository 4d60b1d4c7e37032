use serde::{Deserialize, Serialize};

use crate::{CallCondition, ContenderName, Figure};

/// A published claim as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// The sentence.
    pub says: String,
    /// The figure that it is about.
    pub figure: ClaimFigure,
    /// What is compared.
    pub subject: Subject,
    /// The figure as published, where the claim is about one ratio.
    pub printed: Option<f64>,
    /// Where the measured ratio or figure must lie for the claim to hold. For an order each neighbouring pair's ratio.
    pub bound: Bound,
}

/// Which figure of a contender a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimFigure {
    /// Correct responses per second.
    Goodput,
    /// Goodput relative to the workload's baseline.
    Score,
    /// CPU time of the process tree per request.
    CpuPerRequest,
    /// Seconds that a burst takes.
    Makespan {
        /// How many requests.
        requests: u32,
        /// The first request is answered before the others are sent, as `ab` does it.
        first_alone: bool,
    },
    /// Time of a task's first iteration in a process.
    Cold,
    /// Time of a task's later iterations.
    Steady,
    /// Time from the start to the end of a client's process that fetches one file.
    Process,
    /// The largest resident size of a task or a client.
    PeakMemory,
    /// Time of a single call.
    Call {
        /// The condition of the first side; of an order that of all.
        over: CallCondition,
        /// The condition of the second side.
        under: CallCondition,
    },
}

impl ClaimFigure {
    /// What is measured for it.
    pub fn measured(self) -> Figure {
        match self {
            // The same baseline divides both goodputs.
            Self::Goodput | Self::Score => Figure::Goodput,
            Self::CpuPerRequest => Figure::CpuPerRequest,
            Self::Makespan { .. } => Figure::Makespan,
            Self::Cold => Figure::IterationCold,
            Self::Steady => Figure::IterationSteady,
            Self::Process => Figure::Process,
            Self::PeakMemory => Figure::PeakMemory,
            Self::Call { .. } => Figure::Call,
        }
    }
}

/// What a claim compares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// First over second.
    Ratio(Side, Side),
    /// Highest figure first.
    Order(Vec<Side>),
    /// The figure itself: of a [`ClaimFigure::Makespan`] in seconds.
    Value(Side),
}

/// One side of a claim: a contender in a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Side {
    /// The workload; the claim's own unless another is named (`void:go/gin`).
    pub workload: String,
    /// The contender.
    pub contender: ContenderName,
}

/// A closed range of ratios or figures; `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bound {
    /// The least that is inside.
    pub low: Option<f64>,
    /// The greatest that is inside.
    pub high: Option<f64>,
}
