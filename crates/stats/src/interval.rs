//! An estimate over launches and the interval around it: the one place that decides how wide it is.
//!
//! The interval is the range over launches. It has no stated coverage, but it is never narrower than what was seen.

/// A mean over launches with its interval; all three are finite and `low <= value <= high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// How many launches it rests on.
    pub launches: usize,
}

/// The estimate from one number a launch. `None` when there are none or one is not finite.
pub fn over_launches(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Divided first, so that huge values do not overflow; clamped, because rounding may leave the range.
    let n = values.len() as f64;
    let value = values.iter().map(|value| value / n).sum::<f64>().clamp(low, high);
    Some(Estimate { value, low, high, launches: values.len() })
}

/// The estimate of a ratio from one log ratio a launch: the mean of the logarithms, carried back. `None` when there
/// are none or the ratio is not finite.
pub fn ratio_over_launches(log_ratios: &[f64]) -> Option<Estimate> {
    let logs = over_launches(log_ratios)?;
    let ratio = Estimate { value: logs.value.exp(), low: logs.low.exp(), high: logs.high.exp(), ..logs };
    [ratio.low, ratio.value, ratio.high].iter().all(|end| end.is_finite() && *end > 0.0).then_some(ratio)
}

impl Estimate {
    /// Whether the intervals have no point in common.
    pub fn is_apart_from(&self, other: &Self) -> bool {
        self.high < other.low || other.high < self.low
    }

    /// Half of the interval's width, relative to the value; `None` when that is not finite.
    pub fn relative_half_width(&self) -> Option<f64> {
        let half = (self.high / 2.0 - self.low / 2.0) / self.value.abs();
        half.is_finite().then_some(half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_answers() {
        assert_eq!(over_launches(&[]), None);
        assert_eq!(over_launches(&[1.0, f64::INFINITY]), None);
        assert_eq!(over_launches(&[1.0, f64::NAN]), None);
        let estimate = over_launches(&[98.0, 100.0, 105.0]).unwrap();
        assert_eq!(estimate, Estimate { value: 101.0, low: 98.0, high: 105.0, launches: 3 });
        assert!((estimate.relative_half_width().unwrap() - 3.5 / 101.0).abs() < 1e-12);
    }

    #[test]
    fn a_ratio_is_the_geometric_mean() {
        let estimate = ratio_over_launches(&[2f64.ln(), 8f64.ln()]).unwrap();
        assert!((estimate.value - 4.0).abs() < 1e-12);
        assert!((estimate.low - 2.0).abs() < 1e-12);
        assert!((estimate.high - 8.0).abs() < 1e-12);
        assert_eq!(ratio_over_launches(&[1e6]), None, "too large for a ratio");
        assert_eq!(ratio_over_launches(&[-1e6]), None, "too small for a ratio");
    }

    #[test]
    fn touching_intervals_are_not_apart() {
        let at = |low, high| Estimate { value: (low + high) / 2.0, low, high, launches: 5 };
        assert!(!at(1.0, 2.0).is_apart_from(&at(2.0, 3.0)));
        assert!(at(1.0, 2.0).is_apart_from(&at(2.1, 3.0)));
        assert!(at(2.1, 3.0).is_apart_from(&at(1.0, 2.0)));
    }

    proptest! {
        #[test]
        fn any_numbers_give_an_ordered_finite_estimate_or_none(values in proptest::collection::vec(any::<f64>(), 0..20)) {
            for estimate in [over_launches(&values), ratio_over_launches(&values)].into_iter().flatten() {
                prop_assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
                prop_assert!(estimate.low.is_finite() && estimate.high.is_finite());
                prop_assert!(estimate.relative_half_width().is_none_or(f64::is_finite));
            }
        }

        #[test]
        fn the_mean_agrees_with_a_running_mean(values in proptest::collection::vec(-1e6..1e6_f64, 1..50)) {
            let mut running = 0.0;
            for (seen, value) in values.iter().enumerate() {
                running += (value - running) / (seen + 1) as f64;
            }
            prop_assert!((over_launches(&values).unwrap().value - running).abs() < 1e-6);
        }

        #[test]
        fn swapping_a_ratio_turns_it_over(logs in proptest::collection::vec(-5.0..5.0_f64, 1..20)) {
            let one = ratio_over_launches(&logs).unwrap();
            let other = ratio_over_launches(&logs.iter().map(|l| -l).collect::<Vec<_>>()).unwrap();
            prop_assert!((one.value * other.value - 1.0).abs() < 1e-9);
            prop_assert!((one.low * other.high - 1.0).abs() < 1e-9);
        }
    }
}
