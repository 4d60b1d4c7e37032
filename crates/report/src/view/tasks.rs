//! Tasks in words: the table, who is not in it, the published table in milliseconds, the handler's share.

use std::collections::BTreeSet;

use velo_judge::{
    Cause, Check, ComparedRow, Estimate, HandlerShare, JudgedWorkload, RowState, TaskRow, TaskTable, Validity,
};
use velo_spec::PublishedFigure;

use super::notes::{Note, add_note};
use super::phrases::{plural, rank_of, with_interval};
use super::rows::Outside;
use crate::number::{bytes, percent, plus_minus, ratio, time_ns};
use crate::text::clean;

/// What the table is about.
pub(crate) fn head() -> &'static str {
    "without a server, one line after another, time by their own clock; +- over processes"
}

/// The rows of the table: ranked ones, and those that stand though the run ranks nothing.
pub(crate) fn table_rows(table: &TaskTable) -> impl Iterator<Item = &TaskRow> {
    table.rows.iter().filter(|row| is_in_table(row))
}

fn is_in_table(row: &TaskRow) -> bool {
    matches!(row.state, RowState::Ranked { .. } | RowState::NotRanked { cause: Cause::Run, .. })
}

/// Rank, name, steady, cold, CPU time, memory.
pub(crate) fn row(row: &TaskRow) -> [Option<String>; 6] {
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
pub(crate) fn outside(table: &TaskTable) -> Vec<Outside> {
    table.rows.iter().filter(|row| !is_in_table(row)).map(outside_row).collect()
}

fn outside_row(row: &TaskRow) -> Outside {
    let steady = || row.steady_ns.map(|steady| time_ns(steady.value));
    let (what, reason, more) = match &row.state {
        RowState::NotRanked { cause, reason } => {
            let what = match cause {
                Cause::FewLaunches => steady(),
                Cause::Failures => Some("failures".to_owned()),
                cause => (cause.validity() == Validity::Invalid).then(|| "invalid".to_owned()),
            };
            (what, reason.clone(), None)
        }
        RowState::Skipped { reason, cure } => {
            let cure = cure.as_ref().map(|cure| format!("to have it: {cure}"));
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
pub(crate) fn notes(table: &TaskTable) -> Vec<Note> {
    let mut notes = Vec::new();
    for row in &table.rows {
        // What broke off is the row's reason already.
        let is_said = |check: Check| {
            let breaks = matches!(
                row.state,
                RowState::Excluded { .. } | RowState::NotRanked { cause: Cause::Failures, .. }
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

/// The rows of the published table that are about an iteration.
pub(crate) fn published(workload: &JudgedWorkload) -> impl Iterator<Item = &ComparedRow> {
    workload.published.iter().filter(|row| matches!(row.figure, PublishedFigure::IterationMs(_)))
}

/// There, and here steady and cold; where the published baseline is a task also the time over that one's.
pub(crate) fn there_and_here(row: &ComparedRow) -> [String; 4] {
    let unknown = || "-".to_owned();
    let ms = |ms: f64| time_ns(ms * 1e6);
    let here = |here: &Option<Estimate>| {
        here.as_ref().map_or_else(unknown, |here| with_interval(ms(here.value), false, plus_minus(here, ms)))
    };
    [
        row.there.map_or_else(unknown, ms),
        row.times_baseline.map_or_else(String::new, ratio),
        here(&row.here),
        here(&row.cold),
    ]
}

/// What the shares are.
pub(crate) fn shares_head() -> &'static str {
    "steady time of the language's task over the server's median call"
}

/// Share, server, connections, handler, call, and why there is no share.
pub(crate) fn share(share: &HandlerShare) -> [String; 6] {
    let unknown = || "-".to_owned();
    let name = match &share.server {
        Some(server) => server.to_string(),
        None => share.task.to_string(),
    };
    [
        share.share.map_or_else(unknown, percent),
        name,
        share.connections.map_or_else(unknown, |connections| connections.to_string()),
        share.handler_ns.map_or_else(unknown, |ns| time_ns(ns.value)),
        share.service_p50_ns.map_or_else(unknown, |ns| time_ns(ns as f64)),
        share.reason.as_deref().map(clean).unwrap_or_default(),
    ]
}

/// Why shares cannot be told, each reason once.
pub(crate) fn not_told(table: &TaskTable) -> Vec<String> {
    let of_servers = table.handler_shares.iter().filter(|share| share.server.is_some());
    let reasons: BTreeSet<String> =
        of_servers.filter_map(|share| share.reason.as_deref().map(clean)).collect();
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
        format!("{iterations}, every answer checked, {} wrong", crate::number::count(wrong))
    })
}
