//! Launches of a contender that lie far from its others: a rare slow one widens all intervals, and in one contender alone makes it
//! look slower than it mostly is.

use velo_model::{Figure, FigureKind};
use velo_stats::median;

use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::finding::Finding;
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::measure::cell::{Cell, Cells};
use crate::measure::figures::Launches;
use crate::rows::row::Row;

/// So many times the median distance of the others from their median.
const DISTANCES: f64 = 5.0;
/// And at least this share.
const LEAST_SHARE: f64 = 0.1;
/// With so many contenders what a launch did to all of them can be told from what it did to one.
const LEAST_CONTENDERS: usize = 3;

/// Names the launches of each row that lie apart.
pub(crate) fn add(cells: &Cells<'_>, workload: &str, rows: &mut [Row]) {
    let measured: Vec<&Cell<'_>> =
        cells.of_workload(workload).filter(|cell| !cell.blocks.is_empty()).collect();
    for figure in Figure::of_kind(FigureKind::OwnLoad) {
        let own: Vec<Launches> = measured.iter().map(|cell| about_median(cell.logs(figure).logs())).collect();
        for (cell, launches) in measured.iter().zip(&own) {
            let Some(row) = rows.iter_mut().find(|row| row.contender == cell.record.manifest.name) else {
                continue;
            };
            row.verdicts.extend(verdict(figure, &less_common(launches, &own)));
        }
    }
}

fn about_median(logs: &Launches) -> Launches {
    let middle = median(&logs.values().copied().collect::<Vec<_>>()).unwrap_or(0.0);
    logs.iter().map(|(launch, log)| (*launch, log - middle)).collect()
}

/// Without what the launch did to most contenders.
fn less_common(own: &Launches, all: &[Launches]) -> Launches {
    own.iter()
        .map(|(launch, log)| {
            let of_all: Vec<f64> = all.iter().filter_map(|one| one.get(launch).copied()).collect();
            let common = median(&of_all).filter(|_| of_all.len() >= LEAST_CONTENDERS).unwrap_or(0.0);
            (*launch, log - common)
        })
        .collect()
}

fn verdict(figure: Figure, logs: &Launches) -> Option<Verdict> {
    if logs.len() < LEAST_LAUNCHES as usize || !logs.values().all(|log| log.is_finite()) {
        return None;
    }
    let apart: Vec<(u32, f64)> = logs
        .iter()
        .filter_map(|(launch, log)| {
            let others: Vec<f64> =
                logs.iter().filter(|other| other.0 != launch).map(|(_, log)| *log).collect();
            let middle = median(&others)?;
            let spread = median(&others.iter().map(|other| (other - middle).abs()).collect::<Vec<_>>())?;
            let change_share = (log - middle).exp_m1();
            let is_apart = (log - middle).abs() > DISTANCES * spread && change_share.abs() > LEAST_SHARE;
            is_apart.then_some((*launch, change_share))
        })
        .collect();
    let farthest = apart.iter().map(|(_, share)| *share).max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let finding = Finding::LaunchesApart {
        figure,
        launches: apart.iter().map(|(launch, _)| *launch).collect(),
        of: u32::try_from(logs.len()).unwrap_or(u32::MAX),
        change_share: farthest,
    };
    Some(Verdict::new(Kind::Warning, Check::Launches, finding).of(farthest.abs(), LEAST_SHARE))
}
