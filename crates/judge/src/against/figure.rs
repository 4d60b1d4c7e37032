//! What is compared of two services.

use serde::Serialize;

/// One of the two services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// The one that is judged.
    A,
    /// The one that it is held against.
    B,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AgainstFigureName {
    /// Correct answers per second, of a closed loop.
    Goodput,
    /// CPU time of the service's processes per correct answer, in nanoseconds.
    Cpu,
    /// The median time, in nanoseconds: response times of an open loop, service times of a closed one.
    P50,
    /// The 99th percentile of the same.
    P99,
}

impl AgainstFigureName {
    /// All of them, in the order shown.
    pub const ALL: [Self; 4] = [Self::Goodput, Self::Cpu, Self::P50, Self::P99];

    /// As `--fail-on` names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goodput => "goodput",
            Self::Cpu => "cpu",
            Self::P50 => "p50",
            Self::P99 => "p99",
        }
    }
}

/// A figure of both.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstFigure {
    /// Which.
    pub figure: AgainstFigureName,
    /// A's; null where it has none.
    pub a: Option<f64>,
    /// B's.
    pub b: Option<f64>,
    /// A's over B's, paired by block; null where either is missing.
    pub ratio: Option<AgainstRatio>,
    /// In windows on A the generator was the limit: A could serve more, and the ratio is at least this.
    pub a_at_least: bool,
    /// In windows on B it was: the ratio is at most this. With both nothing is known of it.
    pub b_at_least: bool,
}

/// A ratio of two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstRatio {
    /// A's over B's.
    pub value: f64,
    /// The lower end of the 95 % interval; null with fewer than three batches, and where one has no figure.
    pub low: Option<f64>,
    /// The upper end; there when the lower one is.
    pub high: Option<f64>,
}

impl AgainstRatio {
    /// Both ends.
    pub fn interval(&self) -> Option<(f64, f64)> {
        Some((self.low?, self.high?))
    }
}
