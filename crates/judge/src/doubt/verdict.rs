use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// What a check says of a number: it stands beside the number, never in a log only.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// How grave it is.
    pub kind: Kind,
    /// Which check.
    pub check: Check,
    /// The figure that was checked, where there is one.
    pub figure: Option<f64>,
    /// The bound that it was held against.
    pub bound: Option<f64>,
    /// What was found.
    pub finding: Finding,
}

/// How grave a verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Good to know.
    Hint,
    /// The number may be worth less than it seems.
    Warning,
    /// The number is worth nothing.
    Error,
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// Every answer is compared with what its request must get.
    Correctness,
    /// Requests that got no whole or no expected answer.
    Failures,
    /// Draws of a coin.
    Coin,
    /// Who was the limit.
    Limit,
    /// Whether slowing the generator lowers goodput.
    Proof,
    /// Requests in flight against service times.
    LittlesLaw,
    /// Whether all connections were kept busy.
    HeldBack,
    /// Connections asked for and open.
    Connections,
    /// Shares of the connections.
    Fairness,
    /// Whether the warm-up ended steady.
    WarmUp,
    /// Whether the figure that contenders are ranked by held still over a launch.
    Steady,
    /// Whether counted windows are like the warm-up, and launches like one another.
    Consistency,
    /// Launches that ended before their plan, or that lie apart from the others.
    Launches,
    /// The CPUs that a contender ran on.
    Placement,
    /// What a contender does beside answering: where it listens, what it writes.
    Conduct,
    /// How a contender stopped.
    Stop,
    /// What others did to the host.
    Host,
    /// The build of the generator.
    Build,
    /// Settings that depart from the workloads' own.
    Overrides,
    /// The record itself.
    Record,
    /// Whether bodies were compared with anything.
    Expectations,
    /// Whether the rate of an open loop could be offered.
    Offered,
    /// How late requests were sent.
    SendLag,
    /// Whether there are samples enough for a percentile.
    Samples,
    /// What the load model cannot show.
    Model,
    /// Local ports.
    Ports,
    /// Whether the load went to its end.
    Interrupted,
    /// The same program measured as if it were two.
    Control,
}

impl Verdict {
    pub(crate) fn new(kind: Kind, check: Check, finding: Finding) -> Self {
        Self { kind, check, figure: None, bound: None, finding }
    }

    /// With the figure and its bound; what is not finite is left out.
    pub(crate) fn of(mut self, figure: f64, bound: f64) -> Self {
        self.figure = Some(figure).filter(|value| value.is_finite());
        self.bound = Some(bound).filter(|value| value.is_finite());
        self
    }
}
