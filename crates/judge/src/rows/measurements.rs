//! What was measured of servers, in the shape of everything that is measured.

use velo_model::{Figure, LoadCondition, Workload};
use velo_record::{LaunchRecord, RatePurpose};
use velo_stats::CONFIDENCE;

use super::row::Row;
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::cell::{Cell, Cells};
use crate::measure::estimate::Estimate;
use crate::measure::launch_logs::LaunchLogs;
use crate::table::measurement::{Measurement, Point};

/// The figures of a workload's rows, in their order, but for those at the common rate.
pub(crate) fn of_rows(
    workload: &Workload,
    rows: &[Row],
    own: LoadCondition,
    cells: &Cells<'_>,
) -> Vec<Measurement> {
    let measured = rows.iter().filter_map(|row| Some((row, cells.get(&workload.name, &row.contender)?)));
    measured.flat_map(|(row, cell)| of_row(row, own, cell)).collect()
}

fn of_row(row: &Row, own: LoadCondition, cell: &Cell<'_>) -> [Measurement; 4] {
    let measurement = |of, under, estimate| Measurement::new(&row.contender, of, under, estimate);
    let ranked = || Point { at_least: row.at_least, ..Point::ranked_by(&row.state) };
    let memory = row.processes.memory_steady_bytes;
    let memory =
        memory.map(|bytes| Estimate { value: bytes as f64, launches: row.launches, ..Estimate::default() });
    let startup = of_launches(cell, |launch| launch.startup_ns);
    [
        measurement(Figure::Goodput, own, row.goodput_per_s)
            .fitted(cell.logs(Figure::Goodput))
            .unless(row.goodput_fault())
            .shown(row.has_figures().then(ranked)),
        measurement(Figure::CpuPerRequest, own, row.cpu_per_request_ns)
            .fitted(cell.logs(Figure::CpuPerRequest))
            .unless(row.cpu_fault())
            .shown(unranked(row)),
        measurement(Figure::Memory, LoadCondition::None, memory)
            .of_launches(of_launches(cell, |launch| launch.memory_steady_bytes))
            .unless(row.answers_fault())
            .shown(unranked(row)),
        measurement(Figure::Startup, LoadCondition::None, startup.estimate(CONFIDENCE))
            .of_launches(startup)
            .unless(row.answers_fault())
            .shown(unranked(row)),
    ]
}

/// Response times at the common rate, which no rank rests on.
pub(crate) fn response_times(rows: &[Row]) -> impl Iterator<Item = Measurement> {
    rows.iter().flat_map(|row| {
        let at_common_rate = row.latency.iter().filter(|figures| figures.purpose == RatePurpose::EqualWork);
        at_common_rate.flat_map(|figures| {
            let under = LoadCondition::OpenLoop { rate_per_s: figures.rate_per_s };
            let response = &figures.response;
            [(Figure::ResponseP50, response.p50_ns), (Figure::ResponseP99, response.p99_ns)].map(
                |(of, estimate)| {
                    let measurement = Measurement::new(&row.contender, of, under, estimate);
                    measurement.unless(row.cpu_fault()).shown(unranked(row))
                },
            )
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
