//! The plan of a gate: pairs of launches with a fixed number of blocks, as many as its test looks at.

use velo_record::{Costs, Look, Plan};
use velo_stats::sequential_looks;

use super::choose::{Chosen, of};
use super::price::{Extra, Extras, NO_EXTRAS, Price};
use super::size::Size;

/// Blocks of a launch: with more the spread between launches is what is left, with fewer it is that between
/// blocks.
const BLOCKS: u64 = 40;
/// Where servers are so slow that fewer launches than this fit, launches are shorter.
const WANTED_LAUNCHES: u64 = 8;
const LEAST_BLOCKS: u64 = 5;
/// The last look of the test.
const MOST_LAUNCHES: u64 = 21;

/// What a budget buys. `has_common_rate`: the gate asks about response times, which are measured there.
pub fn gate(budget_ns: u64, costs: &Costs, has_common_rate: bool) -> Chosen {
    let extras = if has_common_rate { Extras::up_to(Extra::CommonRate) } else { NO_EXTRAS };
    let price = Price::of(costs, extras);
    let launches = |blocks: u64| price.launches_that_fit(budget_ns, blocks).min(MOST_LAUNCHES);
    let has_enough = |blocks: &u64| launches(*blocks) >= WANTED_LAUNCHES;
    let blocks = (LEAST_BLOCKS..=BLOCKS).rev().find(has_enough).unwrap_or(LEAST_BLOCKS);
    let size = Size { launches: launches(blocks).max(1), blocks };
    let plan = Plan { looks: looks(size.launches as u32), ..of(price, size, None, false) };
    Chosen { plan, has_common_rate }
}

/// The run's own ranking is looked at as often as one figure of a gate is, and on both sides.
fn looks(launches: u32) -> Vec<Look> {
    let look = |look: velo_stats::SequentialLook| Look { launch: look.pairs, level: 2.0 * look.change_level };
    sequential_looks(launches, 1).into_iter().map(look).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;
    /// As measured for two quick servers: a launch of both takes 2.1 s, a block 0.13 s.
    const QUICK: Costs = Costs {
        launch_ns: 2_100_000_000,
        warm_up_ns: S,
        block_ns: 130_000_000,
        counted_ns: 100_000_000,
        common_rate_ns: 400_000_000,
        proof_ns: 5 * S,
        common_rate_from_ns: 0,
        once_ns: 0,
        reference_ns: 0,
        reference_counted_ns: 0,
    };

    fn size(budget_s: u64, costs: &Costs, has_common_rate: bool) -> (u32, u32, usize) {
        let plan = gate(budget_s * S, costs, has_common_rate).plan;
        assert!(plan.launches == 1 || plan.expected_ns <= budget_s * S, "{plan:?}");
        assert_eq!(plan.proof_pairs, 0);
        (plan.launches, plan.blocks, plan.looks.len())
    }

    #[test]
    fn a_budget_buys_launches_of_forty_blocks_up_to_the_last_look() {
        assert_eq!(size(180, &QUICK, false), (21, 40, 9));
        assert_eq!(size(1_000, &QUICK, false), (21, 40, 9));
        assert_eq!(size(74, &QUICK, false), (10, 40, 5));
        assert!(size(180, &QUICK, true).0 < 21, "windows at the common rate take time");
    }

    #[test]
    fn slow_servers_have_fewer_blocks_rather_than_few_launches() {
        let slow = Costs { block_ns: 2 * S, ..QUICK };
        assert_eq!(size(180, &slow, false), (8, 10, 4));
        assert_eq!(size(30, &slow, false), (2, 5, 0), "too few for a look");
        assert_eq!(size(1, &slow, false), (1, 5, 0));
    }
}
