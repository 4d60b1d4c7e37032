//! Launches and blocks that fit a budget and are expected to tell most.

use std::sync::OnceLock;

use velo_stats::{StudentT, look_at_the_end, looks};

use super::price::Price;

/// The least that is ranked.
pub(super) const LEAST_LAUNCHES: u64 = 5;
pub(super) const LEAST_BLOCKS: u64 = 5;
/// The most launches of a run.
const MOST_LAUNCHES: u64 = 40;
/// A run that may end early is not planned beyond its last look.
const MOST_PRECISE_LAUNCHES: u64 = 12;
pub(super) const MOST_BLOCKS: u64 = 100;
/// What a pair's log ratio is taken to scatter by from launch to launch. Real runs show less; with less the plan would have so few
/// launches that it lost to ten blocks a launch where launches do differ by 5 %.
const BETWEEN_LAUNCHES: f64 = 0.02;
/// And from block to block of a launch, with the loss of the median against the mean in it: 20 to 26 % in blocks of seven contenders,
/// less in shorter ones.
const BETWEEN_BLOCKS: f64 = 0.2;
/// So much wider than the narrowest may be what a run that may end early is expected to come to, for having more launches: looks
/// come after launches, and a run of five has none before its end.
const WIDER_FOR_LOOKS: f64 = 1.1;

/// Launches of so many blocks each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// From 1 to 40.
    pub(super) launches: u64,
    /// From 1 to 100.
    pub(super) blocks: u64,
}

/// The most launches of a run; `is_precise`: of one that may end early.
pub(super) fn most_launches(is_precise: bool) -> u64 {
    if is_precise { MOST_PRECISE_LAUNCHES } else { MOST_LAUNCHES }
}

/// The launches and blocks that fit and are expected to give the narrowest intervals at the end; `None` when five launches of five
/// blocks do not fit. In a run that may end early the most launches of those that are not much wider.
pub(super) fn rankable(price: Price<'_>, budget_ns: u64, is_precise: bool) -> Option<Size> {
    let sizes = || {
        (LEAST_BLOCKS..=MOST_BLOCKS).filter_map(|blocks| {
            let launches = price.launches_that_fit(budget_ns, blocks).min(most_launches(is_precise));
            (launches >= LEAST_LAUNCHES).then_some(Size { launches, blocks })
        })
    };
    let half_width = |size: &Size| size.half_width(is_precise);
    let narrower = |a: &Size, b: &Size| half_width(a).total_cmp(&half_width(b));
    let narrowest = sizes().min_by(narrower)?;
    if !is_precise {
        return Some(narrowest);
    }
    let widest = half_width(&narrowest) * WIDER_FOR_LOOKS;
    let most = sizes().filter(|size| half_width(size) <= widest).map(|size| size.launches).max()?;
    sizes().filter(|size| size.launches == most).min_by(narrower)
}

impl Size {
    /// `None` outside of what any plan has: 1 to 40 launches of 1 to 100 blocks.
    pub fn new(launches: u64, blocks: u64) -> Option<Self> {
        let is_possible = (1..=MOST_LAUNCHES).contains(&launches) && (1..=MOST_BLOCKS).contains(&blocks);
        is_possible.then_some(Self { launches, blocks })
    }

    pub(super) fn is_rankable(self) -> bool {
        self.launches >= LEAST_LAUNCHES && self.blocks >= LEAST_BLOCKS
    }

    /// Half of the width that the interval of a pair's log ratio is expected to have.
    pub(super) fn half_width(self, is_precise: bool) -> f64 {
        self.half_width_if(BETWEEN_LAUNCHES, is_precise)
    }

    /// Half of the width of the interval of a pair's log ratio, by Student's t over launches, at the level of the last look.
    fn half_width_if(self, between: f64, is_precise: bool) -> f64 {
        let variance = between.powi(2) + BETWEEN_BLOCKS.powi(2) / self.blocks as f64;
        critical(self.launches, is_precise) * (variance / self.launches as f64).sqrt()
    }
}

