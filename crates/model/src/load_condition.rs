//! The load that something was measured under, in one shape for every kind of measurement: what is measured, ranked, compared and claimed
//! has it.

use serde::{Deserialize, Serialize};

use crate::CallCondition;

/// The load that a figure was measured under.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum LoadCondition {
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

impl LoadCondition {
    /// The workload's own: an open loop where it states a rate.
    pub fn own(connections: u32, rate_per_s: Option<f64>) -> Self {
        match rate_per_s {
            None => Self::ClosedLoop { connections },
            Some(rate_per_s) => Self::OpenLoop { rate_per_s },
        }
    }

    /// The condition of single calls; `None` of any other load.
    pub fn call(self) -> Option<CallCondition> {
        match self {
            Self::Call { condition } => Some(condition),
            _ => None,
        }
    }

    /// The rate of an open loop; `None` of any other load.
    pub fn rate_per_s(self) -> Option<f64> {
        match self {
            Self::OpenLoop { rate_per_s } => Some(rate_per_s),
            _ => None,
        }
    }

    /// Whether it is the same load but for the rate of an open loop.
    pub fn is_like(self, other: Self) -> bool {
        matches!((self, other), (Self::OpenLoop { .. }, Self::OpenLoop { .. })) || self == other
    }
}
