use crate::moments::Moments;
use crate::student::StudentT;

/// The most tests that may share one level.
pub const MOST_SEQUENTIAL_TESTS: u32 = 5;
/// The probability that any of them calls a change worse, or any calls one better, where there is none.
pub const SEQUENTIAL_LEVEL: f64 = 0.01;
/// The probability that a change as large as its limit is called within it.
pub const SEQUENTIAL_MISS: f64 = 0.05;

/// After how many pairs it is looked at the results.
const LOOKS: [u32; 9] = [4, 5, 6, 8, 10, 12, 15, 18, 21];
/// No look comes before: two numbers have next to no interval.
const LEAST_PAIRS: u32 = 3;
/// The spending function of Hwang, Shih and DeCani.
const GAMMA: f64 = -2.0;
/// One-sided p-values of Student's t at or below which each look calls a change, by the number of tests that
/// share the level. Chosen in order from 8,000,000 simulated sequences without a change, so that what is
/// spent up to each look is what the spending function allows.
const P_AT_MOST: [[f64; LOOKS.len()]; MOST_SEQUENTIAL_TESTS as usize] = [
    [7.14e-4, 3.64e-4, 3.87e-4, 6.88e-4, 9.69e-4, 1.33e-3, 2.36e-3, 3.63e-3, 5.38e-3],
    [3.60e-4, 1.70e-4, 1.85e-4, 3.40e-4, 4.51e-4, 6.29e-4, 1.12e-3, 1.73e-3, 2.53e-3],
    [2.37e-4, 1.10e-4, 1.21e-4, 2.18e-4, 2.97e-4, 4.07e-4, 7.30e-4, 1.11e-3, 1.63e-3],
    [1.80e-4, 8.16e-5, 8.86e-5, 1.61e-4, 2.18e-4, 2.92e-4, 5.30e-4, 8.20e-4, 1.20e-3],
    [1.42e-4, 6.61e-5, 6.72e-5, 1.25e-4, 1.72e-4, 2.32e-4, 4.22e-4, 6.52e-4, 9.51e-4],
];

/// A look at the pairs so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequentialLook {
    /// After how many pairs.
    pub pairs: u32,
    /// The one-sided p-value at or below which it calls a change.
    pub change_level: f64,
    /// One minus the confidence of the one-sided bound that must lie below the limit for a change to be
    /// within it.
    pub within_level: f64,
}

/// When a test of at most `planned` pairs looks at them, and at which levels, if it shares
/// [`SEQUENTIAL_LEVEL`] with others: `tests` of them, itself counted.
///
/// Group-sequential with the spending function of Hwang, Shih and DeCani ("Group sequential designs using a
/// family of type I error probability spending functions", Statistics in Medicine 9, 1990), gamma = -2,
/// planned for 21 pairs. A test that ends before them spends at its last look what is left (Bonferroni's
/// inequality). Empty with fewer than three pairs, and unless 1 to [`MOST_SEQUENTIAL_TESTS`] share the level.
pub fn sequential_looks(planned: u32, tests: u32) -> Vec<SequentialLook> {
    let levels = (tests as usize).checked_sub(1).and_then(|row| P_AT_MOST.get(row));
    let Some(levels) = levels.filter(|_| planned >= LEAST_PAIRS) else { return Vec::new() };
    let level = SEQUENTIAL_LEVEL / f64::from(tests);
    let last = planned.min(LOOKS[LOOKS.len() - 1]);
    let mut looks: Vec<SequentialLook> = Vec::new();
    let mut spent = 0.0;
    for (&pairs, &change_level) in LOOKS.iter().zip(levels).filter(|(pairs, _)| **pairs < last) {
        let within_level = SEQUENTIAL_MISS * (spent_share(pairs) - spent);
        spent = spent_share(pairs);
        looks.push(SequentialLook { pairs, change_level, within_level });
    }
    let left = 1.0 - spent;
    let planned_level = LOOKS.iter().position(|pairs| *pairs == last).map_or(0.0, |place| levels[place]);
    looks.push(SequentialLook {
        pairs: last,
        change_level: planned_level.max(level * left),
        within_level: SEQUENTIAL_MISS * left,
    });
    looks
}

/// Of an error probability, the share that may be spent up to a look.
fn spent_share(pairs: u32) -> f64 {
    let share = f64::from(pairs) / f64::from(LOOKS[LOOKS.len() - 1]);
    (-GAMMA * share).exp_m1() / (-GAMMA).exp_m1()
}

