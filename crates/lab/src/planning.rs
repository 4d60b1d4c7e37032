//! How many launches and blocks a budget buys. Pure.

use velo_record::Plan;

/// The least that is ranked.
const LEAST_LAUNCHES: u64 = 5;
const MOST_LAUNCHES: u64 = 40;
const LEAST_BLOCKS: u64 = 5;
const USUAL_BLOCKS: u64 = 10;

/// What things cost, as the first launch's warm-up has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Costs {
    /// Starting, warming up and stopping every contender once.
    pub(crate) launch_ns: u64,
    /// One block of every workload.
    pub(crate) block_ns: u64,
}

/// The share of the budget that is planned. The rest is for what the first launch cannot show: the last block of a
/// launch waits for every answer (2.4 s with puma), and machines get slower.
const PLANNED_SHARE: f64 = 0.93;

/// The part of a budget that may be planned.
pub(crate) fn plannable_ns(budget_ns: u64) -> u64 {
    (budget_ns as f64 * PLANNED_SHARE) as u64
}

/// The most launches of ten blocks; when five do not fit, fewer blocks, down to five; when those do not fit
/// either, what fits, and nothing is ranked.
pub(crate) fn plan(budget_ns: u64, costs: &Costs) -> Plan {
    let cost = |launches: u64, blocks: u64| launches * (costs.launch_ns + blocks * costs.block_ns);
    let fit = |blocks: u64| budget_ns / cost(1, blocks).max(1);
    let fixed = |launches: u64, blocks: u64, not_ranked: Option<String>| Plan {
        launches: launches as u32,
        blocks: blocks as u32,
        expected_ns: cost(launches, blocks),
        not_ranked,
        looks: Vec::new(),
    };
    let launches = fit(USUAL_BLOCKS).min(MOST_LAUNCHES);
    if launches >= LEAST_LAUNCHES {
        return fixed(launches, USUAL_BLOCKS, None);
    }
    if let Some(blocks) = (LEAST_BLOCKS..USUAL_BLOCKS).rev().find(|&blocks| fit(blocks) >= LEAST_LAUNCHES) {
        return fixed(LEAST_LAUNCHES, blocks, None);
    }
    // Rounded up to what a person would type.
    let needed_ns = (cost(LEAST_LAUNCHES, LEAST_BLOCKS) as f64 / PLANNED_SHARE) as u64;
    let needed_s = needed_ns.div_ceil(10_000_000_000) * 10;
    let reason = format!(
        "{LEAST_LAUNCHES} launches of {LEAST_BLOCKS} blocks do not fit the budget: --budget {needed_s}s would do"
    );
    fixed(fit(LEAST_BLOCKS).clamp(1, LEAST_LAUNCHES - 1), LEAST_BLOCKS, Some(reason))
}

/// The plan of a quick look: two launches of three blocks.
pub(crate) fn quick(costs: &Costs) -> Plan {
    Plan {
        launches: 2,
        blocks: 3,
        expected_ns: 2 * (costs.launch_ns + 3 * costs.block_ns),
        not_ranked: Some("quick look".to_owned()),
        looks: Vec::new(),
    }
}

/// The plan of the source's own load: one launch, one long window.
pub(crate) fn as_published(costs: &Costs) -> Plan {
    Plan {
        launches: 1,
        blocks: 1,
        expected_ns: costs.launch_ns + costs.block_ns,
        not_ranked: Some("as published: one launch, so nothing can be said of its spread".to_owned()),
        looks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_budget_buys_launches_first() {
        let costs = Costs { launch_ns: 5 * S, block_ns: S / 2 };
        let got = |budget_s: u64| {
            let plan = plan(budget_s * S, &costs);
            assert!(plan.expected_ns <= budget_s * S || plan.launches == 1, "{plan:?}");
            (plan.launches, plan.blocks, plan.not_ranked.is_none())
        };
        assert_eq!(got(100), (10, 10, true));
        assert_eq!(got(50), (5, 10, true));
        assert_eq!(got(49), (5, 9, true));
        assert_eq!(got(38), (5, 5, true));
        assert_eq!(got(37), (4, 5, false));
        assert_eq!(got(1), (1, 5, false));
        assert_eq!(got(100_000), (40, 10, true));
    }

    #[test]
    fn a_budget_too_small_names_what_is_needed() {
        let plan = plan(10 * S, &Costs { launch_ns: 5 * S, block_ns: S / 2 });
        assert_eq!(
            plan.not_ranked.as_deref(),
            Some("5 launches of 5 blocks do not fit the budget: --budget 50s would do")
        );
        let named = plannable_ns(50 * S);
        assert!(super::plan(named, &Costs { launch_ns: 5 * S, block_ns: S / 2 }).not_ranked.is_none());
    }

    #[test]
    fn free_things_do_not_divide_by_zero() {
        assert_eq!(plan(S, &Costs { launch_ns: 0, block_ns: 0 }).launches, 40);
    }
}
