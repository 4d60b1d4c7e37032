//! In whose windows others were busy: a program that only works while one contender is loaded belongs to it, or is aimed at it, and what
//! it takes hits no other contender.

use std::collections::{BTreeMap, BTreeSet};

use velo_model::ContenderName;
use velo_record::{Placement, Window};

use crate::doubt::cause::Cause;
use crate::doubt::finding::Finding;
use crate::doubt::state::RowState;
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::measure::blocks::OTHERS;
use crate::measure::cell::Cells;
use crate::rows::row::Row;

/// One launch may be chance: what disturbs in some windows falls on one contender more than on others.
const LEAST_LAUNCHES: usize = 2;

/// Takes the rank of contenders in whose windows others used more of the CPUs than in those of the rest, in each launch by at least
/// [`OTHERS`].
pub(crate) fn add(cells: &Cells<'_>, workload: &str, placement: &Placement, rows: &mut [Row]) {
    let cpus = placement.parties().iter().map(|party| party.cpus.len()).sum::<usize>().max(1) as f64;
    let windows: Vec<&Window> = cells
        .of_workload(workload)
        .flat_map(|cell| &cell.windows)
        .copied()
        .filter(|window| window.is_of_a_block())
        .collect();
    for row in rows {
        let Some((own, rest)) = shares(&windows, &row.contender, cpus) else { continue };
        let names = names(&windows, &row.contender);
        let finding = Finding::OthersBusy { names, share: own, rest_share: rest };
        row.verdicts.push(Verdict::new(Kind::Warning, Check::Host, finding).of(own, OTHERS));
        if let RowState::Ranked { .. } = row.state {
            row.state = RowState::NotRanked { cause: Cause::OthersBusy { share: own, rest_share: rest } };
        }
    }
}

/// The share of the CPUs that others used in its windows and in those of the rest, where that differs in each launch.
fn shares(windows: &[&Window], contender: &ContenderName, cpus: f64) -> Option<(f64, f64)> {
    let mut launches: BTreeMap<u32, [Use; 2]> = BTreeMap::new();
    for window in windows {
        if let Some((cpu_ns, elapsed_ns)) = window.host.others_cpu_ns.zip(window.host.others_elapsed_ns) {
            let whose = usize::from(window.contender != *contender);
            launches.entry(window.launch).or_default()[whose].add(cpu_ns, elapsed_ns);
        }
    }
    let mut all = [Use::default(); 2];
    let mut compared = 0;
    for [own, rest] in launches.values() {
        if let Some((own, rest)) = own.share(cpus).zip(rest.share(cpus)) {
            if own - rest < OTHERS {
                return None;
            }
            compared += 1;
        }
        all[0].join(own);
        all[1].join(rest);
    }
    (compared >= LEAST_LAUNCHES).then(|| all[0].share(cpus).zip(all[1].share(cpus))).flatten()
}

/// Those that were named in its windows.
fn names(windows: &[&Window], contender: &ContenderName) -> Vec<String> {
    let own = windows.iter().filter(|window| window.contender == *contender);
    let names: BTreeSet<&str> = own.flat_map(|w| &w.host.others).map(|busy| busy.name.as_str()).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// CPU time of others over some windows.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    cpu_ns: f64,
    elapsed_ns: f64,
}

impl Use {
    fn add(&mut self, cpu_ns: i64, elapsed_ns: u64) {
        self.join(&Self { cpu_ns: cpu_ns as f64, elapsed_ns: elapsed_ns as f64 });
    }

    fn join(&mut self, other: &Self) {
        self.cpu_ns += other.cpu_ns;
        self.elapsed_ns += other.elapsed_ns;
    }

    /// At least 0: ticks may count less for the host than the scheduler does for contenders.
    fn share(&self, cpus: f64) -> Option<f64> {
        (self.elapsed_ns > 0.0).then(|| (self.cpu_ns / (self.elapsed_ns * cpus)).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation};
    use velo_stats::SplitMix64;

    fn windows() -> Vec<Window> {
        let contenders = vec![Simulated::new("go/net-http", 40_000.0), Simulated::new("js/node", 9_000.0)];
        let (_, mut windows) = Simulation::new(contenders).run();
        for window in &mut windows {
            (window.host.others_cpu_ns, window.host.others_elapsed_ns) = (Some(0), Some(60_000_000));
        }
        windows
    }

    fn found(windows: &[Window], contender: &str) -> Option<(f64, f64)> {
        let windows: Vec<&Window> = windows.iter().filter(|window| window.is_of_a_block()).collect();
        shares(&windows, &ContenderName::new(contender).unwrap(), 2.0)
    }

    #[test]
    fn others_that_work_while_one_is_loaded_are_tied_to_it() {
        let mut windows = windows();
        let own = windows.iter_mut().filter(|window| window.contender.as_str() == "js/node");
        own.for_each(|window| window.host.others_cpu_ns = Some(30_000_000));
        assert_eq!(found(&windows, "js/node"), Some((0.25, 0.0)));
        assert_eq!(found(&windows, "go/net-http"), None);
        // In one launch they were quiet: that was no helper.
        windows.iter_mut().filter(|window| window.launch == 2).for_each(|w| w.host.others_cpu_ns = Some(0));
        assert_eq!(found(&windows, "js/node"), None);
        windows.iter_mut().for_each(|window| window.host.others_cpu_ns = None);
        assert_eq!(found(&windows, "js/node"), None, "nobody looked");
    }

    #[test]
    fn a_busy_machine_is_tied_to_nobody() {
        let mut random = SplitMix64::new(7);
        let mut accused = 0;
        const RUNS: usize = 300;
        let mut windows = windows();
        for _ in 0..RUNS {
            for window in &mut windows {
                // A compiler that takes up to both CPUs in one window of four, and ticks of 10 ms.
                let burst =
                    if random.next_u64().is_multiple_of(4) { random.next_u64() % 120_000_000 } else { 0 };
                let tick = (random.next_u64() % 20_000_000) as i64 - 10_000_000;
                window.host.others_cpu_ns = Some(burst as i64 + tick);
            }
            accused +=
                ["js/node", "go/net-http"].iter().filter(|name| found(&windows, name).is_some()).count();
        }
        assert!(accused * 100 <= 2 * RUNS, "{accused} of {} rows", 2 * RUNS);
    }
}
