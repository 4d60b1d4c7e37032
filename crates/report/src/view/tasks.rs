//! Tasks and clients in words: the table, who is not in it, the published table in milliseconds, the handler's share.

use std::collections::BTreeSet;

use velo_judge::{
    Batch, Cause, Check, ComparedRow, Estimate, HandlerShare, JudgedWorkload, RowState, TaskRow, TaskTable,
    Validity,
};
use velo_model::{Figure, PublishedFigure, Role};

use super::notes::{Note, add_note};
use super::pairs;
use super::phrases::{no_score, plural, rank_of, with_interval};
use super::rows::Outside;
use super::section::{Block, Column, Place, Section, Table};
use crate::number::{bytes, count, percent, plus_minus, ratio, time_ns};
use crate::text::clean;

/// The tasks of a workload: the table, what is beside it, the handler's share of each server.
pub(crate) fn sections(workload: &JudgedWorkload) -> Vec<Section> {
    let Some(table) = &workload.tasks else { return Vec::new() };
    let is_of_clients = is_of_clients(table);
    let title = if is_of_clients { "clients" } else { "tasks" };
    let about = about(table);
    let process = is_of_clients.then(|| Column::number("process"));
    let columns =
        [Column::number("rank"), Column::text("contender"), Column::number("steady"), Column::number("cold")];
    let columns =
        columns.into_iter().chain(process).chain([Column::number("CPU"), Column::number("peak memory")]);
    let rows = table_rows(table).map(|row| self::row(row, is_of_clients)).collect();
    let mut blocks = vec![
        Block::Table(Table { place: Place::Both, columns: columns.collect(), rows }),
        Block::Outside(outside(table)),
    ];
    if let Some(compared) = workload.pairs_by(Figure::IterationSteady, None) {
        blocks.push(Block::Text(Place::Both, pairs::summary(compared)));
    }
    blocks.push(Block::Notes(notes(table)));
    if !table.costs.is_empty() {
        blocks.push(Block::Text(
            Place::Both,
            "By parts, a line through the sizes: a process beside its first file, a file of no bytes, a million bytes more."
                .to_owned(),
        ));
        blocks.push(Block::Table(costs(table)));
    }
    blocks.push(Block::Table(details(table)));
    let shares = (!table.handler_shares.is_empty()).then(|| shares(table));
    [Section::new(title, about, blocks)].into_iter().chain(shares).collect()
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
        [
            Some(cost.contender.to_string()),
            part(&cost.start_ns),
            part(&cost.request_ns),
            part(&cost.megabyte_ns),
        ]
    });
    Table::new(columns, rows.collect())
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
        [
            Some(row.contender.to_string()),
            row.version.clone(),
            Some(row.processes.to_string()),
            Some(row.dropped.to_string()),
            Some(count(files(table, row.iterations))),
            Some(count(row.wrong_answers)),
            if is_of_clients { row.server_cpu_share } else { row.read_share }.map(percent),
            row.own_clock_share.map(percent),
        ]
    });
    Table::new(columns, rows.collect()).only(Place::Markdown)
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
    let blocks =
        vec![Block::Table(Table::new(columns, told.map(share).collect())), Block::Remarks(not_told(table))];
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
fn row(row: &TaskRow, is_of_clients: bool) -> Vec<Option<String>> {
    let first = [
        Some(rank_of(&row.state)),
        Some(row.contender.to_string()),
        row.steady_ns.as_ref().map(time),
        row.cold_ns.as_ref().map(time),
    ];
    let process = is_of_clients.then(|| row.process_ns.as_ref().map(time));
    let last = [row.cpu_per_iteration_ns.map(|cpu| time_ns(cpu.value)), row.memory_peak_bytes.map(bytes)];
    first.into_iter().chain(process).chain(last).collect()
}

fn time(ns: &Estimate) -> String {
    with_interval(time_ns(ns.value), false, plus_minus(ns, time_ns))
}

/// The rows that are not in the table.
fn outside(table: &TaskTable) -> Vec<Outside> {
    table.rows.iter().filter(|row| !is_in_table(row)).map(outside_row).collect()
}

fn outside_row(row: &TaskRow) -> Outside {
    let steady = || row.steady_ns.map(|steady| time_ns(steady.value));
    let (what, reason, more) = match &row.state {
        RowState::NotRanked { cause } => {
            let what = match cause {
                Cause::FewLaunches { .. } => steady(),
                Cause::FileServer { .. } => steady().map(|steady| format!("≤ {steady}")),
                Cause::ProcessEndedEarly { .. } => Some("failures".to_owned()),
                cause => (cause.validity() == Validity::Invalid).then(|| "invalid".to_owned()),
            };
            (what, cause.to_string(), None)
        }
        RowState::Skipped { reason, cure } => {
            let cure = cure.as_ref().map(|cure| format!("fix: {cure}"));
            (Some("skipped".to_owned()), reason.clone(), cure)
        }
        RowState::Excluded { reason, log, .. } => {
            let log = log.as_ref().map(|log| format!("all of it: {log}"));
            (Some("failed".to_owned()), reason.clone(), log)
        }
        RowState::Ranked { .. } | RowState::Reference => (None, String::new(), None),
    };
    Outside {
        name: row.contender.to_string(),
        what: what.unwrap_or_else(|| "no figure".to_owned()),
        reason: clean(&reason),
        more: more.as_deref().map(clean),
    }
}

/// The rows' verdicts, the gravest first, what several share said once.
fn notes(table: &TaskTable) -> Vec<Note> {
    let mut notes = Vec::new();
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
            add_note(&mut notes, verdict, &row.contender);
        }
    }
    notes.sort_by_key(|note: &Note| std::cmp::Reverse(note.kind));
    notes
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
        rows.iter().map(|row| there_and_here(row, workload)).collect(),
    );
    if rows.iter().all(|row| row.times_baseline.is_none()) {
        table.columns.remove(4);
        table.rows.iter_mut().for_each(|row| drop(row.remove(4)));
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
fn share(share: &HandlerShare) -> [Option<String>; 5] {
    [
        share.share.map(percent),
        Some(share.server.as_ref().unwrap_or(&share.task).to_string()),
        share.connections.map(|connections| connections.to_string()),
        share.handler_ns.map(|ns| time_ns(ns.value)),
        share.service_p50_ns.map(|ns| time_ns(ns as f64)),
    ]
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
