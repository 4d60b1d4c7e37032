use schemars::JsonSchema;
use serde::Serialize;
use velo_record::Window;
use velo_stats::Histogram;

/// Percentiles of a merged histogram: the smallest value v such that at least ceil(q * n) samples are <= v. One with
/// fewer than 10 samples beyond it is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Percentiles {
    /// Samples.
    pub samples: u64,
    /// The median.
    pub p50_ns: Option<u64>,
    /// The 90th percentile.
    pub p90_ns: Option<u64>,
    /// The 99th percentile.
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile.
    pub p999_ns: Option<u64>,
    /// The greatest.
    pub max_ns: Option<u64>,
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
    let percentiles = (!all.is_empty()).then(|| Percentiles {
        samples: all.count(),
        p50_ns: all.quantile_ns(0.5),
        p90_ns: all.quantile_ns(0.9),
        p99_ns: all.quantile_ns(0.99),
        p999_ns: all.quantile_ns(0.999),
        max_ns: all.max_ns(),
    });
    (percentiles, unreadable)
}
