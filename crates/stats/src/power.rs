//! What a comparison could have found, and what it would take to find more.

use crate::noncentral::noncentrality_for_power;
use crate::pairs::{Comparison, Pair, PairState};
use crate::student::StudentT;

/// No plan has more launches than this.
const MOST_LAUNCHES: u32 = 1_000_000;

impl Comparison {
    /// For each pair the smallest difference, as a share of the lower figure, that would have been separated with
    /// probability `power`, had the spread been what was seen. `None` where there is no test.
    ///
    /// The noncentral t distribution at level / pairs, which is Holm's first step: the probability is at least that.
    pub fn smallest_differences(&self, power: f64) -> Vec<Option<f64>> {
        let level = self.simultaneous_level();
        let mut known: Vec<(f64, Option<f64>)> = Vec::new();
        self.pairs
            .iter()
            .map(|pair| {
                let test = pair.test?;
                let noncentrality = match known.iter().find(|(df, _)| *df == test.df) {
                    Some((_, noncentrality)) => *noncentrality,
                    None => {
                        let found = noncentrality_for_power(test.df, level, power);
                        known.push((test.df, found));
                        found
                    }
                };
                let difference = (noncentrality? * test.standard_error).exp_m1();
                difference.is_finite().then_some(difference)
            })
            .collect()
    }

    /// How narrow the simultaneous interval of an open pair must become, as a half-width relative to the ratio, for the
    /// pair to be separated or equal if its mean stays where it is: so narrow that it leaves out 1, or that it lies
    /// within the margin of equality, whichever is wider. `None` for a pair that is not open, and without a test.
    pub fn half_width_to_settle(&self, pair: &Pair) -> Option<f64> {
        pair.test?;
        let mean = pair.mean_log_ratio?.abs();
        let to_be_equal = self.rules.equal_within.ln_1p() - mean;
        (pair.state == PairState::Open).then(|| mean.max(to_be_equal).exp_m1())
    }
}

impl Pair {
    /// How many launches it takes until the pair's interval at `level` has this half-width relative to the ratio
    /// (0.02: between 1 / 1.02 and 1.02 of it), with the spread that was seen; at least 2. Half of the runs of that
    /// length come out a little wider, half a little narrower.
    ///
    /// `level` is 1 - confidence for the interval of the pair alone, [`Comparison::simultaneous_level`] for that of all
    /// pairs at once. `None` without a test, for a half-width or a level that is not positive, and above a million.
    pub fn launches_needed(&self, half_width: f64, level: f64) -> Option<u32> {
        let test = self.test?;
        let goal = half_width.ln_1p();
        if goal.is_nan() || goal <= 0.0 || !(0.0 < level && level < 1.0) {
            return None;
        }
        let deviation = test.standard_error * (self.launches as f64).sqrt();
        let prior_df = test.df - (self.launches as f64 - 1.0);
        fewest_launches(|launches| {
            let n = f64::from(launches);
            StudentT::new(n - 1.0 + prior_df)
                .and_then(|student| student.two_sided_critical(level))
                .is_some_and(|critical| critical * deviation / n.sqrt() <= goal)
        })
    }
}

