/// The median: the middle value, or the mean of the two middle ones.
///
/// Infinite values take their place in the order; `None` when there are no values, when one is not a number, or when
/// the two middle values have no finite mean.
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = median_of_sorted(&sorted);
    median.is_finite().then_some(median)
}

/// The lower of the two middle values where there are two, so that it is a value that was seen; `None` of no values.
pub fn lower_median<T: Ord>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut sorted: Vec<T> = values.into_iter().collect();
    sorted.sort_unstable();
    let middle = sorted.len().checked_sub(1)? / 2;
    sorted.into_iter().nth(middle)
}

/// The same as [`median`] of values that are sorted, of which there must be one, and which must be numbers.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        // Halved first, so that two huge values do not overflow.
        sorted[middle - 1] / 2.0 + sorted[middle] / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_lower_one_is_a_value_that_was_seen() {
        assert_eq!(lower_median([4, 1, 3, 2]), Some(2));
        assert_eq!((lower_median([7]), lower_median::<u8>([])), (Some(7), None));
    }

    #[test]
    fn known_answers() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[9.0, 1.0]), Some(5.0));
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(median(&[f64::NEG_INFINITY, 1.0, 2.0]), Some(1.0));
        assert_eq!(median(&[f64::NEG_INFINITY, f64::NEG_INFINITY, 2.0]), None);
        assert_eq!(median(&[f64::MAX, f64::MAX]), Some(f64::MAX));
    }

    /// The oracle: the value that as many lie above as below, found by counting.
    fn by_counting(values: &[f64]) -> f64 {
        let half = values.len() / 2;
        let at = |rank: usize| {
            *values
                .iter()
                .find(|v| {
                    let below = values.iter().filter(|o| o < v).count();
                    let not_above = values.iter().filter(|o| o <= v).count();
                    below <= rank && rank < not_above
                })
                .unwrap()
        };
        if values.len() % 2 == 1 { at(half) } else { at(half - 1) / 2.0 + at(half) / 2.0 }
    }

    proptest! {
        #[test]
        fn agrees_with_counting(values in proptest::collection::vec(-1e6..1e6_f64, 1..30)) {
            prop_assert_eq!(median(&values), Some(by_counting(&values)));
        }

        #[test]
        fn lies_within_and_ignores_order(mut values in proptest::collection::vec(-1e9..1e9_f64, 1..40)) {
            let before = median(&values).unwrap();
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(least <= before && before <= most);
            values.reverse();
            prop_assert_eq!(median(&values), Some(before));
        }
    }
}
