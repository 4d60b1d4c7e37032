//! Durations in a few bins with round ends, on a logarithmic axis.

use velo_stats::Histogram;

/// Ends of bins within a factor of ten, in tenths: from fine to coarse.
const GRIDS: [&[u64]; 4] = [&[10, 12, 15, 20, 25, 30, 40, 50, 60, 80], &[10, 20, 50], &[10, 30], &[10]];
/// Bins reach over what lies between these quantiles; the rest is in the first one and above the last.
const RANGE: [f64; 2] = [0.001, 0.999];

/// The ends of bins in nanoseconds, ascending: each bin is of what is greater than the end before and at most its own.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bins {
    pub(super) ends_ns: Vec<u64>,
    /// There is more above the last end.
    pub(super) has_above: bool,
}

impl Bins {
    /// At most so many bins for these durations, what is above the last end included; `None` without durations or for fewer bins
    /// than two.
    pub(super) fn of(histogram: &Histogram, most: usize) -> Option<Self> {
        let [low_ns, high_ns] = RANGE.map(|q| histogram.quantile_of_few_ns(q));
        let (low_ns, high_ns, max_ns) = (low_ns?, high_ns?, histogram.max_ns()?);
        if most < 2 {
            return None;
        }
        let grids = GRIDS.iter().map(|grid| {
            let all: Vec<u64> = ends(grid).collect();
            let first = all.partition_point(|&end| end < low_ns);
            let last = all.partition_point(|&end| end < high_ns);
            let ends_ns = all[first..=last.min(all.len() - 1)].to_vec();
            Self { has_above: ends_ns.last().is_some_and(|&end| max_ns > end), ends_ns }
        });
        let mut coarsest = None;
        for bins in grids {
            if bins.len() <= most {
                return Some(bins);
            }
            coarsest = Some(bins);
        }
        let mut bins = coarsest?;
        bins.ends_ns.drain(..bins.len() - most);
        Some(bins)
    }

    fn len(&self) -> usize {
        self.ends_ns.len() + usize::from(self.has_above)
    }

    /// The share of these durations in each bin, and above the last end where there is more.
    pub(super) fn shares(&self, histogram: &Histogram) -> Vec<f64> {
        let mut counts = vec![0_u64; self.len()];
        for (ns, times) in histogram.recorded() {
            // Other durations than those that the bins are made for may lie beyond the last one.
            let bin = self.ends_ns.partition_point(|&end| end < ns).min(counts.len() - 1);
            counts[bin] = counts[bin].saturating_add(times);
        }
        let all = histogram.count().max(1) as f64;
        counts.into_iter().map(|count| count as f64 / all).collect()
    }
}

/// From 10 ns to beyond the longest duration that a histogram keeps.
fn ends(grid: &[u64]) -> impl Iterator<Item = u64> {
    (0..16).flat_map(move |decade| grid.iter().map(move |tenths| tenths * 10_u64.pow(decade)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn histogram(values: impl IntoIterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::new();
        values.into_iter().for_each(|ns| histogram.record(ns));
        histogram
    }

    #[test]
    fn ends_are_as_fine_as_there_is_room() {
        let ends = |values: &[u64], most| {
            Bins::of(&histogram(values.iter().copied()), most).map(|bins| bins.ends_ns)
        };
        assert_eq!(ends(&[105_000, 190_000], 8).unwrap(), [120_000, 150_000, 200_000]);
        assert_eq!(ends(&[105_000, 1_900_000], 8).unwrap(), [200_000, 500_000, 1_000_000, 2_000_000]);
        assert_eq!(
            ends(&[105_000, 19_000_000], 5).unwrap(),
            [300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000]
        );
        assert_eq!(ends(&[1_000, 9_000_000_000], 3).unwrap(), [100_000_000, 1_000_000_000, 10_000_000_000]);
        assert_eq!((ends(&[], 8), ends(&[1], 1)), (None, None));
    }

    #[test]
    fn a_few_that_are_far_away_do_not_spread_the_bins() {
        let all = histogram((0..10_000).map(|index| 110_000 + index).chain([5_000_000_000]));
        let bins = Bins::of(&all, 8).unwrap();
        assert_eq!(bins, Bins { ends_ns: vec![120_000], has_above: true });
        let shares = bins.shares(&all);
        assert!((shares[1] - 1.0 / 10_001.0).abs() < 1e-9, "{shares:?}");
    }

    proptest! {
        #[test]
        fn each_duration_is_in_one_bin(
            values in prop::collection::vec(prop_oneof![any::<u64>(), 0..1_000_000_000u64], 1..60),
            others in prop::collection::vec(any::<u64>(), 0..60),
            most in 2usize..12,
        ) {
            let bins = Bins::of(&histogram(values.iter().copied()), most).unwrap();
            prop_assert!(bins.len() <= most && bins.ends_ns.is_sorted());
            let shares = bins.shares(&histogram(values));
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{shares:?}");
            let is_any = !others.is_empty();
            let shares = bins.shares(&histogram(others));
            prop_assert!((shares.iter().sum::<f64>() - f64::from(u8::from(is_any))).abs() < 1e-9, "{shares:?}");
        }
    }
}
