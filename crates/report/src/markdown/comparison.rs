use velo_judge::compare::{ComparedContenders, ComparedRuns, Comparison};
use velo_model::Figure;

use super::block::add_blocks;
use super::text::Markdown as Document;
use crate::document::{Block, Column, Table};
use crate::view::comparison as view;
use crate::words::figures;

/// The comparison as Markdown.
pub(crate) fn write(comparison: &Comparison) -> String {
    let mut document = Document::default();
    document.heading(1, &format!("velo compare {}", view::question(comparison)));
    match comparison {
        Comparison::AcrossTime(compared) => add_runs(compared, &mut document),
        Comparison::AcrossContenders(compared) => add_contenders(compared, &mut document),
    }
    document.text
}

fn add_runs(compared: &ComparedRuns, document: &mut Document) {
    document.strong(&view::verdict(compared));
    add_conditions(compared, document);
    let mut rows = Vec::new();
    let workloads = compared.workloads.iter().map(|workload| Some(workload.name.as_str()));
    for workload in workloads.chain([None]) {
        for figure in view::figures(compared, workload) {
            for change in view::sorted(compared, workload, figure) {
                let [state, before, after, by, interval, p] = view::row(change).map(Some);
                let contender = Some(view::whose(&change.contender, change.call));
                let (workload, figure) =
                    (workload.map(str::to_owned), Some(figures::of(figure).short.to_owned()));
                rows.push([state, contender, workload, figure, before, after, by, interval, p]);
            }
        }
    }
    let titles = ["state", "contender", "workload", "figure", "before", "after", "change", "interval", "p"];
    add_blocks(&[Block::Table(Table::new(columns(titles), rows))], document);
    document.item(&format!("before: {}", view::head(&compared.before)));
    document.item(&format!("after: {}", view::head(&compared.after)));
    for workload in &compared.workloads {
        document.item(&format!("machine on {}: {}", workload.name, view::machine(workload)));
    }
    let is_never_over = |figure: &Figure| view::is_never_over(*figure) && figure.row().part_of.is_none();
    for figure in Figure::compared().filter(is_never_over) {
        if compared.changes.iter().any(|change| change.figure == figure) {
            document.item(&format!("{}: the machine's own change is in it", figures::of(figure).short));
        }
    }
    view::doubts(compared).iter().for_each(|words| document.item(words));
    view::differences(compared).iter().for_each(|words| document.item(words));
    view::refused(compared).iter().for_each(|words| document.item(words));
    add_not_compared(&view::not_compared(&compared.not_compared), document);
    document.item(&view::worth(compared));
    document.end();
}

fn add_conditions(compared: &ComparedRuns, document: &mut Document) {
    for judged in &compared.conditions {
        document.item(&view::condition(judged).0);
        judged.breaches.iter().for_each(|breach| document.item(&view::breach(breach)));
        judged.untold.iter().for_each(|untold| document.item(&view::untold(untold, judged.bound)));
    }
    if !compared.conditions.is_empty() {
        document.end();
    }
}

fn add_not_compared(all: &[String], document: &mut Document) {
    all.iter().for_each(|words| document.item(&format!("not compared: {words}")));
}

fn add_contenders(compared: &ComparedContenders, document: &mut Document) {
    let mut rows = Vec::new();
    for workload in view::workloads_of_pairs(compared) {
        for figure in Figure::compared() {
            for pair in view::pairs(compared, workload, figure) {
                let [state, names, first, second, ratio, interval, p] = view::pair(pair).map(Some);
                let (workload, figure) =
                    (Some(workload.to_owned()), Some(figures::of(figure).short.to_owned()));
                rows.push([state, names, workload, figure, first, second, ratio, interval, p]);
            }
        }
    }
    let titles = ["state", "pair", "workload", "figure", "first", "second", "ratio", "interval", "p"];
    add_blocks(&[Block::Table(Table::new(columns(titles), rows))], document);
    for waiting in &compared.waiting {
        document.heading(2, &format!("{}: {}", waiting.workload, view::hours(waiting)));
        let [pair, others @ ..] = view::HOURS;
        let columns = std::iter::once(Column::text(pair)).chain(others.map(Column::number));
        let rows = waiting.pairs.iter().map(|pair| view::hours_of(pair).map(Some).to_vec());
        add_blocks(&[Block::Table(Table::new(columns, rows))], document);
    }
    document.item(&format!("run: {}", view::head(&compared.run)));
    for figure in Figure::compared() {
        let of_figure = compared.pairs.iter().filter(|pair| pair.figure == figure);
        for reason in view::no_states(of_figure) {
            document.item(&format!("{}: {reason}", figures::of(figure).short));
        }
    }
    add_not_compared(&view::not_compared(&compared.not_compared), document);
    document.item(&view::worth_of_pairs(compared));
    document.end();
}

/// Four of words, then numbers.
fn columns(titles: [&str; 9]) -> [Column; 9] {
    let mut place = 0;
    titles.map(|title| {
        place += 1;
        if place > 4 { Column::number(title) } else { Column::text(title) }
    })
}
