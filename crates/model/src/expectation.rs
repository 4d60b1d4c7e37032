use serde::{Deserialize, Serialize};

use crate::{Statuses, TextTemplate};

/// The answer that a request must get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Expectation {
    /// The status codes.
    pub status: Statuses,
    /// The media type of `Content-Type`, lower case, without parameters; `None`: anything, also none.
    pub content_type: Option<String>,
    /// Headers that must be there.
    #[serde(default)]
    pub headers: Vec<ExpectedHeader>,
    /// The body.
    pub body: BodyExpectation,
    /// The slot, a whole number, of the milliseconds that must pass before the answer.
    #[serde(default)]
    pub not_before_ms: Option<usize>,
}

impl Expectation {
    /// The longest body that a length may ask for: an answer is held in memory.
    pub const LONGEST_BODY_BYTES: usize = 64 * 1024 * 1024;

    /// How long a body may be, in bytes, where a length is expected.
    pub fn longest_body_bytes(&self) -> Option<usize> {
        match self.body {
            BodyExpectation::Length { max, .. } => Some(max),
            _ => None,
        }
    }
}

/// A header that must be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExpectedHeader {
    /// Its name, in any case.
    pub name: String,
    /// Its value; `None`: any.
    pub value: Option<String>,
}

/// What a body must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BodyExpectation {
    /// Anything.
    Any,
    /// No byte.
    Empty,
    /// These bytes; may hold the request's slots.
    Exact(TextTemplate),
    /// The body of the first correct answer.
    Same,
    /// So many bytes, both ends included.
    Length {
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
    /// One that this regular expression matches somewhere.
    Regex(String),
    /// One with this SHA-256, in lower-case hexadecimal digits.
    Sha256(String),
    /// JSON.
    Json(JsonShape),
}

/// JSON compared as JSON: white space and the order of members do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JsonShape {
    /// As it was written: with slots, and with what stands for any value of a kind.
    pub text: TextTemplate,
    /// For a workload with a coin: which slot is the bet and which member of the answer says that it won, so
    /// that the draw is `win ? bet : !bet`.
    pub coin: Option<Coin>,
}

/// Where the bet and the outcome of a toss are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coin {
    /// The index in [`crate::Request::slots`] of the bet, a boolean slot.
    pub bet_slot: usize,
    /// The member of the answer, a boolean.
    pub win_member: String,
}
