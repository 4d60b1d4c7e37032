//! Whether something changed a contender alone: between two stretches of its launches, or from the first launch to the last.

use crate::estimate::{Estimate, mean_over_launches};
use crate::median::median;
use crate::moments::Moments;

/// The confidence of the interval that a shift is judged by: one such rule accuses at most 1 % of those that did not change.
pub const SHIFT_CONFIDENCE: f64 = 0.99;

/// Launches of one contender differ by this standard deviation at least, whatever few of them look like.
pub const LEAST_SPREAD: f64 = 0.05;

/// The spread of so many others is looked at, which is enough for a median.
const MOST_OTHERS: usize = 20;

/// The two-sided critical value of the normal distribution at 1 %.
const NORMAL_CRITICAL: f64 = 2.575_829_303_548_901;

/// A logarithm for each launch and, within it, each contender in the same order; `None` where there is none.
pub type LogsByLaunch = Vec<Vec<Option<f64>>>;

/// A contender's shift in logarithms: by itself, and against what the others show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Mean over launches, with Student's t interval at [`SHIFT_CONFIDENCE`].
    pub own: Estimate,
    /// The same of what is left when the median of the others is taken from each launch; `None` of one that is alone.
    pub against_others: Option<Estimate>,
}

/// A contender's trend over launches, in logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// What the fitted line gains from the first launch to the last, of the contender's own numbers.
    pub own: f64,
    /// The same of its numbers less what the others' launches have in common.
    pub against_others: f64,
    /// The standard error of the latter.
    pub standard_error: f64,
    /// How many launches it rests on.
    pub launches: usize,
}

/// The mean over launches of a change, such as the logarithm of a figure late in a launch less that early in it.
///
/// What happens to all contenders alike is the machine's: the median of the others' changes in a launch is taken out. But of two
/// contenders a change of one shows in the other too, with the other sign, so that [`Shift::is_beyond`] asks for both: the contender's
/// own change, and that against the others, of which its own must be at least half.
pub fn shift(changes: &LogsByLaunch, contender: usize) -> Option<Shift> {
    let (mut own, mut against) = (Vec::new(), Vec::new());
    for launch in changes {
        let Some(change) = finite(launch, contender) else { continue };
        own.push(change);
        against.extend(median_of_others(launch, contender).map(|others| change - others));
    }
    // Where some launches have nobody else they are all looked at, or none.
    let against = (against.len() == own.len()).then_some(against);
    Some(Shift {
        own: mean_over_launches(&own, SHIFT_CONFIDENCE)?,
        against_others: against.and_then(|against| mean_over_launches(&against, SHIFT_CONFIDENCE)),
    })
}

impl Shift {
    /// Whether the figure shifted by more than this factor, up or down: by itself and against the others, in the same direction, and
    /// by more than the launches' own scatter explains.
    pub fn is_beyond(&self, factor: f64) -> bool {
        let decisive = self.against_others.unwrap_or(self.own);
        let is_significant = decisive.interval.is_some_and(|interval| !interval.holds(0.0));
        let bound = factor.ln();
        let of_its_own = bound.max(decisive.value.abs() / 2.0);
        let reaches = |sign: f64| sign * self.own.value >= of_its_own && sign * decisive.value >= bound;
        is_significant && (reaches(1.0) || reaches(-1.0))
    }
}

