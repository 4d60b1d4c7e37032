use serde::{Deserialize, Serialize};
use velo_stats::Histogram;

/// What a tool says of a run. What it does not tell is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) times: Times,
    /// Answers in the time that the tool says it took.
    pub(crate) achieved_per_s: Option<f64>,
    pub(crate) send_lag_p99_ns: Option<u64>,
    pub(crate) requests: u64,
    /// Requests that failed or were never sent.
    pub(crate) failed: u64,
}

/// Response times, or what the tool takes for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) p50_ns: Option<u64>,
    pub(crate) p90_ns: Option<u64>,
    pub(crate) p99_ns: Option<u64>,
    pub(crate) p999_ns: Option<u64>,
    pub(crate) max_ns: Option<u64>,
}

impl Times {
    pub(crate) fn of(histogram: &Histogram) -> Self {
        Self {
            p50_ns: histogram.quantile_ns(0.5),
            p90_ns: histogram.quantile_ns(0.9),
            p99_ns: histogram.quantile_ns(0.99),
            p999_ns: histogram.quantile_ns(0.999),
            max_ns: histogram.max_ns(),
        }
    }

    pub(crate) fn all(&self) -> [Option<u64>; 5] {
        [self.p50_ns, self.p90_ns, self.p99_ns, self.p999_ns, self.max_ns]
    }
}

impl From<[Option<u64>; 5]> for Times {
    fn from([p50_ns, p90_ns, p99_ns, p999_ns, max_ns]: [Option<u64>; 5]) -> Self {
        Self { p50_ns, p90_ns, p99_ns, p999_ns, max_ns }
    }
}
