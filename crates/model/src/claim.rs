use serde::{Deserialize, Serialize};

use crate::{CallCondition, ContenderName, Figure, LoadCondition};

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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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

/// The load that a claim is about, of those that a workload has for the figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimLoad {
    /// A burst, over as many connections as the workload has for it.
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
    /// Any other load, the same of all sides.
    Load(LoadCondition),
}

impl ClaimLoad {
    /// Whether a load is the one that is meant; `is_first`: of the first of two sides, where they have one each.
    pub fn means(self, load: LoadCondition, is_first: bool) -> bool {
        match (self, load) {
            (
                Self::Burst { requests, first_alone },
                LoadCondition::Burst { requests: own, first_alone: alone, .. },
            ) => (requests, first_alone) == (own, alone),
            (Self::Burst { .. }, _) => false,
            (Self::Call { over, under }, load) => load.call() == Some(if is_first { over } else { under }),
            (Self::Load(meant), load) => meant == load,
        }
    }

    /// Whether two sides of a claim have loads that differ, so that one contender may stand on both.
    pub fn differs_by_side(self) -> bool {
        matches!(self, Self::Call { over, under } if over != under)
    }
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
