use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use crate::{ContenderName, Protocol};

/// A contender: one program with its manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contender {
    /// `<language>/<name>`, from its folders; of a variant `<language>/<name>-<variant>`.
    pub name: ContenderName,
    /// The contender of the same folder that this one differs from in some keys.
    #[serde(default)]
    pub variant_of: Option<ContenderName>,
    /// What it does when it is measured.
    pub role: Role,
    /// Its folder; not part of a record.
    #[serde(skip)]
    pub dir: PathBuf,
    /// Folders of other contenders of its language, `<name>/<folder>`, that are copied into its own to build it: their content counts
    /// as its own; not part of a record.
    #[serde(skip)]
    pub borrows: Vec<String>,
    /// Where it runs already, `host:port`: it has no folder, and is neither built nor started.
    #[serde(default)]
    pub runs_at: Option<String>,
    /// What kind of program it is.
    pub class: Class,
    /// The raw contender of the same language and host, against which its tax is computed.
    pub raw: Option<ContenderName>,
    /// Of a service of gRPC: the contender of the same language that answers the same over REST, against which the cost of gRPC is
    /// computed.
    #[serde(default)]
    pub rest: Option<ContenderName>,
    /// The workloads that it answers.
    pub workloads: Vec<String>,
    /// What it speaks, each once; at least one.
    #[serde(default = "http1_alone")]
    pub protocols: Vec<Protocol>,
    /// Why it speaks no others, one line; said when it is skipped for want of one.
    #[serde(default)]
    pub other_protocols: Option<String>,
    /// The toolchains that it needs.
    pub toolchain: Vec<Toolchain>,
    /// The Debian packages that provide them.
    pub debian: Vec<String>,
    /// The command that fetches what it depends on; its failure skips the contender.
    pub fetch: Option<String>,
    /// The command that builds it; its failure excludes the contender.
    pub build: Option<String>,
    /// The command that starts it.
    pub start: String,
    /// Of a client: the command fetches one file and ends, so that each file has a process of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub process_for_each: bool,
    /// The command that prints its version.
    pub version: String,
    /// Seconds from start to the first correct answer, at most.
    pub ready_seconds: u32,
}

/// What a contender does when it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It listens and answers requests.
    Server,
    /// It has no network: it does its work once for each line of its input.
    Task,
    /// It fetches files from the lab's server: one for each line of its input.
    Client,
}

impl Role {
    /// Whether it answers requests; the others are given lines of input.
    pub fn is_server(self) -> bool {
        self == Self::Server
    }
}

/// What kind of program a contender is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Ours, the cheapest correct server: it measures the generator's ceiling and is never ranked.
    Reference,
    /// The language's own server, without a framework.
    Raw,
    /// Routing only.
    Micro,
    /// A framework.
    Framework,
    /// A library for clients.
    Library,
    /// A server that runs already, of which no more is known than where; no manifest has it.
    Running,
}

impl Class {
    /// As a manifest and a report name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Raw => "raw",
            Self::Micro => "micro",
            Self::Framework => "framework",
            Self::Library => "library",
            Self::Running => "running",
        }
    }
}

/// What a manifest that says nothing of it speaks.
fn http1_alone() -> Vec<Protocol> {
    vec![Protocol::Http1]
}

impl Contender {
    /// Whether it can be measured over a protocol. A program without a server speaks none, and is measured beside any; a service of
    /// gRPC is measured beside any that is encrypted if it can be.
    pub fn speaks(&self, protocol: Protocol) -> bool {
        self.role == Role::Task || self.protocols.contains(&self.spoken(protocol))
    }

    /// What is spoken to it where the load is over a protocol.
    pub fn spoken(&self, protocol: Protocol) -> Protocol {
        if self.is_grpc() { protocol.as_grpc() } else { protocol }
    }

    /// Whether single calls over a protocol are made on it. A service of gRPC is called beside HTTP/2 alone, which it is carried by: else it
    /// would be called twice in the same way.
    pub fn is_called_over(&self, protocol: Protocol) -> bool {
        self.speaks(protocol) && (protocol.is_http2() || !self.is_grpc())
    }

    /// Whether it is a service of gRPC, which speaks nothing else.
    pub fn is_grpc(&self) -> bool {
        self.protocols.iter().any(|protocol| protocol.is_grpc())
    }

    /// A server that runs already, at `host:port`.
    pub fn running(name: ContenderName, runs_at: String, workloads: Vec<String>) -> Self {
        Self {
            name,
            variant_of: None,
            role: Role::Server,
            dir: PathBuf::new(),
            borrows: Vec::new(),
            runs_at: Some(runs_at),
            class: Class::Running,
            raw: None,
            rest: None,
            workloads,
            // Whoever asks for HTTP/2 of it knows what it speaks. Nobody could give it a certificate that velo trusts.
            protocols: vec![Protocol::Http1, Protocol::H2c],
            other_protocols: None,
            toolchain: Vec::new(),
            debian: Vec::new(),
            fetch: None,
            build: None,
            start: String::new(),
            process_for_each: false,
            version: String::new(),
            ready_seconds: 0,
        }
    }
}

/// The toolchains that a manifest may name: those of which `velo` can tell whether they are here and in which version, in the
/// order to show them.
pub const KNOWN_TOOLCHAINS: [&str; 16] = [
    "go", "node", "npm", "python", "rust", "java", "maven", "php", "php-fpm", "nginx", "composer", "ruby",
    "puma", "thin", "dotnet", "mono",
];

/// A toolchain and the least version that will do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Toolchain {
    /// `go`, `node`, ...
    pub name: String,
    /// The least version; `None`: any.
    pub at_least: Option<Version>,
}

/// A version as numbers, compared from the left; missing numbers count as 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Version(pub Vec<u32>);

impl Version {
    /// Reads `1.24` or `17.0.15`: numbers between points, at most eight; `None` when the text is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse().ok()).flatten()
        };
        let numbers: Option<Vec<u32>> = text.split('.').take(9).map(number).collect();
        numbers.filter(|numbers| numbers.len() <= 8).map(Self)
    }

    /// Whether this version is the other or a later one.
    pub fn is_at_least(&self, least: &Self) -> bool {
        let number = |version: &Self, place: usize| version.0.get(place).copied().unwrap_or(0);
        let places = self.0.len().max(least.0.len());
        (0..places)
            .map(|place| number(self, place).cmp(&number(least, place)))
            .find(|order| order.is_ne())
            .is_none_or(std::cmp::Ordering::is_gt)
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (place, number) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str(".")?;
            }
            write!(f, "{number}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).expect("a version")
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(version("1.26.8").is_at_least(&version("1.24")));
        assert!(version("1.24").is_at_least(&version("1.24.0")));
        assert!(!version("1.9").is_at_least(&version("1.24")));
        assert!(!version("1.24").is_at_least(&version("1.24.1")));
        assert!(version("20").is_at_least(&version("9.99.99")));
    }

    #[test]
    fn a_version_is_numbers_between_points() {
        assert_eq!(Version::parse("17.0.15"), Some(Version(vec![17, 0, 15])));
        assert_eq!(version("17.0.15").to_string(), "17.0.15");
        for bad in ["", ".", "1.", ".1", "1..2", "v1", "1.x", "+1", "1.2.3.4.5.6.7.8.9", "4294967296"] {
            assert_eq!(Version::parse(bad), None, "{bad}");
        }
    }
}
