//! Tasks and clients in words: the table, who is not in it, the published table in milliseconds, the handler's share.

use std::collections::BTreeSet;

use velo_judge::{
    Batch, Cause, Check, ComparedRow, ContenderDetail, Estimate, HandlerShare, JudgedWorkload, RowState,
    TaskRow, TaskTable, Validity, WorkloadDetail,
};
use velo_model::{Figure, PublishedFigure, Role};

use super::aside::{aside, not_measured};
use super::notes::{gravest_first, noted};
use super::pairs;
use super::phrases::{no_score, plural, rank_of, with_interval};
use crate::document::{
    Aside, Axis, Block, Chart, Column, Line, Mark, Note, Point, Room, Section, Table, TableRow,
};
use crate::number::{bytes, count, percent, plus_minus, rate, ratio, tidy, tidy_time_ns, time_ns};
use crate::text::clean;

/// The tasks of a workload: the table, what is beside it, the handler's share of each server.
pub(crate) fn sections(workload: &JudgedWorkload, detail: Option<&WorkloadDetail>) -> Vec<Section> {
    let Some(table) = &workload.tasks else { return Vec::new() };
    let is_of_clients = is_of_clients(table);
    let title = if is_of_clients { "clients" } else { "tasks" };
    let about = about(table);
    let process = is_of_clients.then(|| Column::number("process"));
    let columns =
        [Column::number("rank"), Column::text("contender"), Column::number("steady"), Column::number("cold")];
    let columns =
        columns.into_iter().chain(process).chain([Column::number("CPU"), Column::number("peak memory")]);
    let rows = table_rows(table).map(|row| self::row(row, is_of_clients));
    let mut blocks = vec![Block::Table(Table::new(columns, rows)), Block::Asides { rows: outside(table) }];
    if let Some(compared) = workload.pairs_by(Figure::IterationSteady, None) {
        blocks.push(Block::text(pairs::summary(compared)));
    }
    blocks.push(Block::Notes { notes: notes(table) });
    if !table.costs.is_empty() {
        blocks.push(Block::text(
            "By parts, a line through the sizes: a process beside its first file, a file of no bytes, a million bytes more.",
        ));
        blocks.push(Block::Table(costs(table)));
    }
    blocks.push(Block::Table(details(table)));
    blocks.extend(detail.map(|detail| Block::Chart(iterations(detail))));
    let shares = (!table.handler_shares.is_empty()).then(|| shares(table));
    [Section::new(title, about, blocks)].into_iter().chain(shares).collect()
}

/// The median over processes of each iteration: the first one is cold, later ones show whether a runtime warms up.
fn iterations(detail: &WorkloadDetail) -> Chart {
    let line = |one: &ContenderDetail| {
        let most = one.processes.iter().map(|process| process.iterations_ns.len()).max().unwrap_or(0);
        let point = |iteration: usize| {
            let mut times: Vec<u64> = one
                .processes
                .iter()
                .filter_map(|process| process.iterations_ns.get(iteration).copied())
                .collect();
            times.sort_unstable();
            let median = times.get(times.len() / 2).filter(|ns| **ns > 0)?;
            Some(Point::at(iteration as f64 + 1.0, *median as f64))
        };
        Line {
            name: one.contender.to_string(),
            of: Some(one.contender.clone()),
            mark: Mark::Line,
            points: (0..most).filter_map(point).collect(),
        }
    };
    let lines: Vec<Line> =
        detail.contenders.iter().filter(|one| !one.processes.is_empty()).map(line).collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    let (places, times): (Vec<f64>, Vec<f64>) = points().map(|point| (point.x, point.y)).unzip();
    Chart {
        id: "iterations".to_owned(),
        label: "Time of each iteration, median over processes; both axes are logarithmic".to_owned(),
        height: 340,
        x: Axis::over("iteration", "iteration", &places, &|value| tidy(&rate(value))),
        y: Axis::over("", "time_ns", &times, &|ns| tidy_time_ns(ns as u64)),
        lines,
    }
}

/// What was done, and by which clock.
pub(crate) fn about(table: &TaskTable) -> String {
    let (what, once) = match (is_of_clients(table), table.batch) {
        (false, _) => ("stand-alone programs, one line after another".to_owned(), ""),
        (true, None) => ("one file after another".to_owned(), "; process: one that fetches one file"),
        (true, Some(_)) => {
            (format!("{}, time after time", fetched(table)), "; process: one that does so once")
        }
    };
    format!("{what}, time by their own clock{once}; ± over processes")
}

/// What clients fetch with one line: `a file`, `50 files, 8 at once`.
pub(crate) fn fetched(table: &TaskTable) -> String {
    match table.batch {
        None => "a file".to_owned(),
        Some(Batch { files, at_once: 1 }) => format!("{files} files one after another"),
        Some(Batch { files, at_once }) => format!("{files} files, {at_once} at once"),
    }
}

