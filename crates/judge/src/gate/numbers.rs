//! One number a launch for each figure and side, and what the two are apart by.

use std::collections::BTreeMap;

use velo_model::{ContenderName, Figure, FigureKind};
use velo_record::{LaunchRecord, RatePurpose};
use velo_stats::Histogram;

use crate::measure::cell::Cell;
use crate::measure::figures::Launches;
use crate::measure::launch_logs::LaunchLogs;
use crate::rows::row::Row;
use crate::run::judge::JudgedRun;

/// A percentile needs so many samples beyond it in each launch.
const LEAST_BEYOND: f64 = 10.0;
const P99: f64 = 0.99;

/// The two sides of a gate in a run.
pub(super) struct Sides<'r, 'a> {
    pub(super) base: Side<'r, 'a>,
    pub(super) head: Side<'r, 'a>,
    /// The rate that the workload states, if any: there nobody has a goodput of its own.
    pub(super) stated_per_s: Option<f64>,
}

/// A side of a gate.
pub(super) struct Side<'r, 'a> {
    pub(super) cell: &'r Cell<'a>,
    pub(super) row: &'r Row,
}

impl<'r, 'a> Sides<'r, 'a> {
    /// `None` when one of the two has no place in the run.
    pub(super) fn of(run: &'r JudgedRun<'a>, base: &ContenderName, head: &ContenderName) -> Option<Self> {
        let workload = run.judgement.workloads.first()?;
        let side = |name: &ContenderName| {
            let row = workload.rows.iter().find(|row| row.contender == *name)?;
            Some(Side { cell: run.cells.get(&workload.name, name)?, row })
        };
        Some(Self { base: side(base)?, head: side(head)?, stated_per_s: workload.rate_per_s })
    }

    /// The logarithms of a figure of the base and of the head, launch by launch.
    pub(super) fn logs(&self, figure: Figure) -> [LaunchLogs; 2] {
        [&self.base, &self.head].map(|side| side.logs(figure, self.stated_per_s))
    }
}

impl Side<'_, '_> {
    fn logs(&self, figure: Figure, stated_per_s: Option<f64>) -> LaunchLogs {
        let cell = self.cell;
        match (figure, stated_per_s) {
            // Where the workload states a rate, what is ranked there takes the place of what its own load
            // gives.
            (_, Some(rate_per_s)) if figure.kind() == FigureKind::OwnLoad => {
                let at_rate = Figure::of_kind(FigureKind::CommonRate).find(|of| of.row().is_ranked);
                at_rate.map(|of| cell.logs_at(of, rate_per_s)).unwrap_or_default()
            }
            (Figure::ResponseP99, _) => LaunchLogs::of_figures(&response_p99(cell)),
            (Figure::Startup, _) => of_launches(cell, |launch| launch.startup_ns),
            (Figure::Memory, _) => of_launches(cell, |launch| launch.memory_steady_bytes),
            _ => cell.logs(figure),
        }
    }
}

fn of_launches(cell: &Cell<'_>, figure: fn(&LaunchRecord) -> Option<u64>) -> LaunchLogs {
    let known = cell.record.launches.iter().filter_map(|launch| {
        let value = figure(launch).filter(|value| *value > 0)?;
        Some((launch.launch, value as f64))
    });
    LaunchLogs::of_figures(&known.collect())
}

/// In each launch with samples enough, over all of its windows at the common rate.
fn response_p99(cell: &Cell<'_>) -> Launches {
    let mut launches: BTreeMap<u32, Histogram> = BTreeMap::new();
    for window in &cell.paced {
        let Some(paced) = window.paced().filter(|paced| paced.purpose == RatePurpose::CommonRate) else {
            continue;
        };
        if let Ok(histogram) = paced.response_time.decode() {
            launches.entry(window.launch).or_default().merge(&histogram);
        }
    }
    let has_enough = |histogram: &Histogram| histogram.count() as f64 * (1.0 - P99) >= LEAST_BEYOND;
    let known = launches.into_iter().filter(|(_, histogram)| has_enough(histogram));
    known.filter_map(|(launch, histogram)| Some((launch, histogram.quantile_ns(P99)? as f64))).collect()
}
