//! The page of a workload: the answer and the ranking of its widest run, and how the figures of each contender went from run to run.

use std::collections::BTreeSet;

use super::chart::{Axes, chart};
use super::entry::{Entry, Rank};
use super::group::{Group, Headline, MOST_IN_TABLE, MOST_IN_TREND, Member, groups, headline, members};
use super::map::Map;
use super::measure::Measure;
use super::run::{SiteRun, day};
use super::runs::{table_of_runs, to_run, with_newer};
use super::series::{Change, Series, generator_changes, series};
use crate::document::{Block, Column, Document, Linked, Multiple, Section, Table, TableRow, Tone};
use crate::section::plural;
use crate::text::cut;

/// The columns that a version may take in the table of latest figures.
const VERSION: usize = 44;
const ACROSS: &str = "Runs on another host, of another version of the workload or with other settings have a part of \
                      their own here: across these nothing is compared.";
const LEGEND: &str = "A dot is a run, its line the interval; an open dot is a lower bound or not ranked; a dashed line is a \
                      change of version.";

/// The page of a workload at a path. `runs`: the newest first.
pub(super) fn document(name: &str, path: &str, runs: &[&SiteRun], map: &Map) -> Document {
    let all: Vec<Member<'_>> = members(runs, name).collect();
    let Some(headline) = headline(&all) else { return Document::new(name) };
    let Headline { shown, .. } = headline;
    let (host, overrides) = (shown.run.host.words(), shown.run.setting.departures());
    let from = Linked::default()
        .text("From the run of ")
        .link(&shown.run.date, to_run(path, shown.run))
        .text(&format!(" on {host}{overrides}, {}.", shown.run.state.words()));
    let mut blocks = vec![Block::linked(with_newer(from, headline, path))];
    blocks.extend(rankings(shown, path, map));
    let groups = groups(runs, name);
    if groups.len() > 1 {
        blocks.push(Block::text(ACROSS));
    }
    // Few runs have them: those of the newest one that has.
    let calls = all.iter().find(|member| !member.workload.calls.is_empty());
    let of_groups = groups.iter().map(|group| part(group, &groups, path, map));
    Document {
        question: format!("{name}: {}", shown.workload.question),
        answer: shown.workload.answer.clone().map(|answer| (answer, Tone::Good)),
        about: shown.workload.load.clone(),
        sections: vec![Section::new("", "", blocks)],
        parts: calls.map(|member| calls_of(*member, path)).into_iter().chain(of_groups).collect(),
        ..Document::new(name)
    }
}

/// The ranks of one run: those of servers, then those of tasks.
fn rankings(member: Member<'_>, path: &str, map: &Map) -> Vec<Block> {
    let mut tables = Vec::new();
    let beside = member.workload.ranked_beside();
    for measure in member.workload.ranked_by().into_iter().chain([Measure::Steady]).chain(beside) {
        let sorted: Vec<&Entry> = measure
            .sorted(&member.workload.entries)
            .into_iter()
            .filter(|entry| !entry.is_reference)
            .collect();
        if sorted.iter().all(|entry| measure.rank(entry).is_none()) {
            continue;
        }
        let columns =
            [Column::number("rank"), Column::text("contender")].into_iter().chain(measure.columns());
        let rows = sorted.into_iter().map(|entry| {
            let before = vec![measure.rank(entry).map(Rank::words), Some(entry.name())];
            measure.row(before, entry, Vec::new()).leading(1, map.to_contender(path, &entry.contender))
        });
        let label = format!("Ranking of the run of {}, {}", member.run.date, measure.name());
        tables.push(Block::Table(Table::new(columns, rows).called(label)));
    }
    tables
}

/// The whole calls of one run, by protocol, connection and distance.
fn calls_of(member: Member<'_>, path: &str) -> Document {
    let about = Linked::default()
        .text("One request at a time, nothing else in flight: the whole call; from the run of ")
        .link(&member.run.date, to_run(path, member.run))
        .text(", which has the phases too.");
    let tables = member.workload.calls.iter().map(|calls| {
        let title = calls.words.trim_end_matches(':');
        let columns = ["contender", "protocol"].map(Column::text).into_iter();
        let columns = columns.chain(calls.connections.iter().copied().map(Column::number));
        let table = Table::new(columns, calls.rows.iter().cloned());
        Section::new(title, "", vec![Block::Table(table.called(format!("Single calls: {title}")))])
    });
    let notes = Section::new("", "", vec![Block::remarks(member.workload.call_notes.clone())]);
    Document {
        sections: std::iter::once(Section::new("", "", vec![Block::linked(about)])).chain(tables).collect(),
        end: vec![notes],
        ..Document::new("Single calls")
    }
}

fn part(group: &Group<'_>, among: &[Group<'_>], path: &str, map: &Map) -> Document {
    let trend = group.trend();
    let mut sections = Vec::new();
    if !trend.is_empty() {
        for measure in group.measures() {
            sections.extend([trends(measure, &trend, path, map), latest(measure, &trend, path, map)]);
        }
        sections.push(changes(group, &trend, path, map));
    }
    let newest = group.members.iter().map(|member| member.run).take(MOST_IN_TABLE);
    sections.push(Section::new("runs", "", vec![table_of_runs(path, newest, "Runs")]));
    Document { about: about(group, &trend), sections, ..Document::new(group.words(among)) }
}

