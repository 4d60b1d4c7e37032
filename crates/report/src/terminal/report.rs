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

/// The report for a terminal, the answer at its end: there it is on the screen when a run ends. Text from outside is stripped of
/// escape sequences and control characters.
pub fn terminal(judgement: &Judgement, options: &TerminalOptions) -> String {
    let mut page = Page::of(options);
    for (label, text) in view::head(judgement) {
        page.labelled(label, Style::Strong, LABEL, &text, Style::Plain);
    }
    for workload in view::sections(judgement) {
        page.blank();
        print_details(workload, options.verbose, &mut page);
    }
    page.blank();
    for (index, line) in view::worth(judgement).iter().enumerate() {
        page.labelled(if index == 0 { "validity" } else { "" }, Style::Strong, LABEL, line, Style::Plain);
    }
    print_notes(&view::run_notes(judgement), &mut page);
    for workload in view::sections(judgement) {
        page.blank();
        print_answer(workload, judgement, &mut page);
    }
    print_geometric_means(judgement, &mut page);
    // An answer without ranks says why itself.
    let is_unsaid =
        view::sections(judgement).all(|workload| view::answer::answer(judgement, workload).is_none());
    if let Some(reason) = view::no_ranks(judgement).filter(|_| is_unsaid) {
        page.blank();
        page.paragraph(&reason, Style::Doubtful);
    }
    page.finish()
}

/// What the answer rests on, and what else was measured.
fn print_details(workload: &JudgedWorkload, verbose: bool, page: &mut Page) {
    page.paragraph(&clean(&format!("{}: {}", workload.name, workload.question)), Style::Strong);
    if view::has_servers(workload) {
        page.paragraph(&view::load(workload), Style::Faint);
        if has_table(workload) {
            print_outside(&view::outside(workload), page);
        }
    }
    view::parts(workload).iter().for_each(|part| section::print(part, page));
    let notes = view::notes(workload);
    if !notes.is_empty() {
        page.blank();
    }
    print_notes(&notes, page);
    if verbose {
        published::print(workload, page);
        view::appendix(workload).for_each(|part| section::print(&part, page));
    } else {
        published::print_summary(workload, page);
    }
}

fn print_answer(workload: &JudgedWorkload, judgement: &Judgement, page: &mut Page) {
    let answer = view::answer::answer(judgement, workload);
    let lead = Some(format!("{}: ", clean(&workload.name))).filter(|_| judgement.workloads.len() > 1);
    if answer.is_some() || lead.is_some() {
        let lead = lead.unwrap_or_default();
        page.paragraph(&format!("{lead}{}", answer.as_deref().unwrap_or("no answer")), Style::Strong);
    }
    if view::has_servers(workload) {
        print_table(workload, page);
        // Where nothing is ranked, these are the figures.
        if !has_table(workload) {
            print_outside(&view::outside(workload), page);
        }
    }
}

fn has_table(workload: &JudgedWorkload) -> bool {
    view::table_rows(workload).next().is_some()
}

fn print_table(workload: &JudgedWorkload, page: &mut Page) {
    let mut table = Table::new(vec!["rank", "contender", "goodput/s", "score", "CPU/request", "memory"], 1);
    let unknown = || "-".to_owned();
    for row in view::table_rows(workload) {
        table.row(vec![
            view::rank(row),
            view::name_of(row),
            view::goodput(row).unwrap_or_else(unknown),
            view::score(row, workload).unwrap_or_else(unknown),
            row.cpu_per_request_ns.map_or_else(unknown, |cpu| time_ns(cpu.value)),
            row.processes.memory_steady_bytes.map_or_else(unknown, bytes),
        ]);
    }
    if has_table(workload) {
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
