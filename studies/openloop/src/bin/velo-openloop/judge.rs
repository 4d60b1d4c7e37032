//! Which runs count, what an ideal client must see, and how near a tool comes.

use study_openloop::queue;
use velo_load::{Arrivals, Shape, Spacing};
use velo_stats::median;

use crate::canary::Seen;
use crate::cell::Cell;
use crate::figures::{Figures, Times};
use crate::record::Run;

/// A spin that takes this much longer than the quickest of all runs, or loses this share of its time, was disturbed.
const SLOWER: f64 = 1.15;
const LOST_SHARE: f64 = 0.02;
/// One wake-up in a thousand came this much later than the middle one: enough to be seen in a p99.9.
const LATE_NS: u64 = 100_000;
/// The hypervisor took more than this of a CPU, or other processes used more than that.
const STEAL_SHARE: f64 = 0.001;
const OTHERS_SHARE: f64 = 0.03;
/// How near a time has to be to the simulation's: this share of it, or this long, whichever is more.
const NEAR_SHARE: f64 = 0.01;
const NEAR_NS: f64 = 50_000.0;

/// The quickest spin of all runs on each CPU.
pub(crate) fn quickest_ns(runs: &[&Run]) -> [u64; 2] {
    let least = |spins: fn(&Run) -> [u64; 2]| runs.iter().flat_map(|run| spins(run)).min().unwrap_or(0);
    [least(|run| run.canary.server_cpu.spin_ns), least(|run| run.canary.load_cpu.spin_ns)]
}

/// What the canary saw that disturbed a run, if anything.
pub(crate) fn disturbance(run: &Run, quickest_ns: [u64; 2]) -> Option<&'static str> {
    let seen = [run.canary.server_cpu, run.canary.load_cpu];
    let slow =
        |place: usize| seen[place].spin_ns.iter().any(|ns| *ns as f64 > quickest_ns[place] as f64 * SLOWER);
    if slow(0) || slow(1) {
        Some("slower CPU")
    } else if seen.iter().any(|seen| seen.spin_lost_share.iter().any(|lost| *lost > LOST_SHARE)) {
        Some("interrupted spin")
    } else if seen.iter().any(is_late) {
        Some("late wake-ups")
    } else if seen.iter().any(|seen| seen.steal_share > STEAL_SHARE) {
        Some("steal")
    } else if run.canary.others_share > OTHERS_SHARE {
        Some("other processes")
    } else {
        None
    }
}

/// Too few wake-ups say nothing.
fn is_late(seen: &Seen) -> bool {
    let late = seen.late_p50_ns.zip(seen.late_p999_ns);
    late.is_some_and(|(p50_ns, p999_ns)| p999_ns > p50_ns + LATE_NS)
}

/// The runs of one tool in one cell, disturbed ones left out unless there are no others.
pub(crate) struct Group<'a> {
    pub(crate) counted: Vec<(&'a Run, Figures)>,
    pub(crate) undisturbed: usize,
    pub(crate) all: usize,
    /// Of runs without figures.
    pub(crate) problem: Option<&'a str>,
}

