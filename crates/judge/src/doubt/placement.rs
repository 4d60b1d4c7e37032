//! Whether a contender stayed on the CPUs that it was given.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use velo_model::PartyRole;
use velo_record::{ContenderRecord, Placement, Window};

/// The longest tick of any kernel: a reading of CPU time may leave out what a thread has used since the last one.
const TICK_NS: f64 = 10e6;
/// What the clocks of scheduler and window may differ by, far above what a clock is ever slewed (0.05 %).
const CLOCKS: f64 = 0.01;

/// The figures of a contender that left its CPUs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Left {
    /// CPUs outside of its own on which its threads ran, or could run and did run somewhere.
    pub outside: BTreeSet<u32>,
    /// Windows in which that was seen.
    pub seen: usize,
    /// Of all.
    pub windows: usize,
    /// Launches after whose warm-up threads could run outside, whether or not they ran.
    pub launches: Vec<u32>,
    /// The most CPUs that it used in a launch, on average over its windows.
    pub used_cpus: Option<f64>,
    /// How many CPUs it was given.
    pub given_cpus: usize,
    /// Which.
    pub own: Vec<u32>,
}

/// What shows that a contender left its CPUs; `None` when nothing does.
pub(crate) fn left<'w>(
    windows: impl Iterator<Item = &'w Window>,
    record: &ContenderRecord,
    placement: &Placement,
) -> Option<Left> {
    let is_own = |cpu: &u32| placement.cpus(PartyRole::Contender).contains(cpu);
    let given_cpus = placement.cpus(PartyRole::Contender).len().max(1);
    let mut left = Left {
        outside: BTreeSet::new(),
        seen: 0,
        windows: 0,
        launches: Vec::new(),
        used_cpus: None,
        given_cpus,
        own: placement.cpus(PartyRole::Contender).to_vec(),
    };
    let mut launches: BTreeMap<u32, Usage> = BTreeMap::new();
    for window in windows.filter(|window| window.kind().is_interleaved()) {
        left.windows += 1;
        let Some(contender) = window.party(PartyRole::Contender) else { continue };
        let cpus = contender.outside_cpus.iter().flatten().copied();
        let outside: Vec<u32> = cpus.filter(|cpu| !is_own(cpu)).collect();
        left.seen += usize::from(!outside.is_empty());
        left.outside.extend(outside);
        if let Some((cpu_ns, elapsed_ns)) = contender.cpu_total_ns.zip(contender.cpu_elapsed_ns) {
            launches.entry(window.launch).or_default().add(cpu_ns, elapsed_ns);
        }
    }
    for launch in &record.launches {
        if launch.cpus_read_back.iter().any(|cpu| !is_own(cpu)) {
            left.launches.push(launch.launch);
            left.outside.extend(launch.cpus_read_back.iter().copied().filter(|cpu| !is_own(cpu)));
        }
    }
    left.used_cpus = launches.values().filter_map(Usage::cpus).reduce(f64::max);
    let exceeded = launches.values().any(|usage| usage.exceeds(given_cpus as f64));
    (exceeded || !left.outside.is_empty()).then_some(left)
}

/// CPU time of the windows of a launch.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    cpu_ns: f64,
    elapsed_ns: f64,
    windows: f64,
}

impl Usage {
    fn add(&mut self, cpu_ns: u64, elapsed_ns: u64) {
        self.cpu_ns += cpu_ns as f64;
        self.elapsed_ns += elapsed_ns as f64;
        self.windows += 1.0;
    }

    fn cpus(&self) -> Option<f64> {
        (self.elapsed_ns > 0.0).then(|| self.cpu_ns / self.elapsed_ns)
    }

