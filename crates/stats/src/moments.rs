/// How many numbers there are, their mean, and their variance when there are two or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moments {
    pub(crate) count: usize,
    pub(crate) mean: f64,
    /// The unbiased one, over count - 1.
    pub(crate) variance: Option<f64>,
}

impl Moments {
    /// `None` when there are no values, one of them is not finite, or their mean or variance is not.
    ///
    /// In two passes and about the first value, so that equal values have a variance of exactly 0.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let first = *values.first()?;
        let count = values.len();
        let n = count as f64;
        let offset = values.iter().map(|value| value - first).sum::<f64>() / n;
        let mean = first + offset;
        let squares: f64 =
            values.iter().map(|value| (value - first - offset) * (value - first - offset)).sum();
        let variance = (count > 1).then(|| squares / (n - 1.0));
        // A value that is not finite makes the mean or the sum of squares not finite.
        (mean.is_finite() && squares.is_finite()).then_some(Self { count, mean, variance })
    }

    /// The standard error of the mean.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        self.variance.map(|variance| (variance / self.count as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_answers() {
        assert_eq!(Moments::of(&[]), None);
        assert_eq!(Moments::of(&[1.0, f64::INFINITY]), None);
        assert_eq!(Moments::of(&[f64::NAN]), None);
        assert_eq!(Moments::of(&[f64::MAX, -f64::MAX]), None);
        assert_eq!(Moments::of(&[0.1]), Some(Moments { count: 1, mean: 0.1, variance: None }));
        assert_eq!(Moments::of(&[0.1; 7]), Some(Moments { count: 7, mean: 0.1, variance: Some(0.0) }));
        let some = Moments::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((some.mean, some.variance), (5.0, Some(32.0 / 7.0)));
        assert_eq!(some.standard_error(), Some(2.0 / 7.0_f64.sqrt()));
    }

    proptest! {
        /// The oracle: half the mean squared difference of all pairs.
        #[test]
        fn the_variance_agrees_with_all_pairs(values in proptest::collection::vec(-1e3..1e3_f64, 2..20)) {
            let n = values.len() as f64;
            let squares: f64 = values.iter().flat_map(|a| values.iter().map(move |b| (a - b) * (a - b))).sum();
            let variance = Moments::of(&values).unwrap().variance.unwrap();
            prop_assert!((variance - squares / (2.0 * n * (n - 1.0))).abs() < 1e-6);
        }

        #[test]
        fn the_mean_lies_within(values in proptest::collection::vec(any::<f64>(), 0..20)) {
            if let Some(moments) = Moments::of(&values) {
                let slack = 1e-12 * values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
                prop_assert!(values.iter().any(|value| *value <= moments.mean + slack));
                prop_assert!(values.iter().any(|value| *value >= moments.mean - slack));
                prop_assert!(moments.variance.is_none_or(|variance| variance >= 0.0));
            }
        }
    }
}
