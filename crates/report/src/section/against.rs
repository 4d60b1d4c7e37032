//! Two running services as a document: figures of both and their ratios, whether the conditions hold, what is to be known.

use velo_judge::Kind;
use velo_judge::against::{
    AgainstConditionResult, AgainstFigure, AgainstFigureName, AgainstRatio, AgainstResult,
};
use velo_record::{AgainstSide, LoadSchedule};

use crate::document::{Block, Column, Document, Note, Section, Table, Tone};
use crate::number::{change, change_range, count, rate, tidy_time_ns, time_ns};
use crate::text::clean;
use crate::words::against::{SCOPE, figure as name, note};

/// A document says so many notes at most.
const MOST: usize = 20;

/// The two.
pub(crate) fn document(result: &AgainstResult) -> Document {
    let record = &result.record;
    let fact = |label: &str, text: String| (label.to_owned(), clean(&text));
    Document {
        question: clean(&format!("A {} against B {}", record.a.target.url, record.b.target.url)),
        answer: Some((answer(result), tone(result))),
        facts: vec![
            fact("A", side(&record.a)),
            fact("B", side(&record.b)),
            fact("measured", measured(result)),
        ],
        sections: [figures(result), notes(result), conditions(result)].into_iter().flatten().collect(),
        ..Document::new("velo load --against")
    }
}

/// `process 1234 (node); windows of 50 ms after 10 ms`.
fn side(side: &AgainstSide) -> String {
    let service = &side.service;
    let processes = match service.pids.as_slice() {
        [] => "CPU time unknown".to_owned(),
        [pid] => format!("process {pid}"),
        [first, rest @ ..] => format!("processes {first} and {} more", rest.len()),
    };
    let program = service.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let [window, settling] = [side.window_ns, side.settling_ns].map(tidy_time_ns);
    format!("{processes}{program}; windows of {window} after {settling}")
}

fn measured(result: &AgainstResult) -> String {
    let planned = u64::from(result.record.planned_blocks);
    let blocks = result.record.blocks.len() as u64;
    let of = if blocks < planned { format!(" of {}", count(planned)) } else { String::new() };
    if blocks == 0 {
        return "nothing".to_owned();
    }
    let batches = match result.batches {
        0 => String::new(),
        1 | 2 => String::new(),
        batches => format!("; {batches} batches, each over connections of its own"),
    };
    format!("{}{of} blocks, a window of each, A B and B A in turn{batches}", count(blocks))
}

/// `A against B: goodput -1.2 % (-2.0 to -0.4 %), CPU/request +0.3 % (-0.1 to +0.7 %).`
fn answer(result: &AgainstResult) -> String {
    let is_open = is_open(result);
    let main = [AgainstFigureName::Goodput, AgainstFigureName::Cpu];
    let mut said: Vec<String> =
        of(result, |one| main.contains(&one.figure)).map(|one| in_words(one, is_open)).collect();
    if said.is_empty() || is_open {
        said.extend(of(result, |one| one.figure == AgainstFigureName::P50).map(|one| in_words(one, is_open)));
    }
    let early = if result.record.interrupted { " Interrupted." } else { "" };
    match said.is_empty() {
        true => format!("A against B: not measured.{early}"),
        false => format!("A against B: {}.{early}", said.join(", ")),
    }
}

/// The figures that have a ratio and are wanted.
fn of<'r>(
    result: &'r AgainstResult,
    is_wanted: impl Fn(&AgainstFigure) -> bool + 'r,
) -> impl Iterator<Item = &'r AgainstFigure> {
    result.figures.iter().filter(move |one| one.ratio.is_some() && is_wanted(one))
}

fn in_words(one: &AgainstFigure, is_open: bool) -> String {
    let ratio = one.ratio.map(|ratio| {
        let interval = interval(&ratio).map(|words| format!(" ({words})")).unwrap_or_default();
        format!("{}{interval}", change(ratio.value))
    });
    let bound = match (one.a_at_least, one.b_at_least) {
        (false, false) => "",
        (true, false) => ", at least",
        (false, true) => ", at most",
        (true, true) => ", limited by the generator",
    };
    format!("{} {}{bound}", name(one.figure, is_open), ratio.unwrap_or_default())
}

