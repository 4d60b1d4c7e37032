//! A gate as a document: the verdict, a row for each figure, and what each side needed for a request beside
//! that.

use std::time::Duration;

use velo_judge::gate::{GateFigure, GateRun, GateSide, GateState, GateVerdict, SideState};
use velo_stats::number::waited;

use super::series::value;
use crate::document::{Block, Column, Document, Lines, Room, Section, Table, Tone};
use crate::number::{change, change_range, count, figure, tidy_percent};
use crate::text::clean;
use crate::words::figures;

/// A commit in a sentence has so many of its digits.
const SHORT_COMMIT: usize = 10;

/// The gate.
pub(crate) fn document(gate: &GateRun) -> Document {
    let fact = |label: &str, text: String| (label.to_owned(), text);
    let sides = format!("{} against {}", side(&gate.head), side(&gate.base));
    let measured = (gate.planned > 0).then(|| fact("measured", measured(gate)));
    Document {
        question: clean(&format!("{} on {}: {sides}", gate.contender, gate.workload)),
        answer: Some((verdict(gate), tone(gate.verdict))),
        facts: measured.into_iter().collect(),
        sections: vec![of_figures(gate), per_request(gate)].into_iter().flatten().collect(),
        end: notes(gate).into_iter().collect(),
        ..Document::new("velo gate")
    }
}

/// The verdict in a line: `worse: CPU time per request +5.2 % (+4.4 to +6.0 %), bound 3 %`.
pub(crate) fn verdict(gate: &GateRun) -> String {
    let of = |state: GateState| gate.figures.iter().filter(move |figure| figure.state == state);
    let listed =
        |figures: &mut dyn Iterator<Item = &GateFigure>| figures.map(in_words).collect::<Vec<_>>().join("; ");
    let words = match gate.verdict {
        GateVerdict::Worse => {
            format!("worse: {}", listed(&mut of(GateState::Worse).filter(|figure| !figure.is_accepted)))
        }
        GateVerdict::Accepted => format!("worse, and accepted: {}", listed(&mut of(GateState::Worse))),
        GateVerdict::Better => format!("better: {}", listed(&mut of(GateState::Better))),
        GateVerdict::Within => format!("within the bounds: {}", listed(&mut of(GateState::Within))),
        GateVerdict::Undecided if of(GateState::Undecided).next().is_none() => {
            "undecided: none of the figures could be had".to_owned()
        }
        GateVerdict::Undecided => format!("undecided: {}", listed(&mut of(GateState::Undecided))),
        GateVerdict::New => format!("new: {} has no such contender", gate.base.revision),
        GateVerdict::HeadBroken => format!("the head is broken: {}", why(&gate.head)),
        GateVerdict::BaseBroken => format!("the base is broken: {}", why(&gate.base)),
        GateVerdict::Unfit => {
            let reasons: Vec<String> = [&gate.base, &gate.head].map(why).into_iter().collect();
            format!("not measured: {}", reasons.into_iter().find(|why| !why.is_empty()).unwrap_or_default())
        }
        GateVerdict::Interrupted => "interrupted before it was known".to_owned(),
    };
    clean(&words)
}

/// `CPU time per request +5.2 % (+4.4 to +6.0 %), bound 3 %`.
pub(crate) fn in_words(one: &GateFigure) -> String {
    let name = one.figure.row().name;
    let bound = tidy_percent(one.bound);
    let Some(ratio) = one.ratio else { return format!("{name} unknown, bound {bound}") };
    let interval =
        ratio.interval().map(|(low, high)| format!(" ({})", change_range(low, high))).unwrap_or_default();
    format!("{name} {}{interval}, bound {bound}", change(ratio.value))
}

/// Why a side could not be measured; empty of one that could.
fn why(side: &GateSide) -> String {
    match &side.state {
        SideState::Fit | SideState::Absent => String::new(),
        SideState::Skipped { reason } | SideState::Broken { reason, log: None } => reason.clone(),
        SideState::Broken { reason, log: Some(log) } => format!("{reason} ({log})"),
    }
}

