//! Bursts in words: how long requests took that were sent at once, the sweep of connections, the published seconds.

use velo_judge::{BurstRow, ComparedRow, JudgedBurst, JudgedWorkload};
use velo_model::{ContenderName, PublishedFigure};

use super::names::name_in;
use super::phrases::{plural, with_interval};
use super::section::{Block, Column, Place, Section, Table};
use crate::number::{bytes, count, figure, plus_minus, time_ns};
use crate::text::clean;

/// What the two columns are.
const WAYS: &str = "as ab: one request is answered before the others are sent, each over a connection of its own; at once: \
                    over connections that are kept";

/// Requests sent at once.
pub(crate) fn section(workload: &JudgedWorkload) -> Option<Section> {
    let burst = workload.bursts.iter().find(|burst| !burst.sweep)?;
    let columns = [
        Column::number("requests"),
        Column::text("contender"),
        Column::number("as ab"),
        Column::number("at once"),
        Column::number("at a time"),
    ];
    let about =
        format!("requests sent at once, until all are answered{}; without ±: measured once", waiting(burst));
    let blocks = vec![
        Block::Text(Place::Both, format!("In two ways: {WAYS}.")),
        Block::Table(Table::new(columns, lines(workload))),
        Block::Faults(Place::Both, faults(workload)),
    ];
    Some(Section::new("bursts", about, blocks))
}

/// The sweep of connections: on a terminal a column for each point.
pub(crate) fn sweep_section(workload: &JudgedWorkload) -> Option<Section> {
    let burst = sweep(workload).next()?;
    let about =
        format!("a request on each of so many connections, until all are answered{}; once", waiting(burst));
    let memory = "each: memory for each waiting request, at the most connections that it served";
    let points = sweep(workload).map(|burst| Column::number(count(burst.connections.into())));
    let by_contender = Table {
        place: Place::Terminal,
        columns: [Column::number("each"), Column::text("contender")].into_iter().chain(points).collect(),
        rows: sweep_rows(workload),
    };
    let columns = [
        Column::number("connections"),
        Column::text("contender"),
        Column::number("took"),
        Column::number("at a time"),
        Column::number("memory before"),
        Column::number("while they wait"),
        Column::number("for each request"),
        Column::text("what else"),
    ];
    let details = Table::new(columns, sweep_details(workload)).only(Place::Markdown);
    let blocks = vec![
        Block::Text(Place::Terminal, memory.to_owned()),
        Block::Table(by_contender),
        Block::Table(details),
        Block::Faults(Place::Terminal, sweep_notes(workload)),
    ];
    Some(Section::new("sweep of connections", about, blocks))
}

fn waiting(burst: &JudgedBurst) -> String {
    burst.wait_ns.map_or_else(String::new, |ns| format!(", each waiting {}", time_ns(ns as f64)))
}

/// A line for each contender in each burst but those of the sweep.
fn lines(workload: &JudgedWorkload) -> Vec<[Option<String>; 5]> {
    let mut lines = Vec::new();
    let mut loads: Vec<(&str, u32, u32)> = Vec::new();
    for burst in workload.bursts.iter().filter(|burst| !burst.sweep) {
        let load = (burst.request.as_str(), burst.requests, burst.connections);
        if !loads.contains(&load) {
            loads.push(load);
        }
    }
    for load in loads {
        let of_load = |first_alone: bool| {
            workload.bursts.iter().find(|burst| {
                (burst.request.as_str(), burst.requests, burst.connections) == load
                    && (burst.sweep, burst.first_alone) == (false, first_alone)
            })
        };
        let (at_once, as_ab) = (of_load(false), of_load(true));
        for contender in contenders([at_once, as_ab].into_iter().flatten()) {
            let row =
                |burst: Option<&'_ JudgedBurst>| burst.and_then(|burst| row_of(burst, contender)).cloned();
            let (at_once, as_ab) = (row(at_once), row(as_ab));
            lines.push([
                Some(format!("{} over {}", count(load.1.into()), count(load.2.into()))),
                Some(name_in(workload, contender)),
                as_ab.as_ref().map(makespan),
                at_once.as_ref().map(makespan),
                at_once.as_ref().and_then(|row| row.at_a_time).map(figure),
            ]);
        }
    }
    lines
}

fn unknown() -> String {
    "-".to_owned()
}

/// Each once, in the order of the first burst that has it.
fn contenders<'j>(bursts: impl Iterator<Item = &'j JudgedBurst>) -> Vec<&'j ContenderName> {
    let mut seen = std::collections::HashSet::new();
    bursts.flat_map(|burst| &burst.rows).map(|row| &row.contender).filter(|name| seen.insert(*name)).collect()
}

fn row_of<'j>(burst: &'j JudgedBurst, contender: &ContenderName) -> Option<&'j BurstRow> {
    burst.rows.iter().find(|row| row.contender == *contender)
}

/// How long it took, or that it failed.
pub(crate) fn makespan(row: &BurstRow) -> String {
    match &row.makespan_ns {
        Some(_) if row.fault.is_some() => "failed".to_owned(),
        Some(makespan) => with_interval(time_ns(makespan.value), false, plus_minus(makespan, time_ns)),
        None => unknown(),
    }
}

