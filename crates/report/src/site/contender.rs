//! The page of a contender: its history over all workloads.

use velo_model::ContenderName;

use super::entry::Entry;
use super::group::{Group, MOST_IN_TABLE, Member, groups};
use super::map::Map;
use super::measure::Measure;
use super::run::SiteRun;
use super::runs::to_run;
use crate::document::{Block, Column, Document, Section, Table};

/// The page of a contender at a path. `runs`: the newest first.
pub(super) fn document(name: &ContenderName, path: &str, runs: &[&SiteRun], map: &Map) -> Document {
    let about = newest(name, runs).map(|entry| {
        let version = entry.version.as_ref().map(|version| format!(", {version}")).unwrap_or_default();
        format!("{}{version}", entry.class)
    });
    let rule = "Each table is of one host, one version of a workload and the same settings: only figures within a table may \
                be held against one another.";
    Document {
        about: about.unwrap_or_default(),
        sections: vec![Section::new("", "", vec![Block::text(rule)])],
        parts: map.workloads().filter_map(|(workload, _)| part(name, workload, path, runs, map)).collect(),
        ..Document::new(name.as_str())
    }
}

fn newest<'s>(name: &ContenderName, runs: &[&'s SiteRun]) -> Option<&'s Entry> {
    let mut entries =
        runs.iter().flat_map(|run| &run.workloads).filter_map(|workload| entry(name, &workload.entries));
    entries.next()
}

fn entry<'s>(name: &ContenderName, entries: &'s [Entry]) -> Option<&'s Entry> {
    entries.iter().find(|entry| entry.contender == *name)
}

/// What it did in a workload, where it was in one.
fn part(name: &ContenderName, workload: &str, path: &str, runs: &[&SiteRun], map: &Map) -> Option<Document> {
    let groups = groups(runs, workload);
    let is_in = |group: &&Group<'_>| group.members.iter().any(|member| has(member, name));
    let sections: Vec<Section> =
        groups.iter().filter(is_in).map(|group| section(name, workload, group, &groups, path)).collect();
    (!sections.is_empty()).then(|| Document {
        href: Some(map.to_workload(path, workload)),
        sections,
        ..Document::new(workload)
    })
}

fn has(member: &Member<'_>, name: &ContenderName) -> bool {
    entry(name, &member.workload.entries).is_some()
}

fn section(
    name: &ContenderName,
    workload: &str,
    group: &Group<'_>,
    among: &[Group<'_>],
    path: &str,
) -> Section {
    let own =
        || group.members.iter().filter_map(|member| Some((member, entry(name, &member.workload.entries)?)));
    let is_task = own().any(|(_, entry)| entry.is_task);
    let measure = if is_task { Measure::Steady } else { group.of_servers() };
    let words = group.words(among);
    let columns = std::iter::once(Column::text("run"))
        .chain(measure.columns())
        .chain([Column::text("version"), Column::text("state")]);
    let rows = own().take(MOST_IN_TABLE).map(|(member, entry)| {
        let behind = vec![entry.version.clone(), Some(member.run.state.words().to_owned())];
        measure.row(vec![Some(member.run.date.clone())], entry, behind).leading(0, to_run(path, member.run))
    });
    let table = Table::new(columns, rows).called(format!("{workload} on {words}"));
    Section::new(&words, "", vec![Block::Table(table)])
}
