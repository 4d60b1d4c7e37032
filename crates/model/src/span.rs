use serde::{Deserialize, Serialize};

/// A request in time, since the window's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestSpan {
    /// When its first byte was sent.
    pub sent_ns: u64,
    /// When the last byte of its answer came, or it failed.
    pub done_ns: u64,
    /// The answer was as expected.
    pub is_correct: bool,
}
