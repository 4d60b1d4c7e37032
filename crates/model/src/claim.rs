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
pub struct ClaimFigure {
    /// The figure.
    pub of: Figure,
    /// It is a score: the figure over that of the workload's baseline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_score: bool,
    /// Under which load, where a workload has several for the figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<ClaimLoad>,
}

/// The load that a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimLoad {
    /// A burst.
    Burst {
        /// How many requests.
        requests: u32,
        /// The first request is answered before the others are sent, as `ab` does it.
        first_alone: bool,
    },
    /// Single calls.
    Call {
        /// The condition of the first side; of an order that of all.
        over: CallCondition,
        /// The condition of the second side.
        under: CallCondition,
    },
}

impl ClaimFigure {
    /// Goodput relative to the workload's baseline.
    pub const SCORE: Self = Self { is_score: true, ..Self::of(Figure::Goodput) };

    /// A figure under the one load that it has.
    pub const fn of(of: Figure) -> Self {
        Self { of, is_score: false, under: None }
    }

    /// The makespan of a burst of so many requests.
    pub const fn makespan(requests: u32, first_alone: bool) -> Self {
        let under = Some(ClaimLoad::Burst { requests, first_alone });
        Self { under, ..Self::of(Figure::Makespan) }
    }

    /// The time of a single call, under a condition for each side.
    pub const fn call(over: CallCondition, under: CallCondition) -> Self {
        let under = Some(ClaimLoad::Call { over, under });
        Self { under, ..Self::of(Figure::Call) }
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
    /// The figure itself: of a makespan in seconds.
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