fn tone(verdict: GateVerdict) -> Tone {
    match verdict {
        GateVerdict::Worse | GateVerdict::HeadBroken | GateVerdict::BaseBroken => Tone::Bad,
        GateVerdict::Undecided | GateVerdict::Accepted | GateVerdict::Unfit | GateVerdict::Interrupted => {
            Tone::Doubtful
        }
        GateVerdict::Better | GateVerdict::Within | GateVerdict::New => Tone::Good,
    }
}

fn side(side: &GateSide) -> String {
    let short: String = side.commit.chars().take(SHORT_COMMIT).collect();
    match side.is_work_tree {
        true => format!("{} on {short}", clean(&side.revision)),
        false if side.commit.starts_with(&side.revision) => short,
        false => format!("{} ({short})", clean(&side.revision)),
    }
}

fn measured(gate: &GateRun) -> String {
    let time = |ns: u64| waited(Duration::from_nanos(ns));
    format!(
        "{} of {} launches of both in {}, interleaved; false alarms at most {}",
        count(gate.launches.into()),
        count(gate.planned.into()),
        time(gate.measured_ns),
        tidy_percent(gate.level)
    )
}

/// A row for each figure that a bound is held against.
fn of_figures(gate: &GateRun) -> Option<Section> {
    let columns = [
        Column::text("figure"),
        Column::text("state"),
        Column::number("base"),
        Column::number("head"),
        Column::number("change"),
        Column::number("95 % interval"),
        Column::number("bound"),
    ];
    let rows = gate.figures.iter().map(|one| {
        let value = |estimate: Option<velo_judge::Estimate>| {
            estimate.map(|estimate| value(one.figure.row().unit, estimate.value))
        };
        [
            Some(figures::of(one.figure).short.to_owned()),
            Some(state(one).to_owned()),
            value(one.base),
            value(one.head),
            one.ratio.map(|ratio| change(ratio.value)),
            one.ratio.and_then(|ratio| ratio.interval()).map(|(low, high)| change_range(low, high)),
            Some(tidy_percent(one.bound)),
        ]
    });
    let table = Table::new(columns, rows);
    (!gate.figures.is_empty()).then(|| Section::new("figures", "", vec![Block::Table(table)]).headline())
}

/// What is known of a figure, in a word or two.
pub(crate) fn state(one: &GateFigure) -> &'static str {
    match one.state {
        GateState::Worse if one.is_accepted => "worse, accepted",
        GateState::Worse => "worse",
        GateState::Better => "better",
        GateState::Within => "within",
        GateState::Undecided => "undecided",
        GateState::Missing => "left out",
    }
}

/// Why it may have changed.
fn per_request(gate: &GateRun) -> Option<Section> {
    let columns = [
        Column::text("per request"),
        Column::number("base"),
        Column::number("head"),
        Column::number("change"),
    ];
    let rows = gate.per_request.iter().map(|one| {
        [
            Some(clean(&one.what)),
            Some(figure(one.base.value)),
            Some(figure(one.head.value)),
            (one.base.value > 0.0).then(|| change(one.head.value / one.base.value)),
        ]
    });
    let table = Table::new(columns, rows);
    if gate.per_request.is_empty() {
        return None;
    }
    let section = Section::new("why", "", vec![Block::Table(table)]);
    // Who is told that it is worse asks why.
    Some(if gate.verdict.fails() { section.headline() } else { section.detail() })
}

/// What else is to be known.
fn notes(gate: &GateRun) -> Option<Section> {
    let left_out = gate.figures.iter().filter_map(|one| {
        let reason = one.reason.as_ref()?;
        Some(format!("{} is left out: {reason}", one.figure.row().name))
    });
    let differs = gate.workload_differs.then(|| {
        format!("the workload {} is another one in the base; both are held to the head's", gate.workload)
    });
    let accepted = gate
        .accepted
        .iter()
        .map(|one| format!("{} may be worse: accepted by {}", one.figure.row().name, one.by));
    let remarks: Vec<String> = left_out.chain(differs).chain(accepted).map(|words| clean(&words)).collect();
    let doubts = gate.doubts.iter().map(|words| clean(&format!("warning: {words}"))).collect();
    let lines = |tone: Tone, lines: Vec<String>| Block::Lines(Lines { room: Room::Any, tone, lines });
    let section = Section::new("notes", "", vec![lines(Tone::Doubtful, doubts), lines(Tone::Faint, remarks)]);
    section.is_in(Room::Any).then(|| section.headline())
}