    /// More CPU time than there is, beyond what accounting can be wrong by. A contender is stopped when the first reading of a
    /// window is made, so that an honest one never has more; were it not, each window would add an error of mean 0 and at most
    /// a tick, whose standard deviation is 0.41 ticks: the bound lies 3.4 of them and more above 0 for any number of windows.
    fn exceeds(&self, cpus: f64) -> bool {
        let error_ns = TICK_NS * (1.0 + self.windows.sqrt());
        self.cpu_ns > cpus * (self.elapsed_ns * (1.0 + CLOCKS) + error_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation, contender_mut};
    use velo_stats::SplitMix64;

    fn run() -> (velo_record::RunFile, Vec<Window>) {
        Simulation::new(vec![Simulated::new("go/net-http", 40_000.0), Simulated::new("js/node", 9_000.0)])
            .run()
    }

    fn find(file: &velo_record::RunFile, windows: &[Window]) -> Option<Left> {
        left(windows.iter(), &file.contenders[0], &file.placement)
    }

    #[test]
    fn one_that_stays_is_not_accused_and_one_that_is_not_known_neither() {
        let (file, mut windows) = run();
        assert_eq!(find(&file, &windows), None);
        for window in &mut windows {
            (contender_mut(window).cpu_elapsed_ns, contender_mut(window).outside_cpus) = (None, None);
            contender_mut(window).cpu_total_ns = Some(u64::MAX / 1024);
        }
        assert_eq!(find(&file, &windows), None, "from before it was recorded");
    }

    #[test]
    fn a_thread_outside_is_named_with_the_cpu_time() {
        let (file, mut windows) = run();
        windows.retain(|window| window.contender == file.contenders[0].manifest.name);
        let counted = windows.iter().filter(|window| window.kind().is_interleaved()).count();
        let seen =
            windows.iter_mut().filter(|window| window.kind() == velo_record::WindowKind::Block).take(3);
        seen.for_each(|window| contender_mut(window).outside_cpus = Some(vec![1]));
        let words = find(&file, &windows).unwrap().in_words();
        let start = format!(
            "its threads could run on CPU 1, outside of its CPU 0, in 3 of {counted} windows; it used "
        );
        assert!(words.starts_with(&start) && words.ends_with(" CPUs, and 1 CPU is its own"), "{words}");
        // Its own CPU is no reproach.
        windows.iter_mut().for_each(|window| contender_mut(window).outside_cpus = Some(vec![0]));
        assert_eq!(find(&file, &windows), None);
    }

    #[test]
    fn more_cpu_time_than_there_is_needs_no_witness() {
        let (file, mut windows) = run();
        windows.retain(|window| window.contender == file.contenders[0].manifest.name);
        for window in windows.iter_mut().filter(|window| window.launch == 4) {
            contender_mut(window).cpu_total_ns =
                contender_mut(window).cpu_elapsed_ns.map(|elapsed| elapsed * 162 / 100);
        }
        assert_eq!(find(&file, &windows).unwrap().in_words(), "it used 1.62 CPUs, and 1 CPU is its own");
    }

    /// An honest server on `cpus` CPUs that never waits, read with a tick of 10 ms. `is_stopped`: as it is, when each window
    /// begins; else the worst that could be, with both readings up to a tick behind on every CPU.
    fn accused_share(cpus: u32, windows: u32, is_stopped: bool) -> f64 {
        const LAUNCHES: u32 = 40_000;
        let mut random = SplitMix64::new(u64::from(cpus * 1000 + windows));
        let mut behind = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * TICK_NS;
        let accused = (0..LAUNCHES).filter(|_| {
            let mut usage = Usage::default();
            for _ in 0..windows {
                let elapsed_ns = 61e6;
                let error: f64 =
                    (0..cpus).map(|_| if is_stopped { -behind() } else { behind() - behind() }).sum();
                usage.add((elapsed_ns * f64::from(cpus) + error) as u64, elapsed_ns as u64);
            }
            usage.exceeds(f64::from(cpus))
        });
        accused.count() as f64 / f64::from(LAUNCHES)
    }

    #[test]
    fn coarse_accounting_accuses_nobody() {
        for cpus in [1, 2, 16] {
            for windows in [1, 5, 20, 100] {
                assert_eq!(accused_share(cpus, windows, true), 0.0, "{cpus} CPUs, {windows} windows");
                // Of a run of 40 launches at most 1 % would then be accused in any.
                let share = accused_share(cpus, windows, false);
                assert!(share <= 0.01 / 40.0, "{cpus} CPUs, {windows} windows: {share}");
            }
        }
    }

    #[test]
    fn a_tenth_of_a_cpu_too_much_is_seen_in_a_launch_of_twenty_windows() {
        let mut usage = Usage::default();
        (0..20).for_each(|_| usage.add(67_100_000, 61_000_000));
        assert!(usage.exceeds(1.0));
    }
}
