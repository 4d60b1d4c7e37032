//! What stands behind the figures: windows one by one, distributions, and ratios of any two contenders.

use std::collections::BTreeSet;

use serde::Serialize;
use velo_model::{ContenderName, Figure, LoadCondition};
use velo_record::{RequestSpan, Window, WindowKind};
use velo_stats::CONFIDENCE;
use velo_stats::number::six_digits;

use crate::measure::blocks::Disturbed;
use crate::measure::cell::Cell;
use crate::measure::figures::medians;
use crate::run::judge::JudgedRun;
use crate::table;
use crate::table::measurement::Measurement;

use super::distribution::{self, Distribution};

/// Of more windows of a contender the later ones are left out: twice as many as the longest plan has.
const MOST_WINDOWS: usize = 2_000;
/// Of more contenders in a workload no ratios are made: there are nearly half as many as the square of this.
const MOST_CONTENDERS: usize = 100;
/// Of more answers to a burst only so many moments are kept.
const MOST_MOMENTS: usize = 500;
/// Nobody makes so many processes of a task; a file that somebody made up may.
const MOST_PROCESSES: usize = 200;
/// Of each process's iterations.
const MOST_ITERATIONS: usize = 500;

/// What stands behind the figures of a workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadDetail {
    /// Its name.
    pub workload: String,
    /// Contenders with at least one window or process, by name.
    pub contenders: Vec<ContenderDetail>,
    /// Figures of any two contenders, each pair once.
    pub ratios: Vec<FigureRatios>,
}

/// What stands behind the figures of a contender in a workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContenderDetail {
    /// The contender.
    pub contender: ContenderName,
    /// Its windows in the order measured: cold ones, those of blocks, and those at the common rate.
    pub windows: WindowColumns,
    /// Windows beyond the first 2,000, which are left out.
    pub windows_left_out: u32,
    /// Launch, and the median goodput of its blocks that count: correct responses per second, six digits of them.
    pub launch_goodputs_per_s: Vec<(u32, f64)>,
    /// Service times of the closed loop, then response times at each rate.
    pub distributions: Vec<Distribution>,
    /// Its bursts, in the order measured.
    pub bursts: Vec<BurstDetail>,
    /// Its processes, where it is a task.
    pub processes: Vec<ProcessDetail>,
}

/// Windows, a list for each of their figures: the n-th of each is of the n-th window. A page has thousands of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WindowColumns {
    /// What it is for.
    pub kind: Vec<WindowKind>,
    /// Its launch, from 1.
    pub launch: Vec<u32>,
    /// Its block, from 1; 0 before the blocks.
    pub block: Vec<u32>,
    /// Correct responses per second, six digits of them.
    pub goodput_per_s: Vec<Option<f64>>,
    /// Whether it counts for no figure, because its block was disturbed.
    pub dropped: Vec<bool>,
}

/// A burst.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BurstDetail {
    /// The name of the request.
    pub request: String,
    /// How many.
    pub requests: u32,
    /// Over how many connections.
    pub connections: u32,
    /// One was answered before the others were sent.
    pub first_alone: bool,
    /// A point of the sweep of connections.
    pub sweep: bool,
    /// Its launch, from 1.
    pub launch: u32,
    /// From the first attempt to connect to the last answer.
    pub makespan_ns: u64,
    /// Each request in the order sent: when it was sent and when it was answered or failed, since the burst's beginning, in
    /// ten-thousandths of `makespan_ns`. Of the first launch that has them; none of a sweep, and none of more than 500 requests.
    pub spans: Vec<(u32, u32)>,
    /// The places, from 0, of those among them that failed.
    pub failed_spans: Vec<u32>,
    /// Where there are no spans: from the burst's beginning to a moment, and how many correct answers had come by then, by rising
    /// time; at most 500. Of the first launch too, and none of a sweep.
    pub answered: Vec<(u64, u64)>,
}

/// A process of a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessDetail {
    /// Which, from 1.
    pub process: u32,
    /// What the program says that each iteration took, in order; at most 500.
    pub iterations_ns: Vec<u64>,
}

/// A figure of contenders over that of others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FigureRatios {
    /// Of what.
    pub of: Figure,
    /// Under which load.
    pub under: LoadCondition,
    /// The one above the line and the one below it, as their places in [`WorkloadDetail::contenders`]; the ratio, paired by block,
    /// else by launch; and the ends of the interval of this pair alone. Six digits of each.
    pub pairs: Vec<PairRatio>,
}

