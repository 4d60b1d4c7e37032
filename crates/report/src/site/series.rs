//! One contender's figures over the runs of a trend.

use std::collections::BTreeMap;

use jiff::Timestamp;
use velo_model::ContenderName;

use super::figures::Figure;
use super::group::Member;
use super::measure::Measure;
use super::run::SiteRun;

/// A contender's figures, the oldest first.
#[derive(Debug)]
pub(super) struct Series<'s> {
    pub(super) contender: &'s ContenderName,
    pub(super) points: Vec<Point>,
    /// Where it was another version than in the run before.
    pub(super) changes: Vec<Change<'s>>,
}

/// A figure of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) at: Timestamp,
    pub(super) figure: Figure,
    /// Whether the run ranks it by this figure.
    pub(super) is_ranked: bool,
    /// At which rate it is, of a figure at the common rate.
    pub(super) rate_per_s: Option<f64>,
}

/// A version that was not there before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'s> {
    pub(super) at: Timestamp,
    pub(super) run: &'s SiteRun,
    pub(super) before: &'s str,
    pub(super) after: &'s str,
}

/// The series of a trend: the order is that of the newest run, then come those that only older runs have. `trend`: the oldest
/// first.
pub(super) fn series<'s>(trend: &[Member<'s>], measure: Measure) -> Vec<Series<'s>> {
    let mut all: Vec<Series<'s>> = Vec::new();
    let mut places: BTreeMap<&ContenderName, usize> = BTreeMap::new();
    for member in trend.iter().rev() {
        let sorted = measure.sorted(&member.workload.entries);
        for entry in sorted.into_iter().filter(|entry| !entry.is_reference) {
            places.entry(&entry.contender).or_insert_with(|| {
                all.push(Series { contender: &entry.contender, points: Vec::new(), changes: Vec::new() });
                all.len() - 1
            });
        }
    }
    let mut versions: BTreeMap<&ContenderName, &str> = BTreeMap::new();
    for member in trend {
        let Some(at) = member.run.started_at else { continue };
        for entry in member.workload.entries.iter().filter(|entry| measure.is_of(entry)) {
            let Some(series) = places.get(&entry.contender).and_then(|place| all.get_mut(*place)) else {
                continue;
            };
            if let Some(figure) = measure.figure(entry) {
                let (is_ranked, rate_per_s) = (measure.rank(entry).is_some(), measure.rate_per_s(entry));
                series.points.push(Point { at, figure, is_ranked, rate_per_s });
            }
            if let Some(after) = entry.version.as_deref()
                && let Some(before) = versions.insert(&entry.contender, after)
                && before != after
            {
                series.changes.push(Change { at, run: member.run, before, after });
            }
        }
    }
    all
}

/// Where the generator was another one than in the run before.
pub(super) fn generator_changes<'s>(trend: &[Member<'s>]) -> Vec<Change<'s>> {
    let pairs = trend.windows(2).filter_map(|pair| {
        let (before, after) = (pair[0].run, pair[1].run);
        (before.generator != after.generator).then_some(Change {
            at: after.started_at?,
            run: after,
            before: &before.generator,
            after: &after.generator,
        })
    });
    pairs.collect()
}