/// Files in so many iterations.
fn files(table: &TaskTable, iterations: u64) -> u64 {
    iterations.saturating_mul(table.batch.map_or(1, |batch| batch.files.into()))
}

/// Whether what is compared are clients.
pub(crate) fn is_of_clients(table: &TaskTable) -> bool {
    table.rows.first().is_some_and(|row| row.role == Role::Client)
}

/// What a file costs by parts.
fn costs(table: &TaskTable) -> Table {
    let columns = [
        Column::text("contender"),
        Column::number("start and end"),
        Column::number("file"),
        Column::number("megabyte"),
    ];
    let rows = table.costs.iter().map(|cost| {
        let part = |part: &Option<Estimate>| part.as_ref().map(time);
        let cells = [
            Some(cost.contender.to_string()),
            part(&cost.start_ns),
            part(&cost.request_ns),
            part(&cost.megabyte_ns),
        ];
        TableRow::of(&cost.contender, cells)
    });
    Table::new(columns, rows)
}

fn details(table: &TaskTable) -> Table {
    let is_of_clients = is_of_clients(table);
    let (each, last) = if is_of_clients { ("files", "server's CPU") } else { ("iterations", "read") };
    let columns = [
        Column::text("contender"),
        Column::text("version"),
        Column::number("processes"),
        Column::number("dropped"),
        Column::number(each),
        Column::number("wrong"),
        Column::number(last),
        Column::number("own clock"),
    ];
    let rows = table.rows.iter().filter(|row| row.iterations > 0).map(|row| {
        let cells = [
            Some(row.contender.to_string()),
            row.version.clone(),
            Some(row.processes.to_string()),
            Some(row.dropped.to_string()),
            Some(count(files(table, row.iterations))),
            Some(count(row.wrong_answers)),
            if is_of_clients { row.server_cpu_share } else { row.read_share }.map(percent),
            row.own_clock_share.map(percent),
        ];
        TableRow::of(&row.contender, cells)
    });
    Table::new(columns, rows).only(Room::Wide)
}

fn shares(table: &TaskTable) -> Section {
    let columns = [
        Column::number("share"),
        Column::text("server"),
        Column::number("connections"),
        Column::number("handler"),
        Column::number("call"),
    ];
    let told = table.handler_shares.iter().filter(|share| share.share.is_some());
    let blocks = vec![Block::Table(Table::new(columns, told.map(share))), Block::remarks(not_told(table))];
    let about = "steady time of the language's task over the server's median call";
    Section::new("handler's share", about, blocks)
}

/// The rows of the table: ranked ones, and those that stand though the run ranks nothing.
pub(crate) fn table_rows(table: &TaskTable) -> impl Iterator<Item = &TaskRow> {
    table.rows.iter().filter(|row| is_in_table(row))
}

fn is_in_table(row: &TaskRow) -> bool {
    let is_floor = matches!(row.state, RowState::Reference) && row.steady_ns.is_some();
    is_floor
        || matches!(row.state, RowState::Ranked { .. } | RowState::NotRanked { cause: Cause::Run { .. } })
}

/// Rank, name, steady, cold, of clients a process, CPU time, memory.
fn row(row: &TaskRow, is_of_clients: bool) -> TableRow {
    let first = [
        Some(rank_of(&row.state)),
        Some(row.contender.to_string()),
        row.steady_ns.as_ref().map(time),
        row.cold_ns.as_ref().map(time),
    ];
    let process = is_of_clients.then(|| row.process_ns.as_ref().map(time));
    let last = [row.cpu_per_iteration_ns.map(|cpu| time_ns(cpu.value)), row.memory_peak_bytes.map(bytes)];
    let cells: Vec<_> = first.into_iter().chain(process).chain(last).collect();
    TableRow::of(&row.contender, cells)
}

fn time(ns: &Estimate) -> String {
    with_interval(time_ns(ns.value), false, plus_minus(ns, time_ns))
}

/// The rows that are not in the table.
fn outside(table: &TaskTable) -> Vec<Aside> {
    table.rows.iter().filter(|row| !is_in_table(row)).map(outside_row).collect()
}

fn outside_row(row: &TaskRow) -> Aside {
    let steady = || row.steady_ns.map(|steady| time_ns(steady.value));
    let said = match &row.state {
        RowState::NotRanked { cause } => {
            let what = match cause {
                Cause::FewLaunches { .. } => steady(),
                Cause::FileServer { .. } => steady().map(|steady| format!("≤ {steady}")),
                Cause::ProcessEndedEarly { .. } => Some("failures".to_owned()),
                cause => (cause.validity() == Validity::Invalid).then(|| "invalid".to_owned()),
            };
            (what, cause.to_string(), None)
        }
        state => not_measured(state),
    };
    aside(row.contender.to_string(), said)
}

