//! The series of a judged workload: each of its figures in the one shape that is drawn.

use std::collections::BTreeMap;

use velo_model::{ContenderName, Figure, LoadCondition};
use velo_record::RatePurpose;
use velo_stats::CONFIDENCE;

use super::workload::JudgedWorkload;
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::cell::Cells;
use crate::measure::estimate::Estimate;
use crate::rank::equal_work::EqualWorkGroup;
use crate::rank::tax::TaxOf;
use crate::rows::bursts::JudgedBurst;
use crate::rows::paced::PacedFigures;
use crate::rows::row::Row;
use crate::series::measured::{self, Measured};
use crate::series::shown::{Series, SeriesPoint};
use crate::tasks::TaskRow;

/// All series of a workload that have a point. The one that its contenders are ranked by comes first, where it has one.
pub(crate) fn of_workload(workload: &JudgedWorkload, cells: &Cells<'_>) -> Vec<Series> {
    let own = LoadCondition::own(workload.connections, workload.rate_per_s);
    let rows = &workload.rows;
    let goodput = Series::new(Figure::Goodput, own, rows.iter().filter_map(goodput));
    let cpu = Series::new(Figure::CpuPerRequest, own, of_rows(rows, |row| row.cpu_per_request_ns));
    let at_one_rate = workload.equal_work.groups.iter().flat_map(|group| at_one_rate(rows, group));
    let bursts = workload.bursts.iter().filter(|burst| !burst.sweep).map(makespan);
    let tasks = tasks(workload.tasks.as_ref().map_or(&[], |table| &table.rows));
    let mut all = Vec::new();
    if workload.rate_per_s.is_none() {
        all.push(goodput);
        all.extend(tasks);
        all.push(cpu);
        all.extend(at_one_rate);
        all.extend(bursts);
    } else {
        all.extend(bursts);
        all.extend(at_one_rate);
        all.push(cpu);
        all.extend(tasks);
    }
    all.push(Series::new(Figure::Memory, LoadCondition::None, of_rows(rows, memory)));
    all.extend(once_a_launch(workload, cells));
    all.extend(TaxOf::ALL.map(|of| taxes(of, workload)));
    all.retain(|series| !series.points.is_empty());
    all
}

/// Points of a figure that no rank rests on.
fn of_rows(rows: &[Row], figure: impl Fn(&Row) -> Option<Estimate>) -> impl Iterator<Item = SeriesPoint> {
    rows.iter().filter(|row| row.has_figures()).filter_map(move |row| {
        let is_reference = row.state == RowState::Reference;
        let reason = is_reference.then(|| Reason::Standing(Box::new(row.state.clone())));
        Some(SeriesPoint { reason, ..SeriesPoint::new(&row.contender, figure(row)?) })
    })
}

fn goodput(row: &Row) -> Option<SeriesPoint> {
    let estimate = row.goodput_per_s.filter(|_| row.has_figures())?;
    let point = SeriesPoint { at_least: row.at_least, ..SeriesPoint::new(&row.contender, estimate) };
    Some(point.ranked_by(&row.state))
}

fn once_a_launch(workload: &JudgedWorkload, cells: &Cells<'_>) -> Vec<Series> {
    let measured_of = |row: &Row| {
        cells.get(&workload.name, &row.contender).map(measured::once_a_launch).unwrap_or_default()
    };
    let measured: BTreeMap<&ContenderName, Vec<Measured>> =
        workload.rows.iter().map(|row| (&row.contender, measured_of(row))).collect();
    let mut all: Vec<Series> = Vec::new();
    for one in measured.values().flatten() {
        if all.iter().any(|series| series.of == one.of && series.under == one.under) {
            continue;
        }
        let estimate = |row: &Row| {
            let own = measured.get(&row.contender)?;
            own.iter().find(|own| own.of == one.of && own.under == one.under)?.logs.estimate(CONFIDENCE)
        };
        all.push(Series::new(one.of, one.under, of_rows(&workload.rows, estimate)));
    }
    all
}

fn memory(row: &Row) -> Option<Estimate> {
    let bytes = row.processes.memory_steady_bytes?;
    Some(Estimate { value: bytes as f64, launches: row.launches, ..Estimate::default() })
}

fn at_one_rate(rows: &[Row], group: &EqualWorkGroup) -> [Series; 3] {
    let under = LoadCondition::OpenLoop { rate_per_s: group.rate_per_s };
    let has_figures =
        |contender: &ContenderName| rows.iter().any(|row| row.contender == *contender && row.has_figures());
    let cpu = group.rows.iter().filter(|row| has_figures(&row.contender)).filter_map(|row| {
        let point = SeriesPoint::new(&row.contender, row.cpu_per_request_ns?);
        Some(SeriesPoint { best: row.best, worst: row.worst, reason: row.reason.clone(), ..point })
    });
    let response = |of, which: fn(&PacedFigures) -> Option<Estimate>| {
        let at_rate = move |row: &Row| {
            let is_it = |figures: &&PacedFigures| {
                figures.purpose == RatePurpose::EqualWork && figures.rate_per_s == group.rate_per_s
            };
            which(row.latency.iter().find(is_it)?)
        };
        Series::new(of, under, of_rows(rows, at_rate))
    };
    [
        Series::new(Figure::CpuAtOneRate, under, cpu),
        response(Figure::ResponseP50, |figures| figures.response.p50_ns),
        response(Figure::ResponseP99, |figures| figures.response.p99_ns),
    ]
}

fn makespan(burst: &JudgedBurst) -> Series {
    let JudgedBurst { requests, connections, first_alone, .. } = *burst;
    let under = LoadCondition::Burst { requests, connections, first_alone };
    let whole = burst.rows.iter().filter(|row| row.fault.is_none());
    let points = whole.filter_map(|row| Some(SeriesPoint::new(&row.contender, row.makespan_ns?)));
    Series::new(Figure::Makespan, under, points)
}

/// Tasks are ranked by their steady time alone.
fn tasks(rows: &[TaskRow]) -> [Series; 2] {
    let usable = || rows.iter().filter(|row| row.state.has_figures());
    let steady = usable()
        .filter_map(|row| Some(SeriesPoint::new(&row.contender, row.steady_ns?).ranked_by(&row.state)));
    let cold = usable().filter_map(|row| Some(SeriesPoint::new(&row.contender, row.cold_ns?)));
    [
        Series::new(Figure::IterationSteady, LoadCondition::None, steady),
        Series::new(Figure::IterationCold, LoadCondition::None, cold),
    ]
}

fn taxes(of: TaxOf, workload: &JudgedWorkload) -> Series {
    let points = workload.taxes.iter().filter(|tax| tax.of == of).filter_map(|tax| {
        let point = SeriesPoint::new(&tax.contender, tax.ratio?);
        Some(SeriesPoint { over: Some(tax.base.clone()), reason: tax.reason.clone(), ..point })
    });
    let series = match of {
        TaxOf::Framework => Figure::Tax,
        TaxOf::Grpc => Figure::GrpcTax,
    };
    Series::new(series, LoadCondition::None, points)
}
