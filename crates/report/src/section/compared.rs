//! A comparison as a document: a part for each workload, and in it a chart and a table for each figure.

use velo_judge::Holds;
use velo_judge::compare::{
    Change, ChangeState, ComparedContenders, ComparedRuns, ComparedWorkload, Comparison, ContenderPair,
};
use velo_model::Figure;

use super::charts::ratios;
use super::comparison::{
    self as words, HOURS, condition, differences, doubts, level, machine, not_compared, refused, whose,
};
use super::phrases::carried;
use crate::document::{Block, Column, Document, Lines, Room, Section, Table, TableRow, Tone};
use crate::number::{change, ratio};
use crate::text::clean;
use crate::words::figures;

/// A file from outside may have any number of these.
const MOST: usize = 200;

/// The comparison; its title says which question it answers.
pub(crate) fn document(comparison: &Comparison) -> Document {
    let document = match comparison {
        Comparison::AcrossTime(compared) => across_time(compared),
        Comparison::AcrossContenders(compared) => across_contenders(compared),
    };
    Document { question: words::question(comparison), ..document }
}

fn across_time(compared: &ComparedRuns) -> Document {
    let parts = compared.workloads.iter().take(MOST).map(|workload| Document {
        about: clean(&carried(
            workload.connections,
            workload.requests_per_connection,
            workload.protocol,
            workload.streams,
            workload.link.as_ref(),
        )),
        facts: vec![("machine".to_owned(), machine(workload))],
        sections: changes_of(compared, Some(workload)),
        ..Document::new(clean(&workload.name))
    });
    let fact = |label: &str, text: String| (label.to_owned(), text);
    let mut sections = conditions(compared);
    sections.extend(changes_of(compared, None));
    let doubts: Vec<String> = doubts(compared).into_iter().map(|words| format!("warning: {words}")).collect();
    let notes = differences(compared).into_iter().chain(refused(compared)).collect();
    let blocks = vec![
        Block::faults(Room::Any, doubts),
        Block::remarks(notes),
        Block::remarks(vec![words::worth(compared)]),
    ];
    Document {
        answer: Some((words::verdict(compared), tone_of(compared))),
        facts: vec![
            fact("before", words::head(&compared.before)),
            fact("after", words::head(&compared.after)),
        ],
        sections,
        parts: parts.collect(),
        end: missing(not_compared(&compared.not_compared))
            .into_iter()
            .chain([Section::new("validity", "", blocks)])
            .collect(),
        ..Document::new("velo compare")
    }
}

fn tone_of(compared: &ComparedRuns) -> Tone {
    let holds = |holds: Holds| compared.conditions.iter().any(|condition| condition.holds == holds);
    match () {
        () if holds(Holds::DoesNotHold) => Tone::Bad,
        () if holds(Holds::CannotBeTold) => Tone::Doubtful,
        () if holds(Holds::Holds) => Tone::Good,
        () => Tone::Faint,
    }
}

/// So many contenders for which a condition is inconclusive are named where there is little room.
const MOST_UNTOLD: usize = 5;

/// Each condition, who breaks it, and for whom it is inconclusive.
fn conditions(compared: &ComparedRuns) -> Vec<Section> {
    let mut blocks = Vec::new();
    for judged in compared.conditions.iter().take(MOST) {
        let (words, holds) = condition(judged);
        let tone = match holds {
            Holds::Holds => Tone::Good,
            Holds::DoesNotHold => Tone::Bad,
            Holds::CannotBeTold => Tone::Doubtful,
        };
        let lines = |room: Room, tone: Tone, lines: Vec<String>| Block::Lines(Lines { room, tone, lines });
        blocks.push(lines(Room::Any, tone, vec![words]));
        blocks.push(lines(Room::Any, Tone::Bad, judged.breaches.iter().map(words::breach).collect()));
        let untold: Vec<String> =
            judged.untold.iter().map(|untold| words::untold(untold, judged.bound)).collect();
        let more = untold.len().saturating_sub(MOST_UNTOLD);
        let few: Vec<String> = untold
            .iter()
            .take(MOST_UNTOLD)
            .cloned()
            .chain((more > 0).then(|| format!("and {more} more with --format markdown")))
            .collect();
        blocks.push(lines(Room::Narrow, Tone::Faint, few));
        blocks.push(lines(Room::Wide, Tone::Faint, untold));
    }
    let section = Section::new("conditions", "", blocks).headline();
    (!compared.conditions.is_empty()).then_some(section).into_iter().collect()
}

