//! Which blocks do not count: those in which the machine was another one. They are dropped whole, for all contenders and workloads, so
//! that nobody gains by it. All others count, whatever they read; what others took meanwhile makes intervals wider.
//! When most blocks would be dropped nothing is ranked, and all are counted: a figure with its doubt says more than none.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use velo_record::{Placement, Window, WindowKind};
use velo_stats::median;

use crate::measure::taken::TakenTime;

/// A block in which others and the hypervisor took at least this share of the time of either side's CPUs does not count, nor does a
/// process of a task, or a block of single calls, in which they took it of all CPUs.
pub const TAKEN: f64 = 0.2;
/// So little is no more than what ticks make of nothing.
pub(crate) const LEAST_TAKEN_NS: f64 = 20e6;
/// Where others used at least this share of the CPUs' time, the busiest of them are named.
pub const OTHERS: f64 = 0.05;

/// Whether others and the hypervisor took so much of the time of all CPUs that what was measured meanwhile does not count.
pub(crate) fn is_taken(others_share: Option<f64>, steal_share: Option<f64>) -> bool {
    others_share.unwrap_or(0.0) + steal_share.unwrap_or(0.0) >= TAKEN
}

/// A fixed spin that takes more than this many times the run's median on the same CPU, in the middle of a launch's, shows a slower CPU.
pub(crate) const SLOWER: f64 = 1.2;
/// When more than this share of the blocks is dropped, the rest is a choice of moments: nothing is ranked, and the
/// figures are of all blocks.
pub const UNFIT: f64 = 0.5;
/// So many of those who took CPU time are named.
const NAMED: usize = 3;

/// How many blocks do not count for which cause; one block can have several.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisturbedBy {
    /// Others and the hypervisor took a large share of the CPU time.
    pub taken: u64,
    /// A CPU was slowed down for heat, or a quota of CPU time was used up.
    pub throttled: u64,
    /// Pages went to swap or came back.
    pub swap: u64,
    /// The names of the busiest others in the run, the busiest first, a few at most.
    pub names: Vec<String>,
}

/// More was disturbed than a rank can rest on.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfit {
    /// Blocks of servers.
    Blocks {
        /// How many were disturbed.
        disturbed: u64,
        /// Of all.
        blocks: u64,
        /// By what.
        by: DisturbedBy,
    },
    /// Processes of tasks.
    Processes {
        /// How many are dropped.
        dropped: usize,
        /// Of all.
        processes: usize,
    },
}

/// What was seen in one block.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Seen {
    /// Whether goodput was measured in it; there are launches for latency alone.
    has_goodput: bool,
    /// On either side, where windows say so.
    taken: TakenTime,
    /// Of all CPUs, where nothing is known of either side.
    is_taken: bool,
    throttled: bool,
    swap: bool,
}

impl Seen {
    fn is_taken(&self, placement: &Placement) -> bool {
        match self.taken.shares(placement) {
            Some(shares) => shares.worse() >= TAKEN && self.taken.worse_ns() > LEAST_TAKEN_NS,
            None => self.is_taken,
        }
    }

    fn cause(&self, placement: &Placement) -> Causes {
        Causes { taken: self.is_taken(placement), throttled: self.throttled, swap: self.swap }
    }
}

/// Why a block does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Causes {
    taken: bool,
    throttled: bool,
    swap: bool,
}

impl Causes {
    fn any(self) -> bool {
        self.taken || self.throttled || self.swap
    }
}

/// All blocks of a run, and what disturbed them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Disturbed {
    /// By launch and block, with whether goodput was measured in it.
    blocks: BTreeMap<(u32, u32), (bool, Causes)>,
    /// CPU use of others in the windows that they disturbed, summed by name.
    names: BTreeMap<String, f64>,
    /// The launches in which a CPU was slower than in the others.
    pub(crate) slower_launches: BTreeSet<u32>,
    /// More than [`UNFIT`] of the blocks do not count.
    is_unfit: bool,
}