/// What went wrong in bursts, a sentence each.
fn faults(workload: &JudgedWorkload) -> Vec<String> {
    let bursts = workload.bursts.iter().filter(|burst| !burst.sweep);
    let faults = bursts.flat_map(|burst| {
        let way = if burst.first_alone { "as ab" } else { "at once" };
        let load = format!("{} over {} {way}", count(burst.requests.into()), count(burst.connections.into()));
        let told = move |row: &BurstRow| Some(format!("{}, {load}: {}", row.contender, fault(row)?));
        burst.rows.iter().filter_map(told)
    });
    faults.collect()
}

/// The fault with an example, cleaned.
pub(crate) fn fault(row: &BurstRow) -> Option<String> {
    let fault = row.fault.as_ref()?;
    let example = row.examples.first().map(|example| format!(", such as \"{example}\"")).unwrap_or_default();
    Some(clean(&format!("{fault}{example}")))
}

/// The points of the sweep, by rising number of connections.
fn sweep(workload: &JudgedWorkload) -> impl Iterator<Item = &JudgedBurst> {
    workload.bursts.iter().filter(|burst| burst.sweep)
}

/// For each contender memory for each waiting request, its name, and how long each point took.
fn sweep_rows(workload: &JudgedWorkload) -> Vec<Vec<Option<String>>> {
    let points: Vec<&JudgedBurst> = sweep(workload).collect();
    // Those that served the most connections first.
    let names = contenders(points.iter().rev().copied());
    let row = |name: &ContenderName| {
        let rows = || points.iter().map(|burst| row_of(burst, name));
        let each = rows().rev().flatten().find(|row| row.fault.is_none() && row.makespan_ns.is_some());
        let each = each.and_then(|row| row.memory_per_request_bytes).map(memory);
        let first = [each, Some(name_in(workload, name))].into_iter();
        first.chain(rows().map(|row| row.map(makespan))).collect()
    };
    names.into_iter().map(row).collect()
}

fn memory(each: f64) -> String {
    if each < 0.0 { "none".to_owned() } else { bytes(each as u64) }
}

/// What each contender could not serve, and what the network had to do again.
fn sweep_notes(workload: &JudgedWorkload) -> Vec<String> {
    let points: Vec<&JudgedBurst> = sweep(workload).collect();
    let note = |name: &ContenderName| {
        let told = points.iter().filter_map(|burst| {
            let row = row_of(burst, name)?;
            let parts: Vec<String> = fault(row).into_iter().chain(saturation(row)).collect();
            let connections = count(burst.connections.into());
            (!parts.is_empty()).then(|| format!("at {connections}: {}", parts.join(", ")))
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| format!("{name} {}", told.join("; ")))
    };
    contenders(points.iter().copied()).into_iter().filter_map(note).collect()
}

/// What the kernel counted meanwhile, when it is anything.
fn saturation(row: &BurstRow) -> Vec<String> {
    let seen = |counted: Option<u64>| counted.filter(|n| *n > 0);
    let turned_away = seen(row.listen_overflows).map(|n| format!("{} turned away by a full queue", count(n)));
    let again =
        seen(row.syn_retransmits).map(|n| plural(n, "first packet sent again", "first packets sent again"));
    turned_away.into_iter().chain(again).collect()
}

/// For the whole table: connections, contender, makespan, at a time, memory before, waiting, for each request, and what
/// else is to be said.
fn sweep_details(workload: &JudgedWorkload) -> Vec<[Option<String>; 8]> {
    let of_burst = |burst: &'_ JudgedBurst| -> Vec<[Option<String>; 8]> {
        let row = |row: &BurstRow| {
            let notes: Vec<String> = fault(row).into_iter().chain(saturation(row)).collect();
            [
                Some(count(burst.connections.into())),
                Some(name_in(workload, &row.contender)),
                Some(makespan(row)),
                row.at_a_time.map(figure),
                row.memory_before_bytes.map(bytes),
                row.memory_waiting_bytes.map(bytes),
                row.memory_per_request_bytes.map(memory),
                Some(notes.join(", ")),
            ]
        };
        burst.rows.iter().map(row).collect()
    };
    sweep(workload).flat_map(of_burst).collect()
}

/// The published seconds beside those measured here, in both ways; and why there is nothing here.
pub(crate) fn published(workload: &JudgedWorkload) -> [Block; 2] {
    let is_burst = |row: &&ComparedRow| matches!(row.figure, PublishedFigure::Makespan { .. });
    let rows: Vec<&ComparedRow> = workload.published.iter().filter(is_burst).collect();
    let columns = [
        Column::text("burst"),
        Column::number("there"),
        Column::number("here as ab"),
        Column::number("here at once"),
    ];
    let table = Table::new(columns, rows.iter().map(|row| there_and_here(row)).collect());
    [Block::Table(table), Block::Remarks(reasons(&rows))]
}

fn there_and_here(row: &ComparedRow) -> [Option<String>; 4] {
    let s = |s: f64| time_ns(s * 1e9);
    let here = |here: &Option<velo_judge::Estimate>| {
        here.as_ref().map(|here| with_interval(s(here.value), false, plus_minus(here, s)))
    };
    [Some(clean(&row.row)), row.there.map(s), here(&row.here), here(&row.at_once)]
}

/// Why there is nothing here, with the rows for which it is so.
fn reasons(rows: &[&ComparedRow]) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows {
        let Some(reason) = row.reason.as_ref().map(|reason| clean(&reason.to_string())) else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(clean(&row.row)),
            None => reasons.push((reason, vec![clean(&row.row)])),
        }
    }
    reasons.into_iter().map(|(reason, names)| format!("{}: {reason}", names.join("; "))).collect()
}