impl<'a> Group<'a> {
    pub(crate) fn of(runs: &[&'a Run], cell: Cell, tool: &str) -> Self {
        let quickest_ns = quickest_ns(runs);
        let own: Vec<&Run> =
            runs.iter().copied().filter(|run| run.cell == cell && run.tool == tool).collect();
        let good: Vec<(&Run, Figures)> =
            own.iter().filter_map(|run| Some((*run, run.figures.clone().ok()?))).collect();
        let quiet: Vec<_> =
            good.iter().copied().filter(|(run, _)| disturbance(run, quickest_ns).is_none()).collect();
        let problem = own.iter().find_map(|run| run.figures.as_ref().err()).map(String::as_str);
        let undisturbed = quiet.len();
        Self { counted: if quiet.is_empty() { good } else { quiet }, undisturbed, all: own.len(), problem }
    }

    /// The median of a figure that all counted runs have.
    pub(crate) fn median(&self, figure: impl Fn(&Run, &Figures) -> Option<f64>) -> Option<f64> {
        let values: Option<Vec<f64>> =
            self.counted.iter().map(|(run, figures)| figure(run, figures)).collect();
        median(&values?)
    }

    pub(crate) fn times(&self) -> Times {
        let time = |place: usize| {
            self.median(|_, figures| figures.times.all()[place].map(|ns| ns as f64)).map(|ns| ns as u64)
        };
        [0, 1, 2, 3, 4].map(time).into()
    }
}

/// The truth of a cell.
pub(crate) struct Truth {
    pub(crate) service_ns: u64,
    pub(crate) queued_service_ns: u64,
    /// There and back.
    pub(crate) path_ns: u64,
    pub(crate) times: Times,
}

impl Truth {
    /// From the bare client's runs: its undisturbed median is one service and the path there and back; the rest follows.
    pub(crate) fn of(bare: &Group<'_>, cell: Cell) -> Option<Self> {
        let service_ns = bare.median(|run, _| run.server.service_ns())? as u64;
        let queued_service_ns = bare.median(|run, _| run.server.queued_service_ns())? as u64;
        let path_ns = bare.times().p50_ns?.saturating_sub(service_ns);
        let seconds = bare.counted.first()?.0.seconds;
        let shape = Shape::Constant { per_s: cell.per_s.into() };
        let arrivals = Arrivals { shape, spacing: Spacing::Even, seed: 0 };
        let end_ns = u64::from(seconds) * 1_000_000_000;
        let intended = arrivals.intended().take_while(|ns| *ns < end_ns);
        let model = cell.model(service_ns, queued_service_ns, path_ns / 2);
        let times = Times::of(&queue::response_time(intended, model));
        Some(Self { service_ns, queued_service_ns, path_ns, times })
    }
}

/// Whether a time is within 1 % or 50 us of the true one, whichever is more.
pub(crate) fn is_near(ns: u64, true_ns: u64) -> bool {
    (ns as f64 - true_ns as f64).abs() <= (true_ns as f64 * NEAR_SHARE).max(NEAR_NS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canary::Canary;
    use crate::cell::Mode;
    use crate::record::Served;

    fn run(p50_us: u64, spin_ns: u64) -> Run {
        let seen = Seen { spin_ns: [spin_ns, 1000], ..Seen::default() };
        let times = [Some(p50_us * 1000), None, None, None, None].into();
        Run {
            cell: Cell { per_s: 1000, mode: Mode::Plain },
            tool: "bare".to_owned(),
            round: 0,
            seconds: 30,
            figures: Ok(Figures { times, ..Figures::default() }),
            cpu_share: 0.5,
            server: Served {
                requests: 200,
                busy_ns: 1_500_000,
                alone_requests: 100,
                alone_busy_ns: 1_000_000,
                cpu_ns: 0,
                frozen_ns: 0,
                late_ns: 0,
            },
            canary: Canary { server_cpu: seen, load_cpu: seen, others_share: 0.0 },
        }
    }

    #[test]
    fn disturbed_runs_count_only_when_there_are_no_others() {
        let runs = [run(50, 1000), run(60, 1100), run(500, 1200), run(70, 1000)];
        let all: Vec<&Run> = runs.iter().collect();
        let group = Group::of(&all, runs[0].cell, "bare");
        assert_eq!((group.counted.len(), group.undisturbed, group.all), (3, 3, 4));
        assert_eq!(group.times().p50_ns, Some(60_000));
        assert_eq!(group.times().p99_ns, None);
        assert_eq!(Group::of(&all, runs[0].cell, "velo").all, 0);

        let steal = |mut run: Run| {
            run.canary.load_cpu.steal_share = 0.01;
            run
        };
        let runs = [steal(run(50, 1000)), steal(run(70, 1000))];
        let all: Vec<&Run> = runs.iter().collect();
        let group = Group::of(&all, runs[0].cell, "bare");
        assert_eq!((group.counted.len(), group.undisturbed), (2, 0));
        assert_eq!(disturbance(all[0], quickest_ns(&all)), Some("steal"));
    }

    #[test]
    fn each_kind_of_disturbance_is_seen() {
        let seen = |change: fn(&mut Seen), cause: Option<&str>| {
            let mut changed = run(50, 1000);
            change(&mut changed.canary.load_cpu);
            assert_eq!(disturbance(&changed, [1000, 1000]), cause);
        };
        seen(|_| {}, None);
        seen(|seen| seen.spin_ns[1] = 1151, Some("slower CPU"));
        seen(|seen| seen.spin_lost_share[0] = 0.021, Some("interrupted spin"));
        seen(|seen| seen.steal_share = 0.0011, Some("steal"));
        seen(|seen| (seen.late_p50_ns, seen.late_p999_ns) = (Some(40_000), Some(140_000)), None);
        seen(
            |seen| (seen.late_p50_ns, seen.late_p999_ns) = (Some(40_000), Some(140_001)),
            Some("late wake-ups"),
        );
        let mut shared = run(50, 1000);
        shared.canary.others_share = 0.031;
        assert_eq!(disturbance(&shared, [1000, 1000]), Some("other processes"));
    }

    #[test]
    fn the_truth_of_a_plain_cell_is_path_and_service() {
        let runs = [run(50, 1000)];
        let all: Vec<&Run> = runs.iter().collect();
        let truth = Truth::of(&Group::of(&all, runs[0].cell, "bare"), runs[0].cell).expect("a run");
        assert_eq!((truth.service_ns, truth.queued_service_ns, truth.path_ns), (10_000, 5_000, 40_000));
        for time in truth.times.all() {
            assert!(time.is_some_and(|ns| ns.abs_diff(50_000) <= 50), "{time:?}");
        }
    }

    #[test]
    fn near_is_one_percent_or_fifty_microseconds() {
        assert!(is_near(150_000, 100_000) && !is_near(150_001, 100_000));
        assert!(is_near(60_000, 100_000) && is_near(0, 50_000));
        assert!(is_near(101_000_000, 100_000_000) && !is_near(98_999_999, 100_000_000));
    }
}
