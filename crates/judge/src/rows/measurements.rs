//! What was measured of servers, in the shape of everything that is measured.

use velo_model::{Figure, FigureKind, LoadCondition, Workload};
use velo_record::LaunchRecord;
use velo_stats::{CONFIDENCE, RankRange};

use super::row::Row;
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::cell::{Cell, Cells};
use crate::measure::estimate::Estimate;
use crate::measure::launch_logs::LaunchLogs;
use crate::table::measurement::{Measurement, Point};

/// The figures of a workload's rows, in their order, but for those at the common rate. `cpu_ranges`: the ranks of the first rows by CPU
/// time per request, where they have any.
pub(crate) fn of_rows(
    workload: &Workload,
    rows: &[Row],
    own: LoadCondition,
    cells: &Cells<'_>,
    cpu_ranges: &[RankRange],
) -> Vec<Measurement> {
    let measured = rows.iter().enumerate().filter_map(|(place, row)| {
        Some((row, cells.get(&workload.name, &row.contender)?, cpu_ranges.get(place)))
    });
    measured.flat_map(|(row, cell, cpu_range)| of_row(row, own, cell, cpu_range)).collect()
}

fn of_row(row: &Row, own: LoadCondition, cell: &Cell<'_>, cpu_range: Option<&RankRange>) -> Vec<Measurement> {
    let measurement = |of, under, estimate| Measurement::new(&row.contender, of, under, estimate);
    let ranked = || Point { at_least: row.at_least, ..Point::ranked_by(&row.state) };
    let under_own_load = Figure::of_kind(FigureKind::OwnLoad).map(|of| {
        let measurement = measurement(of, own, row.estimate(of)).fitted(cell.logs(of));
        if of.row().is_ranked {
            measurement.unless(row.goodput_fault()).shown(row.has_figures().then(ranked))
        } else {
            let rank = cpu_range.map(|range| (range.best, range.worst));
            let point = unranked(row).map(|point| Point { rank, ..point });
            measurement.unless(row.cpu_fault()).shown(point)
        }
    });
    let memory = row.processes.memory_steady_bytes;
    let memory =
        memory.map(|bytes| Estimate { value: bytes as f64, launches: row.launches, ..Estimate::default() });
    let startup = of_launches(cell, |launch| launch.startup_ns);
    let of_launches = [
        measurement(Figure::Memory, LoadCondition::None, memory)
            .of_launches(of_launches(cell, |launch| launch.memory_steady_bytes))
            .unless(row.answers_fault())
            .shown(unranked(row)),
        measurement(Figure::Startup, LoadCondition::None, startup.estimate(CONFIDENCE))
            .of_launches(startup)
            .unless(row.answers_fault())
            .shown(unranked(row)),
    ];
    under_own_load.chain(of_launches).collect()
}

/// Response times at the common rate, which no rank rests on.
pub(crate) fn response_times(rows: &[Row]) -> impl Iterator<Item = Measurement> {
    rows.iter().flat_map(|row| {
        row.at_common_rates().flat_map(move |figures| {
            let under = LoadCondition::OpenLoop { rate_per_s: figures.rate_per_s };
            let unranked_figures = Figure::of_kind(FigureKind::CommonRate).filter(|of| !of.row().is_ranked);
            unranked_figures.map(move |of| {
                let measurement = Measurement::new(&row.contender, of, under, figures.estimate(of));
                measurement.unless(row.cpu_fault()).shown(unranked(row))
            })
        })
    })
}

/// The place of a figure that no rank rests on.
fn unranked(row: &Row) -> Option<Point> {
    let is_reference = row.state == RowState::Reference;
    let reason = is_reference.then(|| Reason::Standing(Box::new(row.state.clone())));
    row.has_figures().then(|| Point { reason, ..Point::default() })
}

fn of_launches(cell: &Cell<'_>, figure: fn(&LaunchRecord) -> Option<u64>) -> LaunchLogs {
    let launches = cell.record.launches.iter();
    let figures = launches
        .filter_map(|launch| Some((launch.launch, figure(launch).filter(|value| *value > 0)? as f64)));
    LaunchLogs::of_figures(&figures.collect())
}
