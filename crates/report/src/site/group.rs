//! Which runs may be held against one another: those of the same host, the same workload and the same settings.

use std::collections::BTreeMap;

use super::measure::Measure;
use super::run::{Host, Setting, SiteRun, SiteWorkload};
use crate::number::binary_bytes;
use crate::section::plural;

/// A trend shows no more runs than these, the newest ones.
pub(super) const MOST_IN_TREND: usize = 100;
/// A table of runs has no more rows than these, those of the newest ones.
pub(super) const MOST_IN_TABLE: usize = 100;
/// So much of a hash tells versions of a workload apart.
const SHORT_HASH: usize = 8;

/// A run as one of a group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'s> {
    pub(super) run: &'s SiteRun,
    pub(super) workload: &'s SiteWorkload,
}

/// Runs of a workload that are comparable, the newest first; partial and quick ones too.
#[derive(Debug)]
pub(super) struct Group<'s> {
    key: Key<'s>,
    pub(super) members: Vec<Member<'s>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'s> {
    host: &'s Host,
    hash: &'s str,
    setting: &'s Setting,
}

/// The runs of a workload, the newest first.
pub(super) fn members<'s>(runs: &[&'s SiteRun], name: &str) -> impl Iterator<Item = Member<'s>> {
    runs.iter().filter_map(move |run| Some(Member { run, workload: run.workload(name)? }))
}

/// Whose answer stands first, and which newer run could be looked for in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Headline<'s> {
    pub(super) shown: Member<'s>,
    /// The newest complete run, where that is a newer one.
    pub(super) newer: Option<Member<'s>>,
}

/// The complete run that ranks most contenders, among equals that which measured most, among those the newest: a look at two
/// contenders does not take the place of a run of all. Where no run is complete the newest one. `members`: the newest first.
pub(super) fn headline<'s>(members: &[Member<'s>]) -> Option<Headline<'s>> {
    let complete = || members.iter().filter(|member| member.run.is_in_trends());
    // Of equals `max_by_key` takes the last one.
    let widest = complete().rev().max_by_key(|member| member.workload.width());
    let shown = *widest.or_else(|| members.first())?;
    let newest = complete().next().filter(|newest| newest.run.id != shown.run.id);
    Some(Headline { shown, newer: newest.copied() })
}

/// The groups of a workload, that of the newest run first. `runs`: the newest first.
pub(super) fn groups<'s>(runs: &[&'s SiteRun], workload: &str) -> Vec<Group<'s>> {
    let mut groups: Vec<Group<'s>> = Vec::new();
    let mut places: BTreeMap<Key<'s>, usize> = BTreeMap::new();
    for run in runs {
        let Some(workload) = run.workload(workload) else { continue };
        let key = Key { host: &run.host, hash: &workload.hash, setting: &run.setting };
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group { key, members: Vec::new() });
        }
        groups[place].members.push(Member { run, workload });
    }
    groups
}

impl<'s> Group<'s> {
    /// The runs of its trends, the oldest first.
    pub(super) fn trend(&self) -> Vec<Member<'s>> {
        let whole = self.members.iter().copied().filter(|member| member.run.is_in_trends());
        let mut trend: Vec<Member<'s>> = whole.take(MOST_IN_TREND).collect();
        trend.reverse();
        trend
    }

    /// What its servers are ranked by: the same for all of its runs, so that a trend is of one figure.
    pub(super) fn of_servers(&self) -> Measure {
        let whole = self.members.iter().filter(|member| member.run.is_in_trends());
        let newest = whole.chain(&self.members).find_map(|member| member.workload.ranked_by());
        newest.unwrap_or(Measure::Goodput)
    }

    /// What there is to show: servers by their measure, tasks by theirs.
    pub(super) fn measures(&self) -> Vec<Measure> {
        let entries = || self.members.iter().flat_map(|member| &member.workload.entries);
        let newest = self.members.iter().find(|member| member.run.is_in_trends());
        let beside = newest.map(|member| member.workload.ranked_beside()).unwrap_or_default();
        [self.of_servers(), Measure::Steady]
            .into_iter()
            .chain(beside)
            .filter(|measure| entries().any(|entry| measure.is_of(entry)))
            .collect()
    }

    /// Where and how it was measured, in words that tell it from the other ones.
    pub(super) fn words(&self, among: &[Group<'_>]) -> String {
        let mut words = self.key.host.words();
        if among.iter().any(|other| other.key.hash != self.key.hash) {
            let hash: String = self.key.hash.chars().take(SHORT_HASH).collect();
            words.push_str(&format!("; workload {hash}"));
        }
        if among.iter().any(|other| other.key.setting != self.key.setting) {
            words.push_str(&format!("; {}", self.key.setting.words()));
        }
        words
    }
}

impl Host {
    /// `AMD EPYC 7R13, 4 CPUs`.
    pub(super) fn words(&self) -> String {
        format!("{}, {}", self.cpu_model, plural(u64::from(self.cpus), "CPU", "CPUs"))
    }
}

impl Setting {
    /// `, with connections 100`: what departs from the workload's own settings, if anything does.
    pub(super) fn departures(&self) -> String {
        if self.overrides.is_empty() {
            String::new()
        } else {
            format!(", with {}", self.overrides.join(", "))
        }
    }

    /// `1 CPU serves, 1 loads, memory limited to 512 MiB, connections 100`.
    fn words(&self) -> String {
        let server = plural(self.server_cpus as u64, "CPU serves", "CPUs serve");
        let load = plural(self.load_cpus as u64, "loads", "load");
        let limit = self.memory_limit_bytes.map(|limit| format!("memory limited to {}", binary_bytes(limit)));
        let parts: Vec<String> = [Some(server), Some(load), limit].into_iter().flatten().collect();
        parts.iter().chain(&self.overrides).map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}