impl Disturbed {
    pub(crate) fn find<'w>(placement: &Placement, windows: impl Iterator<Item = &'w Window> + Clone) -> Self {
        let of_blocks = || windows.clone().filter(|window| window.is_of_a_block());
        let mut seen: BTreeMap<(u32, u32), Seen> = BTreeMap::new();
        let mut names: BTreeMap<String, f64> = BTreeMap::new();
        for window in of_blocks() {
            let seen = seen.entry((window.launch, window.block)).or_default();
            let host = &window.host;
            seen.has_goodput |= window.kind() == WindowKind::Block;
            seen.taken.add(window);
            seen.is_taken |= is_taken(host.others_share, host.steal_share);
            seen.throttled |= host.throttled.is_some_and(|times| times > 0);
            seen.swap |= host.swapped_pages.is_some_and(|pages| pages > 0);
            if host.others_share.is_some_and(|share| share >= OTHERS) {
                for busy in &host.others {
                    *names.entry(busy.name.clone()).or_default() += busy.cpu_share;
                }
            }
        }
        let blocks =
            seen.into_iter().map(|(of, seen)| (of, (seen.has_goodput, seen.cause(placement)))).collect();
        let mut found =
            Self { blocks, names, slower_launches: slower_launches(of_blocks()), is_unfit: false };
        found.is_unfit = found.disturbed() as f64 > UNFIT * found.blocks() as f64;
        found
    }

    /// Whether nothing can be ranked on this host; then no block is dropped.
    pub(crate) fn is_unfit(&self) -> bool {
        self.is_unfit
    }

    /// Whether the block is dropped.
    pub(crate) fn drops(&self, launch: u32, block: u32) -> bool {
        !self.is_unfit && self.blocks.get(&(launch, block)).is_some_and(|(_, causes)| causes.any())
    }

    /// The blocks in which goodput was measured.
    pub(crate) fn blocks(&self) -> u64 {
        self.count(|_| true)
    }

    /// Those of them that were disturbed.
    pub(crate) fn disturbed(&self) -> u64 {
        self.count(Causes::any)
    }

    pub(crate) fn disturbed_by(&self) -> DisturbedBy {
        let mut names: Vec<(&String, &f64)> = self.names.iter().collect();
        names.sort_by(|a, b| b.1.total_cmp(a.1));
        DisturbedBy {
            taken: self.count(|causes| causes.taken),
            throttled: self.count(|causes| causes.throttled),
            swap: self.count(|causes| causes.swap),
            names: names.into_iter().take(NAMED).map(|(name, _)| name.clone()).collect(),
        }
    }

    fn count(&self, is_meant: impl Fn(Causes) -> bool) -> u64 {
        self.blocks.values().filter(|(has_goodput, causes)| *has_goodput && is_meant(*causes)).count() as u64
    }

    /// Why the host was not fit to rank anything; `None` when it was.
    pub(crate) fn unfit(&self) -> Option<Unfit> {
        let (disturbed, blocks) = (self.disturbed(), self.blocks());
        self.is_unfit.then(|| Unfit::Blocks { disturbed, blocks, by: self.disturbed_by() })
    }
}

/// Spins by CPU.
type Spins = BTreeMap<u32, Vec<f64>>;

