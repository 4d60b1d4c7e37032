//! How many launches and blocks a budget buys, and what else it has room for. Pure.
//!
//! The plan is the one whose pairs are expected to have the narrowest intervals: more blocks in a launch share its start and warm-up,
//! more launches make up for what differs between launches (T. Kalibera and R. Jones, "Rigorous Benchmarking in Reasonable Time",
//! ISMM 2013).

use velo_judge::PLANNED_SHARE;
use velo_record::{Look, Plan, PlannedTime};
use velo_stats::{CONFIDENCE, StudentT};

/// The least that is ranked.
const LEAST_LAUNCHES: u64 = 5;
const MOST_LAUNCHES: u64 = velo_judge::MOST_LAUNCHES as u64;
/// A run that may end early is not planned beyond its last look.
const MOST_PRECISE_LAUNCHES: u64 = 12;
const LEAST_BLOCKS: u64 = 5;
const MOST_BLOCKS: u64 = 100;
/// What a pair's log ratio is taken to scatter by from launch to launch. Real runs show less; with less the plan would have so few
/// launches that it lost to ten blocks a launch where launches do differ by 5 %.
const BETWEEN_LAUNCHES: f64 = 0.02;
/// And from block to block of a launch, with the loss of the median against the mean in it (a median absolute deviation of 6 % was
/// seen).
const BETWEEN_BLOCKS: f64 = 0.11;
/// A launch has at least so many windows at the common rate, and at most one in so many blocks: CPU time per request at a rate scatters
/// half as much as goodput does, so that a quarter of the windows gives it as precisely.
const LEAST_EQUAL_WORK: u64 = 3;
const MOST_EQUAL_WORK_EVERY: u64 = 4;
/// Pairs of windows with and without a slowed generator.
pub(crate) const PROOF_PAIRS: u32 = 10;
/// The proof may take one part in so many of the budget: it supports what CPU times say, and launches count for more.
const LEAST_BUDGET_PER_PROOF: u64 = 5;

/// What things cost, as the first launch's warm-up has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Costs {
    /// Starting, warming up and stopping every contender once.
    pub(crate) launch_ns: u64,
    /// How much of that is warm-up.
    pub(crate) warm_up_ns: u64,
    /// One block of every workload.
    pub(crate) block_ns: u64,
    /// How much of that is counted windows.
    pub(crate) counted_ns: u64,
    /// What windows at the common rate add to a block; 0 when there is no such rate.
    pub(crate) equal_work_ns: u64,
    /// The proof by slowing the generator, once a run.
    pub(crate) proof_ns: u64,
    /// What the first launch alone takes: for contenders that left in it, and to see that a warm-up was enough.
    pub(crate) once_ns: u64,
}

/// The part of a budget that may be planned.
pub(crate) fn plannable_ns(budget_ns: u64) -> u64 {
    (budget_ns as f64 * PLANNED_SHARE) as u64
}

/// The budget that has room for a cost, in seconds, rounded up to what a person would type.
pub(crate) fn budget_for_s(cost_ns: u64) -> u64 {
    ((cost_ns as f64 / PLANNED_SHARE) as u64).div_ceil(10_000_000_000) * 10
}

/// A plan, and whether its blocks have windows at the common rate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) plan: Plan,
    pub(crate) has_equal_work: bool,
}

/// What a plan has beside its launches and blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extras {
    equal_work: bool,
    proof: bool,
}

const NO_EXTRAS: Extras = Extras { equal_work: false, proof: false };

impl Costs {
    fn of_launch(&self, blocks: u64, extras: Extras) -> u64 {
        self.launch_ns + blocks * self.block_ns + self.equal_work_of_launch(blocks, extras)
    }

    /// What the time of so many launches is for.
    fn time(&self, launches: u64, blocks: u64, extras: Extras) -> PlannedTime {
        PlannedTime {
            counted_ns: launches * blocks * self.counted_ns,
            common_rate_ns: launches * self.equal_work_of_launch(blocks, extras),
            warm_up_ns: launches * self.warm_up_ns,
            starts_ns: launches * self.launch_ns.saturating_sub(self.warm_up_ns),
            proof_ns: if extras.proof { self.proof_ns } else { 0 },
        }
    }

    fn equal_work_of_launch(&self, blocks: u64, extras: Extras) -> u64 {
        if extras.equal_work { blocks.div_ceil(equal_work_every(blocks)) * self.equal_work_ns } else { 0 }
    }

    fn once(&self, extras: Extras) -> u64 {
        self.once_ns + if extras.proof { self.proof_ns } else { 0 }
    }

    fn of_run(&self, launches: u64, blocks: u64, extras: Extras) -> u64 {
        self.once(extras) + launches * self.of_launch(blocks, extras)
    }

