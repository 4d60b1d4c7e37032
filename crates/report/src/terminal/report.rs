//! A judged run for a terminal.

use velo_judge::{JudgedWorkload, Judgement};

use super::notes::{LABEL, print_notes, print_outside};
use super::options::TerminalOptions;
use super::page::Page;
use super::style::Style;
use super::table::Table;
use super::{bursts, cost, latency, pairs, published, tasks};
use crate::number::{bytes, time_ns};
use crate::text::{clean, columns};
use crate::view;

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
    pairs::print_geometric_means(judgement, &mut page);
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
    pairs::print(workload, page);
    print_taxes(workload, page);
    latency::print_equal_work(workload, nothing_ranked, page);
    latency::print(workload, page);
    bursts::print(workload, page);
    cost::print(workload, page);
    tasks::print(workload, page);
    let notes = view::notes(workload);
    if !notes.is_empty() {
        page.blank();
    }
    print_notes(&notes, page);
    published::print(workload, nothing_ranked, page);
    print_strictness(workload, page);
}

fn print_table(workload: &JudgedWorkload, page: &mut Page) {
    let mut table = Table::new(vec!["rank", "contender", "goodput/s", "score", "CPU/request", "memory"]);
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

fn print_taxes(workload: &JudgedWorkload, page: &mut Page) {
    if workload.taxes.is_empty() {
        return;
    }
    page.blank();
    page.line(&[("framework tax", Style::Strong), ("  CPU/request over the raw contender's", Style::Faint)]);
    let taxes: Vec<(String, String)> = workload.taxes.iter().map(view::tax).collect();
    let pairs = taxes.iter().map(|(pair, _)| columns(pair)).max().unwrap_or(0).min(40);
    for (pair, words) in &taxes {
        page.labelled(&format!("  {pair}"), Style::Plain, pairs + 4, words, Style::Plain);
    }
}

fn print_strictness(workload: &JudgedWorkload, page: &mut Page) {
    if workload.strictness.is_empty() {
        return;
    }
    page.blank();
    page.line(&[("strictness", Style::Strong), ("  recorded, excludes nobody", Style::Faint)]);
    for case in &workload.strictness {
        page.labelled("", Style::Plain, 2, &clean(&case.case), Style::Plain);
        page.labelled("", Style::Plain, 4, &view::strictness(case, 3), Style::Faint);
    }
}
