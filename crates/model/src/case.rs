use serde::{Deserialize, Serialize};

use crate::Request;

/// A conformance case: one exchange with a known answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Case {
    /// What is tried, in words.
    pub name: String,
    /// What is sent.
    pub send: CaseRequest,
    /// How the bytes are delivered.
    pub delivery: Delivery,
    /// How many times, on one connection.
    pub repeat: u32,
    /// False for a case that only records what the contender does (the strictness table) and excludes nobody.
    pub required: bool,
    /// The operation that a contender need not offer: it does where its first case is not answered with status 404.
    pub operation: Option<String>,
    /// What of a correct answer's body the strictness table shows beside the status: a member of its JSON object, or `*`, all of it.
    pub shows: Option<String>,
    /// A text that is no business of a client's: an answer that holds it leaks it.
    pub secret: Option<String>,
}

impl Case {
    /// The status that tells of an operation's first case that a contender does not offer it: that of a route that it does not have.
    pub const NOT_OFFERED: u16 = 404;
}

/// What a case sends and what it accepts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CaseRequest {
    /// A request of the mix, by its index, with its own expectation.
    Valid {
        /// The index in `Workload::requests`.
        request: usize,
    },
    /// A request of its own.
    Own(Box<Request>),
}

/// How a request's bytes reach the contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// In one piece.
    Whole,
    /// In several TCP segments with a pause between them: inside the request line, a header and the body.
    Split,
}
