//! Bursts in words: how long requests took that were sent at once, the sweep of connections, the published seconds.

use velo_judge::{BurstDetail, BurstRow, ComparedRow, JudgedBurst, JudgedWorkload, WorkloadDetail};
use velo_model::{ContenderName, PublishedFigure};

use super::names::name_in;
use super::phrases::{plural, with_interval};
use crate::document::{
    Axis, Block, Chart, Column, Fold, Line, Mark, Point, Room, Section, Sign, Table, TableRow, Tick,
};
use crate::number::{bytes, count, figure, plus_minus, rate, tidy, tidy_time_ns, time_ns};
use crate::text::clean;

/// What the two columns are.
const WAYS: &str = "as ab: one request is answered before the others are sent, each over a connection of its own; at once: \
                    over connections that are kept";

/// Requests sent at once.
pub(crate) fn section(workload: &JudgedWorkload, detail: Option<&WorkloadDetail>) -> Option<Section> {
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
    let mut blocks = vec![
        Block::text(format!("In two ways: {WAYS}.")),
        Block::Table(Table::new(columns, lines(workload))),
        Block::faults(Room::Any, faults(workload)),
    ];
    let charts = detail.into_iter().flat_map(|detail| {
        let bursts = workload.bursts.iter().filter(|burst| !burst.sweep);
        bursts.map(|burst| Block::Fold(in_time(burst, workload, detail)))
    });
    blocks.extend(charts);
    Some(Section::new("bursts", about, blocks))
}

/// `40 requests over 40 connections, one answered before the others`.
fn name(burst: &JudgedBurst) -> String {
    let how = if burst.first_alone { ", one answered before the others" } else { "" };
    format!(
        "{} requests over {} connections{how}",
        count(burst.requests.into()),
        count(burst.connections.into())
    )
}

/// What one contender did in a burst.
struct InTime<'d> {
    name: String,
    of: &'d ContenderName,
    burst: &'d BurstDetail,
}

/// A burst against time: how many answers had come, and each request.
fn in_time(burst: &JudgedBurst, workload: &JudgedWorkload, detail: &WorkloadDetail) -> Fold {
    let is_it = |one: &&BurstDetail| {
        (&one.request, one.requests, one.connections, one.first_alone, one.sweep)
            == (&burst.request, burst.requests, burst.connections, burst.first_alone, false)
    };
    let of_row = |row: &BurstRow| {
        let own = detail.contenders.iter().find(|one| one.contender == row.contender)?;
        let found = own.bursts.iter().find(is_it)?;
        Some(InTime { name: name_in(workload, &row.contender), of: &own.contender, burst: found })
    };
    let all: Vec<InTime<'_>> = burst.rows.iter().filter_map(of_row).collect();
    let id = format!(
        "burst-{}-{}{}",
        burst.requests,
        burst.connections,
        if burst.first_alone { "-ab" } else { "" }
    );
    let blocks = vec![
        Block::Chart(answers(&format!("{id}-answers"), burst, &all)),
        Block::text(
            "Each request in time: from when it was sent to when its answer came, in the order sent; a broken line failed. What waits \
             in a row before it is served makes long lines.",
        ),
        Block::Chart(requests(&format!("{id}-requests"), burst, &all)),
    ];
    let about = waiting(burst);
    Fold { title: name(burst), about: about.trim_start_matches(", ").to_owned(), is_open: false, blocks }
}

/// Parts of the makespan, in nanoseconds.
fn nanoseconds(part: u32, burst: &BurstDetail) -> f64 {
    f64::from(part) * burst.makespan_ns as f64 / 10_000.0
}

