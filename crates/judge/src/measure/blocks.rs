//! Which blocks the machine spoilt: they are dropped whole, for all contenders and workloads, so that nobody gains by it.
//! When it spoilt most of them nothing is ranked, and all are counted: a figure with its doubt says more than none.

use std::collections::BTreeMap;

use serde::Serialize;
use velo_record::{Settings, Window, WindowKind};
use velo_stats::median;

/// A window in which at least this share of the CPUs' time was stolen is disturbed, unless the run was given another bound.
pub const STEAL: f64 = 0.01;
/// A window in which others used at least this share of the CPUs' time is disturbed.
pub const OTHERS: f64 = 0.05;

/// From which share of the CPUs' time on what was measured meanwhile does not count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostBounds {
    steal: f64,
}

impl HostBounds {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            steal: settings.max_steal_share.filter(|share| *share > 0.0 && *share <= 1.0).unwrap_or(STEAL),
        }
    }

    fn is_stolen(self, steal_share: Option<f64>) -> bool {
        steal_share.is_some_and(|share| share >= self.steal)
    }

    /// Whether others or the hypervisor took so much.
    pub(crate) fn are_reached(self, others_share: Option<f64>, steal_share: Option<f64>) -> bool {
        others_share.is_some_and(|share| share >= OTHERS) || self.is_stolen(steal_share)
    }
}

/// A fixed spin that takes more than this many times the run's median on the same CPU shows a slower CPU.
pub(crate) const SLOWER: f64 = 1.2;
/// When more than this share of the blocks is disturbed, the rest is a choice of moments: nothing is ranked, and the
/// figures are of all blocks.
pub const UNFIT: f64 = 0.5;
/// So many of those who disturbed are named.
const NAMED: usize = 3;

/// How many blocks were disturbed by which cause; one block can have several.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisturbedBy {
    /// The hypervisor took CPU time.
    pub steal: u64,
    /// From this share of the CPUs' time on that disturbs.
    pub steal_bound_share: f64,
    /// Other programs used CPU time.
    pub others: u64,
    /// The names of the busiest of them, the busiest first, a few at most.
    pub names: Vec<String>,
    /// A fixed spin took longer than usual.
    pub slower_cpu: u64,
    /// A CPU was slowed down for heat, or a quota of CPU time was used up.
    pub throttled: u64,
    /// Pages went to swap or came back.
    pub swap: u64,
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    /// Whether goodput was measured in it; there are launches for latency alone.
    has_goodput: bool,
    /// Whether anything is known of steal and others.
    has_shares: bool,
    steal: bool,
    others: bool,
    slower_cpu: bool,
    throttled: bool,
    swap: bool,
}

impl Seen {
    fn anything(self) -> bool {
        self.steal || self.others || self.slower_cpu || self.throttled || self.swap
    }
}

/// All blocks of a run, and what disturbed them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Disturbed {
    steal_bound_share: f64,
    blocks: BTreeMap<(u32, u32), Seen>,
    /// CPU use of others in the windows that they disturbed, summed by name.
    names: BTreeMap<String, f64>,
    /// More than [`UNFIT`] of the blocks were.
    is_unfit: bool,
}

impl Disturbed {
    pub(crate) fn find<'w>(settings: &Settings, windows: impl Iterator<Item = &'w Window> + Clone) -> Self {
        let bounds = HostBounds::of(settings);
        let of_blocks = || windows.clone().filter(|window| window.is_of_a_block());
        let usual = usual_spins(of_blocks());
        let mut found = Self {
            steal_bound_share: bounds.steal,
            blocks: BTreeMap::new(),
            names: BTreeMap::new(),
            is_unfit: false,
        };
        for window in of_blocks() {
            let seen = found.blocks.entry((window.launch, window.block)).or_default();
            let host = &window.host;
            let others = host.others_share.is_some_and(|share| share >= OTHERS);
            seen.has_goodput |= window.kind() == WindowKind::Block;
            seen.has_shares |= host.others_share.is_some() || host.steal_share.is_some();
            seen.steal |= bounds.is_stolen(host.steal_share);
            seen.others |= others;
            seen.slower_cpu |= host.canary.iter().any(|spin| {
                let usual = usual.get(&spin.cpu).copied().unwrap_or(f64::INFINITY);
                spin.duration_ns as f64 > SLOWER * usual
            });
            seen.throttled |= host.throttled.is_some_and(|times| times > 0);
            seen.swap |= host.swapped_pages.is_some_and(|pages| pages > 0);
            for busy in host.others.iter().filter(|_| others) {
                *found.names.entry(busy.name.clone()).or_default() += busy.cpu_share;
            }
        }
        found.reach_back();
        found.is_unfit = found.disturbed() as f64 > UNFIT * found.blocks() as f64;
        found
    }

    /// Shares are taken over a second at least, so that short blocks at the beginning of a launch have none: the first share of the
    /// launch is theirs too.
    fn reach_back(&mut self) {
        let mut later: Option<(u32, Seen)> = None;
        for ((launch, _), seen) in self.blocks.iter_mut().rev() {
            if seen.has_shares {
                later = Some((*launch, *seen));
            } else if let Some((_, later)) = later.filter(|(of, _)| of == launch) {
                seen.steal |= later.steal;
                seen.others |= later.others;
            }
        }
    }

    /// Whether nothing can be ranked on this host; then no block is dropped.
    pub(crate) fn is_unfit(&self) -> bool {
        self.is_unfit
    }

    /// Whether the block is dropped.
    pub(crate) fn drops(&self, launch: u32, block: u32) -> bool {
        !self.is_unfit && self.blocks.get(&(launch, block)).is_some_and(|seen| seen.anything())
    }

    /// The blocks in which goodput was measured.
    pub(crate) fn blocks(&self) -> u64 {
        self.count(|_| true)
    }

    /// Those of them that were disturbed.
    pub(crate) fn disturbed(&self) -> u64 {
        self.count(Seen::anything)
    }

    pub(crate) fn disturbed_by(&self) -> DisturbedBy {
        let mut names: Vec<(&String, &f64)> = self.names.iter().collect();
        names.sort_by(|a, b| b.1.total_cmp(a.1));
        DisturbedBy {
            steal: self.count(|seen| seen.steal),
            steal_bound_share: self.steal_bound_share,
            others: self.count(|seen| seen.others),
            names: names.into_iter().take(NAMED).map(|(name, _)| name.clone()).collect(),
            slower_cpu: self.count(|seen| seen.slower_cpu),
            throttled: self.count(|seen| seen.throttled),
            swap: self.count(|seen| seen.swap),
        }
    }

    fn count(&self, is_meant: impl Fn(Seen) -> bool) -> u64 {
        self.blocks.values().filter(|seen| seen.has_goodput && is_meant(**seen)).count() as u64
    }

    /// Why the host was not fit to rank anything; `None` when it was.
    pub(crate) fn unfit(&self) -> Option<Unfit> {
        let (disturbed, blocks) = (self.disturbed(), self.blocks());
        self.is_unfit.then(|| Unfit::Blocks { disturbed, blocks, by: self.disturbed_by() })
    }
}

