//! Whether a coin is fair: draws half true, wins half for each bet, successive draws on a connection uncorrelated.

use schemars::JsonSchema;
use serde::Serialize;
use velo_record::{CoinCounts, Window};
use velo_stats::fair_coin_p_value;

use crate::words::percent_1;

/// How often a run with fair coins only may accuse one.
const FALSE_ALARM_A_RUN: f64 = 1e-6;
/// How many tests each coin gets.
const TESTS: usize = 4;

/// What was found of a coin, over all windows of a row.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CoinFinding {
    /// Whether every test was passed.
    pub fair: bool,
    /// The tests.
    pub tests: Vec<CoinTest>,
}

/// One test of a coin against one half.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CoinTest {
    /// What was counted: `draws true`.
    pub counted: String,
    /// How often.
    pub successes: u64,
    /// Of how many.
    pub of: u64,
    /// How likely a fair coin is to be at least as uneven; `None`: nothing was counted.
    pub p_value: Option<f64>,
    /// The test accuses below this: the false alarms allowed a run, shared by all tests of the run (Bonferroni).
    pub accused_below: f64,
    /// Whether the test was passed; nothing counted accuses nobody.
    pub passed: bool,
}

/// The level of one test when `coins` coins are tested in the run.
pub(crate) fn level(coins: usize) -> f64 {
    FALSE_ALARM_A_RUN / (TESTS * coins.max(1)) as f64
}

/// All draws of some windows; `None` when none has a coin.
pub(crate) fn sum(windows: &[&Window]) -> Option<CoinCounts> {
    windows.iter().filter_map(|window| window.coin.as_ref()).fold(None, |total: Option<CoinCounts>, coin| {
        let mut total = total.unwrap_or_default();
        for first in 0..2 {
            for second in 0..2 {
                let draws = &mut total.draws[first][second];
                *draws = draws.saturating_add(coin.draws[first][second]);
                let successive = &mut total.successive[first][second];
                *successive = successive.saturating_add(coin.successive[first][second]);
            }
        }
        Some(total)
    })
}

/// Tests a coin, each test at the given level.
pub(crate) fn test(counts: &CoinCounts, level: f64) -> CoinFinding {
    let [on_false, on_true] = counts.draws;
    let [after_false, after_true] = counts.successive;
    let column = |index: usize| on_false[index].saturating_add(on_true[index]);
    // Whether a draw repeats the one before is itself a fair toss when draws are independent.
    let repeats = after_false[0].saturating_add(after_true[1]);
    let changes = after_false[1].saturating_add(after_true[0]);
    let tests = vec![
        one("draws true", column(1), column(0), level),
        one("wins on the bet true", on_true[1], on_true[0], level),
        one("wins on the bet false", on_false[0], on_false[1], level),
        one("draws like the one before", repeats, changes, level),
    ];
    CoinFinding { fair: tests.iter().all(|test| test.passed), tests }
}

fn one(counted: &str, successes: u64, failures: u64, level: f64) -> CoinTest {
    let of = successes.saturating_add(failures);
    let p_value = fair_coin_p_value(successes, of);
    CoinTest {
        counted: counted.to_owned(),
        successes,
        of,
        p_value,
        accused_below: level,
        passed: p_value.is_none_or(|p| p >= level),
    }
}

impl CoinFinding {
    /// What is wrong in words; `None` for a fair coin.
    pub(crate) fn accusation(&self) -> Option<String> {
        let failed: Vec<String> = self
            .tests
            .iter()
            .filter(|test| !test.passed)
            .map(|test| format!("{} {}", test.counted, percent_1(test.successes as f64 / test.of as f64)))
            .collect();
        (!failed.is_empty()).then(|| format!("the coin is not fair: {}", failed.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(draws: [[u64; 2]; 2], successive: [[u64; 2]; 2]) -> CoinFinding {
        test(&CoinCounts { draws, successive }, level(20))
    }

    #[test]
    fn a_fair_coin_passes() {
        let coin = found([[2_510, 2_490], [2_455, 2_545]], [[2_480, 2_500], [2_501, 2_519]]);
        assert!(coin.fair, "{:?}", coin.accusation());
    }

    #[test]
    fn a_coin_that_always_wins_is_caught_though_its_draws_are_even() {
        let coin = found([[5_000, 0], [0, 5_000]], [[2_500, 2_500], [2_500, 2_500]]);
        assert_eq!(
            coin.accusation().unwrap(),
            "the coin is not fair: wins on the bet true 100.0 %, wins on the bet false 100.0 %"
        );
    }

    #[test]
    fn a_coin_that_always_draws_true_is_caught() {
        let coin = found([[0, 5_000], [0, 5_000]], [[0, 0], [0, 9_000]]);
        assert!(coin.accusation().unwrap().starts_with("the coin is not fair: draws true 100.0 %"));
    }

    #[test]
    fn a_coin_that_repeats_itself_is_caught_though_each_draw_is_even() {
        let coin = found([[2_500, 2_500], [2_500, 2_500]], [[4_990, 5], [5, 4_990]]);
        assert_eq!(coin.accusation().unwrap(), "the coin is not fair: draws like the one before 99.9 %");
        let coin = found([[2_500, 2_500], [2_500, 2_500]], [[5, 4_990], [4_990, 5]]);
        assert_eq!(coin.accusation().unwrap(), "the coin is not fair: draws like the one before 0.1 %");
    }

    #[test]
    fn too_few_draws_accuse_nobody() {
        assert!(found([[0, 5], [0, 5]], [[0, 0], [0, 9]]).fair);
        assert!(found([[0; 2]; 2], [[0; 2]; 2]).fair);
    }

    #[test]
    fn the_false_alarms_of_a_run_are_shared_by_its_tests() {
        assert_eq!(level(1) * 4.0, 1e-6);
        assert!((level(25) * 100.0 - 1e-6).abs() < 1e-18);
    }

    proptest! {
        #[test]
        fn any_counts_are_judged(draws: [[u64; 2]; 2], successive: [[u64; 2]; 2]) {
            let coin = found(draws, successive);
            prop_assert_eq!(coin.fair, coin.accusation().is_none());
            prop_assert!(coin.tests.iter().all(|test| test.p_value.is_none_or(f64::is_finite)));
        }
    }
}
