//! An estimate over launches: a mean with Student's t interval. A launch counts once, however many windows it has.

use crate::moments::Moments;
use crate::student::StudentT;

/// The confidence of every interval that stands alone.
pub const CONFIDENCE: f64 = 0.95;

/// With fewer launches there is no interval: with two it would be 12.7 standard errors to either side, so that it is seldom of use
/// and often beyond 0.
pub const LEAST_FOR_INTERVAL: usize = 3;

/// From where to where a value may lie, both ends included; both are finite and `low <= high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// `value` +- `half_width`; `None` when an end is not finite.
    pub(crate) fn around(value: f64, half_width: f64) -> Option<Self> {
        let (low, high) = (value - half_width, value + half_width);
        (low.is_finite() && high.is_finite()).then_some(Self { low, high })
    }

    /// Whether the value lies in it.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether all of it lies in the other.
    pub fn is_inside(&self, other: &Self) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// Whether the two have no point in common.
    pub fn is_apart_from(&self, other: &Self) -> bool {
        self.high < other.low || other.high < self.low
    }

    /// From logarithms back to ratios; `None` when an end is then 0 or not finite.
    pub fn exp(&self) -> Option<Self> {
        let (low, high) = (self.low.exp(), self.high.exp());
        (low > 0.0 && high.is_finite()).then_some(Self { low, high })
    }

    /// From a ratio `1 / (1 + margin)` to `1 + margin`, in logarithms: the same whichever of two is above the line.
    pub(crate) fn of_log_ratios_within(margin: f64) -> Self {
        let half_width = margin.ln_1p();
        Self { low: -half_width, high: half_width }
    }
}

/// A figure over launches. The value is finite; the interval holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Student's t interval; `None` with fewer than [`LEAST_FOR_INTERVAL`] launches.
    pub interval: Option<Interval>,
    /// How many launches it rests on.
    pub launches: usize,
}

/// The mean of one number a launch, with the interval mean +- t(n - 1) s / sqrt(n) ("Student", "The probable error of a
/// mean", Biometrika 6, 1908) that holds the true mean with probability `confidence`.
///
/// `None` when there are no numbers or one is not finite. The interval is `None` with fewer than
/// [`LEAST_FOR_INTERVAL`] numbers, and unless 0 < confidence < 1.
pub fn mean_over_launches(values: &[f64], confidence: f64) -> Option<Estimate> {
    let moments = Moments::of(values)?;
    let interval = half_width(&moments, confidence).and_then(|half| Interval::around(moments.mean, half));
    Some(Estimate { value: moments.mean, interval, launches: moments.count })
}

/// A ratio from one log ratio a launch: mean and interval of the logarithms, carried back, so the mean is the geometric
/// one and the interval of the inverse is the inverse of the interval.
///
/// `None` as above, and when the ratio is 0 or infinite.
pub fn ratio_over_launches(log_ratios: &[f64], confidence: f64) -> Option<Estimate> {
    mean_over_launches(log_ratios, confidence)?.exp()
}

/// The same about an estimate of the mean logarithm that other launches tell of as well: those which lack this number. `allowance`:
/// see [`allowing`]; 0 for none.
pub fn ratio_about(mean: f64, log_ratios: &[f64], confidence: f64, allowance: f64) -> Option<Estimate> {
    let moments = Moments::of(log_ratios)?;
    let half = half_width_allowing(&moments, confidence, allowance);
    let interval = half.and_then(|half| Interval::around(mean, half));
    mean.is_finite().then_some(Estimate { value: mean, interval, launches: moments.count })?.exp()
}

/// A standard error that also covers a shift of unknown sign by at most `allowance` (at least 0): the interval at [`CONFIDENCE`] is
/// as wide as the root of the sum of both squares. `None` where the allowance is no number.
pub fn allowing(standard_error: f64, allowance: f64, student: &StudentT) -> Option<f64> {
    if allowance == 0.0 {
        return Some(standard_error);
    }
    let critical = student.two_sided_critical(1.0 - CONFIDENCE)?;
    let wider = standard_error.hypot(allowance / critical);
    wider.is_finite().then_some(wider)
}

/// t(n - 1) s / sqrt(n).
pub(crate) fn half_width(moments: &Moments, confidence: f64) -> Option<f64> {
    half_width_allowing(moments, confidence, 0.0)
}

fn half_width_allowing(moments: &Moments, confidence: f64, allowance: f64) -> Option<f64> {
    if !(0.0 < confidence && confidence < 1.0) || moments.count < LEAST_FOR_INTERVAL {
        return None;
    }
    let student = StudentT::new(moments.count as f64 - 1.0)?;
    let standard_error = allowing(moments.standard_error()?, allowance, &student)?;
    Some(student.two_sided_critical(1.0 - confidence)? * standard_error)
}

impl Estimate {
    /// From a logarithm to what it is the logarithm of; `None` when that is 0 or infinite.
    pub(crate) fn exp(&self) -> Option<Self> {
        let value = self.value.exp();
        let interval = self.interval.and_then(|interval| interval.exp());
        (value > 0.0 && value.is_finite()).then_some(Self { value, interval, launches: self.launches })
    }

    /// The interval's lower end.
    pub fn low(&self) -> Option<f64> {
        self.interval.map(|interval| interval.low)
    }

    /// The interval's upper end.
    pub fn high(&self) -> Option<f64> {
        self.interval.map(|interval| interval.high)
    }

