//! What is known of each contender beside the ranking: programs, service times, the load, what the CPU counted.

use std::collections::BTreeSet;

use velo_judge::{Estimate, JudgedWorkload, Row, Span};
use velo_model::PartyRole;

use super::names::name_of;
use super::phrases::with_interval;
use super::rows::fairness;
use crate::document::{Block, Column, Section, Table, TableRow};
use crate::number::{bytes, count, percent, plus_minus, rate, ratio, time_ns};

/// Of contenders that were measured; `None` where none was.
pub(crate) fn section(workload: &JudgedWorkload) -> Option<Section> {
    let measured: Vec<&Row> = workload.rows.iter().filter(|row| row.windows > 0).collect();
    if measured.is_empty() {
        return None;
    }
    let programs = [
        Column::text("contender"),
        Column::text("class"),
        Column::text("version"),
        Column::number("processes"),
        Column::number("threads"),
        Column::number("start to first answer"),
        Column::number("peak memory"),
    ];
    let times = [
        Column::text("service time"),
        Column::number("p50"),
        Column::number("p90"),
        Column::number("p99"),
        Column::number("p99.9"),
        Column::number("longest"),
        Column::number("cold p50"),
    ];
    let counters = [
        Column::text("counters"),
        Column::number("instructions/request"),
        Column::number("cycles/request"),
        Column::number("instructions/cycle"),
    ];
    let blocks = vec![
        Block::Table(Table::new(programs, measured.iter().map(|row| program(row)))),
        Block::Table(Table::new(times, measured.iter().map(|row| service_times(row)))),
        Block::Table(loads(&measured)),
        Block::Table(Table::new(counters, workload.rows.iter().filter_map(counted))),
    ];
    Some(Section::new("details", String::new(), blocks).detail())
}

fn program(row: &Row) -> TableRow {
    let span = |span: Option<Span>| {
        span.map(
            |Span { least, most }| {
                if least == most { least.to_string() } else { format!("{least} to {most}") }
            },
        )
    };
    let cells = [
        Some(name_of(row)),
        Some(row.class.name().to_owned()),
        row.version.clone(),
        span(row.processes.processes),
        span(row.processes.threads),
        row.processes.startup_ns.map(|startup| time_ns(startup.value)),
        row.processes.memory_peak_bytes.map(bytes),
    ];
    TableRow::of(&row.contender, cells)
}

fn service_times(row: &Row) -> TableRow {
    let time = |ns: Option<u64>| ns.map(|ns| time_ns(ns as f64));
    let times = row.service_time.as_ref();
    let cold = row.cold.as_ref().and_then(|cold| cold.service_time.as_ref());
    let cells = [
        Some(name_of(row)),
        time(times.and_then(|times| times.p50_ns)),
        time(times.and_then(|times| times.p90_ns)),
        time(times.and_then(|times| times.p99_ns)),
        time(times.and_then(|times| times.p999_ns)),
        time(times.and_then(|times| times.max_ns)),
        time(cold.and_then(|times| times.p50_ns)),
    ];
    TableRow::of(&row.contender, cells)
}

/// How each was loaded, and how busy the parties were: the contender first.
fn loads(measured: &[&Row]) -> Table {
    let shares = measured.iter().filter_map(|row| row.limit.as_ref()).flat_map(|limit| &limit.parties);
    let roles: BTreeSet<PartyRole> = shares.map(|party| party.role).collect();
    let others =
        roles.into_iter().filter(|role| !matches!(role, PartyRole::Contender | PartyRole::Generator));
    let roles: Vec<PartyRole> =
        [PartyRole::Contender, PartyRole::Generator].into_iter().chain(others).collect();
    let busy = roles.iter().map(|role| Column::number(format!("{role} busy")));
    let columns = [Column::text("load"), Column::number("launches"), Column::number("windows")]
        .into_iter()
        .chain(busy)
        .chain([Column::number("reconnects"), Column::number("Jain's index")]);
    let row = |row: &&Row| {
        let busy = |role: &PartyRole| row.limit.as_ref()?.busy_share(*role).map(percent);
        let cells = [Some(name_of(row)), Some(row.launches.to_string()), Some(row.windows.to_string())];
        let cells = cells
            .into_iter()
            .chain(roles.iter().map(busy))
            .chain([Some(count(row.connections.reconnects)), row.fairness.as_ref().map(fairness)]);
        TableRow::of(&row.contender, cells.collect::<Vec<_>>())
    };
    Table::new(columns, measured.iter().map(row))
}

/// `None` where the CPU counted nothing.
fn counted(row: &Row) -> Option<TableRow> {
    let (instructions, cycles) = (row.counters.instructions_per_request, row.counters.cycles_per_request);
    if instructions.is_none() && cycles.is_none() {
        return None;
    }
    let words = |estimate: Estimate| with_interval(rate(estimate.value), false, plus_minus(&estimate, rate));
    let per_cycle = instructions.zip(cycles).filter(|(_, cycles)| cycles.value > 0.0);
    let per_cycle = per_cycle.map(|(instructions, cycles)| ratio(instructions.value / cycles.value));
    let cells = [Some(name_of(row)), instructions.map(words), cycles.map(words), per_cycle];
    Some(TableRow::of(&row.contender, cells))
}
