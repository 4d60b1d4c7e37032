//! How a report is printed.

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalOptions {
    /// The columns that a line may take; fewer than 60 count as 60, more than 100 as 100.
    pub width: usize,
    /// Whether to use colours.
    pub colour: bool,
    /// With each claim, each contender's details and its answers to odd input.
    pub verbose: bool,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        Self { width: 80, colour: false, verbose: false }
    }
}
