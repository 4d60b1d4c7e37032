/// Up to this many tosses the binomial tail is summed exactly; above, the normal approximation with continuity
/// correction is within 1 % of it wherever the probability exceeds 1e-9.
const EXACT_UP_TO: u64 = 1_000_000;

/// How likely a fair coin is to show `successes` of `tosses`, or a split at least as uneven: the two-sided exact
/// binomial test of one half. `None` when there were no tosses or fewer tosses than successes.
pub fn fair_coin_p_value(successes: u64, tosses: u64) -> Option<f64> {
    if tosses == 0 || successes > tosses {
        return None;
    }
    let fewer = successes.min(tosses - successes);
    let one_sided =
        if tosses <= EXACT_UP_TO { exact_tail(fewer, tosses) } else { normal_tail(fewer, tosses) };
    Some((2.0 * one_sided).clamp(0.0, 1.0))
}

/// P(X <= fewer) for X binomial (tosses, 1/2): from the largest term downward until nothing is added.
fn exact_tail(fewer: u64, tosses: u64) -> f64 {
    let (k, n) = (fewer as f64, tosses as f64);
    let ln_largest = libm::lgamma(n + 1.0)
        - libm::lgamma(k + 1.0)
        - libm::lgamma(n - k + 1.0)
        - n * std::f64::consts::LN_2;
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut at = k;
    while at > 0.0 && term > sum * f64::EPSILON {
        term *= at / (n - at + 1.0);
        sum += term;
        at -= 1.0;
    }
    ln_largest.exp() * sum
}

/// The same by the normal distribution.
fn normal_tail(fewer: u64, tosses: u64) -> f64 {
    let more = tosses - fewer;
    let deviation = (more - fewer).saturating_sub(1) as f64 / (tosses as f64).sqrt();
    libm::erfc(deviation / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computed with mpmath 1.3.0 at 50 digits, by summing the tail; the small ones also with exact fractions.
    const VECTORS: [(u64, u64, f64); 19] = [
        (0, 1, 1.0),
        (5, 10, 1.0),
        (8, 10, 0.109_375),
        (0, 20, 1.907_348_632_812_5e-6),
        (20, 20, 1.907_348_632_812_5e-6),
        (40, 100, 0.056_887_933_640_980_79),
        (30, 100, 7.850_139_645_593_67e-5),
        (450, 1_000, 0.001_730_536_084_976_317_6),
        (400, 1_000, 2.728_464_156_066_018e-10),
        (4_800, 10_000, 6.593_515_598_672_442e-5),
        (5_300, 10_000, 2.076_033_695_920_725e-9),
        (50_000, 100_001, 1.0),
        (499_000, 1_000_000, 0.045_608_299_865_382_09),
        (497_000, 1_000_000, 1.985_149_763_923_020_8e-9),
        (1_000_700, 2_000_001, 0.322_890_686_339_658_3),
        (1_004_000, 2_000_000, 1.548_021_777_740_177_8e-8),
        (5_008_000, 10_000_000, 4.207_342_466_630_779e-7),
        (50_020_000, 100_000_000, 6.336_924_167_794_356e-5),
        (50_028_000, 100_000_000, 2.144_753_169_259_322e-8),
    ];

    #[test]
    fn known_answers() {
        for (successes, tosses, expected) in VECTORS {
            let p = fair_coin_p_value(successes, tosses).unwrap();
            let allowed = if tosses <= EXACT_UP_TO { 1e-7 } else { 1e-2 };
            assert!(
                (p / expected - 1.0).abs() < allowed,
                "{successes} of {tosses}: {p}, expected {expected}"
            );
        }
        assert_eq!(fair_coin_p_value(0, 0), None);
        assert_eq!(fair_coin_p_value(2, 1), None);
        assert_eq!(fair_coin_p_value(0, u64::MAX), Some(0.0));
        assert_eq!(fair_coin_p_value(u64::MAX / 2, u64::MAX), Some(1.0));
    }

    /// The oracle: Pascal's triangle in whole numbers.
    fn by_pascal(successes: u64, tosses: u64) -> f64 {
        let mut row = vec![1u128];
        for _ in 0..tosses {
            let mut next = vec![1u128];
            next.extend(row.windows(2).map(|pair| pair[0] + pair[1]));
            next.push(1);
            row = next;
        }
        let fewer = successes.min(tosses - successes) as usize;
        let tail: u128 = row[..=fewer].iter().sum();
        ((2 * tail) as f64 / (1u128 << tosses) as f64).min(1.0)
    }

    proptest! {
        #[test]
        fn agrees_with_pascals_triangle(tosses in 1u64..100, share in 0.0..=1.0_f64) {
            let successes = (share * tosses as f64) as u64;
            let p = fair_coin_p_value(successes, tosses).unwrap();
            prop_assert!((p / by_pascal(successes, tosses) - 1.0).abs() < 1e-10);
        }

        #[test]
        fn is_a_symmetric_probability(successes in any::<u64>(), tosses in any::<u64>()) {
            let p = fair_coin_p_value(successes, tosses);
            prop_assert_eq!(p.is_none(), tosses == 0 || successes > tosses);
            if let Some(p) = p {
                prop_assert!((0.0..=1.0).contains(&p));
                prop_assert_eq!(fair_coin_p_value(tosses - successes, tosses), Some(p));
            }
        }

        #[test]
        fn a_more_uneven_split_is_less_likely(tosses in 2u64..2_000_000, share in 0.0..0.5_f64) {
            let successes = (share * tosses as f64) as u64;
            let p = fair_coin_p_value(successes, tosses).unwrap();
            let more_uneven = fair_coin_p_value(successes.saturating_sub(1), tosses).unwrap();
            prop_assert!(more_uneven <= p * (1.0 + 1e-9));
        }
    }
}