fn interval(ratio: &AgainstRatio) -> Option<String> {
    ratio.interval().map(|(low, high)| change_range(low, high))
}

fn is_open(result: &AgainstResult) -> bool {
    matches!(result.record.settings.schedule, LoadSchedule::Open { .. })
}

fn tone(result: &AgainstResult) -> Tone {
    let worst = result.notes.iter().map(|note| note.kind).max();
    match worst {
        _ if result.has_failed_condition() => Tone::Bad,
        Some(Kind::Error) => Tone::Bad,
        Some(Kind::Warning) => Tone::Doubtful,
        _ if result.has_undecided_condition() => Tone::Doubtful,
        Some(Kind::Hint) | None => Tone::Good,
    }
}

fn figures(result: &AgainstResult) -> Option<Section> {
    let columns = [
        Column::text("figure"),
        Column::number("A"),
        Column::number("B"),
        Column::number("A against B"),
        Column::number("95 % interval"),
    ];
    let is_open = is_open(result);
    let rows = result.figures.iter().map(|one| {
        let value = |value: Option<f64>, at_least: bool| {
            let least = if at_least { "≥ " } else { "" };
            value.map(|value| format!("{least}{}", in_unit(one.figure, value)))
        };
        [
            Some(name(one.figure, is_open).to_owned()),
            value(one.a, one.a_at_least),
            value(one.b, one.b_at_least),
            one.ratio.map(|ratio| change(ratio.value)),
            one.ratio.as_ref().and_then(interval),
        ]
    });
    let blocks = vec![Block::Table(Table::new(columns, rows)), Block::text(SCOPE)];
    (!result.figures.is_empty()).then(|| Section::new("figures", "", blocks).headline())
}

fn in_unit(figure: AgainstFigureName, value: f64) -> String {
    match figure {
        AgainstFigureName::Goodput => format!("{}/s", rate(value)),
        AgainstFigureName::Cpu | AgainstFigureName::P50 | AgainstFigureName::P99 => time_ns(value),
    }
}

fn notes(result: &AgainstResult) -> Option<Section> {
    let is_open = is_open(result);
    let of_findings = result.notes.iter().map(|one| (one.kind, note(one, is_open)));
    let sides = [("A", &result.record.a), ("B", &result.record.b)];
    let examples = sides.iter().flat_map(|(which, side)| {
        side.examples.iter().map(move |example| (Kind::Hint, format!("{which}, for example: {example}")))
    });
    let notes: Vec<Note> = of_findings
        .chain(examples)
        .take(MOST)
        .map(|(kind, words)| Note { kind, names: Vec::new(), words: clean(&words) })
        .collect();
    (!notes.is_empty()).then(|| Section::new("validity", "", vec![Block::Notes { notes }]).headline())
}

fn conditions(result: &AgainstResult) -> Option<Section> {
    let columns = [Column::text("condition"), Column::text("verdict"), Column::text("here")];
    let rows = result.conditions.iter().map(|condition| {
        let verdict = match condition.holds {
            Some(true) => "passed",
            Some(false) => "FAILED",
            None => "undecided",
        };
        [clean(&condition.text), verdict.to_owned(), here(condition, result)].map(Some)
    });
    let table = Table::new(columns, rows).called("Conditions of --fail-on");
    (!result.conditions.is_empty())
        .then(|| Section::new("conditions", "", vec![Block::Table(table)]).headline())
}

/// What a condition was held against.
fn here(condition: &AgainstConditionResult, result: &AgainstResult) -> String {
    let Some(wanted) = condition.figure else {
        let failures = condition.failures.map(|failures| match condition.text.contains('%') {
            true => crate::number::percent(failures),
            false => count(failures as u64),
        });
        return failures.unwrap_or_else(|| "no requests".to_owned());
    };
    let found = result.figures.iter().find(|one| one.figure == wanted);
    let ratio = found.and_then(|one| one.ratio);
    match (ratio, ratio.as_ref().and_then(interval)) {
        (Some(_), Some(interval)) => interval,
        (Some(ratio), None) => format!("{}, no interval", change(ratio.value)),
        (None, _) => "not measured".to_owned(),
    }
}
