//! The second ranking: CPU time per request at the common rate, which does not depend on who was the limit.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use velo_model::{Class, ContenderName, Figure, LoadCondition, Role};
use velo_record::RatePurpose;
use velo_stats::{Comparison, RankRange};

use super::contest::{Candidate, Contest, contest};

use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::cause::Cause;
use crate::doubt::context::RunContext;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::doubt::reason::Reason;
use crate::measure::cell::Cells;
use crate::measure::estimate::Estimate;
use crate::measure::launch_logs::LaunchLogs;
use crate::planning::Promise;
use crate::rank::cost::{inverse, per_core_second};
use crate::rank::pairs::{self, ComparedPair};
use crate::rows::paced::PacedFigures;
use crate::rows::row::Row;
use crate::table::measurement::{Measurement, Point};
use crate::words::as_json::some_in_words;

/// A workload's contenders by what a request costs them at the common rate.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EqualWorkRanking {
    /// Why there is none.
    #[serde(serialize_with = "some_in_words")]
    #[schemars(with = "Option<String>")]
    pub left_out: Option<Reason>,
    /// The probability of even one false separation among all pairs of all groups (Holm's procedure).
    pub level: f64,
    /// One group a rate, the highest rate first: contenders that are far apart are not given the same work.
    pub groups: Vec<EqualWorkGroup>,
}

impl EqualWorkRanking {
    /// What it is a ranking of.
    pub(crate) fn measurements(&self, rows: &[Row], cells: &Cells<'_>, workload: &str) -> Vec<Measurement> {
        let of_group = |group: &EqualWorkGroup, own: &EqualWorkRow| {
            let row = rows.iter().find(|row| row.contender == own.contender)?;
            let is_it = |figures: &&PacedFigures| {
                figures.purpose == RatePurpose::EqualWork && figures.rate_per_s == group.rate_per_s
            };
            let figures = row.latency.iter().find(is_it)?;
            let under = LoadCondition::OpenLoop { rate_per_s: group.rate_per_s };
            let rank = own.best.zip(own.worst);
            let point = Point { rank, reason: own.reason.clone(), ..Point::default() };
            let logs = cells.get(workload, &own.contender)?.logs_at(group.rate_per_s);
            let (of, estimate) = (Figure::CpuAtOneRate, own.cpu_per_request_ns);
            let measurement = Measurement::new(&own.contender, of, under, estimate);
            let fault = row.cpu_fault().or_else(|| rate_fault(figures));
            Some(measurement.fitted(logs).unless(fault).shown(row.has_figures().then_some(point)))
        };
        let rows = self.groups.iter().flat_map(|group| group.rows.iter().map(move |own| (group, own)));
        rows.filter_map(|(group, own)| of_group(group, own)).collect()
    }

    /// CPU time per request of one contender over another's at a rate, where they are a pair of its group.
    pub(crate) fn ratio(
        &self,
        rate_per_s: f64,
        over: &ContenderName,
        under: &ContenderName,
    ) -> Option<Estimate> {
        let mut groups = self.groups.iter().filter(|group| group.rate_per_s == rate_per_s);
        groups.find_map(|group| {
            group.pairs.iter().find_map(|pair| match (&pair.over, &pair.under) {
                own if own == (over, under) => pair.ratio,
                own if own == (under, over) => inverse(1.0, pair.ratio?),
                _ => None,
            })
        })
    }
}

/// Contenders that were given the same work.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EqualWorkGroup {
    /// Requests per second, on average, Poisson.
    pub rate_per_s: f64,
    /// Ranked ones first, cheapest first.
    pub rows: Vec<EqualWorkRow>,
    /// Each pair of ranked ones once, by CPU time per request.
    pub pairs: Vec<ComparedPair>,
}

/// A contender at the rate of its group.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EqualWorkRow {
    /// The contender.
    pub contender: ContenderName,
    /// One more than the number of contenders that are separated and cheaper; `None` when it is not ranked.
    pub best: Option<u32>,
    /// The number of ranked contenders less those that are separated and dearer.
    pub worst: Option<u32>,
    /// Why it is not ranked.
    #[serde(serialize_with = "some_in_words")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<Reason>,
    /// CPU time of the process tree per correct response.
    pub cpu_per_request_ns: Option<Estimate>,
    /// Requests that a core serves in a second of its CPU time: the inverse.
    pub requests_per_core_second: Option<Estimate>,
    /// The share of its CPUs' time that it used.
    pub utilisation: Option<f64>,
    /// Requests sent over requests due.
    pub achieved_share: Option<f64>,
}

/// A contender in a group, before it is ranked.
struct Entry<'a> {
    row: &'a Row,
    figures: &'a PacedFigures,
    cpu_ns: LaunchLogs,
    /// Why it is not ranked.
    fault: Option<Reason>,
}

/// Ranks a workload's contenders by CPU time per request at the rates that they were given.
pub(crate) fn rank(
    cells: &Cells<'_>,
    workload: &str,
    rows: &[Row],
    run: &RunContext<'_>,
    promise: Option<&Promise>,
) -> EqualWorkRanking {
    let groups = groups(cells, workload, rows, run);
    let candidates = candidates(&groups);
    let contest = compare(&candidates, run.level);
    let names: Vec<ContenderName> = candidates.iter().map(|(_, entry)| entry.row.contender.clone()).collect();
    let pairs = pairs::compared(&contest.comparison, &names, promise);
    EqualWorkRanking {
        left_out: groups.is_empty().then_some(Reason::NothingAtOneRate),
        level: run.level,
        groups: groups
            .iter()
            .enumerate()
            .map(|(number, group)| describe(number, group, &candidates, &contest, &pairs))
            .collect(),
    }
}

