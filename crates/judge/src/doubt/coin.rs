//! Whether a coin is fair: draws half true, wins half for each bet, draws on a connection unlike those before, and launches and windows
//! that scatter as those of a fair coin do.

use std::collections::BTreeMap;

use serde::Serialize;
use velo_record::{CoinCounts, Window};
use velo_stats::{Dispersion, LEAST_GROUP, dispersion, fair_coin_p_value};

use crate::doubt::consistency::in_order;

/// How often a run with fair coins only may accuse one.
const FALSE_ALARM_A_RUN: f64 = 1e-6;
/// Draws like the one before, the second before, and so on.
const LIKE: [&str; 8] = [
    "draws like the one before",
    "draws like the second before",
    "draws like the third before",
    "draws like the fourth before",
    "draws like the fifth before",
    "draws like the sixth before",
    "draws like the seventh before",
    "draws like the eighth before",
];
/// What is held against one half.
const HALVES: usize = 3 + LIKE.len();
/// What scatters, over launches and over windows, and may do so too much or too little.
const SCATTERS: [&str; 3] = ["draws true", "wins on the bet true", "wins on the bet false"];
/// How many tests each coin gets.
const TESTS: usize = HALVES + SCATTERS.len() * 2 * 2;

/// What was found of a coin, over all windows of a row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoinFinding {
    /// Whether every test was passed.
    pub fair: bool,
    /// The tests of counts over all windows.
    pub tests: Vec<CoinTest>,
    /// The tests of how launches and windows differ.
    pub scatter: Vec<CoinScatter>,
}

/// One test of a coin against one half.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// One test of how a count scatters around one half. A coin that draws from a list is even in all, but not in each launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoinScatter {
    /// What was counted: `draws true`.
    pub counted: String,
    /// Between what.
    pub over: ScatterOver,
    /// Launches or stretches of windows with at least 1,000 tosses.
    pub groups: u32,
    /// The sum over groups of z squared, z = (2 k - n) / sqrt(n) with k of n: as many as there are groups are expected.
    pub sum_of_squares: f64,
    /// A fair coin scatters at least as much with at most this probability.
    pub p_more: f64,
    /// A fair coin scatters at least as little with at most this probability.
    pub p_less: f64,
    /// The test accuses when either is below this.
    pub accused_below: f64,
    /// Whether the test was passed.
    pub passed: bool,
}

/// What is compared with one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScatterOver {
    /// The launches of a row.
    Launches,
    /// Its windows in the order measured, as many together as have 1,000 tosses.
    Windows,
}

/// The level of one test when `coins` coins are tested in the run.
pub(crate) fn level(coins: usize) -> f64 {
    FALSE_ALARM_A_RUN / (TESTS * coins.max(1)) as f64
}

/// All draws of some windows; `None` when none has a coin.
pub(crate) fn sum<'w>(windows: impl IntoIterator<Item = &'w &'w Window>) -> Option<CoinCounts> {
    let coins = windows.into_iter().filter_map(|window| window.coin.as_ref());
    coins.fold(None, |total: Option<CoinCounts>, coin| {
        let mut total = total.unwrap_or_default();
        total.add(coin);
        Some(total)
    })
}

/// Tests the coin of some windows of a row, in the order measured, each test at the given level; `None` when none has a coin.
pub(crate) fn find(windows: &[&Window], level: f64) -> Option<CoinFinding> {
    let in_order: Vec<(u32, &CoinCounts)> = in_order(windows)
        .into_iter()
        .filter_map(|window| Some((window.launch, window.coin.as_ref()?)))
        .collect();
    let all = sum(windows)?;
    let mut launches: BTreeMap<u32, CoinCounts> = BTreeMap::new();
    for (launch, coin) in &in_order {
        launches.entry(*launch).or_default().add(coin);
    }
    let launches: Vec<CoinCounts> = launches.into_values().collect();
    let windows: Vec<&CoinCounts> = in_order.iter().map(|(_, coin)| *coin).collect();
    Some(test(&all, &launches, &windows, level))
}