/// The trend of a contender's numbers over launches, by least squares; `None` with fewer than three launches, and of a contender that is
/// alone: then a trend may be the machine's.
///
/// From each launch's number the median over the others of (their number less their own median over launches) is taken out. The
/// line's gain from the first launch to the last has the standard error `s (last - first) / sqrt(sum (x - mean x)^2)`. s is not the scatter
/// around the line, which a step would widen until it hides itself, but the largest of: the root of [`LEAST_SPREAD`]^2 + `error`^2, with
/// `error` the standard error of a launch's number from its own windows, times sqrt(2) where there is one other only, whose scatter is
/// then in the differences too; the spread that the others show, at the median of them; and the scatter of the contender's successive
/// differences without the largest of them (`sum d^2 / (2 (n - 2))`; von Neumann 1941, one step forgiven).
pub fn slope(levels: &LogsByLaunch, contender: usize, error: f64) -> Option<Slope> {
    let contenders = levels.iter().map(Vec::len).max()?;
    let middles: Vec<Option<f64>> = (0..contenders).map(|of| middle(levels, of)).collect();
    let from_middle: LogsByLaunch = levels
        .iter()
        .map(|launch| {
            (0..contenders)
                .map(|of| Some(finite(launch, of)? - middles.get(of).copied().flatten()?))
                .collect()
        })
        .collect();
    let (mut own, mut against) = (Vec::new(), Vec::new());
    for (number, launch) in from_middle.iter().enumerate() {
        let Some((value, others)) = finite(launch, contender).zip(median_of_others(launch, contender)) else {
            continue;
        };
        own.push((number as f64, value));
        against.push((number as f64, value - others));
    }
    let (own_gain, _) = gain(&own)?;
    let (gain, per_spread) = gain(&against)?;
    let of_others = spread_of_others(&from_middle, contender, contenders);
    let own = LEAST_SPREAD.hypot(error) * if of_others.is_none() { std::f64::consts::SQRT_2 } else { 1.0 };
    let spread = own.max(of_others.unwrap_or(0.0)).max(successive_spread(&against));
    Some(Slope {
        own: own_gain,
        against_others: gain,
        standard_error: spread * per_spread,
        launches: against.len(),
    })
}

impl Slope {
    /// Whether the figure rose or fell by more than this factor from the first launch to the last, by itself and against the others,
    /// and by more than chance moves the line in 1 % of runs.
    pub fn is_beyond(&self, factor: f64) -> bool {
        let bound = factor.ln();
        let of_its_own = bound.max(self.against_others.abs() / 2.0);
        let reaches = |sign: f64| sign * self.own >= of_its_own && sign * self.against_others >= bound;
        self.against_others.abs() >= NORMAL_CRITICAL * self.standard_error && (reaches(1.0) || reaches(-1.0))
    }

    /// The interval of the gain against the others, in logarithms.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let half_width = NORMAL_CRITICAL * self.standard_error;
        let (low, high) = (self.against_others - half_width, self.against_others + half_width);
        (low.is_finite() && high.is_finite()).then_some((low, high))
    }
}

fn finite(launch: &[Option<f64>], of: usize) -> Option<f64> {
    launch.get(of).copied().flatten().filter(|log| log.is_finite())
}

fn middle(launches: &LogsByLaunch, of: usize) -> Option<f64> {
    median(&launches.iter().filter_map(|launch| finite(launch, of)).collect::<Vec<_>>())
}

fn median_of_others(launch: &[Option<f64>], contender: usize) -> Option<f64> {
    let others: Vec<f64> =
        (0..launch.len()).filter(|of| *of != contender).filter_map(|of| finite(launch, of)).collect();
    median(&others)
}

/// What the line through the points gains from the first x to the last, and the standard error of that for a spread of 1.
fn gain(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let ((first, _), (last, _)) = (points.first()?, points.last()?);
    if points.len() < 3 {
        return None;
    }
    let mean = Moments::of(&points.iter().map(|(x, _)| *x).collect::<Vec<_>>())?.mean;
    let squares: f64 = points.iter().map(|(x, _)| (x - mean) * (x - mean)).sum();
    let slope = points.iter().map(|(x, y)| (x - mean) * y).sum::<f64>() / squares;
    let gain = slope * (last - first);
    gain.is_finite().then(|| (gain, (last - first) / squares.sqrt()))
}

/// The median over the others of the standard deviation of their launches, each less the median of the others but `contender`. `None`
/// with fewer than two others: one alone would show the contender's own trend.
fn spread_of_others(from_middle: &LogsByLaunch, contender: usize, contenders: usize) -> Option<f64> {
    let without: LogsByLaunch = from_middle
        .iter()
        .map(|launch| (0..contenders).map(|of| finite(launch, of).filter(|_| of != contender)).collect())
        .collect();
    let spread = |of: usize| {
        let residuals =
            without.iter().filter_map(|launch| Some(finite(launch, of)? - median_of_others(launch, of)?));
        Some(Moments::of(&residuals.collect::<Vec<_>>())?.variance?.sqrt())
    };
    let others = (0..contenders).filter(|of| *of != contender).take(MOST_OTHERS);
    median(&others.filter_map(spread).collect::<Vec<_>>())
}

