//! The budget that buys more launches: that of which the plan, chosen anew, has as many.

use velo_record::{Costs, ExpectedPrecision, RunFile};

use super::bought::size as bought_size;
use super::budget::{STEP_S, budget_for_s, plannable_ns};
use super::price::{ALL_EXTRAS, NO_EXTRAS, Price};
use super::size::{MOST_BLOCKS, Size, most_launches};

/// So many budgets are tried, from the least that could do to the one that buys all that a run ever has. Ten seconds lie between
/// them, where that is less than three hours.
const TRIED: u64 = 1_000;

/// What budgets buy at a run's own costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Promise {
    costs: Costs,
    /// Of a launch of this run.
    blocks: u64,
    is_precise: bool,
}

impl Promise {
    /// By what the run's plan rested on; `None` where that is not known.
    pub(crate) fn of(file: &RunFile) -> Option<Self> {
        let plan = file.plan.as_ref().filter(|plan| plan.launches > 0 && plan.blocks > 0)?;
        Some(Self {
            costs: file.costs?,
            blocks: u64::from(plan.blocks),
            is_precise: file.settings.precision.is_some(),
        })
    }

    /// The least budget, as it would be typed, whose plan has so many launches, and as many blocks in all as they would have here.
    /// Such a plan is no less precise than so many launches like these: where a launch has fewer blocks there are more launches.
    /// `None` for more than a run ever has.
    pub(crate) fn budget_ns(&self, launches: u32) -> Option<u64> {
        let (launches, most) = (u64::from(launches), most_launches(self.is_precise));
        if launches > most || self.blocks > MOST_BLOCKS {
            return None;
        }
        let is_enough = |budget_ns: &u64| {
            let bought = bought_size(plannable_ns(*budget_ns), &self.costs, self.is_precise);
            bought.is_some_and(|(_, bought)| {
                bought.launches >= launches && bought.launches * bought.blocks >= launches * self.blocks
            })
        };
        let least_ns = Price::of(&self.costs, NO_EXTRAS).of_run(launches, self.blocks);
        budgets(&self.costs, least_ns, self.is_precise).find(is_enough)
    }
}

/// How precise a plan of so many launches and blocks is expected to be, and what it costs to halve that.
pub(super) fn expected_precision(costs: &Costs, size: Size, is_precise: bool) -> ExpectedPrecision {
    let half_width = size.half_width(is_precise);
    let is_enough = |budget_ns: &u64| {
        let bought = bought_size(plannable_ns(*budget_ns), costs, is_precise);
        bought.is_some_and(|(_, bought)| bought.half_width(is_precise) <= half_width / 2.0)
    };
    let least_ns = Price::of(costs, NO_EXTRAS).of_run(size.launches, size.blocks);
    ExpectedPrecision {
        half_width: half_width.exp_m1(),
        halved_budget_s: budgets(costs, least_ns, is_precise).find(is_enough).map(|ns| ns / 1_000_000_000),
    }
}

