//! The plan that a budget buys.

use velo_record::{Costs, Look, Plan};

use super::bought::size;
use super::budget::budget_for_s;
use super::price::{ALL_EXTRAS, Extra, Extras, NO_EXTRAS, Price, full_every};
use super::promise::expected_precision;
use super::size::{LEAST_BLOCKS, LEAST_LAUNCHES, Size};

/// Pairs of windows with and without a slowed generator.
pub const PROOF_PAIRS: u32 = 10;

/// A plan, and whether its blocks have windows at the common rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The plan.
    pub plan: Plan,
    /// Whether its blocks have windows at the common rate, where there is one.
    pub has_common_rate: bool,
}

/// What a budget buys. What does not fit beside five launches of five blocks is left out: first the proof, then the one
/// rate for all. When not even those blocks fit, what fits, and nothing is ranked.
///
/// `is_precise`: the run may end early, so it looks at its results on its way, and has at most twelve launches.
pub fn plan(budget_ns: u64, costs: &Costs, is_precise: bool) -> Chosen {
    let Some((extras, size)) = size(budget_ns, costs, is_precise) else {
        return not_ranked(budget_ns, costs);
    };
    let plan = Plan {
        proof_pairs: if extras.has(Extra::Proof) { PROOF_PAIRS } else { 0 },
        left_out: left_out(costs, extras),
        expected_precision: Some(expected_precision(costs, size, is_precise)),
        ..of(Price::of(costs, extras), size, None, is_precise)
    };
    Chosen { plan, has_common_rate: extras.has(Extra::CommonRate) }
}

/// Launches and blocks that were asked for, however long they take; nothing is left out.
pub fn given(size: Size, costs: &Costs, is_precise: bool) -> Chosen {
    let mut plan = of(Price::of(costs, ALL_EXTRAS), size, None, is_precise);
    plan.proof_pairs = if Extra::Proof.is_wanted(costs) { PROOF_PAIRS } else { 0 };
    if size.is_rankable() {
        plan.expected_precision = Some(expected_precision(costs, size, is_precise));
    } else {
        plan.not_ranked = Some(format!(
            "the plan asked for has {} launches of {} blocks: expected {LEAST_LAUNCHES} of {LEAST_BLOCKS} at least",
            size.launches, size.blocks
        ));
    }
    Chosen { plan, has_common_rate: Extra::CommonRate.is_wanted(costs) }
}

/// As many launches of five blocks as fit; where not even one does, fewer blocks, and at the least one launch of one block, which
/// the first launch is bound to by then.
fn not_ranked(budget_ns: u64, costs: &Costs) -> Chosen {
    let price = Price::of(costs, NO_EXTRAS);
    let needed_s = budget_for_s(price.of_run(LEAST_LAUNCHES, LEAST_BLOCKS));
    let mut reason = format!(
        "{LEAST_LAUNCHES} launches of {LEAST_BLOCKS} blocks do not fit the budget: --budget {needed_s}s would do"
    );
    let fit = |blocks: u64| price.launches_that_fit(budget_ns, blocks).min(LEAST_LAUNCHES - 1);
    let blocks = (1..=LEAST_BLOCKS).rev().find(|&blocks| fit(blocks) >= 1);
    if blocks.is_none() {
        let one_s = price.of_run(1, 1).div_ceil(1_000_000_000);
        reason.push_str(&format!("; one launch of one block alone takes {one_s} s, longer than the budget"));
    }
    let blocks = blocks.unwrap_or(1);
    let mut plan = of(price, Size { launches: fit(blocks).max(1), blocks }, Some(reason), false);
    plan.needed_budget_s = Some(needed_s);
    Chosen { plan, has_common_rate: false }
}

/// What is wanted and does not fit, in words.
fn left_out(costs: &Costs, extras: Extras) -> Vec<String> {
    let left_out = Extra::ALL.into_iter().filter(|&extra| !extras.has(extra) && extra.is_wanted(costs));
    let in_words = |extra: Extra| {
        let least_ns = Price::of(costs, Extras::up_to(extra)).of_run(LEAST_LAUNCHES, LEAST_BLOCKS);
        let needed_s = budget_for_s(least_ns.max(extra.least_budget_ns(costs)));
        format!("{} does not fit the budget: --budget {needed_s}s would do", extra.name())
    };
    left_out.map(in_words).collect()
}

