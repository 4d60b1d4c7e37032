//! How many launches and rounds of windows at stated rates a budget buys. Pure.

use velo_judge::planning::{budget_for_s, plannable_ns};

/// With fewer launches an interval over them is too wide to be of use.
const LEAST_LAUNCHES: u64 = 5;
const MOST_LAUNCHES: u64 = 20;
const USUAL_ROUNDS: u64 = 3;

/// What things cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LatencyCosts {
    /// Starting, warming up and stopping every contender once.
    pub(crate) launch_ns: u64,
    /// One window of every contender at each of its rates.
    pub(crate) round_ns: u64,
    /// The search for the highest rates that are met, once.
    pub(crate) search_ns: u64,
}

/// Launches that only measure latency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LatencyPlan {
    pub(crate) launches: u32,
    /// Windows of each contender at each of its rates in a launch.
    pub(crate) rounds: u32,
    pub(crate) expected_ns: u64,
    /// Why there will be fewer launches than an interval asks for.
    pub(crate) too_small: Option<String>,
}

/// As many launches of three rounds as fit, of fewer rounds when five of them do not; when not even five launches of
/// one round fit, as many as do, at least one.
pub(crate) fn latency_plan(budget_ns: u64, costs: &LatencyCosts) -> LatencyPlan {
    let of_launch = |rounds: u64| costs.launch_ns + rounds * costs.round_ns;
    let left_ns = plannable_ns(budget_ns).saturating_sub(costs.search_ns);
    let fit = |rounds: u64| left_ns / of_launch(rounds).max(1);
    let rounds = (1..=USUAL_ROUNDS).rev().find(|&rounds| fit(rounds) >= LEAST_LAUNCHES);
    let launches = fit(rounds.unwrap_or(1)).clamp(1, MOST_LAUNCHES);
    let rounds = rounds.unwrap_or(1);
    let too_small = (launches < LEAST_LAUNCHES).then(|| {
        let needed_s = budget_for_s(costs.search_ns + LEAST_LAUNCHES * of_launch(1));
        format!("{LEAST_LAUNCHES} launches for latency do not fit its budget: --latency={needed_s}s would do")
    });
    LatencyPlan {
        launches: launches as u32,
        rounds: rounds as u32,
        expected_ns: costs.search_ns + launches * of_launch(rounds),
        too_small,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;
    const COSTS: LatencyCosts = LatencyCosts { launch_ns: 4 * S, round_ns: 2 * S, search_ns: 10 * S };

    fn got(planned_s: u64) -> (u32, u32, bool) {
        // So that exactly this much may be planned.
        let budget_ns = (planned_s as f64 * 1e9 / 0.97).ceil() as u64 + 1;
        let plan = latency_plan(budget_ns, &COSTS);
        (plan.launches, plan.rounds, plan.too_small.is_none())
    }

    #[test]
    fn rounds_give_way_before_launches() {
        assert_eq!(got(60), (5, 3, true));
        assert_eq!(got(75), (6, 3, true));
        assert_eq!(got(1000), (20, 3, true));
        assert_eq!(got(59), (6, 2, true));
        assert_eq!(got(40), (5, 1, true));
        assert_eq!(got(39), (4, 1, false));
        assert_eq!(got(1), (1, 1, false));
    }

    #[test]
    fn a_budget_too_small_names_what_is_needed() {
        let plan = latency_plan(30 * S, &COSTS);
        assert_eq!(
            plan.too_small.as_deref(),
            Some("5 launches for latency do not fit its budget: --latency=50s would do")
        );
        assert_eq!(latency_plan(50 * S, &COSTS).too_small, None);
        let free = LatencyCosts { launch_ns: 0, round_ns: 0, search_ns: 0 };
        assert_eq!(latency_plan(S, &free).launches, 20);
    }
}
