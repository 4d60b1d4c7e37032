use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    CallCondition, CallSettings, Case, Claim, Contender, ContenderName, CsvTable, DataFile, Digest, Download,
    GrpcCalls, Load, LoadSettings, PublishedRow, Request, Role, TextTemplate,
};

/// A workload: the question, where it comes from, what is sent, what must come back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// How it is loaded; where it has several loads, in the first.
    pub load: LoadSettings,
    /// Its further loads; none once each is a workload of its own.
    #[serde(skip)]
    pub further: Vec<Load>,
    /// The workload in the repository that this is another load of, when that has several.
    #[serde(default)]
    pub load_of: Option<String>,
    /// The mix; at least one, unless clients are compared.
    pub requests: Vec<Request>,
    /// They are sent one after the other on each connection, not at random by weight.
    #[serde(default)]
    pub in_order: bool,
    /// Tables that values of requests come from.
    #[serde(default)]
    pub tables: Vec<CsvTable>,
    /// Files that contenders read.
    #[serde(default)]
    pub data: Vec<DataFile>,
    /// Requests sent at once, beside the load.
    #[serde(default)]
    pub bursts: Vec<Burst>,
    /// What programs without a server do.
    #[serde(default)]
    pub task: Option<TaskSettings>,
    /// What clients fetch; `None` where servers are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub download: Option<Download>,
    /// Single calls, beside the load.
    #[serde(default)]
    pub calls: Vec<CallSettings>,
    /// The same requests as calls of gRPC, for services of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcCalls>,
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl Workload {
    /// The name that contenders list it by: that of its folder.
    pub fn listed_as(&self) -> &str {
        self.load_of.as_deref().unwrap_or(&self.name)
    }

    /// The conditions of its single calls, in their order.
    pub fn call_conditions(&self) -> impl Iterator<Item = CallCondition> {
        self.calls.iter().flat_map(|settings| settings.conditions.iter().copied())
    }

    /// Whether a contender answers it.
    pub fn is_for(&self, contender: &Contender) -> bool {
        contender.workloads.iter().any(|name| name == self.listed_as())
            && match contender.role {
                Role::Server => self.download.is_none() && (self.grpc.is_some() || !contender.is_grpc()),
                Role::Task => self.task.is_some(),
                // A process for each file takes one.
                Role::Client => {
                    let has_one = |download: &Download| download.files == 1;
                    self.download.is_some() && (!contender.process_for_each || self.downloads().all(has_one))
                }
            }
    }

    /// As a contender is asked: of a service of gRPC with calls in place of requests, and gRPC for a protocol.
    pub fn asked_of(&self, contender: &Contender) -> Cow<'_, Self> {
        match &self.grpc {
            Some(grpc) if contender.is_grpc() => Cow::Owned(Self {
                requests: grpc.requests.clone(),
                cases: grpc.cases.clone(),
                load: LoadSettings { protocol: self.load.protocol.as_grpc(), ..self.load.clone() },
                ..self.clone()
            }),
            _ => Cow::Borrowed(self),
        }
    }
}

/// Requests over some connections, once: the figure is how long all of them take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Burst {
    /// Which request of the mix, by its index.
    pub request: usize,
    /// How many.
    pub requests: u32,
    /// Over how many connections.
    pub connections: u32,
    /// Once a launch; else once a run, so that there is no interval.
    pub each_launch: bool,
    /// Only these contenders; empty: all.
    pub contenders: Vec<ContenderName>,
}

impl Burst {
    /// Whether it is to be measured of a contender.
    pub fn is_for(&self, contender: &ContenderName) -> bool {
        self.contenders.is_empty() || self.contenders.contains(contender)
    }
}

/// What a program without a server is fed and must answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskSettings {
    /// Which request of the mix its slots are drawn for, by its index.
    pub request: usize,
    /// A line of its input; holds slots of that request.
    pub input: TextTemplate,
    /// What it must answer; holds slots of that request.
    pub output: Digest,
    /// Lines for each process.
    pub iterations: u32,
}
