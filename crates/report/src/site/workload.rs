//! The page of a workload: the answer and the ranking of its widest run, and how the figures of each contender went from run to run.

use std::collections::BTreeSet;

use super::chart::{Axes, draw};
use super::entry::{Entry, Rank};
use super::file::SiteFile;
use super::group::{Group, Headline, MOST_IN_TABLE, MOST_IN_TREND, Member, groups, headline, members};
use super::layout::page as framed;
use super::map::{Map, relative};
use super::measure::Measure;
use super::run::{SiteRun, day};
use super::runs::{add_newer, add_runs, to_run};
use super::series::{Change, Series, generator_changes, series};
use crate::html::Html;
use crate::html::table::{Cell, Column, table};
use crate::text::cut;
use crate::view::plural;

/// The columns that a version may take in the table of latest figures.
const VERSION: usize = 44;

/// The page of a workload. `runs`: the newest first.
pub(super) fn page(name: &str, path: &str, runs: &[&SiteRun], map: &Map) -> SiteFile {
    framed(path, name, |html| {
        let all: Vec<Member<'_>> = members(runs, name).collect();
        html.element("h1", &[], name);
        let Some(headline) = headline(&all) else { return };
        let Headline { shown, .. } = headline;
        html.within("p", &[("class", "label")], |html| {
            html.text(&shown.workload.question);
            html.text(" ");
            html.element("span", &[], &shown.workload.load);
        });
        if let Some(answer) = &shown.workload.answer {
            html.element("p", &[("class", "answer")], answer);
        }
        html.within("p", &[("class", "about")], |html| {
            html.text("From the run of ");
            html.link(&relative(path, &shown.run.path()), &shown.run.date);
            let (host, overrides) = (shown.run.host.words(), shown.run.setting.departures());
            html.text(&format!(" on {host}{overrides}, {}.", shown.run.state.words()));
            add_newer(headline, path, html);
        });
        add_rankings(shown, path, map, html);
        // Few runs have them: those of the newest one that has.
        if let Some(member) = all.iter().find(|member| !member.workload.calls.is_empty()) {
            add_calls(*member, path, html);
        }
        let groups = groups(runs, name);
        if groups.len() > 1 {
            html.element(
                "p",
                &[("class", "about")],
                "Runs on another host, of another version of the workload or with other settings have a part of \
                 their own here: across these nothing is compared.",
            );
        }
        for group in &groups {
            html.within("section", &[], |html| {
                html.element("h2", &[], &group.words(&groups));
                add_group(group, path, map, html);
            });
        }
    })
}

/// The ranks of one run: those of servers, then those of tasks.
fn add_rankings(member: Member<'_>, path: &str, map: &Map, html: &mut Html) {
    let of_servers = member.workload.ranked_by();
    for measure in of_servers.into_iter().chain([Measure::Steady]) {
        let sorted: Vec<&Entry> = measure
            .sorted(&member.workload.entries)
            .into_iter()
            .filter(|entry| !entry.is_reference)
            .collect();
        if sorted.iter().all(|entry| measure.rank(entry).is_none()) {
            continue;
        }
        let mut columns = vec![Column::of("rank"), Column::of("contender")];
        columns.extend(measure.columns());
        let rows = sorted.into_iter().map(|entry| {
            let mut cells = vec![
                Cell::number(measure.rank(entry).map(Rank::words)),
                Cell::link(map.to_contender(path, &entry.contender), &entry.name()),
            ];
            cells.extend(measure.cells(entry));
            cells
        });
        table(
            html,
            &format!("Ranking of the run of {}, {}", member.run.date, measure.name()),
            &columns,
            1,
            rows,
        );
    }
}

/// The whole calls of one run, by protocol, connection and distance.
fn add_calls(member: Member<'_>, path: &str, html: &mut Html) {
    html.within("section", &[], |html| {
        html.element("h2", &[], "Single calls");
        html.within("p", &[("class", "about")], |html| {
            html.text("One request at a time, nothing else in flight: the whole call; from the run of ");
            html.link(&relative(path, &member.run.path()), &member.run.date);
            html.text(", which has the phases too.");
        });
        for calls in &member.workload.calls {
            html.element("h3", &[], calls.words.trim_end_matches(':'));
            let titles = ["contender", "protocol"].iter().chain(&calls.connections);
            let columns: Vec<Column> = titles.copied().map(Column::of).collect();
            let rows = calls.rows.iter().map(|row| {
                let of = |(place, cell): (usize, &Option<String>)| match cell {
                    Some(words) if place < 2 => Cell::text(words),
                    cell => Cell::number(cell.clone()),
                };
                row.iter().enumerate().map(of).collect()
            });
            table(html, &format!("Single calls: {}", calls.words.trim_end_matches(':')), &columns, 0, rows);
        }
        member.workload.call_notes.iter().for_each(|words| html.element("p", &[("class", "about")], words));
    });
}