/// Student's t over so many launches, at most [`MOST_LAUNCHES`]. Each is worked out once: a promise tries many plans.
fn critical(launches: u64, is_precise: bool) -> f64 {
    static KNOWN: OnceLock<[Vec<f64>; 2]> = OnceLock::new();
    let of = |launches: u64, is_precise: bool| {
        let looks = if is_precise { looks(launches as u32) } else { vec![look_at_the_end(launches as u32)] };
        let student = StudentT::new(launches as f64 - 1.0);
        let critical = student.zip(looks.last()).and_then(|(t, last)| t.two_sided_critical(last.level));
        critical.unwrap_or(f64::INFINITY)
    };
    let known = KNOWN.get_or_init(|| {
        [false, true].map(|is_precise| (0..=MOST_LAUNCHES).map(|launches| of(launches, is_precise)).collect())
    });
    known[usize::from(is_precise)].get(launches as usize).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use velo_record::Costs;

    use super::super::price::NO_EXTRAS;
    use super::*;

    const S: u64 = 1_000_000_000;

    /// Against ten blocks in every launch at the same costs: narrower where launches differ little, and not much wider where they
    /// differ by 5 %.
    #[test]
    fn a_plan_by_cost_and_spread_loses_little_where_launches_differ() {
        let mut gains = Vec::new();
        for launch_ms in [1_000, 4_000, 12_000, 60_000] {
            for block_ms in [200, 500, 1_500] {
                let costs = Costs {
                    launch_ns: launch_ms * S / 1_000,
                    block_ns: block_ms * S / 1_000,
                    ..Costs::default()
                };
                let price = Price::of(&costs, NO_EXTRAS);
                for budget_s in [60, 180, 600, 1_800] {
                    let launches = price.launches_that_fit(budget_s * S, 10).min(MOST_LAUNCHES);
                    if launches < LEAST_LAUNCHES {
                        continue;
                    }
                    let before = Size { launches, blocks: 10 };
                    let chosen = rankable(price, budget_s * S, false).unwrap();
                    let over =
                        |between| chosen.half_width_if(between, false) / before.half_width_if(between, false);
                    assert!(over(BETWEEN_LAUNCHES) <= 1.0 + 1e-12, "{costs:?}, {budget_s} s: {chosen:?}");
                    assert!(over(0.05) < 1.25, "{costs:?}, {budget_s} s: {chosen:?}: {}", over(0.05));
                    gains.push(over(0.0));
                }
            }
        }
        let gain = velo_stats::median(&gains).unwrap();
        assert!(gain < 0.9 && gains.len() > 30, "{gain}: {gains:?}");
    }

    /// A run that may end early has looks before its end wherever the budget has room for them, and is hardly wider for it.
    #[test]
    fn a_run_that_may_end_early_has_launches_to_look_after() {
        for (launch_s, block_ms) in [(2, 400), (5, 500), (12, 500), (30, 1_500)] {
            let costs = Costs { launch_ns: launch_s * S, block_ns: block_ms * S / 1_000, ..Costs::default() };
            let price = Price::of(&costs, NO_EXTRAS);
            for launches in [8, 12] {
                let budget_ns = price.of_run(launches, 8);
                let usual = rankable(price, budget_ns, false).unwrap();
                let precise = rankable(price, budget_ns, true).unwrap();
                assert!(precise.launches > LEAST_LAUNCHES, "{usual:?}, {precise:?}");
                let usual = Size { launches: usual.launches.min(MOST_PRECISE_LAUNCHES), ..usual };
                let half_width = |size: Size| size.half_width_if(BETWEEN_LAUNCHES, true);
                let wider = half_width(precise) / half_width(usual);
                assert!(wider <= WIDER_FOR_LOOKS + 1e-12, "{usual:?}, {precise:?}: {wider}");
            }
        }
    }
}
