//! What budget more launches would need, by what those of this run cost.

use velo_record::{RunFile, Window, WindowKind};

/// The share of a budget that is planned. The rest is for what the first launch cannot show: the last block of a launch waits
/// for every answer (2.4 s with puma), and machines get slower.
pub const PLANNED_SHARE: f64 = 0.93;
/// The most launches of a run.
pub const MOST_LAUNCHES: u32 = 40;

/// What is typed after `--budget` is a multiple of this.
const STEP_NS: f64 = 10e9;

/// What a run costs by its launches. One with more budget may have more blocks in a launch instead, which is no less precise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LaunchCost {
    /// Each launch.
    launch_ns: f64,
    /// The proof that the generator does not matter, once a run.
    proof_ns: f64,
}

impl LaunchCost {
    /// As the run's own plan had it; `None` without a plan.
    pub(crate) fn of(file: &RunFile, windows: &[Window]) -> Option<Self> {
        let plan = file.plan.as_ref().filter(|plan| plan.launches > 0 && plan.expected_ns > 0)?;
        let expected = plan.expected_ns as f64;
        let proof_ns = length(windows).min(expected / 2.0);
        let as_planned = (expected - proof_ns) / f64::from(plan.launches);
        Some(Self { launch_ns: as_planned, proof_ns })
    }

    /// The budget that buys so many launches, as it would be typed; `None` for more than a run ever has.
    pub(crate) fn budget_ns(self, launches: u32) -> Option<u64> {
        let needed = (self.proof_ns + f64::from(launches) * self.launch_ns) / PLANNED_SHARE;
        (launches <= MOST_LAUNCHES && needed < 1e18).then(|| as_typed_ns(needed))
    }
}

/// A budget of at least so many nanoseconds as it would be typed.
pub(crate) fn as_typed_ns(needed_ns: f64) -> u64 {
    ((needed_ns / STEP_NS).ceil() * STEP_NS) as u64
}

/// How long the windows of the proof took in all, in nanoseconds.
fn length(windows: &[Window]) -> f64 {
    let proof = windows.iter().filter(|window| window.kind() == WindowKind::Proof);
    proof.map(|window| window.loaded_ns() as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation};
    use velo_record::Purpose;

    #[test]
    fn a_budget_is_launches_at_what_they_cost_here() {
        let (mut file, windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
        let of = |file: &RunFile, windows: &[Window]| LaunchCost::of(file, windows).unwrap();
        // 5 launches were expected to take 160 s, so one takes 32 s: 10 of them are 320 s of 344.1 s.
        assert_eq!(of(&file, &windows).budget_ns(10), Some(350_000_000_000));
        assert_eq!(of(&file, &windows).budget_ns(41), None);
        assert!((of(&file, &[]).launch_ns - 32e9).abs() < 1.0);
        // What a proof took is paid once: of 160 s, 10 windows of 6 s and 11 ms.
        let mut with_proof = windows.clone();
        for window in with_proof.iter_mut().filter(|window| window.launch == 1 && window.block > 0) {
            (window.purpose, window.duration_ns) = (Purpose::Proof { slowed_ns: None }, 6_000_000_000);
        }
        let cost = of(&file, &with_proof);
        assert!((cost.proof_ns - 60.11e9).abs() < 1.0 && (cost.launch_ns - 99.89e9 / 5.0).abs() < 1.0);
        file.plan.as_mut().unwrap().expected_ns = u64::MAX;
        assert!(of(&file, &windows).budget_ns(40).is_none_or(|ns| ns > 0));
        file.plan.as_mut().unwrap().launches = 0;
        assert_eq!(LaunchCost::of(&file, &windows), None);
        file.plan = None;
        assert_eq!(LaunchCost::of(&file, &windows), None);
    }
}
