//! Service and response times as they lie: percentiles on a logarithmic axis, and a histogram of coarse bins.

use serde::Serialize;
use velo_record::{EncodedHistogram, RatePurpose};
use velo_stats::Histogram;

use crate::measure::cell::Cell;
use crate::rows::paced;

/// Bins of a histogram for a factor of ten.
const BINS_A_DECADE: f64 = 20.0;
/// Points of the percentile curve for each nine: p90, p99, ... are points.
const POINTS_A_NINE: u32 = 10;
/// p99.9999: more samples than that needs are not taken in one run.
const NINES: u32 = 6;

/// Times of one kind of a contender.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Distribution {
    /// Of what.
    pub of: DistributionOf,
    /// Samples.
    pub samples: u64,
    /// Quantile in [0, 1) and time in nanoseconds, rising; those with fewer than 10 samples beyond are left out.
    pub quantiles: Vec<(f64, u64)>,
    /// The greatest time.
    pub max_ns: u64,
    /// The lower end of a bin in nanoseconds, and its samples, rising; empty bins are left out. There are 20 bins for a factor
    /// of ten.
    pub bins: Vec<(f64, u64)>,
}

/// Which times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum DistributionOf {
    /// Service times of the closed loop.
    ClosedLoop,
    /// Response times of an open loop.
    OpenLoop {
        /// Why this rate.
        purpose: RatePurpose,
        /// Requests per second, on average.
        rate_per_s: f64,
    },
}

/// All of a cell that has any samples. The points of a curve are not among them: their percentiles are the curve.
pub(super) fn of_cell(cell: &Cell<'_>) -> Vec<Distribution> {
    let closed = merged(cell.blocks.iter().map(|window| &window.service_time));
    let rates = paced::by_rate(&cell.paced);
    let open = rates.iter().filter_map(|group| {
        let (_, first) = group.first()?;
        let of = DistributionOf::OpenLoop { purpose: first.purpose, rate_per_s: first.rate_per_s };
        let is_point = matches!(first.purpose, RatePurpose::Curve { .. });
        (!is_point).then(|| (of, merged(group.iter().map(|(_, paced)| &paced.response_time))))
    });
    let all = std::iter::once((DistributionOf::ClosedLoop, closed)).chain(open);
    all.filter_map(|(of, times)| distribution(of, &times)).collect()
}

/// What cannot be read is missing; the row's verdicts say so.
fn merged<'w>(encoded: impl Iterator<Item = &'w EncodedHistogram>) -> Histogram {
    let mut all = Histogram::new();
    encoded.filter_map(|one| one.decode().ok()).for_each(|one| all.merge(&one));
    all
}

fn distribution(of: DistributionOf, times: &Histogram) -> Option<Distribution> {
    let (quantiles, bins) = (quantiles(times), bins(times));
    Some(Distribution { of, samples: times.count(), quantiles, max_ns: times.max_ns()?, bins })
}

/// Quantiles in [0, 1) and times in nanoseconds, rising, as many for each added nine; those with fewer than 10 samples beyond are left out.
pub fn quantiles(times: &Histogram) -> Vec<(f64, u64)> {
    let points = (0..=POINTS_A_NINE * NINES)
        .map(|point| 1.0 - 10_f64.powf(-f64::from(point) / f64::from(POINTS_A_NINE)));
    points.filter_map(|q| Some((q, times.quantile_ns(q)?))).collect()
}

fn bins(times: &Histogram) -> Vec<(f64, u64)> {
    let mut bins: Vec<(i32, u64)> = Vec::new();
    for (ns, samples) in times.recorded() {
        let bin = ((ns.max(1) as f64).log10() * BINS_A_DECADE).floor() as i32;
        match bins.last_mut() {
            Some((last, sum)) if *last == bin => *sum = sum.saturating_add(samples),
            _ => bins.push((bin, samples)),
        }
    }
    bins.into_iter().map(|(bin, samples)| (10_f64.powf(f64::from(bin) / BINS_A_DECADE), samples)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_is_whole_and_rises() {
        let mut times = Histogram::new();
        assert_eq!(distribution(DistributionOf::ClosedLoop, &times), None);
        for micros in 1..=100_000_u64 {
            times.record(micros * 1_000);
        }
        let found = distribution(DistributionOf::ClosedLoop, &times).unwrap();
        assert_eq!(found.samples, 100_000);
        assert_eq!(found.bins.iter().map(|(_, samples)| samples).sum::<u64>(), 100_000);
        assert!(found.bins.is_sorted_by(|a, b| a.0 < b.0) && found.bins[0].0 <= 1_000.0);
        assert!(found.quantiles.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
        // p99.99 has 10 samples beyond it, p99.992 has not.
        let (last, ns) = *found.quantiles.last().unwrap();
        assert!((last - 0.9999).abs() < 1e-9 && ns.abs_diff(99_990_000) < 100_000, "{last} {ns}");
        let p90 = found.quantiles.iter().find(|(q, _)| (q - 0.9).abs() < 1e-9).unwrap();
        assert!(p90.1.abs_diff(90_000_000) < 90_000, "{p90:?}");
    }
}
