use serde::{Deserialize, Serialize};

use crate::{CallCondition, ContenderName};

/// A row of the published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublishedRow {
    /// The row's name as published.
    pub row: String,
    /// The contender that stands for it here.
    pub contender: Option<ContenderName>,
    /// Why a run is usually without that contender. `None`: nothing keeps it from being measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_measured: Option<String>,
    /// What was published of it.
    #[serde(flatten)]
    pub figure: PublishedFigure,
}

/// A published figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PublishedFigure {
    /// Requests per second.
    RequestsPerS(f64),
    /// Seconds that a burst took.
    Makespan {
        /// How many requests.
        requests: u32,
        /// How long all of them took.
        seconds: f64,
    },
    /// Milliseconds of one iteration of a task or of one download.
    IterationMs(f64),
    /// Milliseconds of a single call.
    Call {
        /// How long it took.
        ms: f64,
        /// The condition that stands for the published one here.
        condition: CallCondition,
    },
}
