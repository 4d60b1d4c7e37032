//! From windows to one number a launch, and from those to an estimate.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use velo_record::{Window, WindowKind};
use velo_stats::{median, over_launches, ratio_over_launches};

/// A figure with its interval: at present the range over launches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Estimate {
    /// The mean over launches (of the logarithms, for a ratio).
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// How many launches it rests on.
    pub launches: u32,
}

impl From<velo_stats::Estimate> for Estimate {
    fn from(estimate: velo_stats::Estimate) -> Self {
        let velo_stats::Estimate { value, low, high, launches } = estimate;
        Self { value, low, high, launches: u32::try_from(launches).unwrap_or(u32::MAX) }
    }
}

impl Estimate {
    /// Half of the interval's width, relative to the value; `None` when that is not finite, or when there is one
    /// launch only, which has no spread.
    pub fn relative_half_width(&self) -> Option<f64> {
        (self.launches > 1).then(|| self.as_stats().relative_half_width()).flatten()
    }

    pub(crate) fn is_apart_from(&self, other: &Self) -> bool {
        self.as_stats().is_apart_from(&other.as_stats())
    }

    fn as_stats(self) -> velo_stats::Estimate {
        let Self { value, low, high, launches } = self;
        velo_stats::Estimate { value, low, high, launches: launches as usize }
    }
}

/// What a window says of its contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Correct responses per second.
    Goodput,
    /// CPU time of the process tree per correct response, in nanoseconds.
    CpuPerRequest,
}

impl Quantity {
    fn of(self, window: &Window) -> Option<f64> {
        match self {
            Self::Goodput => (window.duration_ns > 0)
                .then(|| window.outcomes.correct as f64 * 1e9 / window.duration_ns as f64),
            Self::CpuPerRequest => {
                let answers = window.outcomes.correct.saturating_add(window.correct_outside);
                let cpu = window.server.cpu_total_ns?;
                (answers > 0).then(|| cpu as f64 / answers as f64)
            }
        }
    }
}

/// One number a block, by launch and block.
pub(crate) type Blocks = BTreeMap<(u32, u32), f64>;

/// One number a launch. A number that is not finite stays, so that no estimate is made of the rest.
pub(crate) type Launches = BTreeMap<u32, f64>;

/// A quantity of all windows of one kind.
pub(crate) fn blocks(windows: &[&Window], kind: WindowKind, quantity: Quantity) -> Blocks {
    let of_kind = windows.iter().filter(|window| window.kind == kind);
    of_kind.filter_map(|window| Some(((window.launch, window.block), quantity.of(window)?))).collect()
}

/// The median over blocks, for each launch.
pub(crate) fn medians(blocks: &Blocks) -> Launches {
    by_launch(blocks.iter().map(|((launch, _), value)| (*launch, *value)))
}

/// The median over blocks of the paired log ratio, for each launch: same launch, same block, so that what the
/// machine did to both cancels. Pairs of two zeros say nothing and are left out.
pub(crate) fn paired_log_ratios(over: &Blocks, under: &Blocks) -> Launches {
    let pairs = over.iter().filter_map(|(key, value)| {
        let log_ratio = value.ln() - under.get(key)?.ln();
        (!log_ratio.is_nan()).then_some((key.0, log_ratio))
    });
    by_launch(pairs)
}

fn by_launch(values: impl Iterator<Item = (u32, f64)>) -> Launches {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (launch, value) in values {
        launches.entry(launch).or_default().push(value);
    }
    launches.into_iter().map(|(launch, values)| (launch, median(&values).unwrap_or(f64::NAN))).collect()
}

/// The mean over launches.
pub(crate) fn estimate(launches: &Launches) -> Option<Estimate> {
    over_launches(&launches.values().copied().collect::<Vec<_>>()).map(Into::into)
}

/// The ratio over launches.
pub(crate) fn ratio(log_ratios: &Launches) -> Option<Estimate> {
    ratio_over_launches(&log_ratios.values().copied().collect::<Vec<_>>()).map(Into::into)
}

/// The median of a figure over windows; `None` when no window has it.
pub(crate) fn median_over(windows: &[&Window], figure: impl Fn(&Window) -> Option<f64>) -> Option<f64> {
    median(&windows.iter().filter_map(|window| figure(window)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(values: &[(u32, u32, f64)]) -> Blocks {
        values.iter().map(|(launch, block, value)| ((*launch, *block), *value)).collect()
    }

    #[test]
    fn a_launch_counts_once_however_many_blocks_it_has() {
        let blocks = at(&[(1, 1, 10.0), (1, 2, 11.0), (1, 3, 1000.0), (2, 1, 13.0)]);
        let estimate = estimate(&medians(&blocks)).unwrap();
        assert_eq!((estimate.low, estimate.value, estimate.high, estimate.launches), (11.0, 12.0, 13.0, 2));
    }

    #[test]
    fn drift_that_hits_both_cancels_in_the_pairs() {
        let over = at(&[(1, 1, 20.0), (1, 2, 40.0), (2, 1, 200.0), (2, 2, 2.0)]);
        let under = at(&[(1, 1, 10.0), (1, 2, 20.0), (2, 1, 100.0), (2, 2, 1.0), (3, 1, 5.0)]);
        let ratio = ratio(&paired_log_ratios(&over, &under)).unwrap();
        assert!((ratio.value - 2.0).abs() < 1e-12 && (ratio.high - ratio.low).abs() < 1e-12);
        assert_eq!(ratio.launches, 2, "the third launch has no pair");
    }

    #[test]
    fn mostly_zero_goodput_has_no_ratio() {
        let over = at(&[(1, 1, 0.0), (1, 2, 0.0), (1, 3, 10.0)]);
        let under = at(&[(1, 1, 10.0), (1, 2, 10.0), (1, 3, 10.0)]);
        assert_eq!(ratio(&paired_log_ratios(&over, &under)), None);
        assert_eq!(ratio(&paired_log_ratios(&under, &over)), None);
        assert_eq!(ratio(&paired_log_ratios(&over, &over)).map(|r| r.value), Some(1.0));
    }
}
