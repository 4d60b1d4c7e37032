//! Plans of the same budget: the one that is chosen, and ten blocks in each launch, as it once was.

use serde::Serialize;
use velo_judge::planning;
use velo_record::Costs;

/// What things cost, and how much may be spent, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Starting and warming up everybody once.
    pub launch_ms: u64,
    /// A block.
    pub block_ms: u64,
    /// All of it.
    pub budget_ms: u64,
}

/// A run's launches and blocks, and which plan that is of which budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// The budget.
    pub budget: Budget,
    /// The plan.
    pub of: PlanOf,
    /// Launches of every contender.
    pub launches: u32,
    /// Blocks in each.
    pub blocks: u32,
}

/// A way to plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanOf {
    /// As many launches of ten blocks as fit, at most 40.
    TenBlocks,
    /// As shipped: those with the least expected width.
    Narrowest,
}

/// Two or three quick stacks; the published ones; slow ones, which take long to warm up. From a minute to ten.
pub(crate) const BUDGETS: [Budget; 6] = [
    Budget { launch_ms: 1_500, block_ms: 350, budget_ms: 60_000 },
    Budget { launch_ms: 5_000, block_ms: 900, budget_ms: 180_000 },
    Budget { launch_ms: 13_000, block_ms: 900, budget_ms: 180_000 },
    Budget { launch_ms: 13_000, block_ms: 900, budget_ms: 600_000 },
    Budget { launch_ms: 30_000, block_ms: 1_200, budget_ms: 300_000 },
    Budget { launch_ms: 30_000, block_ms: 1_200, budget_ms: 600_000 },
];

const OLD_BLOCKS: u64 = 10;
const MOST_LAUNCHES: u64 = 40;

/// Both plans of every budget.
pub(crate) fn all() -> Vec<Planned> {
    BUDGETS.into_iter().flat_map(|budget| [ten_blocks(budget), narrowest(budget)]).collect()
}

fn costs(budget: Budget) -> Costs {
    let ns = |ms: u64| ms * 1_000_000;
    Costs { launch_ns: ns(budget.launch_ms), block_ns: ns(budget.block_ms), ..Costs::default() }
}

fn plannable_ns(budget: Budget) -> u64 {
    planning::plannable_ns(budget.budget_ms * 1_000_000)
}

fn ten_blocks(budget: Budget) -> Planned {
    let costs = costs(budget);
    let launches = plannable_ns(budget) / (costs.launch_ns + OLD_BLOCKS * costs.block_ns);
    let launches = launches.min(MOST_LAUNCHES) as u32;
    Planned { budget, of: PlanOf::TenBlocks, launches, blocks: OLD_BLOCKS as u32 }
}

fn narrowest(budget: Budget) -> Planned {
    let plan = planning::plan(plannable_ns(budget), &costs(budget), false).plan;
    Planned { budget, of: PlanOf::Narrowest, launches: plan.launches, blocks: plan.blocks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_plans_fit_the_budget_and_rank() {
        for planned in all() {
            let costs = costs(planned.budget);
            let of_launch = costs.launch_ns + u64::from(planned.blocks) * costs.block_ns;
            assert!(u64::from(planned.launches) * of_launch <= plannable_ns(planned.budget), "{planned:?}");
            assert!((5..=40).contains(&planned.launches) && planned.blocks >= 5, "{planned:?}");
        }
    }
}
