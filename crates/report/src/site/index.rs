//! The first page: each workload with the answer of its widest run, all contenders, all runs.

use std::collections::{BTreeMap, BTreeSet};

use velo_model::ContenderName;

use super::entry::{Entry, Rank};
use super::file::SiteFile;
use super::group::{Headline, Member, headline, members};
use super::layout::{PARTS, page as framed};
use super::map::{INDEX, Map};
use super::measure::Measure;
use super::run::{Host, SiteRun, day};
use super::runs::{add_newer, add_runs};
use crate::html::Html;
use crate::html::table::{Cell, Column, table};
use crate::number::count;
use crate::view::plural;

/// Of a ranking the first page shows so many.
const TOP: usize = 5;

/// The first page. `runs`: the newest first; `notes`: what had no room.
pub(super) fn page(runs: &[&SiteRun], map: &Map, notes: &[String]) -> SiteFile {
    framed(INDEX, "Results", |html| {
        html.element("h1", &[], "Results");
        html.element("p", &[("class", "answer")], &summary(runs, map));
        notes.iter().for_each(|note| html.element("p", &[("class", "about")], note));
        let [workloads, contenders, all_runs] = PARTS;
        section(workloads, html, |html| add_workloads(runs, map, html));
        section(contenders, html, |html| add_contenders(map, html));
        section(all_runs, html, |html| {
            add_runs(INDEX, runs.iter().copied(), "All runs", html);
        });
    })
}

fn section((id, title): (&'static str, &'static str), html: &mut Html, fill: impl FnOnce(&mut Html)) {
    html.within("section", &[("aria-labelledby", id)], |html| {
        html.element("h2", &[("id", id)], title);
        fill(html);
    });
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

fn add_workloads(runs: &[&SiteRun], map: &Map, html: &mut Html) {
    for (name, _) in map.workloads() {
        let members: Vec<Member<'_>> = members(runs, name).collect();
        let Some(headline) = headline(&members) else { continue };
        let Headline { shown, .. } = headline;
        html.within("h3", &[], |html| html.link(&map.to_workload(INDEX, name), name));
        html.element("p", &[("class", "about")], &shown.workload.question);
        if let Some(answer) = &shown.workload.answer {
            html.element("p", &[("class", "answer")], answer);
        }
        add_top(shown, name, map, html);
        html.within("p", &[("class", "about")], |html| {
            html.text("From the run of ");
            html.link(&shown.run.path(), &shown.run.date);
            let state = if shown.run.is_in_trends() { "" } else { shown.run.state.words() };
            let state = if state.is_empty() { String::new() } else { format!(" ({state})") };
            let of = plural(members.len() as u64, "run", "runs");
            let overrides = shown.run.setting.departures();
            html.text(&format!("{state} on {}{overrides}; {of} of it in all.", shown.run.host.words()));
            add_newer(headline, INDEX, html);
        });
    }
}

/// The best of a ranking, where there is one.
fn add_top(member: Member<'_>, name: &str, map: &Map, html: &mut Html) {
    let measure = member.workload.ranked_by().unwrap_or(Measure::Steady);
    let ranked: Vec<(&Entry, Rank)> = measure
        .sorted(&member.workload.entries)
        .into_iter()
        .filter_map(|entry| Some((entry, measure.rank(entry)?)))
        .collect();
    if ranked.is_empty() {
        return;
    }
    let rows = ranked.iter().take(TOP).map(|(entry, rank)| {
        vec![
            Cell::number(Some(rank.words())),
            Cell::link(map.to_contender(INDEX, &entry.contender), &entry.name()),
            Cell::number(measure.figure(entry).map(|figure| figure.words(|value| measure.value(value)))),
        ]
    });
    let columns = [Column::of("rank"), Column::of("contender"), Column::of(measure.name())];
    table(html, &format!("The best of {name}"), &columns, 1, rows);
    if let Some(more) = ranked.len().checked_sub(TOP).filter(|more| *more > 0) {
        html.within("p", &[("class", "about")], |html| {
            let verb = if more == 1 { "is" } else { "are" };
            html.link(&map.to_workload(INDEX, name), &format!("{} more {verb} ranked", count(more as u64)));
        });
    }
}

fn add_contenders(map: &Map, html: &mut Html) {
    let mut languages: BTreeMap<&str, Vec<&ContenderName>> = BTreeMap::new();
    for (name, _) in map.contenders() {
        languages.entry(name.language()).or_default().push(name);
    }
    html.within("dl", &[("class", "languages")], |html| {
        for (language, names) in languages {
            html.within("div", &[], |html| {
                html.element("dt", &[], language);
                html.within("dd", &[], |html| {
                    for name in names {
                        html.link(&map.to_contender(INDEX, name), name.short());
                        html.text(" ");
                    }
                });
            });
        }
    });
}
