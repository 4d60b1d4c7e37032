/// P(X <= successes) for X binomial (trials, p), summed term by term from none upward; for few expected successes, since the first term,
/// (1 - p)^trials, must not vanish: up to some hundred. `None` when `p` is no probability.
pub fn binomial_at_most(successes: u64, trials: u64, p: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    if successes >= trials || p == 0.0 {
        return Some(1.0);
    }
    let odds = p / (1.0 - p);
    let mut term = (trials as f64 * (-p).ln_1p()).exp();
    let mut sum = term;
    for k in 0..successes {
        term *= (trials - k) as f64 / (k + 1) as f64 * odds;
        sum += term;
    }
    Some(sum.min(1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_answers() {
        let near = |value: Option<f64>, wanted: f64| {
            assert!(value.is_some_and(|value| (value - wanted).abs() < 1e-9), "{value:?}, not {wanted}");
        };
        near(binomial_at_most(0, 10, 0.5), 1.0 / 1024.0);
        near(binomial_at_most(1, 10, 0.5), 11.0 / 1024.0);
        near(binomial_at_most(2, 4, 0.25), 1.0 - 12.0 / 256.0 - 1.0 / 256.0);
        near(binomial_at_most(0, 299, 0.01), 0.99_f64.powi(299));
        assert_eq!(binomial_at_most(7, 7, 0.3), Some(1.0));
        assert_eq!(binomial_at_most(0, 7, 0.0), Some(1.0));
        assert_eq!(binomial_at_most(1, 2, f64::NAN), None);
    }

    /// By the tree of all trials.
    fn by_trials(successes: u64, trials: u64, p: f64) -> f64 {
        let mut shares = vec![1.0];
        for _ in 0..trials {
            let mut next = vec![0.0; shares.len() + 1];
            for (k, share) in shares.iter().enumerate() {
                next[k] += share * (1.0 - p);
                next[k + 1] += share * p;
            }
            shares = next;
        }
        shares.iter().take(successes as usize + 1).sum()
    }

    proptest! {
        #[test]
        fn agrees_with_the_tree_of_all_trials(successes in 0_u64..60, trials in 0_u64..60, p in 0.0..0.99_f64) {
            let told = binomial_at_most(successes, trials, p).expect("a probability");
            prop_assert!((told - by_trials(successes, trials, p)).abs() < 1e-9);
        }

        #[test]
        fn is_a_probability_that_rises(successes in 0_u64..2_000, trials in 0_u64..2_000, p in 0.0..0.05_f64) {
            let (less, more) = (binomial_at_most(successes, trials, p), binomial_at_most(successes + 1, trials, p));
            let (less, more) = (less.expect("a probability"), more.expect("a probability"));
            prop_assert!((0.0..=1.0).contains(&less) && less <= more);
        }
    }
}
