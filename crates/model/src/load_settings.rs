use serde::{Deserialize, Serialize};

use crate::{Download, Link, Protocol};

/// How a workload is loaded, in one of its loads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadSettings {
    /// Connections, each with [`LoadSettings::streams`] requests in flight.
    pub connections: u32,
    /// What is spoken on them.
    #[serde(default)]
    pub protocol: Protocol,
    /// Requests in flight on each connection; more than one with HTTP/2 only.
    #[serde(default = "one")]
    pub streams: u32,
    /// The link between load and contender; `None`: both are on one machine, without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Instead: so many for each of the contender's CPUs. `None` once they are [`LoadSettings::connections`].
    #[serde(skip)]
    pub connections_per_core: Option<u32>,
    /// A connection is closed after so many requests; `None`: it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_connection: Option<u32>,
    /// The only request of the mix that is sent, by its index. `None`: all, or once the others have the weight 0.
    #[serde(skip)]
    pub request: Option<usize>,
    /// An open loop at this many requests a second in place of the closed one.
    #[serde(default)]
    pub rate_per_s: Option<f64>,
    /// The budget, in seconds, that its launches and windows need; `None`: the usual one.
    #[serde(default)]
    pub budget_s: Option<u32>,
    /// The longest warm-up of a contender, in seconds, within that budget; `None`: the usual one.
    #[serde(default)]
    pub warm_up_s: Option<u32>,
    /// The source's own settings, for `--as-published`.
    pub as_published: Option<AsPublished>,
}

fn one() -> u32 {
    1
}

impl LoadSettings {
    /// The most streams on a connection that may be asked for.
    pub const MOST_STREAMS: u32 = 1_000;
}

/// A further load of a workload, beside its first.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// What its name ends in, as in `kept`.
    pub name: String,
    /// How it is loaded.
    pub settings: LoadSettings,
    /// What clients fetch in it; `None` where servers are compared.
    pub download: Option<Download>,
}

/// The source's own load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AsPublished {
    /// Connections.
    pub connections: u32,
    /// Seconds of load on each contender.
    pub seconds: u32,
}