    /// Half of the interval's width, relative to the value; `None` without an interval, and when it is not finite.
    pub fn relative_half_width(&self) -> Option<f64> {
        let interval = self.interval?;
        let half = (interval.high / 2.0 - interval.low / 2.0) / self.value.abs();
        half.is_finite().then_some(half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_answers() {
        assert_eq!(mean_over_launches(&[], 0.95), None);
        assert_eq!(mean_over_launches(&[1.0, f64::INFINITY], 0.95), None);
        let one = mean_over_launches(&[7.0], 0.95).unwrap();
        assert_eq!(one, Estimate { value: 7.0, interval: None, launches: 1 });
        assert_eq!((one.low(), one.high(), one.relative_half_width()), (None, None, None));
        // Mean 3, s = sqrt(5/2), t(4) = 2.776445: 3 +- 1.963243.
        let five = mean_over_launches(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95).unwrap();
        assert_eq!((five.value, five.launches), (3.0, 5));
        assert!((five.low().unwrap() - 1.036_757).abs() < 1e-6);
        assert!((five.high().unwrap() - 4.963_243).abs() < 1e-6);
        assert!((five.relative_half_width().unwrap() - 0.654_414).abs() < 1e-6);
        let equal = mean_over_launches(&[0.1; 6], 0.95).unwrap();
        assert_eq!(equal.interval, Some(Interval { low: 0.1, high: 0.1 }));
        assert_eq!(mean_over_launches(&[1.0, 2.0, 3.0], 1.0).unwrap().interval, None);
        let two = mean_over_launches(&[1.0, 2.0], 0.95).unwrap();
        assert_eq!((two.value, two.interval), (1.5, None), "two launches have no interval");
        let about = ratio_about(0.5, &[0.1, 0.2, 0.3], 0.95, 0.0).unwrap();
        let own = ratio_over_launches(&[0.4, 0.5, 0.6], 0.95).unwrap();
        assert!((about.low().unwrap() - own.low().unwrap()).abs() < 1e-12 && about.value == 0.5_f64.exp());
    }

    /// s = 0.1, so t(2) s / sqrt(3) = 4.302653 x 0.057735 = 0.248414; with 0.3 beside it 0.389499.
    #[test]
    fn an_allowance_widens_by_the_sum_of_squares() {
        let half = |allowance| {
            let about = ratio_about(0.0, &[-0.1, 0.0, 0.1], 0.95, allowance)?;
            Some(about.high()?.ln())
        };
        assert!((half(0.0).unwrap() - 0.248_414).abs() < 1e-6);
        assert!((half(0.3).unwrap() - 0.389_499).abs() < 1e-6);
        assert_eq!((half(f64::NAN), half(f64::INFINITY)), (None, None));
    }

    #[test]
    fn a_ratio_is_a_geometric_mean() {
        let ratio = ratio_over_launches(&[2.0_f64.ln(), 8.0_f64.ln()], 0.95).unwrap();
        assert!((ratio.value - 4.0).abs() < 1e-12);
        assert_eq!(ratio_over_launches(&[1e4], 0.95), None);
        assert_eq!(ratio_over_launches(&[-1e4], 0.95), None);
        // The value is there, the interval beyond what a number holds.
        assert_eq!(ratio_over_launches(&[-700.0, 0.0, 700.0], 0.95).unwrap().interval, None);
    }

    #[test]
    fn intervals() {
        let of = |low, high| Interval { low, high };
        assert!(of(1.0, 2.0).holds(2.0) && !of(1.0, 2.0).holds(2.1));
        assert!(of(1.0, 2.0).is_inside(&of(1.0, 2.0)) && !of(0.9, 2.0).is_inside(&of(1.0, 2.0)));
        assert!(of(1.0, 2.0).is_apart_from(&of(2.1, 3.0)) && !of(1.0, 2.0).is_apart_from(&of(2.0, 3.0)));
        assert_eq!(of(-1e4, 0.0).exp(), None);
        assert_eq!(of(0.0, 1e4).exp(), None);
    }

    proptest! {
        #[test]
        fn a_finite_estimate_or_none(values in proptest::collection::vec(any::<f64>(), 0..20), confidence: f64) {
            let estimates =
                [mean_over_launches(&values, confidence), ratio_over_launches(&values, confidence)];
            for estimate in estimates.into_iter().flatten() {
                prop_assert!(estimate.value.is_finite());
                prop_assert_eq!(estimate.launches, values.len());
                if let Some(interval) = estimate.interval {
                    prop_assert!(interval.holds(estimate.value));
                    prop_assert!(interval.low.is_finite() && interval.high.is_finite());
                }
            }
        }

        /// The oracle: the ends are the true means that a t test at the same level just does not reject.
        #[test]
        fn the_ends_are_where_a_test_rejects(
            values in proptest::collection::vec(-1e3..1e3_f64, 3..30), confidence in 0.5..0.999_f64,
        ) {
            let estimate = mean_over_launches(&values, confidence).unwrap();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
            prop_assume!(spread > 1e-6);
            for end in [estimate.low().unwrap(), estimate.high().unwrap()] {
                let p = StudentT::new(n - 1.0).unwrap().two_sided_p((mean - end) / spread);
                prop_assert!((p - (1.0 - confidence)).abs() < 1e-6);
            }
        }

        #[test]
        fn swapping_a_ratio_turns_it_over(logs in proptest::collection::vec(-5.0..5.0_f64, 2..20)) {
            let one = ratio_over_launches(&logs, 0.95).unwrap();
            let other = ratio_over_launches(&logs.iter().map(|l| -l).collect::<Vec<_>>(), 0.95).unwrap();
            prop_assert!((one.value * other.value - 1.0).abs() < 1e-9);
            if let (Some(low), Some(high)) = (one.low(), other.high()) {
                prop_assert!((low * high - 1.0).abs() < 1e-9);
            }
        }
    }
}
