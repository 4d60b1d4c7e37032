use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Claim, ContenderName, Expectation, Request, StatusExpectation};

/// A workload: the question, where it comes from, what is sent, what must come back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// The name of its folder.
    pub name: String,
    /// One line: what is asked.
    pub question: String,
    /// The published comparison that it reproduces.
    pub source: Source,
    /// The contender that scores are relative to.
    pub baseline: ContenderName,
    /// What `velo run` measures unless told otherwise.
    pub default: Vec<ContenderName>,
    /// How it is loaded.
    pub load: LoadSettings,
    /// The mix; at least one.
    pub requests: Vec<Request>,
    /// What a contender must answer before it is measured.
    pub cases: Vec<Case>,
    /// The published table, in its order.
    pub published: Vec<PublishedRow>,
    /// The published claims.
    pub claims: Vec<Claim>,
    /// SHA-256 over the folder's files, lower-case hex: part of a result's identity.
    pub hash: String,
}

/// Where a comparison was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub author: String,
    /// When.
    pub year: u16,
    /// The load generator's command line, or what is known of it.
    pub command: String,
    /// The machine, as far as it was said.
    pub machine: String,
    /// What a reader must know of that table.
    pub notes: Vec<String>,
}

/// How a workload is loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadSettings {
    /// Connections, each with one request in flight.
    pub connections: u32,
    /// The source's own settings, for `--as-published`.
    pub as_published: Option<AsPublished>,
}

/// The source's own load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AsPublished {
    /// Connections.
    pub connections: u32,
    /// Seconds of load on each contender.
    pub seconds: u32,
}

/// A conformance case: one exchange with a known answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
}

/// What a case sends and what it accepts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a workload has a dozen cases")]
pub enum CaseRequest {
    /// A request of the mix, by its index, with its own expectation.
    Valid {
        /// The index in [`Workload::requests`].
        request: usize,
    },
    /// A request of its own.
    Own {
        /// The method.
        method: String,
        /// The path.
        path: String,
        /// `Content-Type`, when there is a body.
        content_type: Option<String>,
        /// The body.
        body: Option<String>,
        /// The statuses accepted; at least one.
        status: Vec<StatusExpectation>,
        /// The whole answer accepted; `None`: any with an accepted status.
        expect: Option<Expectation>,
    },
}

/// How a request's bytes reach the contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// In one piece.
    Whole,
    /// In several TCP segments with a pause between them: inside the request line, a header and the body.
    Split,
}

/// A row of the published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedRow {
    /// The row's name as published.
    pub row: String,
    /// The contender that stands for it here.
    pub contender: Option<ContenderName>,
    /// Requests per second as published.
    pub requests_per_s: f64,
}
