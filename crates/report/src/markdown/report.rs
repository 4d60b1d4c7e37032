//! A judged run as Markdown.

use velo_judge::{JudgedWorkload, Judgement};

use super::document::Document;
use super::notes::add_notes;
use super::section::{add, add_blocks};
use crate::number::{bytes, plus_minus, time_ns};
use crate::view::section::{Block, Column, Table};
use crate::view::{self, pairs};

/// The report as Markdown (CommonMark with tables). Text from outside is escaped.
pub fn markdown(judgement: &Judgement) -> String {
    let mut document = Document::default();
    document.heading(1, &format!("velo run {}", judgement.listed_workloads().join(" ")));
    for (label, text) in view::head(judgement) {
        document.item(&format!("{label}: {text}"));
    }
    document.item(&format!("command: velo {}", judgement.command.join(" ")));
    document.end();
    if let Some(reason) = view::no_ranks(judgement) {
        document.strong(&reason);
    }
    for workload in view::sections(judgement) {
        add_workload(workload, judgement, &mut document);
    }
    add_geometric_means(judgement, &mut document);
    document.heading(2, "Validity");
    view::worth(judgement).iter().for_each(|line| document.item(line));
    add_notes(&view::run_notes(judgement), &mut document);
    document.end();
    document.text
}

fn add_workload(workload: &JudgedWorkload, judgement: &Judgement, document: &mut Document) {
    document.heading(2, &format!("{}: {}", workload.name, workload.question));
    if let Some(answer) = view::answer::answer(judgement, workload) {
        document.paragraph(&answer);
    }
    if view::has_servers(workload) {
        document.paragraph(&view::load(workload));
    }
    add_blocks(&[main_table(workload), Block::Outside(view::outside(workload))], document);
    add_notes(&view::notes(workload), document);
    document.end();
    for part in view::parts(workload) {
        add(&part, document);
    }
    if !(workload.published.is_empty() && workload.claims.is_empty()) {
        document.heading(3, "Published");
        document.paragraph(&view::source(workload));
        workload.source.notes.iter().for_each(|note| document.item(note));
        document.end();
        add_blocks(&view::published(workload), document);
    }
    view::appendix(workload).for_each(|part| add(&part, document));
}

fn main_table(workload: &JudgedWorkload) -> Block {
    let columns = [
        Column::number("rank"),
        Column::text("contender"),
        Column::number("goodput/s"),
        Column::number("score"),
        Column::number("CPU/request"),
        Column::number("memory"),
    ];
    let rows = view::table_rows(workload).map(|row| {
        let cpu = row
            .cpu_per_request_ns
            .map(|cpu| view::with_interval(time_ns(cpu.value), false, plus_minus(&cpu, time_ns)));
        [
            Some(view::rank(row)),
            Some(view::name_of(row)),
            view::goodput(row),
            view::score(row, workload),
            cpu,
            row.processes.memory_steady_bytes.map(bytes),
        ]
    });
    Block::Table(Table::new(columns, rows.collect()))
}

/// One figure for each contender over all workloads.
fn add_geometric_means(judgement: &Judgement, document: &mut Document) {
    let Some(geometric) = &judgement.geometric_mean else { return };
    document.heading(2, "All workloads");
    document.paragraph(&pairs::geometric_head(geometric));
    let means = pairs::geometric_means(judgement, geometric).into_iter();
    let columns = [Column::text("contender"), Column::number("mean score")];
    let table = Table::new(columns, means.map(|(name, mean)| [Some(name), Some(mean)]).collect());
    add_blocks(&[Block::Table(table)], document);
}