    fn launches_that_fit(&self, budget_ns: u64, blocks: u64, extras: Extras) -> u64 {
        budget_ns.saturating_sub(self.once(extras)) / self.of_launch(blocks, extras).max(1)
    }

    /// The launches and blocks that fit and are expected to give the narrowest intervals; `None` when five launches of five blocks
    /// do not fit.
    fn rankable(&self, budget_ns: u64, most_launches: u64, extras: Extras) -> Option<(u64, u64)> {
        let sizes = (LEAST_BLOCKS..=MOST_BLOCKS).filter_map(|blocks| {
            let launches = self.launches_that_fit(budget_ns, blocks, extras).min(most_launches);
            (launches >= LEAST_LAUNCHES).then_some((launches, blocks))
        });
        sizes.min_by(|a, b| expected_half_width(*a).total_cmp(&expected_half_width(*b)))
    }

    fn is_cheap_proof(&self, budget_ns: u64) -> bool {
        self.proof_ns > 0 && self.proof_ns <= budget_ns / LEAST_BUDGET_PER_PROOF
    }
}

/// Half of the width of the interval of a pair's log ratio, by Student's t over launches.
fn expected_half_width((launches, blocks): (u64, u64)) -> f64 {
    let variance = BETWEEN_LAUNCHES.powi(2) + BETWEEN_BLOCKS.powi(2) / blocks as f64;
    let t = StudentT::new(launches as f64 - 1.0).and_then(|t| t.two_sided_critical(1.0 - CONFIDENCE));
    t.unwrap_or(f64::INFINITY) * (variance / launches as f64).sqrt()
}

/// In every how manyth block windows at the common rate stand.
fn equal_work_every(blocks: u64) -> u64 {
    (blocks.saturating_sub(1) / (LEAST_EQUAL_WORK - 1)).clamp(1, MOST_EQUAL_WORK_EVERY)
}

/// What a budget buys. What does not fit beside five launches of five blocks is left out: first the proof, then the one
/// rate for all. When not even those blocks fit, what fits, and nothing is ranked.
///
/// `is_precise`: the run may end early, so it looks at its results on its way, and has at most twelve launches.
pub(crate) fn plan(budget_ns: u64, costs: &Costs, is_precise: bool) -> Chosen {
    let most_launches = if is_precise { MOST_PRECISE_LAUNCHES } else { MOST_LAUNCHES };
    let wanted =
        [(true, true), (true, false), (false, true)].map(|(equal_work, proof)| Extras { equal_work, proof });
    let possible = |extras: &Extras| {
        (!extras.equal_work || costs.equal_work_ns > 0) && (!extras.proof || costs.is_cheap_proof(budget_ns))
    };
    let fitting = wanted
        .into_iter()
        .filter(possible)
        .chain([NO_EXTRAS])
        .find_map(|extras| costs.rankable(budget_ns, most_launches, extras).map(|size| (extras, size)));
    let Some((extras, (launches, blocks))) = fitting else { return not_ranked(budget_ns, costs) };
    let plan = Plan {
        proof_pairs: if extras.proof { PROOF_PAIRS } else { 0 },
        left_out: left_out(costs, extras),
        ..of(costs, launches, blocks, extras, None, is_precise)
    };
    Chosen { plan, has_equal_work: extras.equal_work }
}

/// As many launches of five blocks as fit; where not even one does, fewer blocks, and at the least one launch of one block, which
/// the first launch is bound to by then.
fn not_ranked(budget_ns: u64, costs: &Costs) -> Chosen {
    let needed_s = budget_for_s(costs.of_run(LEAST_LAUNCHES, LEAST_BLOCKS, NO_EXTRAS));
    let mut reason = format!(
        "{LEAST_LAUNCHES} launches of {LEAST_BLOCKS} blocks do not fit the budget: --budget {needed_s}s would do"
    );
    let fit = |blocks: u64| costs.launches_that_fit(budget_ns, blocks, NO_EXTRAS).min(LEAST_LAUNCHES - 1);
    let blocks = (1..=LEAST_BLOCKS).rev().find(|&blocks| fit(blocks) >= 1);
    if blocks.is_none() {
        let one_s = costs.of_run(1, 1, NO_EXTRAS).div_ceil(1_000_000_000);
        reason.push_str(&format!("; one launch of one block alone takes {one_s} s, longer than the budget"));
    }
    let blocks = blocks.unwrap_or(1);
    let mut plan = of(costs, fit(blocks).max(1), blocks, NO_EXTRAS, Some(reason), false);
    plan.needed_budget_s = Some(needed_s);
    Chosen { plan, has_equal_work: false }
}