/// The launches whose median spin on some CPU took [`SLOWER`] times the run's. A single spin meets what lasts a millisecond, and says
/// nothing of its block.
fn slower_launches<'w>(windows: impl Iterator<Item = &'w Window>) -> BTreeSet<u32> {
    let (mut all, mut by_launch): (Spins, BTreeMap<u32, Spins>) = Default::default();
    for window in windows {
        let own = by_launch.entry(window.launch).or_default();
        for spin in &window.host.canary {
            all.entry(spin.cpu).or_default().push(spin.duration_ns as f64);
            own.entry(spin.cpu).or_default().push(spin.duration_ns as f64);
        }
    }
    let usual: BTreeMap<u32, f64> =
        all.iter().filter_map(|(cpu, spins)| Some((*cpu, median(spins)?))).collect();
    let is_slower = |spins: &Spins| {
        spins.iter().any(|(cpu, spins)| {
            let own = median(spins).unwrap_or(0.0);
            usual.get(cpu).is_some_and(|usual| own > SLOWER * usual)
        })
    };
    by_launch.iter().filter(|(_, spins)| is_slower(spins)).map(|(launch, _)| *launch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, SimulatedOpenLoop, Simulation};
    use velo_record::{BusyProcess, Canary, RatePurpose, RunFile};

    fn run() -> (RunFile, Vec<Window>) {
        Simulation::new(vec![Simulated::new("go/net-http", 40_000.0), Simulated::new("js/node", 9_000.0)])
            .run()
    }

    fn windows() -> Vec<Window> {
        run().1
    }

    fn of_block(windows: &mut [Window], launch: u32, block: u32) -> &mut Window {
        let is_it = |window: &&mut Window| (window.launch, window.block) == (launch, block);
        windows.iter_mut().find(is_it).unwrap()
    }

    fn find(windows: &[Window]) -> Disturbed {
        Disturbed::find(&run().0.placement, windows.iter())
    }

    /// So much of the time of one CPU, of a window of 100 ms.
    fn take(window: &mut Window, server_share: f64, load_share: f64) {
        let ns = |share: f64| Some((share * 100e6) as i64);
        window.host.others_elapsed_ns = Some(100_000_000);
        (window.host.taken_server_ns, window.host.taken_load_ns) = (ns(server_share), ns(load_share));
    }

    #[test]
    fn a_quiet_run_drops_nothing() {
        let found = find(&windows());
        assert_eq!((found.blocks(), found.disturbed(), found.unfit()), (50, 0, None));
        assert_eq!(find(&[]).unfit(), None);
    }

    #[test]
    fn a_fifth_of_either_side_over_the_whole_block_drops_it() {
        let mut windows = windows();
        let cpus = run().0.placement.cpus(velo_model::PartyRole::Contender).len() as f64;
        for window in windows.iter_mut().filter(|window| window.block > 0) {
            match (window.launch, window.block) {
                (1, 1) => take(window, 0.2 * cpus, 0.0),
                (1, 2) => take(window, 0.19 * cpus, 0.0),
                // One of its windows, and not the block.
                (1, 3) if window.contender.short() == "node" => take(window, 0.3 * cpus, 0.0),
                (1, 4) => take(window, 0.0, 0.9 * cpus.max(4.0)),
                _ => take(window, 0.0, -0.05),
            }
        }
        // Of all CPUs a share is known as well, and says no more.
        of_block(&mut windows, 2, 1).host.others_share = Some(0.5);
        let found = find(&windows);
        assert!(found.drops(1, 1) && !found.drops(1, 2) && !found.drops(1, 3) && found.drops(1, 4));
        assert!(!found.drops(2, 1));
        assert_eq!(found.disturbed_by(), DisturbedBy { taken: 2, ..found.disturbed_by() });
    }

    #[test]
    fn two_ticks_are_nothing() {
        let mut windows = windows();
        windows.retain(|window| window.contender.short() == "node");
        let one = of_block(&mut windows, 1, 1);
        take(one, 0.2, 0.2);
        one.host.others_elapsed_ns = Some(10_000_000);
        assert_eq!(find(&windows).disturbed(), 0);
        of_block(&mut windows, 1, 1).host.taken_load_ns = Some(40_000_000);
        assert_eq!(find(&windows).disturbed(), 1);
    }

    #[test]
    fn where_sides_are_not_known_all_cpus_count() {
        let mut windows = windows();
        of_block(&mut windows, 2, 3).host.steal_share = Some(0.2);
        of_block(&mut windows, 4, 1).host.others_share = Some(0.15);
        of_block(&mut windows, 4, 1).host.steal_share = Some(0.05);
        of_block(&mut windows, 1, 1).host.others_share = Some(0.199);
        of_block(&mut windows, 1, 2).host.steal_share = None;
        // Warm-up belongs to no block.
        of_block(&mut windows, 5, 0).host.steal_share = Some(0.5);
        let found = find(&windows);
        assert!(found.drops(2, 3) && found.drops(4, 1) && !found.drops(1, 1) && !found.drops(1, 2));
        assert_eq!((found.disturbed(), found.unfit()), (2, None));
    }

    #[test]
    fn a_launch_of_slow_spins_is_named_and_drops_nothing() {
        let mut windows = windows();
        for (launch, block) in (1..=5).flat_map(|launch| (1..=10).map(move |block| (launch, block))) {
            let spin = |cpu, duration_ns| Canary { cpu, duration_ns };
            // In one launch most spins, in the others one now and then.
            let slow = (launch == 3 && block > 4) || block == 2;
            of_block(&mut windows, launch, block).host.canary =
                vec![spin(0, 100_000), spin(1, if slow { 300_001 } else { 250_000 })];
        }
        let found = find(&windows);
        assert_eq!((found.disturbed(), found.slower_launches), (0, BTreeSet::from([3])));
    }

    #[test]
    fn throttling_and_swapping_disturb_and_the_busiest_others_are_named() {
        let mut windows = windows();
        of_block(&mut windows, 1, 1).host.throttled = Some(2);
        of_block(&mut windows, 1, 2).host.swapped_pages = Some(1);
        of_block(&mut windows, 1, 3).host.swapped_pages = Some(0);
        let busy = |name: &str, cpu_share| BusyProcess { name: name.to_owned(), cpu_share };
        for (block, share) in [(4, 0.2), (5, 0.3), (6, 0.01)] {
            let host = &mut of_block(&mut windows, 1, block).host;
            host.others_share = Some(share);
            host.others = vec![busy("sshd", 0.1), busy(if share > 0.1 { "cc1" } else { "cron" }, share)];
        }
        let found = find(&windows);
        assert_eq!(
            found.disturbed_by().in_words(),
            [
                "others (cc1, sshd) or the hypervisor took 20 % or more of the CPU time in 2",
                "a CPU was throttled in 1",
                "memory was swapped in 1"
            ]
        );
        assert!(!found.drops(1, 3) && !found.drops(1, 6));
    }

    #[test]
    fn launches_for_latency_alone_have_blocks_that_are_not_counted() {
        let mut windows = windows();
        let paced = windows.iter_mut().filter(|window| window.launch == 5);
        let at_rate = SimulatedOpenLoop::new(RatePurpose::CommonRate, 1_000.0);
        paced.for_each(|window| *window = at_rate.window(window));
        of_block(&mut windows, 5, 3).host.steal_share = Some(0.2);
        of_block(&mut windows, 5, 0).host.steal_share = Some(0.2);
        let found = find(&windows);
        assert!(found.drops(5, 3) && !found.drops(5, 0));
        assert_eq!((found.blocks(), found.disturbed()), (40, 0));
    }

    #[test]
    fn more_than_half_is_unfit_and_names_the_most_frequent_cause_first() {
        let mut windows = windows();
        for window in &mut windows {
            window.host.others_share = (window.launch <= 3).then_some(0.2);
            window.host.throttled = (window.launch == 3).then_some(2);
        }
        assert_eq!(
            find(&windows).unfit().unwrap().to_string(),
            "30 of 50 blocks do not count: others or the hypervisor took 20 % or more of the CPU time in 30, \
             a CPU was throttled in 10"
        );
        windows.retain(|window| window.launch != 2 || window.block == 0);
        assert_eq!(find(&windows).disturbed(), 20);
        assert_eq!(find(&windows).unfit(), None, "half is not more than half");
    }
}