/// `7 complete runs from 2026-11-03 to 2026-11-19; 1 more, in another state, is in the list below alone.`
fn about(group: &Group<'_>, trend: &[Member<'_>]) -> String {
    let whole = group.members.iter().filter(|member| member.run.is_in_trends()).count();
    let all = group.members.len();
    let runs = plural(all as u64, "run", "runs");
    let days: Vec<String> = trend.iter().filter_map(|member| member.run.started_at.map(day)).collect();
    let when = match days.as_slice() {
        [] => String::new(),
        [first, .., last] if first != last => format!(" from {first} to {last}"),
        [first, ..] => format!(" of {first}"),
    };
    let outside = match all - whole {
        0 => "",
        _ if whole == 0 => "; only those whose state is complete have figures here",
        1 => "; 1 more, in another state, is in the list below alone",
        _ => "; those in another state are in the list below alone",
    };
    let newest =
        if whole > MOST_IN_TREND { format!("; the newest {MOST_IN_TREND} are shown") } else { String::new() };
    let shown = if whole == 0 { runs } else { plural(whole as u64, "complete run", "complete runs") };
    format!("{shown}{when}{newest}{outside}.")
}

/// How the figures went from run to run, a small chart for each contender.
fn trends(measure: Measure, trend: &[Member<'_>], path: &str, map: &Map) -> Section {
    let all = series(trend, measure);
    let title = if measure == Measure::Steady { "tasks" } else { "servers" };
    let title = format!("{title}: {}", measure.name());
    let Some(axes) = Axes::over(measure, trend, &all) else {
        let one = if trend.len() == 1 { " One run is no trend yet." } else { "" };
        return Section::new(&title, format!("{}{one}", measure.about()), Vec::new());
    };
    let drawn = all.iter().filter(|series| !series.points.is_empty());
    let charts = drawn
        .map(|series| Multiple { caption: caption(series, measure, path, map), chart: chart(series, &axes) });
    let about = format!("{} {LEGEND} {}", measure.about(), axes.words());
    Section::new(&title, about, vec![Block::Multiples(charts.collect())])
}

fn caption(series: &Series<'_>, measure: Measure, path: &str, map: &Map) -> Linked {
    let name = series.contender;
    let caption = Linked::default().link(name.as_str(), map.to_contender(path, name));
    match series.points.last() {
        Some(last) => caption.text(&format!(" {}", last.figure.words(|value| measure.value(value)))),
        None => caption,
    }
}

/// Each contender's newest figure; of one that has none what is said of it in its newest run.
fn latest(measure: Measure, trend: &[Member<'_>], path: &str, map: &Map) -> Section {
    let mut latest: Vec<(Member<'_>, &Entry)> = Vec::new();
    let mut known = BTreeSet::new();
    for with_figure in [true, false] {
        for member in trend.iter().rev() {
            for entry in measure.sorted(&member.workload.entries) {
                if (!with_figure || measure.figure(entry).is_some()) && known.insert(&entry.contender) {
                    latest.push((*member, entry));
                }
            }
        }
    }
    let columns: Vec<Column> = std::iter::once(Column::text("contender"))
        .chain(measure.columns())
        .chain([Column::text("version"), Column::text("run")])
        .collect();
    let of_run = columns.len() - 1;
    let rows = latest.iter().map(|(member, entry)| {
        // All of it stands on the contender's page.
        let version = entry.version.as_deref().map(|version| cut(version, VERSION));
        measure
            .row(vec![Some(entry.name())], entry, vec![version, Some(member.run.date.clone())])
            .leading(0, map.to_contender(path, &entry.contender))
            .leading(of_run, to_run(path, member.run))
    });
    let table = Table::new(columns, rows).called(format!("Latest figures, {}", measure.name()));
    let about = "Each row names its run; figures of different runs are not ranked against one another.";
    Section::new("latest figures", about, vec![Block::Table(table)])
}

/// What became another version, the newest change first.
fn changes(group: &Group<'_>, trend: &[Member<'_>], path: &str, map: &Map) -> Section {
    let all: Vec<Series<'_>> =
        group.measures().into_iter().flat_map(|measure| series(trend, measure)).collect();
    let generator = generator_changes(trend).into_iter().map(|change| (None, change));
    let own =
        all.iter().flat_map(|series| series.changes.iter().map(|change| (Some(series.contender), *change)));
    let mut changes: Vec<(Option<_>, Change<'_>)> = generator.chain(own).collect();
    changes.sort_by_key(|(_, change)| std::cmp::Reverse(change.at));
    let rows = changes.iter().map(|(contender, change)| {
        let name = contender.map_or("the generator", |contender| contender.as_str());
        let cells = [name, &change.run.date, change.before, change.after].map(|cell| Some(cell.to_owned()));
        let row = TableRow::from(cells).leading(1, to_run(path, change.run));
        match contender {
            Some(contender) => row.leading(0, map.to_contender(path, contender)),
            None => row,
        }
    });
    let columns = ["contender", "since the run of", "before", "after"].map(Column::text);
    Section::new("versions that changed", "", vec![Block::Table(Table::new(columns, rows))])
}
