//! Tasks in words: the table, who is not in it, the published table in milliseconds, the handler's share.

use std::collections::BTreeSet;

use velo_judge::{
    Cause, Check, ComparedRow, Estimate, HandlerShare, JudgedWorkload, RowState, TaskRow, TaskTable, Validity,
};
use velo_spec::PublishedFigure;

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
    let about = "stand-alone programs, one line after another, time by their own clock; ± over processes";
    let columns = [
        Column::number("rank"),
        Column::text("contender"),
        Column::number("steady"),
        Column::number("cold"),
        Column::number("CPU"),
        Column::number("peak memory"),
    ];
    let rows = table_rows(table).map(row).collect();
    let mut blocks = vec![Block::Table(Table::new(columns, rows)), Block::Outside(outside(table))];
    if let Some(compared) = &table.pairs {
        blocks.push(Block::Text(Place::Both, pairs::summary(compared)));
    }
    blocks.push(Block::Notes(notes(table)));
    blocks.push(Block::Table(details(table)));
    let shares = (!table.handler_shares.is_empty()).then(|| shares(table));
    [Section::new("tasks", about, blocks)].into_iter().chain(shares).collect()
}

fn details(table: &TaskTable) -> Table {
    let columns = [
        Column::text("contender"),
        Column::text("version"),
        Column::number("processes"),
        Column::number("dropped"),
        Column::number("iterations"),
        Column::number("wrong"),
        Column::number("read"),
        Column::number("own clock"),
    ];
    let rows = table.rows.iter().filter(|row| row.iterations > 0).map(|row| {
        [
            Some(row.contender.to_string()),
            row.version.clone(),
            Some(row.processes.to_string()),
            Some(row.dropped.to_string()),
            Some(count(row.iterations)),
            Some(count(row.wrong_answers)),
            row.read_share.map(percent),
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
    matches!(row.state, RowState::Ranked { .. } | RowState::NotRanked { cause: Cause::Run { .. } })
}

/// Rank, name, steady, cold, CPU time, memory.
fn row(row: &TaskRow) -> [Option<String>; 6] {
    [
        Some(rank_of(&row.state)),
        Some(row.contender.to_string()),
        row.steady_ns.as_ref().map(time),
        row.cold_ns.as_ref().map(time),
        row.cpu_per_iteration_ns.map(|cpu| time_ns(cpu.value)),
        row.memory_peak_bytes.map(bytes),
    ]
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
    let rows =
        || workloads.iter().filter_map(|workload| workload.tasks.as_ref()).flat_map(|table| &table.rows);
    let wrong = rows().map(|row| row.wrong_answers).fold(0, u64::saturating_add);
    let all = rows().map(|row| row.iterations).fold(wrong, u64::saturating_add);
    (all > 0).then(|| {
        let iterations = plural(all, "iteration of tasks", "iterations of tasks");
        format!("{iterations}, every answer checked, {} wrong", count(wrong))
    })
}
