//! From windows to one number a launch.

use std::collections::BTreeMap;

use velo_model::{Figure, Workload};
use velo_record::{Window, WindowKind};
use velo_stats::median;

/// What a window says of its contender, whatever its load was; `None` also of figures that no single window has.
pub(crate) fn of_window(figure: Figure, window: &Window) -> Option<f64> {
    match figure {
        Figure::Goodput => (window.duration_ns > 0).then(|| window.goodput_per_s()),
        Figure::CpuPerRequest | Figure::CpuAtOneRate => window.cpu_per_request_ns(),
        _ => None,
    }
}

/// The figure that shows how fast a contender is under the workload's own load: where that states a rate, everybody that keeps up
/// has the same goodput.
pub(crate) fn figure_of_speed(workload: &Workload) -> Figure {
    match workload.load.rate_per_s {
        Some(_) => Figure::CpuPerRequest,
        None => Figure::Goodput,
    }
}

/// One number a block, by launch and block.
pub(crate) type Blocks = BTreeMap<(u32, u32), f64>;

/// One number a launch. A number that is not finite stays, so that no estimate is made of the rest.
pub(crate) type Launches = BTreeMap<u32, f64>;

/// A figure of all windows of one kind.
pub(crate) fn blocks(windows: &[&Window], kind: WindowKind, figure: Figure) -> Blocks {
    let of_kind = windows.iter().filter(|window| window.kind() == kind);
    of_kind.filter_map(|window| Some(((window.launch, window.block), of_window(figure, window)?))).collect()
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
    launches.into_iter().map(|(launch, values)| (launch, of_launch(&values))).collect()
}

/// The one number of a launch, from those of its blocks; there must be one.
pub(crate) fn of_launch(blocks: &[f64]) -> f64 {
    median(blocks).unwrap_or(f64::NAN)
}

/// The median of a figure over windows; `None` when no window has it.
pub(crate) fn median_over(windows: &[&Window], figure: impl Fn(&Window) -> Option<f64>) -> Option<f64> {
    median(&windows.iter().filter_map(|window| figure(window)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::launch_logs::{estimate, ratio};
    use velo_stats::CONFIDENCE;

    fn at(values: &[(u32, u32, f64)]) -> Blocks {
        values.iter().map(|(launch, block, value)| ((*launch, *block), *value)).collect()
    }

    #[test]
    fn a_launch_counts_once_however_many_blocks_it_has() {
        let blocks = at(&[(1, 1, 10.0), (1, 2, 11.0), (1, 3, 1000.0), (2, 1, 22.0), (3, 1, 44.0)]);
        let estimate = estimate(&medians(&blocks), CONFIDENCE).unwrap();
        assert_eq!(estimate.launches, 3);
        // 22 with t(2) ln(2) / sqrt(3) to either side, t(2) = 4.302653.
        let half = (4.302_653 * 2.0_f64.ln() / 3.0_f64.sqrt()).exp();
        let (low, high) = estimate.interval().unwrap();
        assert!((estimate.value - 22.0).abs() < 1e-9);
        assert!((low - 22.0 / half).abs() < 1e-5 && (high - 22.0 * half).abs() < 1e-4, "{low} {high}");
        assert_eq!(estimate.range(), None);
    }

    #[test]
    fn few_launches_have_no_interval() {
        let one = estimate(&medians(&at(&[(1, 1, 10.0), (1, 2, 12.0)])), CONFIDENCE).unwrap();
        assert!((one.value - 11.0).abs() < 1e-9);
        assert_eq!((one.interval(), one.range(), one.relative_half_width()), (None, None, None));
        let two = estimate(&medians(&at(&[(1, 1, 20.0), (2, 2, 5.0)])), CONFIDENCE).unwrap();
        assert_eq!((two.interval(), two.launches), (None, 2));
        let (least, most) = two.range().unwrap();
        assert!((two.value - 10.0).abs() < 1e-9 && (least - 5.0).abs() < 1e-9 && (most - 20.0).abs() < 1e-9);
    }

    #[test]
    fn drift_that_hits_both_cancels_in_the_pairs() {
        let over = at(&[(1, 1, 20.0), (1, 2, 40.0), (2, 1, 200.0), (2, 2, 2.0), (4, 1, 2.0)]);
        let under = at(&[(1, 1, 10.0), (1, 2, 20.0), (2, 1, 100.0), (2, 2, 1.0), (3, 1, 5.0), (4, 1, 1.0)]);
        let ratio = ratio(paired_log_ratios(&over, &under), CONFIDENCE).unwrap();
        assert!((ratio.value - 2.0).abs() < 1e-9 && ratio.relative_half_width().unwrap() < 1e-9);
        assert_eq!(ratio.launches, 3, "the third launch has no pair");
    }

    #[test]
    fn mostly_zero_goodput_has_no_ratio() {
        let over = at(&[(1, 1, 0.0), (1, 2, 0.0), (1, 3, 10.0)]);
        let under = at(&[(1, 1, 10.0), (1, 2, 10.0), (1, 3, 10.0)]);
        let of = |over, under| ratio(paired_log_ratios(over, under), CONFIDENCE);
        assert_eq!(of(&over, &under), None);
        assert_eq!(of(&under, &over), None);
        assert_eq!(of(&over, &over).map(|r| r.value), Some(1.0));
    }
}
