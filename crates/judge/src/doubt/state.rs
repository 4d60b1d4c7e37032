//! Whether a row is ranked; else which rule keeps it out.

use serde::Serialize;
use velo_record::Stage;

use super::cause::{Cause, Validity};
use crate::words::as_json::with_reason;

/// Whether a row is ranked.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum RowState {
    /// Ranked; ranks that were not told apart are shared.
    Ranked {
        /// One more than the number of contenders separated above.
        best: u32,
        /// The number of ranked contenders less those separated below.
        worst: u32,
    },
    /// Measured or about to be, but not ranked.
    NotRanked {
        /// Which rule keeps it out; as JSON with a `reason`, the same in words.
        #[serde(flatten, serialize_with = "with_reason")]
        #[cfg_attr(feature = "schema", schemars(with = "crate::words::as_json::WithReason<Cause>"))]
        cause: Cause,
    },
    /// Measures the generator's ceiling; never ranked.
    Reference,
    /// Not tried, for want of something.
    Skipped {
        /// One line.
        reason: String,
        /// What would cure it.
        cure: Option<String>,
    },
    /// Failed.
    Excluded {
        /// Where.
        stage: Stage,
        /// One line.
        reason: String,
        /// The file in the run's folder that holds the whole story.
        log: Option<String>,
    },
}

impl RowState {
    /// What the figures can be used for.
    pub fn validity(&self) -> Validity {
        match self {
            Self::Ranked { .. } => Validity::Stands,
            Self::NotRanked { cause, .. } => cause.validity(),
            Self::Reference => Validity::Bound,
            Self::Skipped { .. } | Self::Excluded { .. } => Validity::Missing,
        }
    }

    /// Whether the figures stand, ranked or not: nothing in the run is ranked, or there are too few launches.
    pub(crate) fn stands(&self) -> bool {
        self.validity() == Validity::Stands
    }

    /// Whether the contender itself is at fault.
    pub(crate) fn is_failure(&self) -> bool {
        let has_failed = matches!(
            self,
            Self::Excluded { .. }
                | Self::NotRanked { cause: Cause::Failures { .. } | Cause::ProcessEndedEarly { .. } }
        );
        has_failed || self.validity() == Validity::Invalid
    }

    /// Whether the figures mean what they say, ranked or not; what was found wrong with others makes theirs meaningless.
    pub fn has_figures(&self) -> bool {
        matches!(self.validity(), Validity::Stands | Validity::Bound | Validity::NoGoodput)
    }
}
