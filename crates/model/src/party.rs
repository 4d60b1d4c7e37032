use std::fmt;

use serde::{Deserialize, Serialize};

/// What takes part in a measurement and uses CPU time of its own, in the order to name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PartyRole {
    /// It sends requests.
    Generator,
    /// It is what is measured.
    Contender,
    /// It sends files to clients.
    FileServer,
    /// It forwards packets between load and contenders.
    Link,
}

impl fmt::Display for PartyRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Generator => "generator",
            Self::Contender => "contender",
            Self::FileServer => "file server",
            Self::Link => "link",
        })
    }
}
