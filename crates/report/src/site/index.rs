//! The first page: each workload with the answer of its widest run, all contenders, all runs.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{Entry, Rank};
use super::group::{Headline, Member, headline, members};
use super::layout::PARTS;
use super::map::{INDEX, Map};
use super::measure::Measure;
use super::run::{Host, SiteRun, day};
use super::runs::{table_of_runs, to_run, with_newer};
use crate::document::{Block, Column, Document, Linked, Section, Table, TableRow, Tone};
use crate::number::count;
use crate::section::plural;

/// Of a ranking the first page shows so many.
const TOP: usize = 5;

/// The first page. `runs`: the newest first; `notes`: what had no room.
pub(super) fn document(runs: &[&SiteRun], map: &Map, notes: &[String]) -> Document {
    let part = |(anchor, title): (&'static str, &'static str)| Document {
        anchor: Some(anchor),
        ..Document::new(title)
    };
    let [workloads, contenders, all_runs] = PARTS.map(part);
    let section = |block: Block| vec![Section::new("", "", vec![block])];
    let of_runs = table_of_runs(INDEX, runs.iter().copied(), "All runs");
    Document {
        about: summary(runs, map),
        sections: section(Block::remarks(notes.to_vec())),
        parts: vec![
            Document {
                parts: map.workloads().filter_map(|(name, _)| workload(name, runs, map)).collect(),
                ..workloads
            },
            Document { sections: section(Block::Table(table_of_contenders(map))), ..contenders },
            Document { sections: section(of_runs), ..all_runs },
        ],
        ..Document::new("Results")
    }
}

/// `12 runs of 2 workloads with 30 contenders on 2 hosts, from 2026-11-01 to 2026-11-21.`
fn summary(runs: &[&SiteRun], map: &Map) -> String {
    let hosts: BTreeSet<&Host> = runs.iter().map(|run| &run.host).collect();
    let days: Vec<String> = runs.iter().filter_map(|run| Some(day(run.started_at?))).collect();
    let when = match (days.last(), days.first()) {
        (Some(first), Some(last)) if first == last => format!(", on {first}"),
        (Some(first), Some(last)) => format!(", from {first} to {last}"),
        _ => String::new(),
    };
    let across = if hosts.len() > 1 { " Across hosts nothing is compared." } else { "" };
    format!(
        "{} of {} with {} on {}{when}.{across}",
        plural(runs.len() as u64, "run", "runs"),
        plural(map.workloads().count() as u64, "workload", "workloads"),
        plural(map.contenders().count() as u64, "contender", "contenders"),
        plural(hosts.len() as u64, "host", "hosts"),
    )
}

fn workload(name: &str, runs: &[&SiteRun], map: &Map) -> Option<Document> {
    let members: Vec<Member<'_>> = members(runs, name).collect();
    let headline = headline(&members)?;
    let Headline { shown, .. } = headline;
    let state = if shown.run.is_in_trends() { "" } else { shown.run.state.words() };
    let state = if state.is_empty() { String::new() } else { format!(" ({state})") };
    let of = plural(members.len() as u64, "run", "runs");
    let overrides = shown.run.setting.departures();
    let from = Linked::default()
        .text("From the run of ")
        .link(&shown.run.date, to_run(INDEX, shown.run))
        .text(&format!("{state} on {}{overrides}; {of} of it in all.", shown.run.host.words()));
    let mut blocks = top(shown, name, map);
    blocks.push(Block::linked(with_newer(from, headline, INDEX)));
    Some(Document {
        href: Some(map.to_workload(INDEX, name)),
        question: shown.workload.question.clone(),
        answer: shown.workload.answer.clone().map(|answer| (answer, Tone::Good)),
        sections: vec![Section::new("", "", blocks)],
        ..Document::new(name)
    })
}

/// The best of a ranking, where there is one.
fn top(member: Member<'_>, name: &str, map: &Map) -> Vec<Block> {
    let measure = member.workload.ranked_by().unwrap_or(Measure::Steady);
    let ranked: Vec<(&Entry, Rank)> = measure
        .sorted(&member.workload.entries)
        .into_iter()
        .filter_map(|entry| Some((entry, measure.rank(entry)?)))
        .collect();
    let rows = ranked.iter().take(TOP).map(|(entry, rank)| {
        let figure = measure.figure(entry).map(|figure| figure.words(|value| measure.value(value)));
        TableRow::from([Some(rank.words()), Some(entry.name()), figure])
            .leading(1, map.to_contender(INDEX, &entry.contender))
    });
    let columns = [Column::number("rank"), Column::text("contender"), Column::number(measure.name())];
    let mut blocks = vec![Block::Table(Table::new(columns, rows).called(format!("The best of {name}")))];
    if let Some(more) = ranked.len().checked_sub(TOP).filter(|more| *more > 0) {
        let verb = if more == 1 { "is" } else { "are" };
        let words = format!("{} more {verb} ranked", count(more as u64));
        blocks.push(Block::linked(Linked::default().link(&words, map.to_workload(INDEX, name))));
    }
    blocks
}

/// By language.
fn table_of_contenders(map: &Map) -> Table {
    let mut languages: BTreeMap<&str, Linked> = BTreeMap::new();
    for (name, _) in map.contenders() {
        let names = languages.remove(name.language()).map_or_else(Linked::default, |names| names.text(", "));
        let names = names.link(name.short(), map.to_contender(INDEX, name));
        languages.insert(name.language(), names);
    }
    let rows = languages.into_iter().map(|(language, names)| {
        let links = names.links.into_iter().map(|link| (1, link)).collect();
        TableRow { links, ..TableRow::from([Some(language.to_owned()), Some(names.words)]) }
    });
    Table::new([Column::text("language"), Column::text("contenders")], rows).called("Contenders by language")
}