fn add_group(group: &Group<'_>, path: &str, map: &Map, html: &mut Html) {
    let trend = group.trend();
    html.element("p", &[("class", "about")], &about(group, &trend));
    if !trend.is_empty() {
        for measure in group.measures() {
            add_measure(measure, &trend, path, map, html);
        }
        add_changes(group, &trend, path, map, html);
    }
    html.element("h3", &[], "Runs");
    let newest = group.members.iter().map(|member| member.run).take(MOST_IN_TABLE);
    add_runs(path, newest, "Runs", html);
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

fn add_measure(measure: Measure, trend: &[Member<'_>], path: &str, map: &Map, html: &mut Html) {
    let all = series(trend, measure);
    let title = if measure == Measure::Steady { "Tasks" } else { "Servers" };
    html.element("h3", &[], &format!("{title}: {}", measure.name()));
    match Axes::over(measure, trend, &all) {
        Some(axes) => {
            html.element(
                "p",
                &[("class", "about")],
                &format!("{} {LEGEND} {}", measure.about(), axes.words()),
            );
            html.within("div", &[("class", "trends")], |html| {
                for series in all.iter().filter(|series| !series.points.is_empty()) {
                    html.within("figure", &[], |html| {
                        add_caption(series, measure, path, map, html);
                        draw(series, &axes, html);
                    });
                }
            });
        }
        None if trend.len() == 1 => {
            let words = format!("{} One run is no trend yet.", measure.about());
            html.element("p", &[("class", "about")], &words);
        }
        None => html.element("p", &[("class", "about")], measure.about()),
    }
    add_latest(measure, trend, path, map, html);
}

const LEGEND: &str = "A dot is a run, its line the interval; an open dot is a lower bound or not ranked; a dashed line is a \
                      change of version.";

fn add_caption(series: &Series<'_>, measure: Measure, path: &str, map: &Map, html: &mut Html) {
    html.within("figcaption", &[], |html| {
        html.link(&map.to_contender(path, series.contender), series.contender.as_str());
        if let Some(last) = series.points.last() {
            html.text(" ");
            html.element("span", &[("class", "number")], &last.figure.words(|value| measure.value(value)));
        }
    });
}

/// Each contender's newest figure; of one that has none what is said of it in its newest run.
fn add_latest(measure: Measure, trend: &[Member<'_>], path: &str, map: &Map, html: &mut Html) {
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
    let mut columns = vec![Column::of("contender")];
    columns.extend(measure.columns());
    columns.extend([Column::of("version"), Column::of("run")]);
    let rows = latest.iter().map(|(member, entry)| {
        let mut cells = vec![Cell::link(map.to_contender(path, &entry.contender), &entry.name())];
        cells.extend(measure.cells(entry));
        // All of it stands on the contender's page.
        let version =
            entry.version.as_deref().map_or_else(|| "-".to_owned(), |version| cut(version, VERSION));
        cells.extend([Cell::text(&version), to_run(path, member.run)]);
        cells
    });
    html.element("h3", &[], "Latest figures");
    html.element(
        "p",
        &[("class", "about")],
        "Each row names its run; figures of different runs are not ranked against one another.",
    );
    table(html, &format!("Latest figures, {}", measure.name()), &columns, 0, rows);
}

/// What became another version, the newest change first.
fn add_changes(group: &Group<'_>, trend: &[Member<'_>], path: &str, map: &Map, html: &mut Html) {
    let all: Vec<Series<'_>> =
        group.measures().into_iter().flat_map(|measure| series(trend, measure)).collect();
    let generator = generator_changes(trend).into_iter().map(|change| (None, change));
    let own =
        all.iter().flat_map(|series| series.changes.iter().map(|change| (Some(series.contender), *change)));
    let mut changes: Vec<(Option<_>, Change<'_>)> = generator.chain(own).collect();
    if changes.is_empty() {
        return;
    }
    changes.sort_by_key(|(_, change)| std::cmp::Reverse(change.at));
    let rows = changes.iter().map(|(contender, change)| {
        let name = match contender {
            Some(contender) => Cell::link(map.to_contender(path, contender), contender.as_str()),
            None => Cell::text("the generator"),
        };
        vec![name, to_run(path, change.run), Cell::text(change.before), Cell::text(change.after)]
    });
    html.element("h3", &[], "Versions that changed");
    let titles = ["contender", "since the run of", "before", "after"];
    table(html, "Versions that changed", &titles.map(Column::of), 0, rows);
}
