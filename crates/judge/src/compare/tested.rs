//! A change with its test, before anything is held against it.

use velo_stats::Welch;

use super::result::Change;

/// A change with the test that its p-value is of.
pub(super) struct Tested {
    pub(super) change: Change,
    /// On logarithms; `None` with one launch in either run.
    pub(super) welch: Option<Welch>,
}

impl Tested {
    /// The test, unless no verdict may rest on it.
    pub(super) fn test(&self) -> Option<&Welch> {
        self.welch.as_ref().filter(|_| self.change.doubt.is_none())
    }
}