fn test(all: &CoinCounts, launches: &[CoinCounts], windows: &[&CoinCounts], level: f64) -> CoinFinding {
    let tests = halves(all, level);
    let mut scatter = Vec::new();
    for (number, counted) in SCATTERS.into_iter().enumerate() {
        let of = |coin: &CoinCounts| counts(coin)[number];
        let launches = dispersion(launches.iter().map(of).map(successes_of));
        let windows = dispersion(together(windows.iter().map(|coin| of(coin))));
        let over = [(ScatterOver::Launches, launches), (ScatterOver::Windows, windows)];
        let found = over.into_iter().filter_map(|(over, found)| Some((over, found?)));
        scatter.extend(found.map(|(over, found)| of_dispersion(counted, over, &found, level)));
    }
    let fair = tests.iter().all(|test| test.passed) && scatter.iter().all(|test| test.passed);
    CoinFinding { fair, tests, scatter }
}

/// Successes and failures of draws true, wins on the bet true, and wins on the bet false.
fn counts(coin: &CoinCounts) -> [(u64, u64); 3] {
    let [on_false, on_true] = coin.draws;
    let column = |index: usize| on_false[index].saturating_add(on_true[index]);
    [(column(1), column(0)), (on_true[1], on_true[0]), (on_false[0], on_false[1])]
}

fn successes_of((successes, failures): (u64, u64)) -> (u64, u64) {
    (successes, successes.saturating_add(failures))
}

/// Neighbours together until they are enough; what is left at the end is too little.
fn together(counts: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut groups = Vec::new();
    let mut group = (0_u64, 0_u64);
    for (successes, of) in counts.map(successes_of) {
        group = (group.0.saturating_add(successes), group.1.saturating_add(of));
        if group.1 >= LEAST_GROUP {
            groups.push(std::mem::take(&mut group));
        }
    }
    groups
}

fn halves(coin: &CoinCounts, level: f64) -> Vec<CoinTest> {
    let [draws, on_true, on_false] = counts(coin);
    let [after_false, after_true] = coin.successive;
    // Whether a draw is like an earlier one is itself a fair toss when draws are independent.
    let repeats = after_false[0].saturating_add(after_true[1]);
    let changes = after_false[1].saturating_add(after_true[0]);
    let mut tests: Vec<CoinTest> = SCATTERS
        .into_iter()
        .zip([draws, on_true, on_false])
        .map(|(counted, of)| one(counted, of, level))
        .collect();
    tests.push(one(LIKE[0], (repeats, changes), level));
    let farther = LIKE.into_iter().zip(coin.lags).skip(1);
    tests.extend(farther.map(|(counted, [unlike, like])| one(counted, (like, unlike), level)));
    tests
}

