use crate::estimate::{Interval, allowing};
use crate::moments::Moments;
use crate::power::fewest_launches;
use crate::student::StudentT;

/// The difference of the means of two samples that were drawn apart, whose variances need not be equal: Welch's t ("The
/// generalization of 'Student's' problem when several different population variances are involved", Biometrika 34, 1947).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Welch {
    /// The second sample's mean less the first one's; finite.
    pub difference: f64,
    /// Of the difference; finite, at least 0.
    pub standard_error: f64,
    /// Degrees of freedom by Satterthwaite's formula: at least those of the smaller sample, at most those of both together.
    pub df: f64,
    /// The samples' variances.
    variances: [f64; 2],
}

/// Compares two samples; `None` when one has fewer than two numbers or holds one that is not finite, and when the
/// difference or its error is not finite.
///
/// With variances v and counts n the error is sqrt(v1 / n1 + v2 / n2), and its degrees of freedom are
/// 1 / (c^2 / (n1 - 1) + (1 - c)^2 / (n2 - 1)) with c = (v1 / n1) / (v1 / n1 + v2 / n2). Without any spread they are
/// n1 + n2 - 2.
pub fn welch(first: &[f64], second: &[f64]) -> Option<Welch> {
    let moments = [Moments::of(first)?, Moments::of(second)?];
    let variances = [moments[0].variance?, moments[1].variance?];
    let df = moments.map(|sample| sample.count as f64 - 1.0);
    let squares = [variances[0] / (df[0] + 1.0), variances[1] / (df[1] + 1.0)];
    let square = squares[0] + squares[1];
    let welch = Welch {
        difference: moments[1].mean - moments[0].mean,
        standard_error: square.sqrt(),
        df: if square > 0.0 { satterthwaite(squares[0] / square, df) } else { df[0] + df[1] },
        variances,
    };
    (welch.difference.is_finite() && welch.standard_error.is_finite()).then_some(welch)
}

/// From the first sample's share of the squared error. As a share, so that no square of it overflows.
fn satterthwaite(share: f64, df: [f64; 2]) -> f64 {
    let rest = 1.0 - share;
    1.0 / (share * share / df[0] + rest * rest / df[1])
}

impl Welch {
    /// The same with a standard error that also covers a shift of at most `allowance` (see [`allowing`]); as it was where that is no
    /// number.
    #[must_use]
    pub fn allowing(self, allowance: f64) -> Self {
        let wider =
            StudentT::new(self.df).and_then(|student| allowing(self.standard_error, allowance, &student));
        Self { standard_error: wider.unwrap_or(self.standard_error), ..self }
    }