/// The median spin on each CPU.
fn usual_spins<'w>(windows: impl Iterator<Item = &'w Window>) -> BTreeMap<u32, f64> {
    let mut spins: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for spin in windows.flat_map(|window| &window.host.canary) {
        spins.entry(spin.cpu).or_default().push(spin.duration_ns as f64);
    }
    spins.into_iter().filter_map(|(cpu, spins)| Some((cpu, median(&spins)?))).collect()
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
        Disturbed::find(&run().0.settings, windows.iter())
    }

    #[test]
    fn short_blocks_at_the_beginning_of_a_launch_have_its_first_share() {
        let mut windows = windows();
        for window in windows.iter_mut().filter(|window| window.launch == 2 && window.block <= 3) {
            (window.host.others_share, window.host.steal_share) = (None, None);
        }
        assert_eq!(find(&windows).disturbed(), 0);
        of_block(&mut windows, 2, 4).host.others_share = Some(0.6);
        let found = find(&windows);
        assert_eq!(found.disturbed_by().others, 4);
        assert!((1..=4).all(|block| found.drops(2, block)) && !found.drops(2, 5));
        assert!(!found.drops(1, 4) && !found.drops(1, 10), "another launch tells nothing");
    }

    #[test]
    fn a_quiet_run_drops_nothing() {
        let found = find(&windows());
        assert_eq!((found.blocks(), found.disturbed(), found.unfit()), (50, 0, None));
        assert_eq!(find(&[]).unfit(), None);
    }

    #[test]
    fn one_window_spoils_its_block_and_no_other() {
        let mut windows = windows();
        of_block(&mut windows, 2, 3).host.steal_share = Some(0.01);
        of_block(&mut windows, 4, 1).host.others_share = Some(0.05);
        // Below the bounds, and not known.
        of_block(&mut windows, 1, 1).host.others_share = Some(0.049);
        of_block(&mut windows, 1, 2).host.steal_share = None;
        // Warm-up belongs to no block.
        of_block(&mut windows, 5, 0).host.steal_share = Some(0.5);
        let found = find(&windows);
        assert!(found.drops(2, 3) && found.drops(4, 1) && !found.drops(1, 1) && !found.drops(2, 2));
        assert_eq!((found.disturbed(), found.unfit()), (2, None));
        assert_eq!(
            found.disturbed_by(),
            DisturbedBy { steal: 1, steal_bound_share: STEAL, others: 1, ..DisturbedBy::default() }
        );
    }

    #[test]
    fn a_spin_is_held_against_those_on_its_own_cpu() {
        let mut windows = windows();
        for launch in 1..=5 {
            for block in 1..=10 {
                let slow = (launch, block) == (3, 3);
                let spin = |cpu, duration_ns| Canary { cpu, duration_ns };
                of_block(&mut windows, launch, block).host.canary =
                    vec![spin(0, 100_000), spin(1, if slow { 300_001 } else { 250_000 })];
            }
        }
        of_block(&mut windows, 1, 1).host.canary[1].duration_ns = 300_000;
        let found = find(&windows);
        assert_eq!((found.disturbed(), found.disturbed_by().slower_cpu), (1, 1));
        assert!(found.drops(3, 3), "more than 20 % longer, not just 20 %");
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
                "others (cc1, sshd) used 5.0 % or more of the CPUs in 2",
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
            window.host.steal_share = (window.launch == 3).then_some(0.2);
        }
        assert_eq!(
            find(&windows).unfit().unwrap().to_string(),
            "the host was disturbed in 30 of 50 blocks: others used 5.0 % or more of the CPUs in 30, \
             the hypervisor stole 1.0 % or more in 10"
        );
        windows.retain(|window| window.launch != 2 || window.block == 0);
        assert_eq!(find(&windows).disturbed(), 20);
        assert_eq!(find(&windows).unfit(), None, "half is not more than half");
    }
}
