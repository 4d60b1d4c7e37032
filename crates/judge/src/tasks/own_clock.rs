//! Whether a program's own clock, by which it is ranked, leaves out what the lab's saw.

use std::collections::BTreeMap;

use velo_model::Workload;
use velo_record::{ContenderRecord, TaskProcess};
use velo_stats::CONFIDENCE;

use super::process::{Clocks, counted};
use crate::measure::figures::Launches;
use crate::measure::launch_logs::ratio;

/// Two pipes, and waking up twice: so much longer an iteration may take by the lab's clock than by its own, where nothing smaller tells
/// what they cost. Of honest clients of 17 kinds they were seen to cost 45 to 490 us.
const PIPES_NS: f64 = 500_000.0;

/// Of what the lab's clock says, without what pipes cost, a program's own clock says no less than this share. Honest clients have been
/// seen to leave out up to 4 %.
const OWN_CLOCK: f64 = 0.9;

/// The same where each file has a process of its own, of which also its start and its end grow with the file: up to 14 % have been seen.
const OWN_CLOCK_OF_EACH: f64 = 0.75;

/// What shows that a clock leaves something out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LeftOut {
    /// The workload that it was seen in, which has the same program as the others of its listing.
    pub(super) workload: String,
    /// What its own clock says, of what the lab's does.
    pub(super) share: f64,
}

/// Whether a program leaves something out of its clock in any load of a listing: then it is not to be believed in the others.
pub(super) fn left_out(
    record: &ContenderRecord,
    workload: &Workload,
    workloads: &[Workload],
) -> Option<LeftOut> {
    let is_each = record.manifest.process_for_each;
    let mut loads: Vec<&Workload> = workloads
        .iter()
        .filter(|load| load.listed_as() == workload.listed_as() && load.is_for(&record.manifest))
        .collect();
    // What a line costs beside its file shows where that is the smallest.
    loads.sort_by_key(|load| {
        load.download.as_ref().map_or((0, 0), |download| (download.files, download.bytes))
    });
    let mut smallest = None;
    for load in loads {
        let processes = Processes::of(&counted(record, &load.name));
        let least = if is_each { OWN_CLOCK_OF_EACH } else { OWN_CLOCK };
        // A process for each file starts and ends outside of the time that its client tells.
        let is_told = smallest.is_some() || !is_each;
        if is_told && processes.leave_out(smallest.as_ref(), least) {
            return Some(LeftOut { workload: load.name.clone(), share: processes.share()? });
        }
        let is_of_one_file = load.download.as_ref().is_some_and(|download| download.files == 1);
        if smallest.is_none() && is_of_one_file {
            smallest = Some(processes);
        }
    }
    None
}

/// Times of a program in one load, process by process.
struct Processes(BTreeMap<u32, Clocks>);

impl Processes {
    fn of(processes: &[&TaskProcess]) -> Self {
        let clocks = |process: &&TaskProcess| Some((process.process, Clocks::of(&[process])?));
        Self(processes.iter().filter_map(clocks).collect())
    }

    /// Whether what its clock says is surely, by the interval over processes, less than this share of the lab's time that is left without
    /// what pipes cost: as much as they did in the same round with the smallest file.
    fn leave_out(&self, smallest: Option<&Self>, least: f64) -> bool {
        let pipes_ns = |process: &u32| match smallest {
            Some(smallest) => Some(smallest.0.get(process)?.beside_ns),
            None => Some(PIPES_NS),
        };
        let log_share = |(process, clocks): (&u32, &Clocks)| {
            let accountable_ns = (clocks.outside_ns() - pipes_ns(process)?).max(clocks.own_ns).max(1.0);
            Some((*process, (clocks.own_ns.max(1.0) / accountable_ns).ln()))
        };
        let shares: Launches = self.0.iter().filter_map(log_share).collect();
        // Of two processes, which have no interval, both have to show it.
        let most = ratio(shares, CONFIDENCE).and_then(|share| share.interval().or(share.range()));
        most.is_some_and(|(_, most)| most < least)
    }

    fn share(&self) -> Option<f64> {
        let sum = |ns: fn(&Clocks) -> f64| self.0.values().map(ns).sum::<f64>();
        let outside_ns = sum(|clocks| clocks.outside_ns());
        (outside_ns > 0.0).then(|| sum(|clocks| clocks.own_ns) / outside_ns)
    }
}