/// Budgets as they would be typed, from one that has room for a cost to the one that buys all that a run ever has.
fn budgets(costs: &Costs, least_ns: u64, is_precise: bool) -> impl Iterator<Item = u64> {
    let steps_of = |cost_ns: u64| budget_for_s(cost_ns) / STEP_S;
    let least = steps_of(least_ns);
    let most = steps_of(Price::of(costs, ALL_EXTRAS).of_run(most_launches(is_precise), MOST_BLOCKS));
    let stride = most.saturating_sub(least).div_ceil(TRIED).max(1);
    (0..=TRIED).map_while(move |n| (least + n * stride).checked_mul(STEP_S * 1_000_000_000))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::choose::plan;
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_budget_is_what_its_plan_has() {
        let costs = Costs { launch_ns: 5 * S, block_ns: S / 2, ..Costs::default() };
        let promise = Promise { costs, blocks: 12, is_precise: false };
        let nine = promise.budget_ns(9).unwrap();
        let bought = plan(plannable_ns(nine), &costs, false).plan;
        assert!(bought.launches >= 9 && bought.launches * bought.blocks >= 9 * 12, "{nine}: {bought:?}");
        // 10 s less are not enough: launches have more blocks of what is left, and there are fewer of them.
        assert_eq!(nine, 130 * S);
        let less = plan(plannable_ns(nine - 10 * S), &costs, false).plan;
        assert!(less.launches < 9 || less.launches * less.blocks < 9 * 12, "{less:?}");
        assert_eq!((promise.budget_ns(41), promise.budget_ns(40).is_some()), (None, true));
        let precise = Promise { is_precise: true, ..promise };
        assert_eq!((precise.budget_ns(13), precise.budget_ns(12).is_some()), (None, true));
    }

    #[test]
    fn half_of_an_interval_costs_about_four_times_as_much() {
        let costs = Costs { launch_ns: 5 * S, block_ns: S / 2, ..Costs::default() };
        let size = Size { launches: 8, blocks: 15 };
        let ExpectedPrecision { half_width, halved_budget_s } = expected_precision(&costs, size, false);
        // Student's t for seven degrees of freedom is 2.365, and the standard error sqrt((.02^2 + .2^2 / 15) / 8).
        assert!((half_width - 0.0474).abs() < 0.0005, "{half_width}");
        let halved_s = halved_budget_s.expect("a budget");
        assert!((300..=420).contains(&halved_s), "{halved_s} s");
        let most = Size { launches: 40, blocks: 100 };
        assert_eq!(expected_precision(&costs, most, false).halved_budget_s, None);
    }

    proptest! {
        /// The plan of the budget that is promised has the launches that were promised, and all of their blocks.
        #[test]
        fn a_promise_is_kept(
            budget_s in 20_u64..900,
            launch_ms in 100_u64..30_000, block_ms in 20_u64..4_000,
            extras in [0_u64..3_000, 0..60_000, 0..40_000],
            more in 1_u32..36,
            is_precise: bool,
        ) {
            let [common_rate_ms, proof_ms, once_ms] = extras;
            let ms = |n: u64| n * S / 1_000;
            let costs = Costs {
                launch_ns: ms(launch_ms), warm_up_ns: ms(launch_ms) / 2,
                block_ns: ms(block_ms), counted_ns: ms(block_ms) / 2,
                common_rate_ns: ms(common_rate_ms), proof_ns: ms(proof_ms), once_ns: ms(once_ms),
                ..Costs::default()
            };
            let first = plan(plannable_ns(budget_s * S), &costs, is_precise).plan;
            prop_assume!(first.not_ranked.is_none());
            let promise = Promise { costs, blocks: u64::from(first.blocks), is_precise };
            let wanted = first.launches + more;
            if let Some(budget_ns) = promise.budget_ns(wanted) {
                let second = plan(plannable_ns(budget_ns), &costs, is_precise).plan;
                prop_assert!(second.not_ranked.is_none() && second.expected_ns <= budget_ns);
                prop_assert!(second.launches >= wanted, "{first:?} {second:?}");
                prop_assert!(second.launches * second.blocks >= wanted * first.blocks, "{first:?} {second:?}");
            } else {
                prop_assert!(most_launches(is_precise) < u64::from(wanted), "{first:?}, {wanted} launches");
            }
        }

        #[test]
        fn any_file_is_answered(costs: [[u64; 5]; 2], blocks: u32, launches: u32, is_precise: bool) {
            let [
                [launch_ns, warm_up_ns, block_ns, counted_ns, common_rate_ns],
                [reference_ns, reference_counted_ns, common_rate_from_ns, proof_ns, once_ns],
            ] = costs;
            let costs = Costs {
                launch_ns, warm_up_ns, block_ns, counted_ns, reference_ns, reference_counted_ns,
                common_rate_ns, common_rate_from_ns, proof_ns, once_ns,
            };
            let promise = Promise { costs, blocks: u64::from(blocks), is_precise };
            let _ = promise.budget_ns(launches % 50);
        }
    }
}
