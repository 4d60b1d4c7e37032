//! What a stated load would cost.

use velo_judge::{Basis, Cost, CostRow, Estimate, JudgedWorkload};

use velo_model::{FigureKind, FigureRow, Unit};

use super::names::name_in;
use crate::document::{Block, Column, Section, Table, TableRow};
use crate::number::{count, figure, plus_minus, rate};
use crate::text::clean;

const UNKNOWN: &str = "-";

/// What a stated load would cost, where that was asked.
pub(crate) fn section(workload: &JudgedWorkload) -> Option<Section> {
    let answer = workload.cost.as_ref().filter(|answer| !answer.rows.is_empty())?;
    let columns = [
        Column::number("at"),
        Column::text("contender"),
        Column::number("per core-s"),
        Column::number("cores"),
        Column::number("per million"),
        Column::number("hours/year"),
    ];
    let rows = answer.rows.iter().map(|one| TableRow::of(&one.contender, row(one, workload).map(Some)));
    let blocks = vec![Block::Table(Table::new(columns, rows)), Block::remarks(assumptions(answer))];
    Some(Section::new("cost", question(answer), blocks))
}

/// Which of a workload's series a load is multiplied with: CPU time per request, where all are given the same work if the run has
/// that.
pub(crate) fn basis_of(workload: &JudgedWorkload) -> Option<usize> {
    let of = |kind: FigureKind, is_ranked: bool| {
        let is_it =
            |row: &FigureRow| row.kind == kind && row.is_ranked == is_ranked && row.unit == Unit::Nanoseconds;
        workload.series.iter().position(|series| is_it(series.of.row()))
    };
    of(FigureKind::CommonRate, true).or_else(|| of(FigureKind::OwnLoad, false))
}

/// What was asked, in words; empty when nothing was that can be answered.
fn question(cost: &Cost) -> String {
    let asked = &cost.question;
    let mut parts = Vec::new();
    if let Some(target_rps) = asked.target_rps {
        parts.push(format!("{} requests/s", rate(target_rps)));
    }
    if let Some(price) = asked.price_per_core_hour {
        let currency = asked.currency.as_deref().map(clean).unwrap_or_default();
        parts.push(format!("{} {currency} a core-hour", as_typed(price)).replace("  ", " "));
    }
    if let (Some(users), Some(calls)) = (asked.users, asked.calls_per_user_per_year) {
        parts.push(format!("{} users with {} calls a year each", count(users), count(calls)));
    }
    parts.join(", ")
}

/// A contender's cost in words, `-` where it was not asked for or is not known: where it was measured, name, requests per
/// core-second, cores, price of a million, hours a year.
fn row(row: &CostRow, workload: &JudgedWorkload) -> [String; 6] {
    let value = |estimate: Option<Estimate>| {
        estimate.map_or_else(|| UNKNOWN.to_owned(), |estimate| figure(estimate.value))
    };
    let per_core = row.requests_per_core_second.map_or_else(
        || UNKNOWN.to_owned(),
        |per_core| {
            let interval = plus_minus(&per_core, rate).unwrap_or_default();
            format!("{} {interval}", rate(per_core.value)).trim_end().to_owned()
        },
    );
    [
        basis(row.cpu_basis),
        name_in(workload, &row.contender),
        per_core,
        value(row.cores),
        value(row.price_per_million),
        value(row.waiting_hours_per_year),
    ]
}

/// A number from the command line, with the digits that it has.
fn as_typed(value: f64) -> String {
    if (1e-6..1e9).contains(&value) { value.to_string() } else { figure(value) }
}

fn basis(basis: Basis) -> String {
    match basis {
        Basis::EqualWork { rate_per_s } => format!("{}/s", rate(rate_per_s)),
        Basis::Saturation { .. } => "full load".to_owned(),
    }
}

/// What the sums rest on, a sentence each.
fn assumptions(cost: &Cost) -> Vec<String> {
    let mut lines =
        vec!["cores are fully used, without room for peaks, and more of them serve in proportion".to_owned()];
    let is_saturated = |basis: Basis| matches!(basis, Basis::Saturation { .. });
    if cost.rows.iter().any(|row| is_saturated(row.cpu_basis)) {
        lines.push(
            "full load: CPU time at each contender's own highest goodput, not at equal work".to_owned(),
        );
    }
    let waiting = || cost.rows.iter().filter_map(|row| row.waiting_basis);
    if waiting().any(is_saturated) {
        let words =
            "hours wait: mean service time with all connections busy; --latency measures response times";
        lines.push(words.to_owned());
    } else if waiting().next().is_some() {
        lines.push("hours wait: mean response time at the common rate x calls x users".to_owned());
    }
    lines
}