/// When answers came, and how many had come by then.
fn answers(id: &str, burst: &JudgedBurst, all: &[InTime<'_>]) -> Chart {
    let line = |one: &InTime<'_>| {
        let failed: std::collections::HashSet<usize> =
            one.burst.failed_spans.iter().map(|place| *place as usize).collect();
        let spans = one.burst.spans.iter().enumerate().filter(|(place, _)| !failed.contains(place));
        let mut done: Vec<f64> = spans.map(|(_, (_, done))| nanoseconds(*done, one.burst)).collect();
        done.sort_by(f64::total_cmp);
        let moments = done.into_iter().zip(1_u32..).map(|(ns, by)| Point::at(ns, f64::from(by)));
        let counted = one.burst.answered.iter().map(|(ns, by)| Point::at(*ns as f64, *by as f64));
        let points: Vec<Point> = moments.chain(counted).collect();
        let start = (!points.is_empty()).then(|| Point::at(0.0, 0.0));
        Line {
            name: one.name.clone(),
            of: Some(one.of.clone()),
            mark: Mark::Steps,
            points: start.into_iter().chain(points).collect(),
        }
    };
    let lines: Vec<Line> = all.iter().map(line).collect();
    let ends: Vec<f64> = lines.iter().flat_map(|line| &line.points).map(|point| point.x).collect();
    Chart {
        id: id.to_owned(),
        label: format!("Answers that had come, against time: {}", name(burst)),
        height: 280,
        x: Axis::from_zero("since the burst began", "time_ns", &ends, &|ns| tidy_time_ns(ns as u64)),
        y: Axis::from_zero("answers", "answers", &[f64::from(burst.requests)], &|value| tidy(&rate(value))),
        lines,
    }
}

/// Rows that a contender's requests take in the chart, beside those between contenders.
const GAP: f64 = 0.15;
/// The height of a contender's requests.
const LANE: u32 = 84;

