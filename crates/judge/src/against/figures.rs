//! The figures of both, and their ratios: in each batch of consecutive blocks the median of the paired log ratios, then
//! Student's t over batches.

use std::collections::BTreeSet;

use velo_record::{AgainstRecord, AgainstWindow, LoadSchedule};
use velo_stats::estimate::ratio_about;
use velo_stats::{CONFIDENCE, Histogram, batch_medians};

use super::blocks::Blocks;
use super::figure::{AgainstFigure, AgainstFigureName, AgainstRatio};
use crate::doubt::bounds::GENERATOR_BUSY;
use crate::measure::exposure::Exposure;

/// All that can be had of anybody.
pub(super) fn of(record: &AgainstRecord, blocks: &Blocks<'_>) -> Vec<AgainstFigure> {
    let is_closed = matches!(record.settings.schedule, LoadSchedule::Closed { .. });
    let goodput = |window: &AgainstWindow| Some(window.correct as f64 / window.duration_ns as f64 * 1e9);
    let cpu = |window: &AgainstWindow| {
        let cpu_ns = window.cpu_ns.filter(|ns| *ns > 0)?;
        Some(cpu_ns as f64 / window.correct_with_settling as f64)
    };
    let times = [&record.a, &record.b].map(|side| {
        side.times.iter().map(|times| times.decode().unwrap_or_default()).collect::<Vec<Histogram>>()
    });
    let figures = AgainstFigureName::ALL.into_iter().filter_map(|figure| match figure {
        AgainstFigureName::Goodput if is_closed => Some(per_block(figure, blocks, goodput)),
        AgainstFigureName::Goodput => None,
        AgainstFigureName::Cpu => Some(per_block(figure, blocks, cpu)),
        AgainstFigureName::P50 => Some(percentile(figure, blocks, &times, 0.5)),
        AgainstFigureName::P99 => Some(percentile(figure, blocks, &times, 0.99)),
    });
    figures.filter(|figure| figure.a.or(figure.b).is_some()).collect()
}

/// A figure that each window has. Its value for both: the level that they have in common, and half of what they are apart
/// to either side, so that the ratio is that of the two.
fn per_block(
    figure: AgainstFigureName,
    blocks: &Blocks<'_>,
    of: impl Fn(&AgainstWindow) -> Option<f64>,
) -> AgainstFigure {
    let log = |window: &AgainstWindow| of(window).map(f64::ln).filter(|log| !log.is_nan());
    let [mut a, mut b, mut apart] = [Vec::new(), Vec::new(), Vec::new()];
    for block in &blocks.counted {
        let (of_a, of_b) = (log(&block.a), log(&block.b));
        a.extend(of_a.map(|log| (block.batch, log)));
        b.extend(of_b.map(|log| (block.batch, log)));
        // Where neither had an answer nothing is known of the two.
        let both = of_a.zip(of_b).map(|(a, b)| a - b).filter(|log| !log.is_nan());
        apart.extend(both.map(|log| (block.batch, log)));
    }
    let batches: BTreeSet<u32> = apart.iter().map(|(batch, _)| *batch).collect();
    let (level_a, level_b) = (mean(&batch_medians(a)), mean(&batch_medians(b)));
    let medians = batch_medians(apart);
    let is_whole = medians.len() == batches.len() && !blocks.is_unfit;
    let ratio = mean(&medians).and_then(|mean| ratio(mean, &medians, is_whole, allowance(figure, blocks)));
    let (a, b) = match (level_a, level_b, &ratio) {
        (Some(a), Some(b), Some(ratio)) => {
            let (level, half) = ((a + b) / 2.0, ratio.value.ln() / 2.0);
            (Some(level + half), Some(level - half))
        }
        _ => (level_a, level_b),
    };
    let value = |log: Option<f64>| log.map(f64::exp).filter(|value| value.is_finite());
    let is_limit = |busy: Option<f64>| {
        figure == AgainstFigureName::Goodput && busy.is_some_and(|busy| busy >= GENERATOR_BUSY)
    };
    AgainstFigure {
        figure,
        a: value(a),
        b: value(b),
        ratio,
        a_at_least: is_limit(blocks.busy[0]),
        b_at_least: is_limit(blocks.busy[1]),
    }
}

/// A percentile of all samples of each, with an interval from those of the batches.
fn percentile(
    figure: AgainstFigureName,
    blocks: &Blocks<'_>,
    times: &[Vec<Histogram>; 2],
    q: f64,
) -> AgainstFigure {
    // 0 ns is less than the clock can tell; 1 ns has a logarithm.
    let of = |times: &Histogram| times.quantile_ns(q).map(|ns| ns.max(1) as f64);
    let [a, b] = [&times[0], &times[1]].map(|times| {
        let mut all = Histogram::new();
        times.iter().for_each(|batch| all.merge(batch));
        of(&all)
    });
    // What was interrupted has no samples in its last batches.
    let begun = times[0].iter().zip(&times[1]).filter(|(a, b)| !a.is_empty() || !b.is_empty());
    let logs: Option<Vec<f64>> = begun.map(|(a, b)| Some(of(a)?.ln() - of(b)?.ln())).collect();
    let is_whole = logs.is_some() && !blocks.is_unfit;
    let ratio = a.zip(b).and_then(|(a, b)| {
        ratio((a / b).ln(), &logs.unwrap_or_else(|| vec![0.0]), is_whole, allowance(figure, blocks))
    });
    AgainstFigure { figure, a, b, ratio, a_at_least: false, b_at_least: false }
}

/// By how much at most what others took may have moved a ratio, in logarithms.
pub(super) fn allowance(figure: AgainstFigureName, blocks: &Blocks<'_>) -> f64 {
    let [a, b] = blocks.busy.map(|generator_busy| Exposure {
        taken_share: blocks.taken_share.unwrap_or(0.0),
        generator_busy,
        is_cpu_time: figure == AgainstFigureName::Cpu,
    });
    a.of_ratio(&b)
}

fn ratio(mean: f64, batches: &[f64], is_whole: bool, allowance: f64) -> Option<AgainstRatio> {
    let estimate = ratio_about(mean, batches, CONFIDENCE, allowance)?;
    let end = |end: Option<f64>| end.filter(|_| is_whole);
    Some(AgainstRatio { value: estimate.value, low: end(estimate.low()), high: end(estimate.high()) })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
