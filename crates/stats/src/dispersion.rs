//! Whether groups of tosses of a fair coin scatter as groups of tosses do.

/// Smaller groups say nothing, so that what is said of small sums holds.
pub const LEAST_GROUP: u64 = 1_000;

/// How much groups of tosses scatter around one half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dispersion {
    /// Groups of at least [`LEAST_GROUP`] tosses.
    pub groups: usize,
    /// The sum over groups of z^2, z = (2 k - n) / sqrt(n) with k successes of n; as many as there are groups are expected.
    pub sum_of_squares: f64,
    /// Scattering at least as much is at most so likely.
    pub p_more: f64,
    /// Scattering at least as little is at most so likely.
    pub p_less: f64,
}

/// The scatter of groups of `(successes, tosses)` of a fair coin; `None` without a group that is large enough.
///
/// Of W groups the sum x of squared z has nearly the chi-square distribution with W degrees of freedom. The p-values are Chernoff's bounds
/// of its tails, `exp(l x) (1 + 2 l)^(-W/2)` at the best l, which is l = (W / x - 1) / 2:
///
/// ```text
/// p <= exp(-(x - W - W ln(x / W)) / 2)
/// ```
///
/// For the upper tail that holds for tosses themselves, however few: all moments of z^2 are at most those of a squared normal
/// number (Khintchine's inequality with the constants of the normal distribution; Boucheron, Lugosi and Massart, "Concentration
/// Inequalities", 2013, 2.2 and 5.4). In the lower tail `E exp(-l z^2)` exceeds the normal one by no more than
/// 2 exp(-pi^2 n / (16 l)), so that l goes no higher than n / 200 with the least n, where that is below 1e-50.
pub fn dispersion(groups: impl IntoIterator<Item = (u64, u64)>) -> Option<Dispersion> {
    let (mut count, mut sum_of_squares) = (0_usize, 0.0);
    for (successes, tosses) in groups {
        if tosses >= LEAST_GROUP && successes <= tosses {
            let excess = successes as f64 - (tosses - successes) as f64;
            count += 1;
            sum_of_squares += excess / tosses as f64 * excess;
        }
    }
    let expected = count as f64;
    (count > 0).then(|| Dispersion {
        groups: count,
        sum_of_squares,
        p_more: more(expected, sum_of_squares),
        p_less: less(expected, sum_of_squares),
    })
}

/// The bound of the upper tail, at the best l, which is negative there.
fn more(expected: f64, sum: f64) -> f64 {
    if sum > expected { (-(sum - expected - expected * (sum / expected).ln()) / 2.0).exp() } else { 1.0 }
}

