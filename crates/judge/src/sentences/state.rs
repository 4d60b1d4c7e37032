//! The state of a row in words.

use velo_model::ContenderName;

use crate::doubt::state::RowState;

impl RowState {
    /// The words about a contender in this state: `go/gin is not ranked: ...`.
    pub(crate) fn of(&self, contender: &ContenderName, words: &str) -> String {
        let verb = match self {
            Self::Skipped { .. } | Self::Excluded { .. } => "was",
            _ => "is",
        };
        format!("{contender} {verb} {words}")
    }

    /// The state in a word or two: `not ranked`.
    pub(crate) fn in_short(&self) -> &'static str {
        match self {
            Self::Ranked { .. } => "ranked",
            Self::NotRanked { .. } => "not ranked",
            Self::Reference => "the reference",
            Self::Skipped { .. } => "skipped",
            Self::Excluded { .. } => "excluded",
        }
    }

    /// As beside another figure: why a contender was skipped or failed is said once, at its row.
    pub(crate) fn in_passing(&self) -> String {
        match self {
            Self::Skipped { .. } | Self::Excluded { .. } => self.in_short().to_owned(),
            _ => self.in_words(),
        }
    }

    /// `not ranked: the generator was busy 97 %`.
    pub fn in_words(&self) -> String {
        match self {
            Self::Ranked { best, worst } if best == worst => format!("ranked {best}"),
            Self::Ranked { best, worst } => format!("ranked {best} to {worst}"),
            Self::NotRanked { cause } => format!("not ranked: {cause}"),
            Self::Reference => "the reference, never ranked".to_owned(),
            Self::Skipped { reason, .. } => format!("skipped: {reason}"),
            Self::Excluded { reason, .. } => format!("excluded: {reason}"),
        }
    }
}
