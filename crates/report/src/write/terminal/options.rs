//! How a report is printed.

use crate::document::Weight;

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalOptions {
    /// The columns that a line may take; fewer than 60 count as 60, more than 100 as 100.
    pub width: usize,
    /// Whether to use colours.
    pub colour: bool,
    /// The least weighty parts that are printed.
    pub down_to: Weight,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        Self { width: 80, colour: false, down_to: Weight::Main }
    }
}