/// Over, under, ratio, low, high.
pub type PairRatio = (u32, u32, f64, Option<f64>, Option<f64>);

impl JudgedRun<'_> {
    /// What stands behind the figures, workload by workload.
    pub fn detail(&self) -> Vec<WorkloadDetail> {
        of_run(self)
    }
}

fn of_run(run: &JudgedRun<'_>) -> Vec<WorkloadDetail> {
    let JudgedRun { file, disturbed, cells, table, .. } = run;
    let workloads = file.workloads.iter();
    workloads
        .map(|workload| {
            let name = &workload.name;
            let own = || cells.of_workload(name).filter(|cell| cell.record.twin_of.is_none());
            let mut contenders: Vec<ContenderDetail> =
                own().map(|cell| of_cell(cell, disturbed)).filter(|one| !one.is_empty()).collect();
            contenders.extend(
                file.contenders.iter().filter(|record| !record.manifest.role.is_server()).filter_map(
                    |record| {
                        let processes: Vec<ProcessDetail> = record
                            .tasks
                            .iter()
                            .filter(|process| process.workload == *name)
                            .take(MOST_PROCESSES)
                            .map(|process| ProcessDetail {
                                process: process.process,
                                iterations_ns: process
                                    .iterations
                                    .iter()
                                    .take(MOST_ITERATIONS)
                                    .map(|iteration| iteration.own_ns)
                                    .collect(),
                            })
                            .collect();
                        (!processes.is_empty()).then(|| ContenderDetail {
                            processes,
                            ..ContenderDetail::none(&record.manifest.name)
                        })
                    },
                ),
            );
            let ratios = ratios(&contenders, (name, table.of_workload(name)));
            WorkloadDetail { workload: name.clone(), contenders, ratios }
        })
        .collect()
}

impl ContenderDetail {
    fn none(contender: &ContenderName) -> Self {
        Self {
            contender: contender.clone(),
            windows: WindowColumns::default(),
            windows_left_out: 0,
            launch_goodputs_per_s: Vec::new(),
            distributions: Vec::new(),
            bursts: Vec::new(),
            processes: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.windows.kind.is_empty() && self.bursts.is_empty() && self.distributions.is_empty()
    }
}

fn of_cell(cell: &Cell<'_>, disturbed: &Disturbed) -> ContenderDetail {
    let shown = || cell.windows.iter().filter(|window| is_shown(window));
    let mut windows = WindowColumns::default();
    shown().take(MOST_WINDOWS).for_each(|window| windows.push(window, disturbed));
    ContenderDetail {
        windows,
        windows_left_out: u32::try_from(shown().count().saturating_sub(MOST_WINDOWS)).unwrap_or(u32::MAX),
        launch_goodputs_per_s: medians(&cell.of_blocks(Figure::Goodput))
            .into_iter()
            .filter_map(|(launch, median)| Some((launch, six_digits(median)?)))
            .take(MOST_WINDOWS)
            .collect(),
        distributions: distribution::of_cell(cell),
        bursts: of_bursts(cell),
        ..ContenderDetail::none(&cell.record.manifest.name)
    }
}

fn is_shown(window: &Window) -> bool {
    match window.kind() {
        WindowKind::Cold | WindowKind::Block => true,
        WindowKind::Paced => window.paced().is_some_and(|paced| paced.purpose.is_common()),
        _ => false,
    }
}

impl WindowColumns {
    fn push(&mut self, window: &Window, disturbed: &Disturbed) {
        let goodput_per_s = (window.duration_ns > 0).then(|| window.goodput_per_s());
        self.kind.push(window.kind());
        self.launch.push(window.launch);
        self.block.push(window.block);
        self.goodput_per_s.push(goodput_per_s.and_then(six_digits));
        self.dropped.push(window.block > 0 && disturbed.drops(window.launch, window.block));
    }
}

fn of_bursts(cell: &Cell<'_>) -> Vec<BurstDetail> {
    let mut bursts: Vec<BurstDetail> = cell.bursts().take(MOST_WINDOWS).filter_map(of_burst).collect();
    // One burst is like another in this, and all of them would be most of the page.
    let mut seen = BTreeSet::new();
    for burst in &mut bursts {
        let key = (burst.request.clone(), burst.requests, burst.connections, burst.first_alone);
        if burst.sweep || !seen.insert(key) {
            (burst.spans, burst.failed_spans, burst.answered) = (Vec::new(), Vec::new(), Vec::new());
        } else if !burst.spans.is_empty() {
            burst.answered = Vec::new();
        }
    }
    bursts
}

fn of_burst(window: &Window) -> Option<BurstDetail> {
    let burst = window.burst()?;
    let spans = if burst.spans.len() <= MOST_MOMENTS { burst.spans.as_slice() } else { &[] };
    let failed = (0_u32..).zip(spans).filter(|(_, span)| !span.is_correct);
    let mut answered = Vec::new();
    if let Ok(histogram) = burst.answered.decode() {
        let mut by_then = 0_u64;
        for (ns, times) in histogram.recorded() {
            by_then = by_then.saturating_add(times);
            answered.push((ns, by_then));
        }
    }
    Some(BurstDetail {
        request: window.requests.first().map(|request| request.name.clone()).unwrap_or_default(),
        requests: burst.shape.requests,
        connections: burst.shape.connections,
        first_alone: burst.shape.first_alone,
        sweep: burst.shape.sweep,
        launch: window.launch,
        makespan_ns: window.duration_ns,
        spans: spans.iter().map(|span| parts_of(span, window.duration_ns)).collect(),
        failed_spans: failed.map(|(place, _)| place).collect(),
        answered: thinned(answered),
    })
}

/// In ten-thousandths of the makespan, which are less than a pixel, whatever it is.
fn parts_of(span: &RequestSpan, makespan_ns: u64) -> (u32, u32) {
    let part = |ns: u64| (ns as f64 * 10_000.0 / makespan_ns.max(1) as f64).round() as u32;
    (part(span.sent_ns), part(span.done_ns))
}

/// At most [`MOST_MOMENTS`], the first and the last among them.
fn thinned(moments: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    let step = moments.len().div_ceil(MOST_MOMENTS - 1).max(1);
    let last = moments.len().saturating_sub(1);
    let kept = moments.iter().enumerate().filter(|(place, _)| place % step == 0 || *place == last);
    kept.map(|(_, moment)| *moment).collect()
}

/// What was measured of a contender, with its place in the detail.
type Placed<'m> = (u32, &'m Measurement);