#[cfg(test)]
mod tests {
    use velo_stats::SplitMix64;

    use super::*;

    const PROCESSES: u32 = 10;

    /// Ten processes of a client that does so much work and leaves a share of it out of its clock. Processes differ by 10 % and what
    /// pipes cost by a third; some of both take much longer.
    fn drawn(random: &mut SplitMix64, work_ns: f64, pipes_ns: f64, left_out: f64) -> Processes {
        let mut noisy = |typical: f64, spread: f64| {
            let late = if random.below(20) == 0 { 1.0 + random.unit() } else { 1.0 };
            typical * (spread * random.normal()).exp() * late
        };
        let process = |process| {
            let (work_ns, pipes_ns) = (noisy(work_ns, 0.1), noisy(pipes_ns, 0.33));
            let left_out_ns = left_out * work_ns;
            (process, Clocks { own_ns: work_ns - left_out_ns, beside_ns: pipes_ns + left_out_ns })
        };
        Processes((0..PROCESSES).map(process).collect())
    }

    /// How many of a thousand clients are not believed, with the smallest file and with one that takes so long.
    fn accused(small_ns: f64, large_ns: f64, pipes_ns: f64, left_out: f64) -> (usize, usize) {
        let mut random = SplitMix64::new(17);
        let (mut small, mut large) = (0, 0);
        for _ in 0..1_000 {
            let smallest = drawn(&mut random, small_ns, pipes_ns, left_out);
            small += usize::from(smallest.leave_out(None, OWN_CLOCK));
            let more = drawn(&mut random, large_ns, pipes_ns, left_out);
            large += usize::from(more.leave_out(Some(&smallest), OWN_CLOCK));
        }
        (small, large)
    }

    #[test]
    fn honest_clients_are_believed() {
        // A native client, an interpreted one, and one that leaves out 4 %, as a run-time has been seen to.
        for (small_ns, large_ns, pipes_ns, left_out) in [
            (130e3, 26e6, 60e3, 0.0),
            (130e3, 8e6, 60e3, 0.02),
            (1.5e6, 100e6, 330e3, 0.01),
            (2.2e6, 20e6, 300e3, 0.04),
        ] {
            let (small, large) = accused(small_ns, large_ns, pipes_ns, left_out);
            assert!(small <= 1 && large <= 1, "{small} and {large} of 1,000, with {pipes_ns} ns for pipes");
        }
        // Who leaves out just what is forgiven is accused as often as an interval of 95 % says on one side, or less.
        let (_, large) = accused(130e3, 26e6, 60e3, 1.0 - OWN_CLOCK);
        assert!(large <= 35, "{large} of 1,000");
    }

    #[test]
    fn half_of_a_clock_is_found_where_a_file_takes_longer_than_pipes() {
        // 13.8 of 26.1 ms are told; of the small file 92.5 of 113 us, which alone could be what pipes cost.
        let (small, large) = accused(113e3, 26.1e6, 60e3, 1.0 - 13.8 / 26.1);
        assert_eq!((small, large), (0, 1_000));
        // A fifth is found as well, and so where a file takes half a millisecond.
        assert!(accused(113e3, 26.1e6, 60e3, 0.2).1 > 990);
        assert!(accused(113e3, 500e3, 60e3, 0.4).1 > 990);
        // Of the smallest file what is beyond the cost of pipes is found.
        assert!(accused(2e6, 20e6, 60e3, 0.5).0 > 990);
    }

    #[test]
    fn of_two_processes_both_show_it_and_one_tells_nothing() {
        let clocks = |own_ms: f64| Clocks { own_ns: own_ms * 1e6, beside_ns: (10.0 - own_ms) * 1e6 };
        let leave_out = |all: &[f64]| {
            let all = (0..).zip(all).map(|(process, own_ms)| (process, clocks(*own_ms)));
            Processes(all.collect()).leave_out(None, OWN_CLOCK)
        };
        assert!(leave_out(&[5.0, 6.0]));
        assert!(!leave_out(&[5.0, 9.9]) && !leave_out(&[5.0]) && !leave_out(&[]));
        // A clock that stands still leaves out all.
        assert!(leave_out(&[0.0, 0.0, 0.0]));
    }
}
