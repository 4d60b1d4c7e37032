use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::checks::verdict::{Check, Kind};

/// What a check says of a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    pub words: String,
}

impl LoadVerdict {
    pub(super) fn new(kind: Kind, check: Check, words: impl Into<String>) -> Self {
        Self { kind, check, figure: None, bound: None, words: words.into() }
    }

    /// With the figure and its bound; what is not finite is left out.
    pub(super) fn of(mut self, figure: f64, bound: f64) -> Self {
        self.figure = Some(figure).filter(|value| value.is_finite());
        self.bound = Some(bound).filter(|value| value.is_finite());
        self
    }
}