/// What changed of a workload, a section for each figure; without one of what belongs to none.
fn changes_of(compared: &ComparedRuns, workload: Option<&ComparedWorkload>) -> Vec<Section> {
    let name = workload.map(|workload| workload.name.as_str());
    let section = |figure: Figure| {
        let changes = words::sorted(compared, name, figure);
        let level = level(&changes, workload);
        let rows = changes.iter().take(MOST).map(|change| row_of(change));
        let columns = [
            Column::text("contender"),
            Column::text("state"),
            Column::number("before"),
            Column::number("after"),
            Column::number("change"),
            Column::number("interval"),
            Column::number("p"),
        ];
        let bars = changes.iter().take(MOST).map(|change| {
            (
                whose(&change.contender, change.load),
                change.ratio.value,
                change.ratio.low.zip(change.ratio.high),
                change.state != ChangeState::Open,
            )
        });
        let own = figures::of(figure);
        let id = format!("{}-{}", name.unwrap_or("processes"), own.id);
        let blocks = vec![
            Block::faults(Room::Any, level.into_iter().collect()),
            Block::Chart(ratios(&id, &format!("{}: after over before", own.short), bars, change_in_words)),
            Block::Table(Table::new(columns, rows)),
        ];
        Section::new(own.ranking, own.what, blocks)
    };
    words::figures(compared, name).into_iter().map(section).collect()
}

fn change_in_words(value: f64) -> String {
    change(value)
}

fn row_of(change: &Change) -> TableRow {
    let [state, before, after, by, interval, p] = words::row(change).map(Some);
    let name = Some(whose(&change.contender, change.load));
    TableRow::of(&change.contender, [name, state, before, after, by, interval, p])
}

fn missing(lines: Vec<String>) -> Option<Section> {
    (!lines.is_empty()).then(|| Section::new("not compared", "", vec![Block::remarks(lines)]))
}

fn across_contenders(compared: &ComparedContenders) -> Document {
    let parts = words::workloads_of_pairs(compared).into_iter().take(MOST).map(|workload| {
        let figures = Figure::compared().filter_map(|figure| pairs_of(compared, workload, figure));
        let hours = compared.waiting.iter().filter(|waiting| waiting.workload == workload).map(|waiting| {
            let [pair, others @ ..] = HOURS;
            let columns = std::iter::once(Column::text(pair)).chain(others.map(Column::number));
            let rows = waiting.pairs.iter().take(MOST).map(|pair| words::hours_of(pair).map(Some));
            Section::new("hours", words::hours(waiting), vec![Block::Table(Table::new(columns, rows))])
        });
        Document { sections: figures.chain(hours).collect(), ..Document::new(clean(workload)) }
    });
    let worth = Block::remarks(vec![words::worth_of_pairs(compared)]);
    Document {
        facts: vec![("run".to_owned(), words::head(&compared.run))],
        parts: parts.collect(),
        end: missing(not_compared(&compared.not_compared))
            .into_iter()
            .chain([Section::new("validity", "", vec![worth])])
            .collect(),
        ..Document::new("velo compare")
    }
}

fn pairs_of(compared: &ComparedContenders, workload: &str, figure: Figure) -> Option<Section> {
    let pairs: Vec<&ContenderPair> = words::pairs(compared, workload, figure).take(MOST).collect();
    if pairs.is_empty() {
        return None;
    }
    let bars = pairs.iter().filter_map(|pair| {
        let estimate = pair.ratio.as_ref()?;
        let is_settled = pair.p_holm.is_some_and(|p| p < 1.0 - compared.confidence);
        Some((words::of_pair(pair), estimate.value, estimate.interval(), is_settled))
    });
    let columns = [
        Column::text("pair"),
        Column::text("state"),
        Column::number("first"),
        Column::number("second"),
        Column::number("ratio"),
        Column::number("interval"),
        Column::number("p"),
    ];
    let rows = pairs.iter().map(|pair| {
        let [state, names, first, second, ratio, interval, p] = words::pair(pair).map(Some);
        [names, state, first, second, ratio, interval, p]
    });
    let own = figures::of(figure);
    let label = format!("{}: the first over the second", own.short);
    let blocks = vec![
        Block::remarks(words::no_states(pairs.iter().copied())),
        Block::Chart(ratios(&format!("{workload}-{}", own.id), &label, bars, ratio)),
        Block::Table(Table::new(columns, rows)),
    ];
    Some(Section::new(own.ranking, own.what, blocks))
}
