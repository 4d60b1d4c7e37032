use velo_judge::JudgedWorkload;

use super::document::{Document, Rows};
use super::notes::add_notes;
use crate::number::{count, percent};
use crate::view::{no_score, pairs, tasks};

/// The tasks of a workload: the table, what is beside it, the handler's share of each server.
pub(super) fn add(workload: &JudgedWorkload, document: &mut Document) {
    let Some(table) = &workload.tasks else { return };
    document.heading(3, "Tasks");
    document.paragraph(&format!("Programs {}.", tasks::head()));
    let mut rows = Rows::new("r l r r r r");
    tasks::table_rows(table).for_each(|row| rows.row(tasks::row(row)));
    document.table(["rank", "contender", "steady", "cold", "CPU/iteration", "peak memory"], rows);
    let mut outside = Rows::new("l r l");
    for row in tasks::outside(table) {
        let reason = row.more.map_or_else(|| row.reason.clone(), |more| format!("{}; {more}", row.reason));
        outside.row([Some(row.name), Some(row.what), Some(reason)]);
    }
    document.table(["not ranked", "figure", "why"], outside);
    if let Some(compared) = &table.pairs {
        document.paragraph(&pairs::summary(compared));
    }
    add_notes(&tasks::notes(table), document);
    document.end();
    let mut details = Rows::new("l l r r r r r r");
    for row in table.rows.iter().filter(|row| row.iterations > 0) {
        details.row([
            Some(row.contender.to_string()),
            row.version.clone(),
            Some(row.processes.to_string()),
            Some(row.dropped.to_string()),
            Some(count(row.iterations)),
            Some(count(row.wrong_answers)),
            row.read_share.map(percent),
            row.own_clock_share.map(percent),
        ]);
    }
    document.table(
        ["contender", "version", "processes", "dropped", "iterations", "wrong", "read", "own clock"],
        details,
    );
    if !table.handler_shares.is_empty() {
        document.heading(3, "The handler's share");
        document.paragraph(&format!("The {}.", tasks::shares_head()));
        let mut shares = Rows::new("r l r r r l");
        table.handler_shares.iter().for_each(|share| shares.row(tasks::share(share).map(Some)));
        document.table(["share", "server", "connections", "handler", "call", "why not"], shares);
    }
}

/// The published times beside those measured here.
pub(super) fn add_published(workload: &JudgedWorkload, document: &mut Document) {
    let mut times = Rows::new("l r r r r l");
    for row in tasks::published(workload) {
        let [there, ratio, steady, cold] = tasks::there_and_here(row);
        let why = no_score(row, workload);
        times.row([Some(row.row.clone()), Some(there), Some(ratio), Some(steady), Some(cold), why]);
    }
    document.table(
        ["an iteration of", "there", "over the baseline's", "steady here", "cold here", "why not"],
        times,
    );
}
