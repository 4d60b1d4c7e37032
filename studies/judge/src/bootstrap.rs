//! The counter-example: contenders told apart by a bootstrap over launches and blocks, as some suites do.

use velo_stats::SplitMix64;

use crate::blocks::BlockLogs;
use crate::resampling::hierarchical_bootstrap;

const RESAMPLES: usize = 400;
const LEVEL: f64 = 0.05;

/// What the intervals say of contenders that are equal.
pub(crate) struct Found {
    /// Whether an interval at the level divided by the number of pairs (Bonferroni) leaves out 1.
    pub(crate) any_apart: bool,
    /// Intervals of 95 % that hold 1.
    pub(crate) held: u64,
    /// All of them.
    pub(crate) all: u64,
}

/// Judges all pairs by their first launches.
pub(crate) fn compare(logs: &BlockLogs, launches: usize, random: &mut SplitMix64) -> Found {
    let contenders = logs.contenders();
    let pairs = (0..contenders).flat_map(|first| (first + 1..contenders).map(move |second| (first, second)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let mut found = Found { any_apart: false, held: 0, all: 0 };
    for (first, second) in &pairs {
        let blocks = |launch| -> Vec<f64> {
            logs.blocks(*first, launch).iter().zip(logs.blocks(*second, launch)).map(|(a, b)| a - b).collect()
        };
        let blocks: Vec<Vec<f64>> = (0..launches).map(blocks).collect();
        let mut holds_0 = |level: f64| {
            let interval = hierarchical_bootstrap(&blocks, RESAMPLES, 1.0 - level, random)
                .and_then(|estimate| estimate.interval);
            interval.is_some_and(|interval| interval.holds(0.0))
        };
        found.any_apart |= !holds_0(LEVEL / pairs.len() as f64);
        found.held += u64::from(holds_0(LEVEL));
        found.all += 1;
    }
    found
}