/// Of each figure that is shown under each load, each two contenders.
fn ratios(contenders: &[ContenderDetail], (workload, all): (&str, &[Measurement])) -> Vec<FigureRatios> {
    let place = |one: &Measurement| contenders.iter().position(|own| own.contender == one.contender);
    let mut by_load: Vec<(Figure, LoadCondition, Vec<Placed<'_>>)> = Vec::new();
    for one in all.iter().filter(|one| one.point.is_some()) {
        let Some(place) = place(one).and_then(|place| u32::try_from(place).ok()) else { continue };
        match by_load.iter_mut().find(|(of, under, _)| (*of, *under) == (one.of, one.under)) {
            Some((.., own)) => own.push((place, one)),
            None => by_load.push((one.of, one.under, vec![(place, one)])),
        }
    }
    by_load.retain(|(.., own)| own.len() <= MOST_CONTENDERS);
    let of_figure = |(of, load, mut own): (Figure, LoadCondition, Vec<Placed<'_>>)| {
        own.sort_by_key(|(place, _)| *place);
        let mut pairs: Vec<PairRatio> = Vec::new();
        for (number, (over, one)) in own.iter().enumerate() {
            for (under, other) in &own[number + 1..] {
                let found = table::ratio((workload, one), (workload, other)).estimate(CONFIDENCE);
                let Some(found) = found else { continue };
                let Some(value) = six_digits(found.value) else { continue };
                let (low, high) = (found.low.and_then(six_digits), found.high.and_then(six_digits));
                pairs.push((*over, *under, value, low, high));
            }
        }
        FigureRatios { of, under: load, pairs }
    };
    by_load.into_iter().map(of_figure).filter(|ratios| !ratios.pairs.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_thinned_to_their_ends() {
        let moments = |n: u64| (0..n).map(|at| (at, at + 1)).collect::<Vec<_>>();
        assert_eq!(thinned(Vec::new()), []);
        assert_eq!(thinned(moments(499)), moments(499));
        let thin = thinned(moments(10_001));
        assert!(thin.len() <= MOST_MOMENTS && thin.is_sorted(), "{}", thin.len());
        assert_eq!((thin.first(), thin.last()), (Some(&(0, 1)), Some(&(10_000, 10_001))));
    }
}