fn one(counted: &str, (successes, failures): (u64, u64), level: f64) -> CoinTest {
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

fn of_dispersion(counted: &str, over: ScatterOver, found: &Dispersion, level: f64) -> CoinScatter {
    CoinScatter {
        counted: counted.to_owned(),
        over,
        groups: u32::try_from(found.groups).unwrap_or(u32::MAX),
        sum_of_squares: found.sum_of_squares,
        p_more: found.p_more,
        p_less: found.p_less,
        accused_below: level,
        passed: found.p_more >= level && found.p_less >= level,
    }
}

impl CoinFinding {
    /// The tests that were failed; `None` for a fair coin.
    pub(crate) fn accusation(&self) -> Option<Self> {
        let tests: Vec<CoinTest> = self.tests.iter().filter(|test| !test.passed).cloned().collect();
        let scatter: Vec<CoinScatter> = self.scatter.iter().filter(|test| !test.passed).cloned().collect();
        (!tests.is_empty() || !scatter.is_empty()).then_some(Self { fair: false, tests, scatter })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use velo_stats::SplitMix64;

    fn found(draws: [[u64; 2]; 2], successive: [[u64; 2]; 2]) -> CoinFinding {
        let coin = CoinCounts { draws, successive, ..CoinCounts::default() };
        test(&coin, std::slice::from_ref(&coin), &[&coin], level(20))
    }

    /// What windows would count of a coin: launches of windows of tosses on four connections each, bets at random. `draw` gets the
    /// launch, the bet and the number of the toss on its connection, from 0.
    fn tossed(
        (launches, windows, tosses): (u32, u32, u64),
        mut draw: impl FnMut(u32, bool, u64, &mut SplitMix64) -> bool,
    ) -> CoinFinding {
        let mut random = SplitMix64::new(11);
        let mut all = CoinCounts::default();
        let (mut of_launches, mut of_windows) = (Vec::new(), Vec::new());
        for launch in 0..launches {
            let mut of_launch = CoinCounts::default();
            let mut before = [const { Vec::new() }; 4];
            for _ in 0..windows {
                let mut coin = CoinCounts::default();
                for toss in 0..tosses {
                    let before = &mut before[toss as usize % 4];
                    let bet = random.next_u64() >> 63 == 1;
                    let drawn = draw(launch, bet, before.len() as u64, &mut random);
                    coin.draws[usize::from(bet)][usize::from(drawn)] += 1;
                    for (lag, earlier) in before.iter().rev().take(8).enumerate() {
                        coin.lags[lag][usize::from(*earlier == drawn)] += 1;
                    }
                    if let Some(last) = before.last() {
                        coin.successive[usize::from(*last)][usize::from(drawn)] += 1;
                    }
                    before.push(drawn);
                }
                of_launch.add(&coin);
                of_windows.push(coin);
            }
            all.add(&of_launch);
            of_launches.push(of_launch);
        }
        test(&all, &of_launches, &of_windows.iter().collect::<Vec<_>>(), level(20))
    }

    fn failed(coin: &CoinFinding) -> Vec<String> {
        let uneven = coin.tests.iter().filter(|test| !test.passed).map(|test| test.counted.clone());
        let scattered = coin.scatter.iter().filter(|test| !test.passed);
        uneven.chain(scattered.map(|test| format!("{} over {:?}", test.counted, test.over))).collect()
    }

    #[test]
    fn a_fair_coin_passes() {
        let coin = found([[2_510, 2_490], [2_455, 2_545]], [[2_480, 2_500], [2_501, 2_519]]);
        assert!(coin.fair, "{:?}", coin.accusation());
        let coin = tossed((5, 20, 2_000), |_, _, _, random| random.next_u64() >> 63 == 1);
        assert!(coin.fair, "{:?}", coin.accusation());
        assert_eq!((coin.tests.len(), coin.scatter.len()), (11, 6));
        assert!(coin.tests.iter().all(|test| test.p_value.is_some_and(|p| p > 1e-4)));
        assert_eq!(coin.scatter.iter().map(|test| test.groups).max(), Some(100));
    }

    #[test]
    fn a_coin_that_always_wins_is_caught_though_its_draws_are_even() {
        let coin = found([[5_000, 0], [0, 5_000]], [[2_500, 2_500], [2_500, 2_500]]);
        assert_eq!(
            coin.accusation().unwrap().in_words(),
            "the coin is not fair: wins on the bet true 100.0 %, wins on the bet false 100.0 %"
        );
    }

    #[test]
    fn a_coin_that_always_draws_true_is_caught() {
        let coin = found([[0, 5_000], [0, 5_000]], [[0, 0], [0, 9_000]]);
        assert!(
            coin.accusation().unwrap().in_words().starts_with("the coin is not fair: draws true 100.0 %")
        );
    }

    #[test]
    fn a_coin_that_repeats_itself_is_caught_though_each_draw_is_even() {
        let coin = found([[2_500, 2_500], [2_500, 2_500]], [[4_990, 5], [5, 4_990]]);
        assert_eq!(
            coin.accusation().unwrap().in_words(),
            "the coin is not fair: draws like the one before 99.9 %"
        );
        let coin = found([[2_500, 2_500], [2_500, 2_500]], [[5, 4_990], [4_990, 5]]);
        assert_eq!(
            coin.accusation().unwrap().in_words(),
            "the coin is not fair: draws like the one before 0.1 %"
        );
    }

    #[test]
    fn two_of_one_kind_and_two_of_the_other_are_caught_though_half_of_them_repeat() {
        let coin = tossed((1, 1, 4_000), |_, _, toss, _| toss % 4 >= 2);
        assert!(coin.tests[..4].iter().all(|test| test.passed), "{:?}", failed(&coin));
        let words = coin.accusation().unwrap().in_words();
        assert!(words.contains("draws like the second before 0.0 %"), "{words}");
        assert!(words.contains("draws like the fourth before 100.0 %"), "{words}");
    }

    #[test]
    fn patterns_that_repeat_are_caught_at_their_length() {
        for period in 3..=8_u64 {
            // As even as can be, and not all of one kind.
            let pattern = 0b1101_0010_u64;
            let coin = tossed((1, 1, 4_000), |_, _, toss, _| pattern >> (toss % period) & 1 == 1);
            let counted = LIKE[period as usize - 1].to_owned();
            assert!(failed(&coin).contains(&counted), "period {period}: {:?}", failed(&coin));
        }
    }

    #[test]
    fn a_list_of_a_thousand_draws_for_each_bet_is_caught_though_launches_cancel() {
        let mut lists = SplitMix64::new(2);
        // Two launches lean to one side by what such lists lean, two to the other, one is even.
        let lean = [32_i64, -32, 30, -30, 0];
        let lists: Vec<[Vec<bool>; 2]> = lean
            .iter()
            .map(|lean| {
                [false, true].map(|_| {
                    let mut list: Vec<bool> = (0..1_000).map(|at| at < 500 + lean).collect();
                    (1..list.len()).rev().for_each(|last| list.swap(last, lists.below(last + 1)));
                    list
                })
            })
            .collect();
        let mut next = [0_usize; 2];
        let coin = tossed((5, 20, 2_000), |launch, bet, _, _| {
            let at = &mut next[usize::from(bet)];
            *at += 1;
            lists[launch as usize][usize::from(bet)][*at % 1_000]
        });
        assert!(coin.tests.iter().all(|test| test.passed), "{:?}", failed(&coin));
        assert!(failed(&coin).contains(&"draws true over Launches".to_owned()), "{:?}", failed(&coin));
        let words = coin.accusation().unwrap().in_words();
        assert!(words.starts_with("the coin is not fair: draws true differ between launches"), "{words}");
    }

    #[test]
    fn a_coin_that_is_dealt_evenly_is_caught_though_each_launch_is_even() {
        // A pack of 500 and 500, shuffled anew each time: half of every thousand is true.
        let (mut pack, mut left) = ((0..1_000).map(|at| at < 500).collect::<Vec<bool>>(), 0);
        let coin = tossed((5, 40, 1_000), |_, _, _, random| {
            if left == 0 {
                (1..pack.len()).rev().for_each(|last| pack.swap(last, random.below(last + 1)));
                left = pack.len();
            }
            left -= 1;
            pack[left]
        });
        assert_eq!(failed(&coin), ["draws true over Windows"]);
        assert!(coin.accusation().unwrap().in_words().contains("0.00 times as much"));
    }

    #[test]
    fn a_run_of_an_older_velo_has_no_lags() {
        let coin = found([[2_510, 2_490], [2_455, 2_545]], [[2_480, 2_500], [2_501, 2_519]]);
        let farther: Vec<_> = coin.tests.iter().filter(|test| test.of == 0).collect();
        assert_eq!((farther.len(), farther.iter().all(|test| test.passed)), (7, true));
    }

    #[test]
    fn too_few_draws_accuse_nobody() {
        assert!(found([[0, 5], [0, 5]], [[0, 0], [0, 9]]).fair);
        assert!(found([[0; 2]; 2], [[0; 2]; 2]).fair);
    }

    #[test]
    fn the_false_alarms_of_a_run_are_shared_by_its_tests() {
        assert_eq!(level(1) * 23.0, 1e-6);
        assert!((level(25) * 25.0 * 23.0 - 1e-6).abs() < 1e-18);
    }

    proptest! {
        #[test]
        fn any_counts_are_judged(draws: [[u64; 2]; 2], successive: [[u64; 2]; 2], lags: [[u64; 2]; 8]) {
            let one = CoinCounts { draws, successive, lags };
            let coin = test(&one, &[one, one], &[&one, &one], level(20));
            prop_assert_eq!(coin.fair, coin.accusation().is_none());
            prop_assert!(coin.tests.iter().all(|test| test.p_value.is_none_or(f64::is_finite)));
            prop_assert!(coin.scatter.iter().all(|test| test.sum_of_squares.is_finite()));
        }
    }
}
