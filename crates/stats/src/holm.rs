/// Holm's adjusted p-values, in the order given: a hypothesis whose adjusted p-value is at most `level` may be
/// rejected, and the probability of even one false rejection stays at most `level`, however the tests depend on one
/// another.
///
/// The k-th smallest of m is multiplied by m - k + 1, and is at least the one before it, at most 1. Source: Holm, "A
/// simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979. What is no
/// number counts as 1: a test that could not be made.
pub fn holm_adjusted(p_values: &[f64]) -> Vec<f64> {
    let of = |at: usize| if p_values[at].is_nan() { 1.0 } else { p_values[at].clamp(0.0, 1.0) };
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_unstable_by(|a, b| of(*a).total_cmp(&of(*b)));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut greatest = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        greatest = greatest.max(of(at) * (p_values.len() - rank) as f64).min(1.0);
        adjusted[at] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computed with R 4.2.2: p.adjust(p, "holm").
    #[test]
    fn known_answers() {
        assert!(holm_adjusted(&[]).is_empty());
        assert_eq!(holm_adjusted(&[0.3]), [0.3]);
        let adjusted = holm_adjusted(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-15, "{adjusted:?}");
        }
        assert_eq!(holm_adjusted(&[f64::NAN, 0.02]), [1.0, 0.04]);
        assert_eq!(holm_adjusted(&[0.9, 0.8]), [1.0, 1.0]);
    }

    /// The oracle: Holm's own words, one rejection after another.
    fn rejected(p_values: &[f64], level: f64) -> Vec<bool> {
        let mut rejected = vec![false; p_values.len()];
        loop {
            let left = rejected.iter().filter(|done| !**done).count();
            let next = (0..p_values.len())
                .filter(|at| !rejected[*at])
                .min_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
            match next {
                Some(at) if p_values[at] * left as f64 <= level => rejected[at] = true,
                _ => return rejected,
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_procedure(
            p_values in proptest::collection::vec(0.0..0.2_f64, 0..12), level in 0.001..0.9_f64,
        ) {
            let by_adjusted: Vec<bool> = holm_adjusted(&p_values).iter().map(|p| *p <= level).collect();
            prop_assert_eq!(by_adjusted, rejected(&p_values, level));
        }

        #[test]
        fn between_the_p_value_and_bonferroni(p_values in proptest::collection::vec(0.0..=1.0_f64, 1..30)) {
            let m = p_values.len() as f64;
            for (p, adjusted) in p_values.iter().zip(holm_adjusted(&p_values)) {
                prop_assert!(*p <= adjusted && adjusted <= (p * m).min(1.0));
            }
        }
    }
}
