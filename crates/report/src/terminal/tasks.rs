use velo_judge::{JudgedWorkload, TaskTable};

use super::notes::{LABEL, print_notes, print_outside};
use super::page::Page;
use super::table::Table;
use crate::terminal::style::Style;
use crate::text::clean;
use crate::view::{pairs, tasks};

/// The tasks of a workload: the table, what is beside it, the handler's share of each server.
pub(super) fn print(workload: &JudgedWorkload, page: &mut Page) {
    let Some(table) = &workload.tasks else { return };
    page.blank();
    page.labelled("tasks", Style::Strong, LABEL, tasks::head(), Style::Faint);
    if tasks::table_rows(table).next().is_some() {
        let headers = vec!["rank", "contender", "steady", "cold", "CPU", "memory"];
        let mut printed = Table::new(headers);
        for row in tasks::table_rows(table) {
            printed.row(tasks::row(row).map(|cell| cell.unwrap_or_else(|| "-".to_owned())).to_vec());
        }
        printed.print(page);
    }
    print_outside(&tasks::outside(table), page);
    if let Some(compared) = &table.pairs {
        page.labelled("pairs", Style::Strong, LABEL, &pairs::summary(compared), Style::Plain);
    }
    print_notes(&tasks::notes(table), page);
    print_shares(table, page);
}

fn print_shares(table: &TaskTable, page: &mut Page) {
    if table.handler_shares.is_empty() {
        return;
    }
    page.blank();
    page.labelled("handler's share", Style::Strong, 17, tasks::shares_head(), Style::Faint);
    let told = || table.handler_shares.iter().filter(|share| share.share.is_some());
    if told().next().is_some() {
        let mut printed = Table::new(vec!["share", "server", "C", "handler", "call"]);
        told().for_each(|share| printed.row(tasks::share(share)[..5].to_vec()));
        printed.print(page);
    }
    for reason in tasks::not_told(table) {
        page.labelled("  -", Style::Plain, 4, &reason, Style::Faint);
    }
}

/// The published times beside those measured here.
pub(super) fn print_published(workload: &JudgedWorkload, page: &mut Page) {
    let has_ratio = tasks::published(workload).any(|row| row.times_baseline.is_some());
    let mut headers = vec!["there", "an iteration of", "steady here", "cold here"];
    if has_ratio {
        headers.push("ratio there");
    }
    let mut printed = Table::new(headers);
    let mut is_empty = true;
    for row in tasks::published(workload) {
        is_empty = false;
        let [there, ratio, steady, cold] = tasks::there_and_here(row);
        printed.row(vec![there, clean(&row.row), steady, cold, ratio]);
    }
    if !is_empty {
        printed.print(page);
    }
}