pub(super) fn of(price: Price<'_>, size: Size, not_ranked: Option<String>, is_precise: bool) -> Plan {
    let Size { launches, blocks } = size;
    Plan {
        launches: launches as u32,
        blocks: blocks as u32,
        expected_ns: price.of_run(launches, blocks),
        time: price.time(launches, blocks),
        expected_precision: None,
        not_ranked,
        needed_budget_s: None,
        looks: looks(launches as u32, is_precise),
        proof_pairs: 0,
        common_rates: Vec::new(),
        full_every: full_every(blocks) as u32,
        left_out: Vec::new(),
    }
}

fn looks(launches: u32, is_precise: bool) -> Vec<Look> {
    let looks =
        if is_precise { velo_stats::looks(launches) } else { vec![velo_stats::look_at_the_end(launches)] };
    looks.into_iter().map(|look| Look { launch: look.launch, level: look.level }).collect()
}

/// The plan of a quick look: two launches of three blocks.
pub fn quick(costs: &Costs) -> Chosen {
    let size = Size { launches: 2, blocks: 3 };
    let plan = of(Price::of(costs, NO_EXTRAS), size, Some("quick look".to_owned()), false);
    Chosen { plan, has_common_rate: false }
}

/// The plan of the source's own load: one launch, one long window.
pub fn as_published(costs: &Costs) -> Chosen {
    let reason = "as published: one launch, so nothing can be said of its spread".to_owned();
    let size = Size { launches: 1, blocks: 1 };
    Chosen { plan: of(Price::of(costs, NO_EXTRAS), size, Some(reason), false), has_common_rate: false }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use velo_record::PlannedTime;

    #[test]
    fn a_plan_that_was_asked_for_leaves_nothing_out() {
        let costs = Costs { block_ns: 5, common_rate_ns: 1, proof_ns: 1, ..Costs::default() };
        let of = |launches, blocks| given(Size::new(launches, blocks).unwrap(), &costs, false);
        let Chosen { plan, has_common_rate } = of(8, 12);
        assert_eq!(
            (plan.launches, plan.blocks, plan.proof_pairs, has_common_rate),
            (8, 12, PROOF_PAIRS, true)
        );
        assert!(plan.not_ranked.is_none() && plan.looks.len() == 1);
        assert!(of(4, 12).plan.not_ranked.is_some() && of(5, 4).plan.not_ranked.is_some());
        let bare = given(Size::new(5, 5).unwrap(), &Costs::default(), true);
        assert_eq!((bare.plan.proof_pairs, bare.has_common_rate), (0, false));
        assert_eq!((Size::new(0, 5), Size::new(5, 101)), (None, None));
    }

    use super::super::budget::plannable_ns;
    use super::*;

    const S: u64 = 1_000_000_000;
    const PLAIN: Costs = Costs {
        launch_ns: 5 * S,
        warm_up_ns: 4 * S,
        block_ns: S / 2,
        counted_ns: S / 4,
        common_rate_ns: 0,
        common_rate_from_ns: 0,
        proof_ns: 0,
        once_ns: 0,
        reference_ns: 0,
        reference_counted_ns: 0,
    };
    const FULL: Costs = Costs { common_rate_ns: S / 2, proof_ns: 10 * S, ..PLAIN };

    fn size(plan: &Plan) -> (u32, u32, bool) {
        (plan.launches, plan.blocks, plan.not_ranked.is_none())
    }

    #[test]
    fn a_budget_buys_launches_and_blocks() {
        let got = |budget_s: u64| {
            let plan = plan(budget_s * S, &PLAIN, false).plan;
            assert!(plan.expected_ns <= budget_s * S || plan.launches == 1, "{plan:?}");
            assert!(plan.left_out.is_empty(), "nothing else was wanted: {plan:?}");
            size(&plan)
        };
        assert_eq!(got(100), (8, 15, true));
        assert_eq!(got(50), (5, 10, true));
        assert_eq!(got(49), (5, 9, true));
        assert_eq!(got(38), (5, 5, true));
        assert_eq!(got(37), (4, 5, false));
        assert_eq!(got(8), (1, 5, false));
        assert_eq!(got(7), (1, 4, false));
        assert_eq!(got(1), (1, 1, false));
        assert_eq!(got(150), (10, 20, true));
        assert_eq!(got(100_000), (40, 100, true));
    }

    #[test]
    fn a_plan_says_what_its_time_is_for() {
        let plan = plan(85 * S, &FULL, false).plan;
        let time = PlannedTime {
            counted_ns: 6 * 12 * S / 4,
            common_rate_ns: 6 * 3 * S / 2,
            warm_up_ns: 6 * 4 * S,
            starts_ns: 6 * S,
            proof_ns: 10 * S,
        };
        assert_eq!((plan.time, plan.expected_ns), (time, 85 * S));
    }

    #[test]
    fn a_budget_too_small_names_what_is_needed() {
        let plan = plan(10 * S, &PLAIN, false).plan;
        assert_eq!(
            plan.not_ranked.as_deref(),
            Some("5 launches of 5 blocks do not fit the budget: --budget 40s would do")
        );
        assert!(super::plan(plannable_ns(40 * S), &PLAIN, false).plan.not_ranked.is_none());
    }

    /// Four contenders that work and two that hung for 20 s each before they left.
    #[test]
    fn contenders_that_left_are_paid_for_once() {
        let lost = Costs { once_ns: 40 * S, ..PLAIN };
        let plan = |budget_s: u64| plan(budget_s * S, &lost, false).plan;
        assert_eq!((size(&plan(90)), plan(90).expected_ns), ((5, 10, true), 90 * S));
        assert_eq!((size(&plan(60)), plan(60).expected_ns), ((2, 5, false), 55 * S));
        assert_eq!(plan(60).needed_budget_s, Some(80), "and not what five launches with them would take");
        assert_eq!((size(&plan(20)), plan(20).expected_ns), ((1, 1, false), 45 * S + S / 2));
        assert_eq!(
            plan(20).not_ranked.as_deref(),
            Some(
                "5 launches of 5 blocks do not fit the budget: --budget 80s would do; one launch of one block alone takes \
                 46 s, longer than the budget"
            )
        );
    }

    #[test]
    fn what_does_not_fit_is_left_out_the_proof_first() {
        let got = |budget_s: u64| {
            let chosen = plan(budget_s * S, &FULL, false);
            let left_out = chosen.plan.left_out.len();
            (size(&chosen.plan), chosen.has_common_rate, chosen.plan.proof_pairs, left_out)
        };
        // 10 s of proof and 12.5 s a launch of twelve blocks.
        assert_eq!(got(85), ((6, 12, true), true, 10, 0));
        assert_eq!(got(55), ((5, 5, true), true, 10, 0));
        assert_eq!(got(54), ((5, 8, true), true, 0, 1));
        assert_eq!(got(45), ((5, 5, true), true, 0, 1));
        assert_eq!(got(44), ((5, 7, true), false, 0, 2));
        assert_eq!(got(37), ((4, 5, false), false, 0, 0));
        // A proof of more than a fifth of the budget is left out however much is left.
        let dear = Costs { proof_ns: 30 * S, ..FULL };
        let chosen = plan(149 * S, &dear, false);
        assert_eq!((chosen.plan.proof_pairs, chosen.has_common_rate), (0, true));
        assert_eq!(
            chosen.plan.left_out,
            ["the proof by slowing the generator does not fit the budget: --budget 160s would do"]
        );
        assert_eq!(plan(plannable_ns(160 * S), &dear, false).plan.proof_pairs, 10);
    }

    #[test]
    fn a_small_budget_is_for_blocks_where_goodput_ranks() {
        let costs = Costs { common_rate_from_ns: 120 * S, proof_ns: 0, ..FULL };
        let short = plan(plannable_ns(110 * S), &costs, false);
        assert!(!short.has_common_rate);
        assert_eq!(
            short.plan.left_out,
            ["CPU per request at the common rate does not fit the budget: --budget 120s would do"]
        );
        assert!(plan(plannable_ns(120 * S), &costs, false).has_common_rate);
    }

    #[test]
    fn the_reference_is_in_full_blocks_alone() {
        let costs = Costs { reference_ns: 2 * S, reference_counted_ns: S, ..PLAIN };
        let plan = plan(150 * S, &costs, false).plan;
        let full = u64::from(plan.full_blocks());
        assert_eq!((plan.full_every, full), (4, u64::from(plan.blocks).div_ceil(4)));
        let of_launch = 5 * S + u64::from(plan.blocks) * S / 2 + full * 2 * S;
        assert_eq!(plan.expected_ns, u64::from(plan.launches) * of_launch);
        let counted = u64::from(plan.blocks) * S / 4 + full * S;
        assert_eq!(plan.time.counted_ns, u64::from(plan.launches) * counted);
    }

    #[test]
    fn what_is_left_out_names_the_budget_that_has_room_for_it() {
        let chosen = plan(40 * S, &FULL, false);
        assert_eq!(
            chosen.plan.left_out,
            [
                "CPU per request at the common rate does not fit the budget: --budget 50s would do",
                "the proof by slowing the generator does not fit the budget: --budget 60s would do",
            ]
        );
        assert!(plan(plannable_ns(50 * S), &FULL, false).has_common_rate);
        assert_eq!(plan(plannable_ns(60 * S), &FULL, false).plan.proof_pairs, 10);
    }

    #[test]
    fn a_run_looks_once_at_its_end_or_on_its_way_when_it_may_end_early() {
        let looks = |budget_s: u64, is_precise: bool| {
            let plan = plan(budget_s * S, &PLAIN, is_precise).plan;
            plan.looks.iter().map(|look| (look.launch, (look.level * 1000.0).round())).collect::<Vec<_>>()
        };
        assert_eq!(looks(150, false), [(10, 50.0)]);
        assert_eq!(looks(150, true), [(5, 5.0), (8, 15.0), (12, 30.0)]);
        assert_eq!(looks(70, true), [(5, 5.0), (8, 45.0)]);
        assert_eq!(looks(60, true), [(5, 5.0), (7, 45.0)]);
        assert_eq!(looks(38, true), [(5, 50.0)]);
        assert_eq!(looks(10, true), [(1, 50.0)], "what is not ranked is not looked at on its way");
        assert_eq!(plan(100_000 * S, &PLAIN, true).plan.launches, 12);
        assert_eq!(quick(&PLAIN).plan.looks, [Look { launch: 2, level: 0.05 }]);
        assert_eq!(as_published(&PLAIN).plan.looks, [Look { launch: 1, level: 0.05 }]);
    }

    #[test]
    fn free_things_do_not_divide_by_zero() {
        let free = Costs { launch_ns: 0, warm_up_ns: 0, block_ns: 0, counted_ns: 0, ..PLAIN };
        assert_eq!(plan(S, &free, false).plan.launches, 40);
    }

    proptest! {
        #[test]
        fn a_plan_that_ranks_fits_its_budget(
            budget_s in 1_u64..2000,
            costs in [0_u64..60 * S, 0..10 * S, 0..10 * S, 0..100 * S, 0..100 * S],
            is_precise: bool,
        ) {
            let [launch_ns, block_ns, common_rate_ns, proof_ns, once_ns] = costs;
            let (warm_up_ns, counted_ns) = (launch_ns / 2, block_ns / 2);
            let costs =
                Costs { launch_ns, warm_up_ns, block_ns, counted_ns, common_rate_ns, proof_ns, once_ns, ..PLAIN };
            let Chosen { plan, has_common_rate } = plan(budget_s * S, &costs, is_precise);
            let most = if is_precise { 12 } else { 40 };
            prop_assert!((1..=most).contains(&plan.launches));
            prop_assert_eq!(plan.looks.last().map(|look| look.launch), Some(plan.launches));
            if plan.not_ranked.is_none() {
                prop_assert!(plan.launches >= 5 && plan.blocks >= 5 && plan.blocks <= 100);
                prop_assert!(plan.expected_ns <= budget_s * S);
                let wanted = usize::from(common_rate_ns > 0) + usize::from(proof_ns > 0);
                let has = usize::from(has_common_rate) + usize::from(plan.proof_pairs > 0);
                prop_assert_eq!(plan.left_out.len(), wanted - has);
            } else {
                prop_assert!(plan.launches < 5 && !has_common_rate && plan.proof_pairs == 0);
                // The promise is kept, or it is said that it cannot be.
                let is_least = (plan.launches, plan.blocks) == (1, 1);
                let says_so = plan.not_ranked.as_ref().is_some_and(|why| why.contains("longer than the budget"));
                prop_assert!(plan.expected_ns <= budget_s * S || (is_least && says_so), "{:?}", plan);
                // What is named would do.
                let needed_s = plan.needed_budget_s.unwrap();
                let enough = super::plan(plannable_ns(needed_s * S), &costs, is_precise).plan;
                prop_assert!(enough.not_ranked.is_none() && needed_s >= budget_s * 93 / 100, "{:?}", enough);
            }
        }
    }
}
