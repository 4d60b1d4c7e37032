//! What the contenders of a workload are compared by, in one shape whatever was measured: charts and tables draw a series, and
//! know no kind of measurement.

use schemars::JsonSchema;
use serde::Serialize;
use velo_model::{Better, ContenderName, Figure, LoadCondition, Unit};

use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::estimate::Estimate;
use crate::words::as_json::some_in_words;

/// A quantity under a load, of all contenders of a workload that have it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    /// What was measured.
    pub of: Figure,
    /// Under which load.
    pub under: LoadCondition,
    /// The unit of its values.
    pub unit: Unit,
    /// Which values are better.
    pub better: Better,
    /// At least one, in the order of the judgement.
    pub points: Vec<SeriesPoint>,
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

impl Series {
    pub(crate) fn new(of: Figure, under: LoadCondition, points: impl Iterator<Item = SeriesPoint>) -> Self {
        Self { of, under, unit: of.row().unit, better: of.row().better, points: points.collect() }
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
