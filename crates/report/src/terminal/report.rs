//! A judged run for a terminal.

use velo_judge::{JudgedWorkload, Judgement};

use super::notes::{LABEL, print_notes, print_outside};
use super::options::TerminalOptions;
use super::page::Page;
use super::style::Style;
use super::table::Table;
use super::{published, section};
use crate::number::{bytes, time_ns};
use crate::text::{clean, columns};
use crate::view::{self, pairs};

/// The report for a terminal. Text from outside is stripped of escape sequences and control characters.
pub fn terminal(judgement: &Judgement, options: &TerminalOptions) -> String {
    let mut page = Page::of(options);
    for (label, text) in view::head(judgement) {
        page.labelled(label, Style::Strong, LABEL, &text, Style::Plain);
    }
    if let Some(reason) = view::no_ranks(judgement) {
        page.paragraph(&reason, Style::Doubtful);
    }
    for workload in view::sections(judgement) {
        page.blank();
        print_workload(workload, judgement, &mut page);
    }
    print_geometric_means(judgement, &mut page);
    page.blank();
    for (index, line) in view::worth(judgement).iter().enumerate() {
        page.labelled(if index == 0 { "worth" } else { "" }, Style::Strong, LABEL, line, Style::Plain);
    }
    print_notes(&view::run_notes(judgement), &mut page);
    page.finish()
}

fn print_workload(workload: &JudgedWorkload, judgement: &Judgement, page: &mut Page) {
    let nothing_ranked = judgement.nothing_ranked.as_deref();
    page.paragraph(&clean(&format!("{}: {}", workload.name, workload.question)), Style::Strong);
    if let Some(answer) = view::answer::answer(judgement, workload) {
        page.paragraph(&answer, Style::Plain);
    }
    if view::has_servers(workload) {
        page.paragraph(&view::load(workload), Style::Faint);
        page.blank();
        print_table(workload, page);
        print_outside(&view::outside(workload), page);
    }
    view::parts(workload, nothing_ranked).iter().for_each(|part| section::print(part, page));
    let notes = view::notes(workload);
    if !notes.is_empty() {
        page.blank();
    }
    print_notes(&notes, page);
    published::print(workload, nothing_ranked, page);
    view::appendix(workload).for_each(|part| section::print(&part, page));
}

fn print_table(workload: &JudgedWorkload, page: &mut Page) {
    let mut table = Table::new(vec!["rank", "contender", "goodput/s", "score", "CPU/request", "memory"], 1);
    let unknown = || "-".to_owned();
    for row in view::table_rows(workload) {
        table.row(vec![
            view::rank(row),
            row.contender.to_string(),
            view::goodput(row).unwrap_or_else(unknown),
            view::score(row, workload).unwrap_or_else(unknown),
            row.cpu_per_request_ns.map_or_else(unknown, |cpu| time_ns(cpu.value)),
            row.processes.memory_steady_bytes.map_or_else(unknown, bytes),
        ]);
    }
    if view::table_rows(workload).next().is_some() {
        table.print(page);
    }
}

/// One figure for each contender over all workloads.
fn print_geometric_means(judgement: &Judgement, page: &mut Page) {
    let Some(geometric) = &judgement.geometric_mean else { return };
    page.blank();
    page.paragraph(&clean(&pairs::geometric_head(geometric)), Style::Strong);
    let means = pairs::geometric_means(judgement, geometric);
    let names = means.iter().map(|(name, _)| columns(name)).max().unwrap_or(0).min(40);
    for (name, mean) in &means {
        page.labelled(&format!("  {name}"), Style::Plain, names + 4, mean, Style::Plain);
    }
}