/// How those that are ranked so compare; `None` where no two are.
pub(crate) fn comparison(
    cells: &Cells<'_>,
    workload: &str,
    rows: &[Row],
    run: &RunContext<'_>,
) -> Option<Comparison> {
    let comparison = compare(&candidates(&groups(cells, workload, rows, run)), run.level).comparison;
    (!comparison.pairs.is_empty()).then_some(comparison)
}

/// The rows by the rate that they were given, the highest rate first, those that may be ranked first in each.
fn groups<'a>(
    cells: &Cells<'_>,
    workload: &str,
    rows: &'a [Row],
    run: &RunContext<'_>,
) -> Vec<Vec<Entry<'a>>> {
    let mut by_rate: BTreeMap<u64, Vec<Entry<'_>>> = BTreeMap::new();
    for row in rows {
        let Some(cell) = cells.get(workload, &row.contender) else { continue };
        for figures in row.latency.iter().filter(|figures| figures.purpose == RatePurpose::EqualWork) {
            let cpu_ns = cell.logs_at(figures.rate_per_s);
            let fault = fault(row, figures, run.nothing_ranked);
            // The bits of positive numbers are in the order of the numbers.
            let group = by_rate.entry(figures.rate_per_s.to_bits()).or_default();
            group.push(Entry { row, figures, cpu_ns, fault });
        }
    }
    by_rate.values_mut().for_each(|group| sort(group));
    by_rate.into_values().rev().collect()
}

/// Those that may be ranked, with the number of their group.
fn candidates<'a, 'b>(groups: &'b [Vec<Entry<'a>>]) -> Vec<(usize, &'b Entry<'a>)> {
    let in_group = |(number, group): (usize, &'b Vec<Entry<'a>>)| {
        group.iter().filter(|entry| entry.fault.is_none()).map(move |entry| (number, entry))
    };
    groups.iter().enumerate().flat_map(in_group).collect()
}

/// What is wrong with the figures at the rate; `None` when they can be compared.
pub(crate) fn rate_fault(figures: &PacedFigures) -> Option<Reason> {
    if figures.cpu_per_request_ns.is_none() {
        return Some(Reason::CpuTimeUnknown);
    }
    (!figures.is_met).then(|| Reason::RateNotMet {
        sent_share: figures.achieved_share.unwrap_or(0.0),
        behind_share: figures.behind_share.unwrap_or(0.0),
        failed_share: figures.answers.share(figures.answers.failures()).unwrap_or(0.0),
    })
}

fn fault(row: &Row, figures: &PacedFigures, nothing_ranked: Option<&NothingRanked>) -> Option<Reason> {
    if row.class == Class::Reference || row.cpu_fault().is_some() {
        return Some(Reason::Standing(Box::new(row.state.clone())));
    }
    let few = || {
        let (launches, needed) = (figures.launches, LEAST_LAUNCHES);
        (launches < needed).then_some(Cause::FewLaunches { role: Role::Server, launches, needed })
    };
    let of_run = || nothing_ranked.cloned().map(|because| Cause::Run { because });
    rate_fault(figures).or_else(|| of_run().or_else(few).map(Box::new).map(Reason::Rule))
}

/// Those that may be ranked first, the cheapest first.
fn sort(group: &mut [Entry<'_>]) {
    let cpu = |entry: &Entry<'_>| entry.figures.cpu_per_request_ns.map_or(f64::INFINITY, |cpu| cpu.value);
    group.sort_by(|a, b| {
        let by_fault = a.fault.is_some().cmp(&b.fault.is_some());
        by_fault.then(cpu(a).total_cmp(&cpu(b))).then_with(|| a.row.contender.cmp(&b.row.contender))
    });
}

fn compare(candidates: &[(usize, &Entry<'_>)], level: f64) -> Contest {
    let candidates = candidates.iter().map(|(group, entry)| Candidate { logs: &entry.cpu_ns, group: *group });
    contest(Figure::CpuAtOneRate, &candidates.collect::<Vec<_>>(), level)
}

fn describe(
    number: usize,
    group: &[Entry<'_>],
    candidates: &[(usize, &Entry<'_>)],
    contest: &Contest,
    pairs: &[ComparedPair],
) -> EqualWorkGroup {
    let own = candidates.iter().zip(&contest.ranges).filter(|((of, _), _)| *of == number);
    let ranges: Vec<RankRange> = own.map(|(_, range)| *range).collect();
    let rows = group.iter().enumerate().map(|(place, entry)| {
        let figures = entry.figures;
        // Those that are ranked stand first, in the order of the ranges.
        let range = ranges.get(place);
        EqualWorkRow {
            contender: entry.row.contender.clone(),
            best: range.map(|range| range.best),
            worst: range.map(|range| range.worst),
            reason: entry.fault.clone(),
            cpu_per_request_ns: figures.cpu_per_request_ns,
            requests_per_core_second: figures.cpu_per_request_ns.and_then(per_core_second),
            utilisation: figures.utilisation,
            achieved_share: figures.achieved_share,
        }
    });
    EqualWorkGroup {
        rate_per_s: group.first().map_or(0.0, |entry| entry.figures.rate_per_s),
        rows: rows.collect(),
        pairs: contest
            .comparison
            .pairs
            .iter()
            .zip(pairs)
            .filter(|(pair, _)| candidates[pair.first].0 == number)
            .map(|(_, pair)| pair.clone())
            .collect(),
    }
}