/// What a look finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequentialState {
    /// It became worse, and is not known to be within the limit.
    Worse,
    /// It became better.
    Better,
    /// It did not become worse by as much as the limit.
    Within,
    /// None of these is known yet.
    Open,
}

/// One number a pair, judged at a look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequentialTest {
    /// What it finds.
    pub state: SequentialState,
    /// The mean of the numbers.
    pub mean: f64,
    /// What the true mean is below, at the confidence of the look.
    pub upper: f64,
    /// The one-sided p-value of "not worse".
    pub p_worse: f64,
}

/// Tests log ratios, one a pair and above 0 where the second of it is worse, at a look. A change that is
/// known to be below `limit` passes, also one that is known to be above 0. `None` of fewer than two numbers,
/// and when one is not finite.
pub fn sequential_test(log_ratios: &[f64], look: &SequentialLook, limit: f64) -> Option<SequentialTest> {
    let moments = Moments::of(log_ratios)?;
    let (mean, error) = (moments.mean, moments.standard_error()?);
    let student = StudentT::new((moments.count - 1) as f64)?;
    // Without any scatter the mean is what it is: 0 is no change.
    let p_above = |mean: f64| match error > 0.0 {
        true => student.cdf(-mean / error),
        false => f64::from(u8::from(mean <= 0.0)),
    };
    let upper = mean + student.quantile(1.0 - look.within_level)? * error;
    let p_worse = p_above(mean);
    let state = match () {
        () if p_above(-mean) <= look.change_level => SequentialState::Better,
        () if upper < limit => SequentialState::Within,
        () if p_worse <= look.change_level => SequentialState::Worse,
        () => SequentialState::Open,
    };
    Some(SequentialTest { state, mean, upper, p_worse })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    /// How a sequence of normal numbers ends: how it was called, and after how many pairs.
    fn ended(
        random: &mut SplitMix64,
        looks: &[SequentialLook],
        effect: f64,
        limit: f64,
    ) -> (SequentialState, u32) {
        let mut numbers: Vec<f64> = Vec::new();
        for look in looks {
            while numbers.len() < look.pairs as usize {
                numbers.push(effect + random.normal());
            }
            let found = sequential_test(&numbers, look, limit).unwrap().state;
            if found != SequentialState::Open {
                return (found, look.pairs);
            }
        }
        (SequentialState::Open, looks.last().unwrap().pairs)
    }

    /// The share called worse, and the mean number of pairs.
    fn simulated(sequences: u32, looks: &[SequentialLook], effect: f64, limit: f64) -> (f64, f64) {
        let mut random = SplitMix64::new(20_261_129);
        let (mut worse, mut pairs) = (0, 0);
        for _ in 0..sequences {
            let (state, after) = ended(&mut random, looks, effect, limit);
            worse += u32::from(state == SequentialState::Worse);
            pairs += after;
        }
        (f64::from(worse) / f64::from(sequences), f64::from(pairs) / f64::from(sequences))
    }

    #[test]
    fn looks_and_levels_of_a_whole_test() {
        let looks = sequential_looks(21, 1);
        let pairs: Vec<u32> = looks.iter().map(|look| look.pairs).collect();
        assert_eq!(pairs, [4, 5, 6, 8, 10, 12, 15, 18, 21]);
        // The table of the study that chose them, from 100,000 sequences: four digits, of which the last
        // scatters.
        let known = [0.0007, 0.0005, 0.0004, 0.0007, 0.0009, 0.0013, 0.0024, 0.0035, 0.0053];
        for (look, known) in looks.iter().zip(known) {
            assert!((look.change_level - known).abs() < 1.5e-4, "{look:?}, {known}");
        }
        let missed: f64 = looks.iter().map(|look| look.within_level).sum();
        assert!((missed - SEQUENTIAL_MISS).abs() < 1e-12);
        assert_eq!(sequential_looks(400, 1), looks);
    }

    #[test]
    fn a_shorter_test_spends_at_its_end_what_is_left() {
        let looks = sequential_looks(7, 2);
        assert_eq!(looks.iter().map(|look| look.pairs).collect::<Vec<_>>(), [4, 5, 6, 7]);
        let left = 0.005 * (1.0 - ((12.0_f64 / 21.0).exp() - 1.0) / (2.0_f64.exp() - 1.0));
        assert!((looks[3].change_level - left).abs() < 1e-12);
        assert_eq!(
            sequential_looks(3, 1),
            [SequentialLook { pairs: 3, change_level: 0.01, within_level: 0.05 }]
        );
        for (planned, tests) in [(0, 1), (2, 1), (21, 0), (21, 6)] {
            assert!(sequential_looks(planned, tests).is_empty());
        }
    }

    /// Unlike the table this counts sequences of its own, and it does not assume what the first looks spent.
    #[test]
    fn false_alarms_are_as_few_as_promised() {
        for tests in 1..=MOST_SEQUENTIAL_TESTS {
            let promised = SEQUENTIAL_LEVEL / f64::from(tests);
            for planned in [21, 7] {
                let sequences = 20_000;
                // A limit that nothing is known to be below.
                let (worse, _) =
                    simulated(sequences, &sequential_looks(planned, tests), 0.0, f64::NEG_INFINITY);
                let scatter = 3.5 * (promised / f64::from(sequences)).sqrt();
                assert!(worse < promised + scatter, "{worse} of {tests} tests, {planned} pairs");
                assert!(planned != 21 || worse > promised - scatter, "{worse} of {tests} tests");
            }
        }
    }

    /// The study's numbers for a spread of 3 % a pair and a limit of 3 %: power .95 after 14.1 pairs, without
    /// a change .8 % after 11.7.
    #[test]
    fn power_and_length_are_those_of_the_study() {
        let looks = sequential_looks(21, 1);
        let (worse, pairs) = simulated(20_000, &looks, 1.0, 1.0);
        assert!((0.93..0.97).contains(&worse) && (pairs - 14.1).abs() < 0.4, "{worse} {pairs}");
        let (worse, pairs) = simulated(20_000, &looks, 0.0, 1.0);
        assert!(worse < 0.0105 && (pairs - 11.7).abs() < 0.4, "{worse} {pairs}");
    }

    #[test]
    fn each_finding() {
        let look = sequential_looks(21, 1)[0];
        let state = |numbers: &[f64]| sequential_test(numbers, &look, 0.03).map(|test| test.state);
        assert_eq!(state(&[0.10, 0.11, 0.10, 0.11]), Some(SequentialState::Worse));
        assert_eq!(state(&[-0.10, -0.11, -0.10, -0.11]), Some(SequentialState::Better));
        assert_eq!(state(&[0.0, 0.001, -0.001, 0.0]), Some(SequentialState::Within));
        // Surely above nothing, and as surely below the limit.
        assert_eq!(state(&[0.010, 0.0101, 0.010, 0.0101]), Some(SequentialState::Within));
        assert_eq!(state(&[0.0, 0.1, -0.1, 0.05]), Some(SequentialState::Open));
        // A size that never varies.
        assert_eq!(state(&[0.0; 4]), Some(SequentialState::Within));
        assert_eq!(state(&[0.01; 4]), Some(SequentialState::Within));
        assert_eq!(state(&[0.04; 4]), Some(SequentialState::Worse));
        assert_eq!(state(&[-0.04; 4]), Some(SequentialState::Better));
        for numbers in [&[][..], &[0.1], &[0.1, f64::NAN], &[f64::INFINITY, 0.0]] {
            assert_eq!(state(numbers), None, "{numbers:?}");
        }
    }

    proptest! {
        #[test]
        fn levels_are_spent_once_and_looks_come_in_order(planned in 3_u32..100, tests in 1_u32..=5) {
            let looks = sequential_looks(planned, tests);
            prop_assert_eq!(looks.last().unwrap().pairs, planned.min(21));
            prop_assert!(looks.windows(2).all(|two| two[0].pairs < two[1].pairs));
            prop_assert!(looks.iter().all(|look| look.change_level > 0.0 && look.within_level > 0.0));
            let missed: f64 = looks.iter().map(|look| look.within_level).sum();
            prop_assert!((missed - SEQUENTIAL_MISS).abs() < 1e-12);
        }

        #[test]
        fn any_numbers_are_judged(
            numbers in proptest::collection::vec(-1e3_f64..1e3, 0..30),
            limit in -1.0_f64..1.0,
        ) {
            let look = sequential_looks(21, 3)[8];
            if let Some(test) = sequential_test(&numbers, &look, limit) {
                prop_assert!(test.mean <= test.upper && (0.0..=1.0).contains(&test.p_worse));
                let turned: Vec<f64> = numbers.iter().map(|number| -number).collect();
                let other = sequential_test(&turned, &look, limit).unwrap();
                prop_assert!((test.p_worse + other.p_worse - 1.0).abs() < 1e-9 || test.mean == 0.0);
            }
        }
    }
}
