//! The page of a contender: its history over all workloads.

use velo_model::ContenderName;

use super::entry::Entry;
use super::file::SiteFile;
use super::group::{Group, MOST_IN_TABLE, Member, groups};
use super::layout::page as framed;
use super::map::Map;
use super::measure::Measure;
use super::run::SiteRun;
use super::runs::to_run;
use crate::html::Html;
use crate::html::table::{Cell, Column, table};

/// The page of a contender. `runs`: the newest first.
pub(super) fn page(name: &ContenderName, path: &str, runs: &[&SiteRun], map: &Map) -> SiteFile {
    framed(path, name.as_str(), |html| {
        html.element("h1", &[], name.as_str());
        if let Some(entry) = newest(name, runs) {
            let version = entry.version.as_ref().map(|version| format!(", {version}")).unwrap_or_default();
            html.element("p", &[("class", "label")], &format!("{}{version}", entry.class));
        }
        html.element(
            "p",
            &[("class", "about")],
            "Each table is of one host, one version of a workload and the same settings: only figures within a table may \
             be held against one another.",
        );
        for (workload, _) in map.workloads() {
            add_workload(name, workload, path, runs, map, html);
        }
    })
}

fn newest<'s>(name: &ContenderName, runs: &[&'s SiteRun]) -> Option<&'s Entry> {
    let mut entries =
        runs.iter().flat_map(|run| &run.workloads).filter_map(|workload| entry(name, &workload.entries));
    entries.next()
}

fn entry<'s>(name: &ContenderName, entries: &'s [Entry]) -> Option<&'s Entry> {
    entries.iter().find(|entry| entry.contender == *name)
}

fn add_workload(
    name: &ContenderName,
    workload: &str,
    path: &str,
    runs: &[&SiteRun],
    map: &Map,
    html: &mut Html,
) {
    let groups = groups(runs, workload);
    let is_in = |group: &&Group<'_>| group.members.iter().any(|member| has(member, name));
    let own: Vec<&Group<'_>> = groups.iter().filter(is_in).collect();
    if own.is_empty() {
        return;
    }
    html.within("section", &[], |html| {
        html.within("h2", &[], |html| html.link(&map.to_workload(path, workload), workload));
        for group in own {
            add_group(name, workload, group, &groups, path, html);
        }
    });
}

fn has(member: &Member<'_>, name: &ContenderName) -> bool {
    entry(name, &member.workload.entries).is_some()
}

fn add_group(
    name: &ContenderName,
    workload: &str,
    group: &Group<'_>,
    among: &[Group<'_>],
    path: &str,
    html: &mut Html,
) {
    let own =
        || group.members.iter().filter_map(|member| Some((member, entry(name, &member.workload.entries)?)));
    let is_task = own().any(|(_, entry)| entry.is_task);
    let measure = if is_task { Measure::Steady } else { group.of_servers() };
    let words = group.words(among);
    html.element("h3", &[], &words);
    let mut columns = vec![Column::of("run")];
    columns.extend(measure.columns());
    columns.extend([Column::of("version"), Column::of("state")]);
    let rows = own().take(MOST_IN_TABLE).map(|(member, entry)| {
        let mut cells = vec![to_run(path, member.run)];
        cells.extend(measure.cells(entry));
        cells.push(Cell::text(entry.version.as_deref().unwrap_or("-")));
        cells.push(Cell::text(member.run.state.words()));
        cells
    });
    table(html, &format!("{workload} on {words}"), &columns, 0, rows);
}
