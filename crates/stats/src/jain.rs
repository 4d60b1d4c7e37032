/// Jain's fairness index, (sum x)^2 / (n sum x^2): 1 when all shares are equal, 1/n when one has all.
///
/// Source: Jain, Chiu and Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301, 1984. `None`
/// when there are no shares or all are 0.
pub fn jains_index(shares: &[u64]) -> Option<f64> {
    let most = *shares.iter().max()? as f64;
    // Scaled to the largest share, so that squares neither overflow nor vanish.
    let scaled = shares.iter().map(|share| *share as f64 / most);
    let (sum, squares) = scaled.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    let index = sum * sum / (shares.len() as f64 * squares);
    index.is_finite().then(|| index.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_answers() {
        assert_eq!(jains_index(&[]), None);
        assert_eq!(jains_index(&[0, 0]), None);
        assert_eq!(jains_index(&[5, 5, 5, 5]), Some(1.0));
        assert_eq!(jains_index(&[9, 0, 0, 0]), Some(0.25));
        // (1 + 2 + 3)^2 / (3 * 14)
        assert!((jains_index(&[1, 2, 3]).unwrap() - 36.0 / 42.0).abs() < 1e-12);
    }

    proptest! {
        /// The oracle: 1 / (1 + the squared coefficient of variation).
        #[test]
        fn agrees_with_the_coefficient_of_variation(shares in proptest::collection::vec(1u64..1_000_000, 1..60)) {
            let n = shares.len() as f64;
            let mean = shares.iter().sum::<u64>() as f64 / n;
            let variance = shares.iter().map(|x| (*x as f64 - mean).powi(2)).sum::<f64>() / n;
            let expected = 1.0 / (1.0 + variance / (mean * mean));
            prop_assert!((jains_index(&shares).unwrap() - expected).abs() < 1e-9);
        }

        #[test]
        fn lies_between_one_of_n_and_one(shares in proptest::collection::vec(any::<u64>(), 1..60)) {
            if let Some(index) = jains_index(&shares) {
                prop_assert!(index <= 1.0 && index >= 1.0 / shares.len() as f64 - 1e-9);
            }
        }
    }
}
