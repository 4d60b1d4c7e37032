use crate::estimate::{Estimate, Interval};
use crate::median::{median, median_of_sorted};
use crate::splitmix::SplitMix64;

/// The percentile bootstrap over launches and, within each, blocks: the counter-example of the simulation, and no
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
pub fn hierarchical_bootstrap(
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
                drawn.sort_unstable_by(f64::total_cmp);
                sum += median_of_sorted(&drawn);
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
    use proptest::prelude::*;

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
