//! What clients fetch.

use serde::{Deserialize, Serialize};

/// What clients fetch at a time: a file, or several of one length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Download {
    /// What it is called, as in `small`.
    pub name: String,
    /// The length of a file.
    pub bytes: u64,
    /// Files that a client is told of at once, in one line.
    #[serde(default = "one")]
    pub files: u32,
    /// Of these, so many may be fetched at the same time.
    #[serde(default = "one")]
    pub at_once: u32,
    /// Lines for each process, one after the other.
    pub iterations: u32,
}

fn one() -> u32 {
    1
}
