use crate::estimate::{CONFIDENCE, Estimate, Interval, mean_over_launches};
use crate::median::median;

/// A figure that changes by no more than this share from the first to the last third of a launch is steady.
pub const STEADY_WITHIN: f64 = 0.02;

/// Whether a contender's figure held still while it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteadyState {
    /// The interval of the change lies within the margin.
    Steady,
    /// It lies wholly outside.
    Trend,
    /// Neither, or there are too few launches or blocks. Never a pass.
    Unknown,
}

/// The change of a figure over a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steadiness {
    /// The figure in the last third over that in the first third, the machine's own drift taken out; `None` when no
    /// launch has both.
    pub change: Option<Estimate>,
    /// What follows.
    pub state: SteadyState,
}

/// The windows of a launch, block by block: the logarithm of each contender's figure, in the same order in every block;
/// `None` for a window that is missing.
pub type LaunchBlocks = Vec<Vec<Option<f64>>>;

/// Whether `contender` held still over its launches.
///
/// What a block did to all contenders alike is taken out first: each window is measured from its contender's median
/// in that launch, and the effect of a block on a contender is the median of what the others show in it. (Not of all:
/// then a contender would hide part of its own trend, half of it where there are two.) Of two contenders a trend
/// shows in both, since nothing says whose it is; one that is alone has no block effects taken out, and its trend may
/// be the machine's.
///
/// Then windows go by their position in the launch: a launch's change is the median over its last third of blocks
/// less that over its first (a third of n blocks is n / 3 rounded down; launches of fewer than three do not count).
/// Student's t over launches gives the interval at 95 %, which is held against +-2 %, in logarithms.
pub fn steadiness(launches: &[LaunchBlocks], contender: usize) -> Steadiness {
    let changes: Vec<f64> = launches.iter().filter_map(|blocks| change(blocks, contender)).collect();
    let logs = mean_over_launches(&changes, CONFIDENCE);
    let margin = Interval::of_log_ratios_within(STEADY_WITHIN);
    let state = match logs.and_then(|logs| logs.interval) {
        Some(interval) if interval.is_inside(&margin) => SteadyState::Steady,
        Some(interval) if interval.is_apart_from(&margin) => SteadyState::Trend,
        _ => SteadyState::Unknown,
    };
    Steadiness { change: logs.and_then(|logs| logs.exp()), state }
}

/// The change of one contender over a launch, in logarithms.
fn change(blocks: &LaunchBlocks, contender: usize) -> Option<f64> {
    let contenders = blocks.iter().map(Vec::len).max()?;
    let values = |of: usize| {
        move |block: &Vec<Option<f64>>| block.get(of).copied().flatten().filter(|log| log.is_finite())
    };
    let levels: Vec<Option<f64>> =
        (0..contenders).map(|of| median(&blocks.iter().filter_map(values(of)).collect::<Vec<_>>())).collect();
    let from_level = |of: usize, block: &Vec<Option<f64>>| Some(values(of)(block)? - levels[of]?);
    let residual = |block: &Vec<Option<f64>>| {
        let others: Vec<f64> = (0..contenders)
            .filter(|other| *other != contender)
            .filter_map(|other| from_level(other, block))
            .collect();
        Some(from_level(contender, block)? - median(&others).unwrap_or(0.0))
    };
    let third = blocks.len() / 3;
    let middle =
        |blocks: &[Vec<Option<f64>>]| median(&blocks.iter().filter_map(residual).collect::<Vec<_>>());
    if contender >= contenders {
        return None;
    }
    Some(middle(&blocks[blocks.len() - third..])? - middle(&blocks[..third])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    /// Launches of 10 blocks of contenders with a level, a trend over the launch and noise; the machine drifts for all.
    fn simulated(launches: u32, trends: &[f64], drift: f64, noise: f64, seed: u64) -> Vec<LaunchBlocks> {
        let mut random = SplitMix64::new(seed);
        (0..launches)
            .map(|_| {
                let blocks = (0..10).map(|block| f64::from(block) / 9.0);
                blocks
                    .map(|at| {
                        let machine = drift * at + 0.05 * random.normal();
                        let contender = |(number, trend): (usize, &f64)| {
                            Some(number as f64 + trend * at + machine + noise * random.normal())
                        };
                        trends.iter().enumerate().map(contender).collect()
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn known_answers() {
        // Without noise: thirds are centred on positions 1/9 and 8/9, so 7/9 of the trend is seen.
        let launches = simulated(5, &[0.09, 0.0, 0.0, 0.0], -0.3, 0.0, 1);
        let trending = steadiness(&launches, 0);
        assert!((trending.change.unwrap().value - 0.07_f64.exp()).abs() < 1e-9);
        assert_eq!(trending.state, SteadyState::Trend);
        let steady = steadiness(&launches, 1);
        assert!((steady.change.unwrap().value - 1.0).abs() < 1e-9);
        assert_eq!(steady.state, SteadyState::Steady);
    }

    #[test]
    fn what_is_not_enough_is_unknown() {
        let nothing = Steadiness { change: None, state: SteadyState::Unknown };
        assert_eq!(steadiness(&[], 0), nothing);
        assert_eq!(steadiness(&[vec![], vec![vec![]]], 0), nothing);
        assert_eq!(steadiness(&[vec![vec![Some(1.0)]; 2]], 0), nothing);
        assert_eq!(steadiness(&simulated(5, &[0.0, 0.0], 0.0, 0.0, 1), 2), nothing);
        let one_launch = steadiness(&simulated(1, &[0.0; 3], 0.0, 0.0, 1), 0);
        assert_eq!((one_launch.change.unwrap().launches, one_launch.state), (1, SteadyState::Unknown));
        // Noise of 20 % leaves it open.
        assert_eq!(steadiness(&simulated(5, &[0.0; 4], 0.0, 0.2, 1), 0).state, SteadyState::Unknown);
    }

    #[test]
    fn alone_the_machines_drift_is_its_own() {
        let alone = steadiness(&simulated(8, &[0.0], 0.5, 0.0, 1), 0);
        assert_eq!(alone.state, SteadyState::Trend);
    }

    proptest! {
        #[test]
        fn what_happens_to_all_changes_nothing(
            seed: u64, effects in proptest::collection::vec(-1.0..1.0_f64, 10), level in -5.0..5.0_f64,
        ) {
            let launches = simulated(4, &[0.03, 0.0, 0.0], 0.0, 0.01, seed);
            let mut shifted = launches.clone();
            for blocks in &mut shifted {
                for (block, effect) in blocks.iter_mut().zip(&effects) {
                    block.iter_mut().flatten().for_each(|log| *log += effect + level);
                }
            }
            let change = |launches: &[LaunchBlocks]| steadiness(launches, 0).change.unwrap().value;
            prop_assert!((change(&launches) - change(&shifted)).abs() < 0.03);
        }

        #[test]
        fn any_numbers_give_an_answer(
            launches in proptest::collection::vec(
                proptest::collection::vec(proptest::collection::vec(any::<Option<f64>>(), 0..4), 0..8), 0..4,
            ),
        ) {
            let found = steadiness(&launches, 0);
            prop_assert!(found.change.is_none_or(|change| change.value.is_finite()));
        }
    }
}
