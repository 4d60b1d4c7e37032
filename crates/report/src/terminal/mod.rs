//! A judged run for a terminal: the table, what it is worth, the published comparison.

mod bursts;
pub(crate) mod comparison;
mod cost;
mod latency;
pub(crate) mod page;
mod pairs;
mod published;
mod table;
mod tasks;

use velo_judge::{JudgedWorkload, Judgement, Kind};

use self::page::Page;
use self::table::Table;
use crate::number::{bytes, time_ns};
use crate::style::Style;
use crate::text::{clean, columns};
use crate::view;

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalOptions {
    /// The columns that a line may take; fewer than 60 count as 60, more than 100 as 100.
    pub width: usize,
    /// Whether to use colours.
    pub colour: bool,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        Self { width: 80, colour: false }
    }
}

/// Where text begins behind a label.
const LABEL: usize = 9;

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

fn print_outside(outside: &[view::Outside], page: &mut Page) {
    if outside.is_empty() {
        return;
    }
    page.line(&[("not ranked", Style::Strong)]);
    let widest = |width: fn(&view::Outside) -> usize, most: usize| {
        outside.iter().map(width).max().unwrap_or(0).min(most)
    };
    let name = widest(|row| columns(&row.name), 24);
    let what = widest(|row| columns(&row.what), 14);
    let indent = name + what + 10;
    for row in outside {
        if columns(&row.name) > name {
            page.labelled("   - ", Style::Plain, 6, &row.name, Style::Plain);
        }
        let lead =
            if columns(&row.name) > name { "      ".to_owned() } else { format!("   -  {}", row.name) };
        let gap = (indent - 2).saturating_sub(columns(&lead) + columns(&row.what));
        let label = format!("{lead}{}{}", " ".repeat(gap), row.what);
        page.labelled(&label, Style::Plain, indent, &row.reason, Style::Faint);
        if let Some(more) = &row.more {
            page.labelled("", Style::Plain, 8, more, Style::Faint);
        }
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

fn print_notes(notes: &[view::Note], page: &mut Page) {
    for note in notes {
        let style = match note.kind {
            Kind::Hint => Style::Faint,
            Kind::Warning => Style::Doubtful,
            Kind::Error => Style::Bad,
        };
        page.labelled(view::kind(note.kind), style, LABEL, &note.sentence(), Style::Plain);
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
