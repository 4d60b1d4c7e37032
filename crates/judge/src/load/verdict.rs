use schemars::JsonSchema;
use serde::Serialize;

use super::finding::LoadFinding;
use crate::checks::verdict::{Check, Kind};
use crate::words::as_json::in_words;

/// What a check says of a load.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LoadVerdict {
    /// How grave it is.
    pub kind: Kind,
    /// Which check.
    pub check: Check,
    /// The figure that was checked, where there is one.
    pub figure: Option<f64>,
    /// The bound that it was held against.
    pub bound: Option<f64>,
    /// The same in words, one sentence.
    #[serde(rename = "words", serialize_with = "in_words")]
    #[schemars(with = "String")]
    pub finding: LoadFinding,
}

impl LoadVerdict {
    pub(super) fn new(kind: Kind, check: Check, finding: LoadFinding) -> Self {
        Self { kind, check, figure: None, bound: None, finding }
    }

    /// With the figure and its bound; what is not finite is left out.
    pub(super) fn of(mut self, figure: f64, bound: f64) -> Self {
        self.figure = Some(figure).filter(|value| value.is_finite());
        self.bound = Some(bound).filter(|value| value.is_finite());
        self
    }
}