/// Each request as a line, contenders below one another.
fn requests(id: &str, burst: &JudgedBurst, all: &[InTime<'_>]) -> Chart {
    let with_spans: Vec<&InTime<'_>> = all.iter().filter(|one| !one.burst.spans.is_empty()).collect();
    let lane = f64::from(burst.requests) * (1.0 + GAP);
    let line = |(place, one): (usize, &&InTime<'_>)| {
        let point = |(number, (sent, done)): (usize, &(u32, u32))| {
            let (sent, done) = (nanoseconds(*sent, one.burst), nanoseconds(*done, one.burst));
            let is_failed = one.burst.failed_spans.iter().any(|failed| *failed as usize == number);
            let point = Point::at(sent, place as f64 * lane + number as f64).to(done);
            if is_failed { point.signed(Sign::Cross) } else { point }
        };
        Line {
            name: one.name.clone(),
            of: Some(one.of.clone()),
            mark: Mark::Spans,
            points: one.burst.spans.iter().enumerate().map(point).collect(),
        }
    };
    let lines: Vec<Line> = with_spans.iter().enumerate().map(line).collect();
    let ends: Vec<f64> = lines.iter().flat_map(|line| &line.points).filter_map(|point| point.end).collect();
    let names = with_spans.iter().enumerate().map(|(place, one)| Tick {
        at: place as f64 * lane + f64::from(burst.requests) / 2.0,
        text: one.name.clone(),
    });
    let rows = with_spans.len() as f64 * lane;
    Chart {
        id: id.to_owned(),
        label: format!("Each request from its sending to its answer: {}", name(burst)),
        height: u32::try_from(with_spans.len()).unwrap_or(1).max(1).saturating_mul(LANE).min(4_000) + 60,
        x: Axis::from_zero("since the burst began", "sent_ns", &ends, &|ns| tidy_time_ns(ns as u64)),
        // The first one stands at the top.
        y: Axis::marked("", "request", (rows, 0.0), names.collect()),
        lines,
    }
}

/// The sweep of connections: on a terminal a column for each point.
pub(crate) fn sweep_section(workload: &JudgedWorkload) -> Option<Section> {
    let burst = sweep(workload).next()?;
    let about =
        format!("a request on each of so many connections, until all are answered{}; once", waiting(burst));
    let memory = "each: memory for each waiting request, at the most connections that it served";
    let points = sweep(workload).map(|burst| Column::number(count(burst.connections.into())));
    let columns = [Column::number("each"), Column::text("contender")].into_iter().chain(points);
    let by_contender = Table::new(columns, sweep_rows(workload)).only(Room::Narrow);
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
    let details = Table::new(columns, sweep_details(workload)).only(Room::Wide);
    let blocks = vec![
        Block::text_in(Room::Narrow, memory),
        Block::Table(by_contender),
        Block::Table(details),
        Block::faults(Room::Narrow, sweep_notes(workload)),
        Block::Chart(sweep_chart(workload)),
    ];
    Some(Section::new("sweep of connections", about, blocks))
}

/// How long each took, against the connections.
fn sweep_chart(workload: &JudgedWorkload) -> Chart {
    let points: Vec<&JudgedBurst> = sweep(workload).collect();
    let line = |contender: &ContenderName| {
        let point = |burst: &&JudgedBurst| {
            let row = row_of(burst, contender)?;
            let ns = row.makespan_ns?.value;
            let sign = if row.fault.is_some() { Sign::Cross } else { Sign::Full };
            let words =
                format!("{}: {}", count(burst.connections.into()), fault(row).unwrap_or_else(|| time_ns(ns)));
            Some(Point::at(f64::from(burst.connections), ns).signed(sign).says(words))
        };
        Line {
            name: name_in(workload, contender),
            of: Some(contender.clone()),
            mark: Mark::Line,
            points: points.iter().filter_map(point).collect(),
        }
    };
    let lines: Vec<Line> = contenders(points.iter().copied()).into_iter().map(line).collect();
    let all = || lines.iter().flat_map(|line| &line.points);
    let (connections, times): (Vec<f64>, Vec<f64>) = all().map(|point| (point.x, point.y)).unzip();
    let x = Axis::over("connections", "connections", &connections, &|value| tidy(&rate(value)));
    let y = Axis::over("", "makespan_ns", &times, &|ns| tidy_time_ns(ns as u64));
    let label = "Time until all are answered, against connections; a cross is a point with requests that were not answered as expected";
    Chart { id: "connections".to_owned(), label: label.to_owned(), height: 340, x, y, lines }
}

fn waiting(burst: &JudgedBurst) -> String {
    burst.wait_ns.map_or_else(String::new, |ns| format!(", each waiting {}", time_ns(ns as f64)))
}

/// A line for each contender in each burst but those of the sweep.
fn lines(workload: &JudgedWorkload) -> Vec<TableRow> {
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
            let cells = [
                Some(format!("{} over {}", count(load.1.into()), count(load.2.into()))),
                Some(name_in(workload, contender)),
                as_ab.as_ref().map(makespan),
                at_once.as_ref().map(makespan),
                at_once.as_ref().and_then(|row| row.at_a_time).map(figure),
            ];
            lines.push(TableRow::of(contender, cells));
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
fn sweep_rows(workload: &JudgedWorkload) -> Vec<TableRow> {
    let points: Vec<&JudgedBurst> = sweep(workload).collect();
    // Those that served the most connections first.
    let names = contenders(points.iter().rev().copied());
    let row = |name: &ContenderName| {
        let rows = || points.iter().map(|burst| row_of(burst, name));
        let each = rows().rev().flatten().find(|row| row.fault.is_none() && row.makespan_ns.is_some());
        let each = each.and_then(|row| row.memory_per_request_bytes).map(memory);
        let first = [each, Some(name_in(workload, name))].into_iter();
        TableRow::of(name, first.chain(rows().map(|row| row.map(makespan))).collect::<Vec<_>>())
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
fn sweep_details(workload: &JudgedWorkload) -> Vec<TableRow> {
    let of_burst = |burst: &'_ JudgedBurst| -> Vec<TableRow> {
        let row = |row: &BurstRow| {
            let notes: Vec<String> = fault(row).into_iter().chain(saturation(row)).collect();
            let cells = [
                Some(count(burst.connections.into())),
                Some(name_in(workload, &row.contender)),
                Some(makespan(row)),
                row.at_a_time.map(figure),
                row.memory_before_bytes.map(bytes),
                row.memory_waiting_bytes.map(bytes),
                row.memory_per_request_bytes.map(memory),
                Some(notes.join(", ")),
            ];
            TableRow::of(&row.contender, cells)
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
    let table = Table::new(columns, rows.iter().map(|row| there_and_here(row)));
    [Block::Table(table), Block::remarks(reasons(&rows))]
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
