use velo_judge::JudgedWorkload;

use super::notes::LABEL;
use super::page::Page;
use super::table::Table;
use crate::terminal::style::Style;
use crate::text::clean;
use crate::view::bursts;

/// Requests sent at once, and the sweep of connections.
pub(super) fn print(workload: &JudgedWorkload, page: &mut Page) {
    if let Some(head) = bursts::head(workload) {
        page.blank();
        page.labelled("bursts", Style::Strong, LABEL, &head, Style::Faint);
        page.labelled("", Style::Plain, LABEL, bursts::WAYS, Style::Faint);
        let mut table = Table::new(vec!["requests", "contender", "as ab", "at once", "at a time"]);
        for line in bursts::lines(workload) {
            table.row(vec![line.load, line.contender, line.as_ab, line.at_once, line.at_a_time]);
        }
        table.print(page);
        for fault in bursts::faults(workload) {
            page.labelled("", Style::Plain, 2, &fault, Style::Doubtful);
        }
    }
    print_sweep(workload, page);
}

fn print_sweep(workload: &JudgedWorkload, page: &mut Page) {
    let Some(head) = bursts::sweep_head(workload) else { return };
    page.blank();
    page.labelled("sweep", Style::Strong, LABEL, &head, Style::Faint);
    let memory = "each: memory for each waiting request, at the most connections that it served";
    page.labelled("", Style::Plain, LABEL, memory, Style::Faint);
    let points = bursts::points(workload);
    let mut headers = vec!["each", "contender"];
    headers.extend(points.iter().map(String::as_str));
    let mut table = Table::new(headers);
    for (name, each, makespans) in bursts::sweep_rows(workload) {
        table.row([vec![each, name], makespans].concat());
    }
    table.print(page);
    for note in bursts::sweep_notes(workload) {
        page.labelled("", Style::Plain, 2, &note, Style::Doubtful);
    }
}

/// The published seconds beside those measured here, in both ways.
pub(super) fn print_published(workload: &JudgedWorkload, page: &mut Page) {
    let rows: Vec<_> = bursts::published(workload).collect();
    if rows.is_empty() {
        return;
    }
    let mut table = Table::new(vec!["there", "burst", "here as ab", "here at once"]);
    for row in &rows {
        let [there, as_ab, at_once, _] = bursts::there_and_here(row);
        table.row(vec![there, clean(&row.row), as_ab, at_once]);
    }
    table.print(page);
    for (reason, names) in bursts::reasons(&rows) {
        page.labelled("", Style::Plain, 2, &format!("{}: {reason}", names.join("; ")), Style::Faint);
    }
}
