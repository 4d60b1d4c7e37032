use velo_stats::estimate::{Estimate, Interval};
use velo_stats::{SplitMix64, median};

/// The percentile bootstrap over launches and, within each, blocks: the counter-example, which is no
/// part of any report. With 5 launches it draws from 5 numbers what Student's t knows to be far less certain, so its
/// intervals are too narrow.
///
/// Given are one number a block (a paired log ratio) for each launch. The value is the mean over launches of the median
/// over blocks. Each resample draws as many launches with replacement, from each as many blocks with replacement, and
/// takes the same figure; the interval leaves out (1 - confidence) / 2 of the resamples on either side, by
/// the formula of all quantiles: the smallest v such that at least ceil(q n) are <= v. Source: Davison and Hinkley,
/// "Bootstrap methods and their application", 1997, sections 3.8 and 5.3.1.
///
/// `None` when there are no launches, a launch has no blocks, a number is not finite, there are no resamples, or unless
/// 0 < confidence < 1.
pub(crate) fn hierarchical_bootstrap(
    launches: &[Vec<f64>],
    resamples: usize,
    confidence: f64,
    random: &mut SplitMix64,
) -> Option<Estimate> {
    let is_complete =
        launches.iter().all(|blocks| !blocks.is_empty() && blocks.iter().all(|x| x.is_finite()));
    if launches.is_empty() || !is_complete || resamples == 0 || !(0.0 < confidence && confidence < 1.0) {
        return None;
    }
    let count = launches.len() as f64;
    let value = launches.iter().filter_map(|blocks| median(blocks)).sum::<f64>() / count;
    let mut drawn = Vec::new();
    let mut figures: Vec<f64> = (0..resamples)
        .map(|_| {
            let mut sum = 0.0;
            for _ in launches {
                let blocks = &launches[random.below(launches.len())];
                drawn.clear();
                drawn.extend(blocks.iter().map(|_| blocks[random.below(blocks.len())]));
                // All are finite, so there is a median.
                sum += median(&drawn).unwrap_or(f64::NAN);
            }
            sum / count
        })
        .collect();
    figures.sort_unstable_by(f64::total_cmp);
    let at = |q: f64| figures[((q * resamples as f64).ceil() as usize).clamp(1, resamples) - 1];
    let tail = (1.0 - confidence) / 2.0;
    let interval = Interval { low: at(tail), high: at(1.0 - tail) };
    (value.is_finite() && interval.low.is_finite() && interval.high.is_finite()).then_some(Estimate {
        value,
        interval: Some(interval),
        launches: launches.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::compare;
    use proptest::prelude::*;
    use velo_stats::{PairLogs, PairRules, PairState};

    #[test]
    fn known_answers() {
        let mut random = SplitMix64::new(7);
        let mut of = |launches: &[Vec<f64>]| hierarchical_bootstrap(launches, 400, 0.95, &mut random);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[vec![1.0], vec![]]), None);
        assert_eq!(of(&[vec![f64::NAN]]), None);
        let constant = of(&[vec![2.0; 3], vec![2.0; 4]]).unwrap();
        assert_eq!((constant.value, constant.interval), (2.0, Some(Interval { low: 2.0, high: 2.0 })));
        // Two launches of one block each: all resamples are 0, 1/2 or 1, and 0 and 1 have a quarter each.
        let two = of(&[vec![0.0], vec![1.0]]).unwrap();
        assert_eq!((two.value, two.interval), (0.5, Some(Interval { low: 0.0, high: 1.0 })));
    }

    /// The oracle: with one block a launch the resampled mean has a known deviation, sqrt((n - 1) / n) s / sqrt(n).
    #[test]
    fn the_width_is_that_of_a_resampled_mean() {
        let mut random = SplitMix64::new(3);
        let launches: Vec<Vec<f64>> = (0..40).map(|_| vec![random.normal()]).collect();
        let mean = launches.iter().map(|one| one[0]).sum::<f64>() / 40.0;
        let variance = launches.iter().map(|one| (one[0] - mean).powi(2)).sum::<f64>() / 40.0;
        let interval = hierarchical_bootstrap(&launches, 4_000, 0.95, &mut random).unwrap().interval.unwrap();
        let expected = 2.0 * 1.96 * (variance / 40.0).sqrt();
        assert!(((interval.high - interval.low) / expected - 1.0).abs() < 0.1);
    }

    /// Why it is not used: with 5 launches it tells twins apart far more often than in 5 % of runs.
    #[test]
    fn a_bootstrap_over_launches_and_blocks_is_too_sure() {
        const RUNS: u32 = 200;
        /// 11.5 %: 5 % and what chance may add over many such tests.
        const MOST_FALSE: u32 = RUNS * 115 / 1_000;
        let mut random = SplitMix64::new(6);
        let (mut by_bootstrap, mut by_t) = (0, 0);
        for _ in 0..RUNS {
            let mut normal = || 0.02 * random.normal();
            let log_ratios: Vec<f64> = (0..5).map(|_| normal() - normal()).collect();
            let of_launch = |log_ratio: &f64| (0..10).map(|_| log_ratio + 0.01 * random.normal()).collect();
            let blocks: Vec<Vec<f64>> = log_ratios.iter().map(of_launch).collect();
            let interval = hierarchical_bootstrap(&blocks, 300, 0.95, &mut random).unwrap().interval.unwrap();
            by_bootstrap += u32::from(!interval.holds(0.0));
            let twins =
                PairLogs { first: 0, second: 1, log_ratios: log_ratios.into(), mean: None, allowance: 0.0 };
            let comparison = compare(&[twins], 5, PairRules::default());
            by_t += u32::from(matches!(comparison.pairs[0].state, PairState::Separated { .. }));
        }
        assert!(by_t <= MOST_FALSE, "{by_t} of {RUNS}");
        assert!(by_bootstrap > MOST_FALSE, "{by_bootstrap} of {RUNS}");
    }

    proptest! {
        #[test]
        fn lies_within_the_blocks_and_follows_from_the_seed(
            launches in proptest::collection::vec(proptest::collection::vec(-1.0..1.0_f64, 1..6), 1..6), seed: u64,
        ) {
            let of = |seed| hierarchical_bootstrap(&launches, 50, 0.9, &mut SplitMix64::new(seed)).unwrap();
            let interval = of(seed).interval.unwrap();
            let all = || launches.iter().flatten().copied();
            prop_assert!(all().fold(f64::INFINITY, f64::min) <= interval.low + 1e-12);
            prop_assert!(interval.high <= all().fold(f64::NEG_INFINITY, f64::max) + 1e-12);
            prop_assert!(interval.low <= interval.high);
            prop_assert_eq!(of(seed), of(seed));
        }
    }
}