/// What is wanted and does not fit, in words.
fn left_out(costs: &Costs, extras: Extras) -> Vec<String> {
    let mut left_out = Vec::new();
    if !extras.equal_work && costs.equal_work_ns > 0 {
        let needed_ns = costs.of_run(LEAST_LAUNCHES, LEAST_BLOCKS, Extras { equal_work: true, proof: false });
        left_out.push(format!(
            "CPU per request at the common rate does not fit the budget: --budget {}s would do",
            budget_for_s(needed_ns)
        ));
    }
    if !extras.proof && costs.proof_ns > 0 {
        let all = Extras { equal_work: true, proof: true };
        let needed_ns = costs.of_run(LEAST_LAUNCHES, LEAST_BLOCKS, all);
        left_out.push(format!(
            "the proof by slowing the generator does not fit the budget: --budget {}s would do",
            budget_for_s(needed_ns.max(costs.proof_ns * LEAST_BUDGET_PER_PROOF))
        ));
    }
    left_out
}

fn of(
    costs: &Costs,
    launches: u64,
    blocks: u64,
    extras: Extras,
    not_ranked: Option<String>,
    is_precise: bool,
) -> Plan {
    Plan {
        launches: launches as u32,
        blocks: blocks as u32,
        expected_ns: costs.of_run(launches, blocks, extras),
        time: costs.time(launches, blocks, extras),
        not_ranked,
        needed_budget_s: None,
        looks: looks(launches as u32, is_precise),
        proof_pairs: 0,
        equal_work: Vec::new(),
        equal_work_every: equal_work_every(blocks) as u32,
        left_out: Vec::new(),
    }
}

fn looks(launches: u32, is_precise: bool) -> Vec<Look> {
    let looks =
        if is_precise { velo_stats::looks(launches) } else { vec![velo_stats::look_at_the_end(launches)] };
    looks.into_iter().map(|look| Look { launch: look.launch, level: look.level }).collect()
}

/// The plan of a quick look: two launches of three blocks.
pub(crate) fn quick(costs: &Costs) -> Chosen {
    let plan = of(costs, 2, 3, NO_EXTRAS, Some("quick look".to_owned()), false);
    Chosen { plan, has_equal_work: false }
}