/// The fewest launches that are enough, at least 2; `None` when a million are not. One launch more is never worse: the width of
/// an interval falls with each.
pub(crate) fn fewest_launches(is_enough: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut too_few, mut enough) = (1, 2);
    while !is_enough(enough) {
        if enough >= MOST_LAUNCHES {
            return None;
        }
        too_few = enough;
        enough = (enough * 2).min(MOST_LAUNCHES);
    }
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if is_enough(middle) {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    Some(enough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::{PairLogs, PairRules, compare_pairs};
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    fn one_pair(log_ratios: &[f64]) -> (Comparison, Pair) {
        let comparison = compare_pairs(
            &[PairLogs { first: 0, second: 1, log_ratios: log_ratios.into(), mean: None, allowance: 0.0 }],
            PairRules::default(),
        );
        let pair = comparison.pairs[0];
        (comparison, pair)
    }

    /// Mean 0 and deviation 0.05 in five launches.
    const OPEN: [f64; 5] = [0.05, -0.05, 0.05, -0.05, 0.0];

    #[test]
    fn known_answers() {
        let (comparison, pair) = one_pair(&OPEN);
        // By R: uniroot over pt with 4 degrees of freedom gives a noncentrality of 4.395861 for 90 % at 5 %.
        let expected = (KNOWN_NONCENTRALITY * 0.05 / 5.0_f64.sqrt()).exp_m1();
        let found = comparison.smallest_differences(0.9)[0].unwrap();
        assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
        // t(n - 1) x 0.05 / sqrt(n) <= ln 1.02 first holds for 27: 2.0555 x 0.05 / sqrt(27) = 0.01978.
        assert_eq!(pair.launches_needed(0.02, 0.05), Some(27));
        // Mean 0: it can only become equal, within the margin of 4 %.
        assert!((comparison.half_width_to_settle(&pair).unwrap() - 0.04).abs() < 1e-12);
    }

    const KNOWN_NONCENTRALITY: f64 = 4.395_861_045_784;

    #[test]
    fn what_has_no_answer() {
        let (comparison, pair) = one_pair(&OPEN[..1]);
        assert_eq!(comparison.smallest_differences(0.9), [None]);
        assert_eq!(comparison.half_width_to_settle(&pair), None);
        assert_eq!(pair.launches_needed(0.02, 0.05), None);
        let (_, pair) = one_pair(&OPEN);
        for (half_width, level) in [(0.0, 0.05), (-2.0, 0.05), (f64::NAN, 0.05), (0.02, 0.0), (1e-9, 0.05)] {
            assert_eq!(pair.launches_needed(half_width, level), None);
        }
        let (settled, pair) = one_pair(&[0.1, 0.11, 0.1, 0.09, 0.1]);
        assert_eq!(settled.half_width_to_settle(&pair), None);
    }

    #[test]
    fn a_pair_off_the_middle_settles_by_whatever_is_nearer() {
        let of = |mean: f64| {
            let (comparison, pair) = one_pair(&OPEN.map(|log| log + mean));
            assert_eq!(pair.state, PairState::Open);
            comparison.half_width_to_settle(&pair).unwrap().ln_1p()
        };
        assert!((of(0.03) - 0.03).abs() < 1e-12);
        assert!((of(-0.01) - (1.04_f64.ln() - 0.01)).abs() < 1e-12);
    }

    /// The oracle is a simulation: the smallest difference is found in 90 % of runs.
    #[test]
    fn the_smallest_difference_is_found_as_often_as_promised() {
        let mut random = SplitMix64::new(9);
        let noncentrality = noncentrality_for_power(4.0, 0.05, 0.9).unwrap();
        let difference = noncentrality * 0.02 / 5.0_f64.sqrt();
        let found = (0..1_000)
            .filter(|_| {
                let logs: Vec<f64> = (0..5).map(|_| difference + 0.02 * random.normal()).collect();
                one_pair(&logs).1.state != PairState::Open
            })
            .count();
        assert!((860..=940).contains(&found), "{found} of 1,000");
    }

    proptest! {
        /// The oracle tries one number of launches after the other.
        #[test]
        fn the_launches_needed_are_the_fewest(
            logs in proptest::collection::vec(-0.05..0.05_f64, 3..10), half_width in 0.005..0.1_f64,
        ) {
            let (_, pair) = one_pair(&logs);
            let deviation = pair.test.unwrap().standard_error * (logs.len() as f64).sqrt();
            let half = |n: f64| {
                StudentT::new(n - 1.0).unwrap().two_sided_critical(0.05).unwrap() * deviation / n.sqrt()
            };
            let expected = (2..).find(|n| half(f64::from(*n)) <= half_width.ln_1p()).unwrap();
            prop_assert_eq!(pair.launches_needed(half_width, 0.05), Some(expected));
        }

        #[test]
        fn more_power_needs_more_difference(logs in proptest::collection::vec(-0.05..0.05_f64, 3..10)) {
            let (comparison, _) = one_pair(&logs);
            let at = |power| comparison.smallest_differences(power)[0].unwrap();
            prop_assert!(0.0 <= at(0.5) && at(0.5) <= at(0.8) && at(0.8) <= at(0.95));
        }
    }
}