/// By successive differences, of which the largest is forgiven.
fn successive_spread(points: &[(f64, f64)]) -> f64 {
    let squares: Vec<f64> = points.windows(2).map(|pair| (pair[1].1 - pair[0].1).powi(2)).collect();
    let largest = squares.iter().copied().fold(0.0, f64::max);
    let left = squares.len().saturating_sub(1);
    if left == 0 {
        0.0
    } else {
        ((squares.iter().sum::<f64>() - largest).max(0.0) / (2 * left) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    fn logs(launches: &[&[f64]]) -> LogsByLaunch {
        launches.iter().map(|launch| launch.iter().map(|log| Some(*log)).collect()).collect()
    }

    #[test]
    fn a_shift_is_its_own_or_the_machines() {
        // The first doubles in each launch, the others do not.
        let doubles: LogsByLaunch =
            (0..5).map(|l| vec![Some(2.0_f64.ln() + 0.01 * f64::from(l)), Some(0.0), Some(0.01)]).collect();
        let found = shift(&doubles, 0).unwrap();
        assert!((found.own.value - 2.0_f64.ln() - 0.02).abs() < 1e-12);
        assert!((found.against_others.unwrap().value - 2.0_f64.ln() - 0.015).abs() < 1e-12);
        assert!(found.is_beyond(1.25) && found.is_beyond(2.0) && !found.is_beyond(2.1));
        assert!(!shift(&doubles, 1).unwrap().is_beyond(1.25));
        // All of them double: the machine did it.
        let machine: LogsByLaunch = (0..5).map(|l| vec![Some(0.7 + 0.01 * f64::from(l)); 3]).collect();
        assert!((0..3).all(|of| !shift(&machine, of).unwrap().is_beyond(1.25)));
        // Of two contenders it is that which moved by itself, up or down.
        for sign in [1.0, -1.0] {
            let two: LogsByLaunch =
                (0..5).map(|l| vec![Some(sign * 0.7), Some(0.01 * f64::from(l))]).collect();
            assert!(shift(&two, 0).unwrap().is_beyond(1.25));
            let other = shift(&two, 1).unwrap();
            assert!(other.against_others.unwrap().value * sign < -0.6 && !other.is_beyond(1.25));
        }
    }

    #[test]
    fn alone_the_launches_themselves_decide() {
        let alone = shift(&logs(&[&[0.7], &[0.71], &[0.69]]), 0).unwrap();
        assert_eq!(alone.against_others, None);
        assert!(alone.is_beyond(1.25));
        // One launch has no scatter, and one that scatters too much shows nothing.
        assert!(!shift(&logs(&[&[0.7]]), 0).unwrap().is_beyond(1.25));
        assert!(!shift(&logs(&[&[2.0], &[-1.0], &[1.1]]), 0).unwrap().is_beyond(1.25));
        assert_eq!(shift(&Vec::new(), 0), None);
        assert_eq!(shift(&vec![vec![None, Some(1.0)]], 0), None);
        assert_eq!(slope(&logs(&[&[0.0], &[1.0], &[2.0], &[3.0]]), 0, 0.0), None, "it may be the machine's");
        assert_eq!(slope(&logs(&[&[0.0, 0.0], &[1.0, 0.0]]), 0, 0.0), None, "two launches");
    }

    /// By hand: x from 0 to 4, so sum (x - mean)^2 = 10 and the gain's standard error is 4 s / sqrt(10).
    #[test]
    fn a_slope_is_a_line_or_a_step() {
        let rising: Vec<Vec<f64>> = (0..5).map(|l| vec![0.1 * f64::from(l), 0.0, 0.0, 0.0]).collect();
        let rising = logs(&rising.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let found = slope(&rising, 0, 0.0).unwrap();
        assert!((found.own - 0.4).abs() < 1e-12 && (found.against_others - 0.4).abs() < 1e-12);
        // Successive differences of 0.1: s = 0.1 / sqrt(2).
        assert!((found.standard_error - 0.1 / 2.0_f64.sqrt() * 4.0 / 10.0_f64.sqrt()).abs() < 1e-12);
        assert!(found.is_beyond(1.25) && !found.is_beyond(1.5));
        assert!(!slope(&rising, 1, 0.0).unwrap().is_beyond(1.25));
        // A step from the third launch on: the line gains 1.2 of it, and the step is no scatter.
        let step = logs(&[&[0.0, 0.0], &[0.0, 0.0], &[0.7, 0.0], &[0.7, 0.0], &[0.7, 0.0]]);
        let found = slope(&step, 0, 0.0).unwrap();
        assert!((found.own - 1.2 * 0.7).abs() < 1e-12);
        assert!((found.standard_error - LEAST_SPREAD * 2.0_f64.sqrt() * 4.0 / 10.0_f64.sqrt()).abs() < 1e-12);
        assert!(found.is_beyond(1.25));
        assert!(!slope(&step, 1, 0.0).unwrap().is_beyond(1.25), "the other one did not move by itself");
        let (low, high) = found.interval().unwrap();
        assert!(low < found.against_others && found.against_others < high);
    }

    #[test]
    fn one_among_launches_that_all_scatter_does_not_stand_out() {
        let mut random = SplitMix64::new(3);
        let mut launch = || (0..5).map(|_| Some(0.3 * random.normal())).collect::<Vec<_>>();
        let runs: Vec<LogsByLaunch> = (0..400).map(|_| (0..5).map(|_| launch()).collect()).collect();
        let accused = runs.iter().filter(|run| slope(run, 0, 0.0).is_some_and(|found| found.is_beyond(1.25)));
        assert!(accused.count() < 20);
    }

    /// The oracle: the slope as a mean over all pairs of launches, weighted by their distance squared.
    fn by_pairs(points: &[(f64, f64)]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (number, a) in points.iter().enumerate() {
            for b in &points[number + 1..] {
                sum += (b.0 - a.0) * (b.1 - a.1);
                weights += (b.0 - a.0).powi(2);
            }
        }
        sum / weights
    }

    proptest! {
        #[test]
        fn a_line_gains_what_pairs_of_launches_gain(levels in proptest::collection::vec(-2.0..2.0_f64, 3..20)) {
            let points: Vec<(f64, f64)> = levels.iter().enumerate().map(|(x, y)| (x as f64, *y)).collect();
            let (gain, _) = gain(&points).unwrap();
            prop_assert!((gain - by_pairs(&points) * (levels.len() - 1) as f64).abs() < 1e-9);
        }

        #[test]
        fn what_a_launch_does_to_all_changes_nothing_against_the_others(
            levels in proptest::collection::vec(proptest::collection::vec(-1.0..1.0_f64, 4), 5..9),
            effects in proptest::collection::vec(-3.0..3.0_f64, 9),
        ) {
            let of = |with: bool| -> LogsByLaunch {
                let moved = levels.iter().zip(&effects);
                moved.map(|(launch, effect)| {
                    launch.iter().map(|log| Some(log + if with { *effect } else { 0.0 })).collect()
                }).collect()
            };
            let (still, moved) = (shift(&of(false), 1).unwrap(), shift(&of(true), 1).unwrap());
            let against = |shift: &Shift| shift.against_others.unwrap().value;
            prop_assert!((against(&still) - against(&moved)).abs() < 1e-9);
            // And the inverse of all figures shifts the other way.
            let inverse: LogsByLaunch =
                of(false).iter().map(|l| l.iter().map(|log| log.map(|log| -log)).collect()).collect();
            let inverse = shift(&inverse, 1).unwrap();
            prop_assert!((against(&inverse) + against(&still)).abs() < 1e-9);
            prop_assert_eq!(inverse.is_beyond(1.25), still.is_beyond(1.25));
        }

        #[test]
        fn any_numbers_give_an_answer(
            launches in proptest::collection::vec(proptest::collection::vec(any::<Option<f64>>(), 0..4), 0..8),
        ) {
            for contender in 0..4 {
                let found = shift(&launches, contender);
                prop_assert!(found.is_none_or(|found| found.own.value.is_finite()));
                let found = slope(&launches, contender, 0.0);
                prop_assert!(found.is_none_or(|found| found.own.is_finite() && !found.standard_error.is_nan()));
            }
        }
    }
}