/// The plan of the source's own load: one launch, one long window.
pub(crate) fn as_published(costs: &Costs) -> Chosen {
    let reason = "as published: one launch, so nothing can be said of its spread".to_owned();
    Chosen { plan: of(costs, 1, 1, NO_EXTRAS, Some(reason), false), has_equal_work: false }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const S: u64 = 1_000_000_000;
    const PLAIN: Costs = Costs {
        launch_ns: 5 * S,
        warm_up_ns: 4 * S,
        block_ns: S / 2,
        counted_ns: S / 4,
        equal_work_ns: 0,
        proof_ns: 0,
        once_ns: 0,
    };
    const FULL: Costs = Costs { equal_work_ns: S / 2, proof_ns: 10 * S, ..PLAIN };

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
        assert_eq!(got(100), (10, 10, true));
        assert_eq!(got(50), (5, 10, true));
        assert_eq!(got(49), (6, 6, true));
        assert_eq!(got(38), (5, 5, true));
        assert_eq!(got(37), (4, 5, false));
        assert_eq!(got(8), (1, 5, false));
        assert_eq!(got(7), (1, 4, false));
        assert_eq!(got(1), (1, 1, false));
        assert_eq!(got(150), (13, 13, true));
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
            Some("5 launches of 5 blocks do not fit the budget: --budget 50s would do")
        );
        assert!(super::plan(plannable_ns(50 * S), &PLAIN, false).plan.not_ranked.is_none());
    }

    /// Four contenders that work and two that hung for 20 s each before they left.
    #[test]
    fn contenders_that_left_are_paid_for_once() {
        let lost = Costs { once_ns: 40 * S, ..PLAIN };
        let plan = |budget_s: u64| plan(budget_s * S, &lost, false).plan;
        assert_eq!((size(&plan(90)), plan(90).expected_ns), ((5, 10, true), 90 * S));
        assert_eq!((size(&plan(60)), plan(60).expected_ns), ((2, 5, false), 55 * S));
        assert_eq!(plan(60).needed_budget_s, Some(90), "and not what five launches with them would take");
        assert_eq!((size(&plan(20)), plan(20).expected_ns), ((1, 1, false), 45 * S + S / 2));
        assert_eq!(
            plan(20).not_ranked.as_deref(),
            Some(
                "5 launches of 5 blocks do not fit the budget: --budget 90s would do; one launch of one block alone takes \
                 46 s, longer than the budget"
            )
        );
    }

    #[test]
    fn what_does_not_fit_is_left_out_the_proof_first() {
        let got = |budget_s: u64| {
            let chosen = plan(budget_s * S, &FULL, false);
            let left_out = chosen.plan.left_out.len();
            (size(&chosen.plan), chosen.has_equal_work, chosen.plan.proof_pairs, left_out)
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
        assert_eq!((chosen.plan.proof_pairs, chosen.has_equal_work), (0, true));
        assert_eq!(
            chosen.plan.left_out,
            ["the proof by slowing the generator does not fit the budget: --budget 170s would do"]
        );
        assert_eq!(plan(plannable_ns(170 * S), &dear, false).plan.proof_pairs, 10);
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
        assert!(plan(plannable_ns(50 * S), &FULL, false).has_equal_work);
        assert_eq!(plan(plannable_ns(60 * S), &FULL, false).plan.proof_pairs, 10);
    }

    #[test]
    fn a_run_looks_once_at_its_end_or_on_its_way_when_it_may_end_early() {
        let looks = |budget_s: u64, is_precise: bool| {
            let plan = plan(budget_s * S, &PLAIN, is_precise).plan;
            plan.looks.iter().map(|look| (look.launch, (look.level * 1000.0).round())).collect::<Vec<_>>()
        };
        assert_eq!(looks(150, false), [(13, 50.0)]);
        assert_eq!(looks(150, true), [(5, 5.0), (8, 15.0), (12, 30.0)]);
        assert_eq!(looks(70, true), [(5, 5.0), (7, 45.0)]);
        assert_eq!(looks(50, true), [(5, 50.0)]);
        assert_eq!(looks(10, true), [(1, 50.0)], "what is not ranked is not looked at on its way");
        assert_eq!(plan(100_000 * S, &PLAIN, true).plan.launches, 12);
        assert_eq!(quick(&PLAIN).plan.looks, [Look { launch: 2, level: 0.05 }]);
        assert_eq!(as_published(&PLAIN).plan.looks, [Look { launch: 1, level: 0.05 }]);
    }

    /// Against ten blocks in every launch at the same costs: narrower where launches differ little, and not much wider where they
    /// differ by 5 %.
    #[test]
    fn a_plan_by_cost_and_spread_loses_little_where_launches_differ() {
        let half_width = |(launches, blocks): (u64, u64), between: f64| {
            let variance = between.powi(2) + BETWEEN_BLOCKS.powi(2) / blocks as f64;
            let t = StudentT::new(launches as f64 - 1.0).unwrap().two_sided_critical(0.05).unwrap();
            t * (variance / launches as f64).sqrt()
        };
        let mut gains = Vec::new();
        for launch_ms in [1_000, 4_000, 12_000, 60_000] {
            for block_ms in [200, 500, 1_500] {
                let costs =
                    Costs { launch_ns: launch_ms * S / 1_000, block_ns: block_ms * S / 1_000, ..PLAIN };
                for budget_s in [60, 180, 600, 1_800] {
                    let launches = costs.launches_that_fit(budget_s * S, 10, NO_EXTRAS).min(MOST_LAUNCHES);
                    if launches < LEAST_LAUNCHES {
                        continue;
                    }
                    let chosen = costs.rankable(budget_s * S, MOST_LAUNCHES, NO_EXTRAS).unwrap();
                    let over = |between| half_width(chosen, between) / half_width((launches, 10), between);
                    assert!(over(BETWEEN_LAUNCHES) <= 1.0 + 1e-12, "{costs:?}, {budget_s} s: {chosen:?}");
                    assert!(over(0.05) < 1.25, "{costs:?}, {budget_s} s: {chosen:?}: {}", over(0.05));
                    gains.push(over(0.0));
                }
            }
        }
        let gain = velo_stats::median(&gains).unwrap();
        assert!(gain < 0.9 && gains.len() > 30, "{gain}: {gains:?}");
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
            let [launch_ns, block_ns, equal_work_ns, proof_ns, once_ns] = costs;
            let (warm_up_ns, counted_ns) = (launch_ns / 2, block_ns / 2);
            let costs =
                Costs { launch_ns, warm_up_ns, block_ns, counted_ns, equal_work_ns, proof_ns, once_ns };
            let Chosen { plan, has_equal_work } = plan(budget_s * S, &costs, is_precise);
            let most = if is_precise { 12 } else { 40 };
            prop_assert!((1..=most).contains(&plan.launches));
            prop_assert_eq!(plan.looks.last().map(|look| look.launch), Some(plan.launches));
            if plan.not_ranked.is_none() {
                prop_assert!(plan.launches >= 5 && plan.blocks >= 5 && plan.blocks <= 100);
                prop_assert!(plan.expected_ns <= budget_s * S);
                let wanted = usize::from(equal_work_ns > 0) + usize::from(proof_ns > 0);
                let has = usize::from(has_equal_work) + usize::from(plan.proof_pairs > 0);
                prop_assert_eq!(plan.left_out.len(), wanted - has);
            } else {
                prop_assert!(plan.launches < 5 && !has_equal_work && plan.proof_pairs == 0);
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
