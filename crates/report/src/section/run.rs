//! A judged run as a document.

use velo_judge::{JudgedWorkload, Judgement, Kind, SeriesPoint};
use velo_model::{Figure, Unit};

use super::answer::answer;
use super::names::name_of;
use super::phrases::{plural, with_interval};
use super::rows::{outside, rank, score, table_rows};
use super::{head, notes, pairs, series, tasks, workload, worth};
use crate::document::{Block, Column, Document, Lines, Named, Room, Section, Table, TableRow, Tone};
use crate::number::plus_minus;
use crate::text::clean;
use crate::words::figures;

/// The run, a part for each workload.
pub(crate) fn document(judgement: &Judgement) -> Document {
    let parts: Vec<Document> =
        head::sections(judgement).map(|workload| of_workload(judgement, workload)).collect();
    // An answer without ranks says why itself.
    let is_unsaid = parts.iter().all(|part| part.answer.is_none());
    Document {
        answer: head::no_ranks(judgement).filter(|_| is_unsaid).map(|words| (words, Tone::Doubtful)),
        facts: facts(judgement),
        parts,
        end: geometric_means(judgement)
            .into_iter()
            .chain([validity(judgement), validity_in_brief(judgement)])
            .collect(),
        ..Document::new(format!("velo run {}", judgement.listed_workloads().join(" ")))
    }
}

/// The run in a few labelled lines.
pub(crate) fn facts(judgement: &Judgement) -> Vec<(String, String)> {
    let head = head::head(judgement).into_iter().map(|(label, text)| (label.to_owned(), text));
    head.chain([("command".to_owned(), format!("velo {}", judgement.command.join(" ")))]).collect()
}

fn of_workload(judgement: &Judgement, workload: &JudgedWorkload) -> Document {
    let mut sections = vec![ranking(workload)];
    sections.extend(not_ranked(workload));
    let notes = notes::notes(workload);
    if !notes.is_empty() {
        sections.push(Section::new("remarks", "", vec![Block::Notes { notes }]));
    }
    sections.extend(workload::parts(workload, None));
    Document {
        answer: answer(judgement, workload).map(|words| (words, Tone::Good)),
        about: about(workload),
        sections,
        ..Document::new(clean(&format!("{}: {}", workload.name, workload.question)))
    }
}

/// How a workload was loaded.
pub(crate) fn about(workload: &JudgedWorkload) -> String {
    match &workload.tasks {
        _ if head::has_servers(workload) => head::load(workload),
        Some(table) => tasks::about(table),
        None => String::new(),
    }
}

/// The servers that stand in the main table, and those that do not.
fn ranking(workload: &JudgedWorkload) -> Section {
    let heading = |figure: Figure| {
        let per_s = if figure.row().unit == Unit::PerSecond { "/s" } else { "" };
        format!("{}{per_s}", figures::of(figure).short)
    };
    let of_figure = |figure: Figure| match figure.row().is_ranked {
        true => vec![Column::number(heading(figure)), Column::number("score")],
        false => vec![Column::number(heading(figure)).brief(), Column::number(heading(figure)).detail()],
    };
    let first = [Column::number("rank"), Column::text("contender")];
    let columns = first.into_iter().chain(Figure::main().flat_map(of_figure));
    let rows = table_rows(workload).map(|row| {
        let of_figure = |figure: Figure| {
            let point = workload.point(figure, &row.contender);
            match figure.row().is_ranked {
                true => [point.map(|point| surely(figure, point)), score(row, workload)],
                false => {
                    let brief = |point: &SeriesPoint| series::value(figure.row().unit, point.estimate.value);
                    [point.map(brief), point.map(|point| surely(figure, point))]
                }
            }
        };
        let first = [Some(rank(row)), Some(name_of(row))];
        let cells: Vec<Option<String>> =
            first.into_iter().chain(Figure::main().flat_map(of_figure)).collect();
        TableRow::of(&row.contender, cells)
    });
    let names = outside(workload).into_iter().map(|one| format!("{} ({})", one.name, one.what));
    let names: Vec<String> = names.collect();
    let words = if names.is_empty() { String::new() } else { format!("not ranked: {}", names.join(", ")) };
    Section::new("", "", vec![Block::Table(Table::new(columns, rows)), Block::text_in(Room::Narrow, words)])
        .headline()
}

/// A value and how sure it is.
fn surely(figure: Figure, point: &SeriesPoint) -> String {
    let write = |value: f64| series::value(figure.row().unit, value);
    let interval = plus_minus(&point.estimate, write);
    with_interval(write(point.estimate.value), point.at_least, interval)
}

/// Servers without a place in the main table, and why.
fn not_ranked(workload: &JudgedWorkload) -> Option<Section> {
    let rows = outside(workload);
    (!rows.is_empty()).then(|| Section::new("not ranked", "", vec![Block::Asides { rows }]))
}

/// One figure for each contender over all workloads.
pub(crate) fn geometric_means(judgement: &Judgement) -> Option<Section> {
    let geometric = judgement.geometric_mean.as_ref()?;
    let means = Named::new(["contender", "mean score"], pairs::geometric_means(judgement, geometric));
    let about = pairs::geometric_head(geometric);
    Some(Section::new("all workloads", about, vec![Block::Named(means)]).headline())
}

/// How far the run can be trusted.
fn validity(judgement: &Judgement) -> Section {
    let lines = Lines { room: Room::Any, tone: Tone::Faint, lines: worth::worth(judgement) };
    let notes = Block::Notes { notes: notes::run_notes(judgement) };
    Section::new("validity", "", vec![Block::Lines(lines), notes])
}

/// The same in a line: how many answers were checked, and what is to be known beside the figures.
fn validity_in_brief(judgement: &Judgement) -> Section {
    let rows = judgement.workloads.iter().flat_map(notes::notes);
    let kinds: Vec<Kind> = rows.chain(notes::run_notes(judgement)).map(|note| note.kind).collect();
    let counted = |kind: Kind, one: &str, many: &str| {
        let found = kinds.iter().filter(|own| **own == kind).count() as u64;
        (found > 0).then(|| plural(found, one, many))
    };
    let first = worth::worth(judgement).into_iter().next();
    let errors = counted(Kind::Error, "error", "errors");
    let warnings = counted(Kind::Warning, "warning", "warnings");
    let words: Vec<String> = first.into_iter().chain(errors).chain(warnings).collect();
    Section::new("validity", "", vec![Block::text_in(Room::Narrow, words.join("; "))]).headline()
}