    /// The interval that holds the true difference with this probability; `None` unless 0 < confidence < 1.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        if !(0.0 < confidence && confidence < 1.0) {
            return None;
        }
        let critical = StudentT::new(self.df)?.two_sided_critical(1.0 - confidence)?;
        Interval::around(self.difference, critical * self.standard_error)
    }

    /// The two-sided p-value of no difference. Without any spread a difference of 0 is none, and any other one is.
    pub fn p(&self) -> f64 {
        match StudentT::new(self.df) {
            Some(student) if self.difference != 0.0 => {
                student.two_sided_p(self.difference / self.standard_error)
            }
            _ => 1.0,
        }
    }

    /// How many numbers each sample needs until the interval at `level` (1 - confidence) has this half-width relative to the
    /// ratio, when the numbers are logarithms (0.03: between 1 / 1.03 and 1.03 of it), with the spread that was seen; at
    /// least 2. Half of such samples come out a little wider.
    ///
    /// `None` for a half-width or a level that is not positive, and above a million.
    pub fn launches_needed(&self, half_width: f64, level: f64) -> Option<u32> {
        let goal = half_width.ln_1p();
        if goal.is_nan() || goal <= 0.0 || !(0.0 < level && level < 1.0) {
            return None;
        }
        let [first, second] = self.variances.map(f64::sqrt);
        let spread = first.hypot(second);
        let share = if spread > 0.0 { (first / spread).powi(2) } else { 0.5 };
        fewest_launches(|launches| {
            let n = f64::from(launches);
            StudentT::new(satterthwaite(share, [n - 1.0; 2]))
                .and_then(|student| student.two_sided_critical(level))
                .is_some_and(|critical| critical * spread / n.sqrt() <= goal)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    /// Hours of sleep gained under two drugs (Student 1908; `sleep` in R).
    const DRUGS: [[f64; 10]; 2] = [
        [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
        [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
    ];

    /// As `t.test(extra ~ group, data = sleep)` prints it, turned over: R has the first mean less the second.
    #[test]
    fn known_answers() {
        let found = welch(&DRUGS[0], &DRUGS[1]).unwrap();
        assert!((found.difference - 1.58).abs() < 1e-12);
        assert!((found.difference / found.standard_error - 1.860_8).abs() < 5e-5);
        assert!((found.df - 17.776).abs() < 5e-4, "{}", found.df);
        assert!((found.p() - 0.079_39).abs() < 5e-6, "{}", found.p());
        let interval = found.interval(0.95).unwrap();
        assert!((interval.low + 0.205_483_2).abs() < 5e-8 && (interval.high - 3.365_483_2).abs() < 5e-8);
    }

    /// t(17.776) at 5 % is 2.102823: the interval's half-width of 1.785483 becomes the root of the sum of the squares.
    #[test]
    fn an_allowance_widens() {
        let found = welch(&DRUGS[0], &DRUGS[1]).unwrap();
        let wider = found.allowing(1.0).interval(0.95).unwrap();
        assert!((wider.high - 1.58 - 1.785_483_2_f64.hypot(1.0)).abs() < 1e-5, "{wider:?}");
        assert_eq!(found.allowing(0.0), found);
        assert_eq!(found.allowing(f64::NAN), found);
        assert!(found.allowing(1.0).p() > found.p());
    }

    #[test]
    fn what_has_no_answer() {
        let some = [1.0, 2.0];
        for bad in [&[][..], &[1.0], &[1.0, f64::NAN], &[1.0, f64::INFINITY], &[f64::MAX, -f64::MAX]] {
            assert_eq!(welch(bad, &some), None);
            assert_eq!(welch(&some, bad), None);
        }
        let found = welch(&some, &[3.0, 5.0]).unwrap();
        for confidence in [0.0, 1.0, -1.0, f64::NAN] {
            assert_eq!(found.interval(confidence), None);
        }
        for (half_width, level) in [(0.0, 0.05), (f64::NAN, 0.05), (0.03, 0.0), (0.03, 1.0), (1e-9, 0.05)] {
            assert_eq!(found.launches_needed(half_width, level), None);
        }
    }

    #[test]
    fn without_spread() {
        let same = welch(&[2.0; 3], &[2.0; 4]).unwrap();
        assert_eq!((same.difference, same.standard_error, same.df, same.p()), (0.0, 0.0, 5.0, 1.0));
        let apart = welch(&[2.0; 3], &[2.5; 4]).unwrap();
        assert_eq!((apart.difference, apart.p()), (0.5, 0.0));
        assert_eq!(apart.interval(0.95), Some(Interval { low: 0.5, high: 0.5 }));
        assert_eq!(apart.launches_needed(0.01, 0.05), Some(2));
        // All of the spread is in one of them: its degrees of freedom are those that count.
        assert_eq!(welch(&[1.0, 2.0, 3.0], &[2.0; 9]).unwrap().df, 2.0);
    }

    /// The oracle is a simulation: of samples with the same mean and unequal spread 5 % have p <= 0.05, and 95 % of the
    /// intervals hold the truth.
    #[test]
    fn keeps_its_level_with_unequal_spread() {
        let mut random = SplitMix64::new(11);
        for (counts, spreads) in [((5, 5), (0.01, 0.01)), ((5, 12), (0.02, 0.01)), ((12, 5), (0.01, 0.02))] {
            let mut sample = |count: usize, spread: f64| -> Vec<f64> {
                (0..count).map(|_| spread * random.normal()).collect()
            };
            let (mut rejected, mut held) = (0, 0);
            for _ in 0..2_000 {
                let found = welch(&sample(counts.0, spreads.0), &sample(counts.1, spreads.1)).unwrap();
                rejected += u32::from(found.p() <= 0.05);
                held += u32::from(found.interval(0.95).unwrap().holds(0.0));
            }
            // 5 % of 2,000 and three standard errors of that.
            assert!((60..=130).contains(&rejected), "{counts:?}: {rejected}");
            assert_eq!(held + rejected, 2_000, "the interval leaves out what the test rejects");
        }
    }

    fn sample() -> impl Strategy<Value = Vec<f64>> {
        proptest::collection::vec(-1.0..1.0_f64, 2..12)
    }

    proptest! {
        /// The oracle: the ends are the differences that a test at the same level just does not reject.
        #[test]
        fn the_ends_are_where_a_test_rejects(first in sample(), second in sample(), confidence in 0.5..0.999_f64) {
            let found = welch(&first, &second).unwrap();
            prop_assume!(found.standard_error > 1e-6);
            let interval = found.interval(confidence).unwrap();
            for end in [interval.low, interval.high] {
                let moved: Vec<f64> = second.iter().map(|value| value - end).collect();
                prop_assert!((welch(&first, &moved).unwrap().p() - (1.0 - confidence)).abs() < 1e-6);
            }
        }

        #[test]
        fn swapping_and_shifting_change_nothing_else(first in sample(), second in sample(), shift in -5.0..5.0_f64) {
            let found = welch(&first, &second).unwrap();
            let swapped = welch(&second, &first).unwrap();
            prop_assert_eq!(swapped.difference, -found.difference);
            prop_assert!((swapped.df - found.df).abs() < 1e-6);
            let of = |sample: &[f64]| -> Vec<f64> { sample.iter().map(|value| value + shift).collect() };
            let shifted = welch(&of(&first), &of(&second)).unwrap();
            prop_assert!((shifted.difference - found.difference).abs() < 1e-9);
            prop_assert!((shifted.standard_error - found.standard_error).abs() < 1e-9);
        }

        #[test]
        fn degrees_of_freedom_lie_between_those_of_one_and_of_both(first in sample(), second in sample()) {
            let found = welch(&first, &second).unwrap();
            let [least, most] = [first.len().min(second.len()) - 1, first.len() + second.len() - 2];
            prop_assert!(found.df >= least as f64 - 1e-9 && found.df <= most as f64 + 1e-9, "{}", found.df);
        }

        /// The oracle tries one number of launches after the other on samples with that spread.
        #[test]
        fn the_launches_needed_are_the_fewest(
            first in sample(), second in sample(), half_width in 0.1..0.5_f64, level in 0.01..0.2_f64,
        ) {
            let found = welch(&first, &second).unwrap();
            let half_width_of = |n: f64| {
                let [a, b] = found.variances.map(|variance| variance / n);
                let df = (n - 1.0) * (a + b).powi(2) / (a * a + b * b);
                StudentT::new(df).unwrap().two_sided_critical(level).unwrap() * (a + b).sqrt()
            };
            prop_assume!(found.standard_error > 1e-6);
            let goal = half_width.ln_1p();
            let expected = (2..20_000).find(|n| half_width_of(f64::from(*n)) <= goal);
            prop_assert_eq!(found.launches_needed(half_width, level), expected);
        }

        #[test]
        fn any_numbers_give_an_answer(
            first in proptest::collection::vec(any::<f64>(), 0..5),
            second in proptest::collection::vec(any::<f64>(), 0..5),
            half_width: f64, level: f64,
        ) {
            if let Some(found) = welch(&first, &second) {
                prop_assert!((0.0..=1.0).contains(&found.p()) && found.df >= 0.9);
                let _ = found.launches_needed(half_width, level);
                if let Some(interval) = found.interval(1.0 - level) {
                    prop_assert!(interval.holds(found.difference));
                }
            }
        }
    }
}