/// The bound of the lower tail, in logarithms.
fn less(expected: f64, sum: f64) -> f64 {
    let at = ((expected / sum - 1.0) / 2.0).clamp(0.0, LEAST_GROUP as f64 / 200.0);
    (at * sum - expected / 2.0 * (2.0 * at).ln_1p()).min(0.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    #[test]
    fn known_answers() {
        assert_eq!(dispersion([]), None);
        assert_eq!(dispersion([(0, 999), (1_001, 1_000)]), None, "too few, and no count of tosses");
        // z = 0 and z = (2 * 560 - 1000) / sqrt(1000), so z^2 = 14.4.
        let found = dispersion([(500, 1_000), (560, 1_000)]).unwrap();
        assert_eq!((found.groups, found.p_less), (2, 1.0));
        assert!((found.sum_of_squares - 14.4).abs() < 1e-9);
        // exp(-(14.4 - 2 - 2 ln 7.2) / 2), by hand.
        assert!((found.p_more / 0.014_611_9 - 1.0).abs() < 1e-4, "{}", found.p_more);
        // As even as can be: exp(0) 11^(-W/2) at l = 5.
        let even = dispersion([(500, 1_000); 8]).unwrap();
        assert_eq!((even.sum_of_squares, even.p_more), (0.0, 1.0));
        assert!((even.p_less * 14_641.0 - 1.0).abs() < 1e-9, "{}", even.p_less);
        // As expected.
        let usual = dispersion([(500, 1_000), (500, 1_000), (500, 1_000), (500 + 31, 1_000)]).unwrap();
        assert!(usual.p_more > 0.9 && usual.p_less > 0.9, "{usual:?}");
        let huge = dispersion([(0, u64::MAX); 3]).unwrap();
        assert_eq!((huge.p_more, huge.p_less), (0.0, 1.0));
    }

    /// The oracle: the exact tail of the chi-square distribution with an even number of degrees of freedom, a finite sum.
    fn chi_square_above(x: f64, groups: usize) -> f64 {
        let mut term = (-x / 2.0).exp();
        let mut sum = 0.0;
        for k in 0..groups / 2 {
            sum += term;
            term *= x / 2.0 / (k + 1) as f64;
        }
        sum
    }

    fn of_sum(groups: usize, sum: f64) -> (f64, f64) {
        (more(groups as f64, sum), less(groups as f64, sum))
    }

    proptest! {
        #[test]
        fn is_a_bound_of_chi_square_and_no_loose_one(half in 1_usize..60, share in 0.02..6.0_f64) {
            let groups = 2 * half;
            let x = share * groups as f64;
            let (above, below) = (chi_square_above(x, groups), 1.0 - chi_square_above(x, groups));
            let (more, less) = of_sum(groups, x);
            prop_assert!(more >= above * (1.0 - 1e-9) && less >= below - 1e-9);
            // Chernoff's bound loses a factor that grows with the square root of the exponent only.
            prop_assume!(x > groups as f64);
            prop_assert!(more <= above * 12.0 * (1.0 + (x / 2.0).sqrt()), "{more} {above}");
        }

        /// The other oracle: few tosses, all outcomes of two groups counted. There the normal distribution is farthest from the truth.
        #[test]
        fn holds_for_few_tosses(n in 1_u64..40, x in 2.0..60.0_f64) {
            let mut row = vec![1.0_f64];
            for _ in 0..n {
                let next = |k: usize| row.get(k).copied().unwrap_or(0.0) + if k > 0 { row[k - 1] } else { 0.0 };
                row = (0..=row.len()).map(next).collect();
            }
            let square = |k: usize| (2.0 * k as f64 - n as f64).powi(2) / n as f64;
            let all = 0.25_f64.powi(n as i32);
            let mut above = 0.0;
            for (i, a) in row.iter().enumerate() {
                for (j, b) in row.iter().enumerate() {
                    above += if square(i) + square(j) >= x { a * b * all } else { 0.0 };
                }
            }
            prop_assert!(above <= of_sum(2, x).0 * (1.0 + 1e-9));
        }

        #[test]
        fn any_counts_give_probabilities(groups in proptest::collection::vec(any::<(u64, u64)>(), 0..20)) {
            if let Some(found) = dispersion(groups) {
                prop_assert!((0.0..=1.0).contains(&found.p_more) && (0.0..=1.0).contains(&found.p_less));
                prop_assert!(found.p_more == 1.0 || found.p_less == 1.0);
            }
        }
    }

    #[test]
    fn fair_groups_are_seldom_accused() {
        let mut random = SplitMix64::new(5);
        let runs = 2_000;
        let accused = |found: &Dispersion| found.p_more.min(found.p_less) < 0.005;
        let times = (0..runs).filter(|_| {
            let group = |_| {
                // 1,024 tosses are sixteen words of 64 bits.
                let successes: u64 = (0..16).map(|_| u64::from(random.next_u64().count_ones())).sum();
                (successes, 1_024)
            };
            accused(&dispersion((0..12).map(group).collect::<Vec<_>>()).unwrap())
        });
        // At most 1 % in truth, and three standard deviations of chance.
        assert!(times.count() < 20 + 14);
    }
}