/// The rows' verdicts, the gravest first, what several share said once.
fn notes(table: &TaskTable) -> Vec<Note> {
    let mut found = Vec::new();
    for row in &table.rows {
        // What broke off is the row's reason already.
        let is_said = |check: Check| {
            let breaks = matches!(
                row.state,
                RowState::Excluded { .. } | RowState::NotRanked { cause: Cause::ProcessEndedEarly { .. } }
            );
            breaks && check == Check::Launches
        };
        for verdict in row.verdicts.iter().filter(|verdict| !is_said(verdict.check)) {
            noted(&mut found, verdict, &row.contender);
        }
    }
    gravest_first(found)
}

/// The published times beside those measured here; where the published baseline is a task also the time over that one's.
pub(crate) fn published(workload: &JudgedWorkload) -> Block {
    let is_task = |row: &&ComparedRow| matches!(row.figure, PublishedFigure::IterationMs(_));
    let rows: Vec<&ComparedRow> = workload.published.iter().filter(is_task).collect();
    let mut table = Table::new(
        [
            Column::text("an iteration of"),
            Column::number("there"),
            Column::number("steady here"),
            Column::number("cold here"),
            Column::number("ratio there"),
            Column::text("why not").detail(),
        ],
        rows.iter().map(|row| there_and_here(row, workload)),
    );
    if rows.iter().all(|row| row.times_baseline.is_none()) {
        table.remove(4);
    }
    Block::Table(table)
}

fn there_and_here(row: &ComparedRow, workload: &JudgedWorkload) -> [Option<String>; 6] {
    let ms = |ms: f64| time_ns(ms * 1e6);
    let here = |here: &Option<Estimate>| {
        here.as_ref().map(|here| with_interval(ms(here.value), false, plus_minus(here, ms)))
    };
    [
        Some(clean(&row.row)),
        row.there.map(ms),
        here(&row.here),
        here(&row.cold),
        row.times_baseline.map(ratio),
        no_score(row, workload),
    ]
}

/// Share, server, connections, handler, call.
fn share(share: &HandlerShare) -> TableRow {
    let cells = [
        share.share.map(percent),
        Some(share.server.as_ref().unwrap_or(&share.task).to_string()),
        share.connections.map(|connections| connections.to_string()),
        share.handler_ns.map(|ns| time_ns(ns.value)),
        share.service_p50_ns.map(|ns| time_ns(ns as f64)),
    ];
    TableRow::of(share.server.as_ref().unwrap_or(&share.task), cells)
}

/// Why shares are not known, each reason once.
fn not_told(table: &TaskTable) -> Vec<String> {
    let of_servers = table.handler_shares.iter().filter(|share| share.server.is_some());
    let reasons: BTreeSet<String> = of_servers
        .filter_map(|share| share.reason.as_ref().map(|reason| clean(&reason.to_string())))
        .collect();
    let without = table.handler_shares.iter().filter(|share| share.server.is_none());
    let languages: BTreeSet<&str> = without.map(|share| share.language.as_str()).collect();
    let languages: Vec<&str> = languages.into_iter().collect();
    let absent =
        (!languages.is_empty()).then(|| format!("no server was in this run in {}", languages.join(", ")));
    reasons.into_iter().chain(absent.as_deref().map(clean)).collect()
}

/// The sentence about all tasks of the run: `600 iterations of tasks, every answer checked, 0 wrong`; nothing where there
/// are none.
pub(crate) fn worth(workloads: &[JudgedWorkload]) -> Option<String> {
    let rows = || {
        let tables = workloads.iter().filter_map(|workload| workload.tasks.as_ref());
        tables.flat_map(|table| table.rows.iter().map(move |row| (table, row)))
    };
    let of = |is_counted: fn(Role) -> bool, [one, many]: [&str; 2], checked: &str| {
        let rows = || rows().filter(|(_, row)| is_counted(row.role));
        let wrong = rows().map(|(_, row)| row.wrong_answers).fold(0, u64::saturating_add);
        let all = rows()
            .map(|(table, row)| files(table, row.iterations.saturating_add(row.wrong_answers)))
            .fold(0, u64::saturating_add);
        (all > 0).then(|| format!("{}, {checked}, {} wrong", plural(all, one, many), count(wrong)))
    };
    let tasks = of(
        |role| role != Role::Client,
        ["iteration of tasks", "iterations of tasks"],
        "every answer checked",
    );
    let files =
        of(|role| role == Role::Client, ["file of clients", "files of clients"], "each hashed (SHA-256)");
    let said: Vec<String> = tasks.into_iter().chain(files).collect();
    (!said.is_empty()).then(|| said.join("; "))
}
