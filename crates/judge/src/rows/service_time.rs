use serde::{Deserialize, Serialize};
use velo_record::Window;
use velo_stats::Histogram;

use crate::doubt::samples::USUAL;

/// Percentiles of a merged histogram: the smallest value v such that at least ceil(q * n) samples are <= v. One with
/// fewer than 10 samples beyond it is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Percentiles {
    /// Samples.
    pub samples: u64,
    /// The mean.
    pub mean_ns: Option<f64>,
    /// The median.
    pub p50_ns: Option<u64>,
    /// The 75th percentile.
    pub p75_ns: Option<u64>,
    /// The 90th percentile.
    pub p90_ns: Option<u64>,
    /// The 95th percentile.
    pub p95_ns: Option<u64>,
    /// The 99th percentile.
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile.
    pub p999_ns: Option<u64>,
    /// The 99.99th percentile.
    pub p9999_ns: Option<u64>,
    /// The greatest.
    pub max_ns: Option<u64>,
}

impl Percentiles {
    /// Those of a histogram; `None` when it is empty.
    pub fn of(histogram: &Histogram) -> Option<Self> {
        (!histogram.is_empty()).then(|| Self {
            samples: histogram.count(),
            mean_ns: histogram.mean_ns().filter(|mean| mean.is_finite()),
            p50_ns: histogram.quantile_ns(0.5),
            p75_ns: histogram.quantile_ns(0.75),
            p90_ns: histogram.quantile_ns(0.9),
            p95_ns: histogram.quantile_ns(0.95),
            p99_ns: histogram.quantile_ns(0.99),
            p999_ns: histogram.quantile_ns(0.999),
            p9999_ns: histogram.quantile_ns(0.9999),
            max_ns: histogram.max_ns(),
        })
    }

    /// The percentiles in ascending order: name, quantile, value.
    pub fn listed(&self) -> [(&'static str, f64, Option<u64>); 7] {
        [
            ("p50", 0.5, self.p50_ns),
            ("p75", 0.75, self.p75_ns),
            ("p90", 0.9, self.p90_ns),
            ("p95", 0.95, self.p95_ns),
            ("p99", 0.99, self.p99_ns),
            ("p99.9", 0.999, self.p999_ns),
            ("p99.99", 0.9999, self.p9999_ns),
        ]
    }

    /// What is missing for want of samples of those that a reader expects.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let listed =
            self.listed().into_iter().filter(|(name, _, value)| USUAL.contains(name) && value.is_none());
        listed.map(|(name, q, _)| (name, q))
    }
}

/// Service times of some windows together, and how many of their histograms could not be read.
pub(crate) fn merge(windows: &[&Window]) -> (Option<Percentiles>, usize) {
    let mut all = Histogram::new();
    let mut unreadable = 0;
    for window in windows {
        match window.service_time.decode() {
            Ok(histogram) => all.merge(&histogram),
            Err(_) => unreadable += 1,
        }
    }
    (Percentiles::of(&all), unreadable)
}
