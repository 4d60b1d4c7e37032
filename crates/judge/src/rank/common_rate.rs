//! The second ranking: CPU time per request at the common rate, which does not depend on who was the limit.

use std::collections::BTreeMap;

use velo_model::{Class, ContenderName, Figure, LoadCondition, Role};
use velo_stats::{Comparison, RankRange};

use super::contest::{Candidate, Contest, contest};

use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::cause::Cause;
use crate::doubt::context::RunContext;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::cell::{Cell, Cells};
use crate::measure::estimate::Estimate;
use crate::measure::launch_logs::LaunchLogs;
use crate::planning::Promise;
use crate::rank::pairs::{self, ComparedPair, FigurePairs};
use crate::rank::ranking::is_external;
use crate::rows::paced::PacedFigures;
use crate::rows::row::Row;
use crate::table::measurement::{Measurement, Point};

/// The figure that is ranked.
const OF: Figure = Figure::CpuAtOneRate;

/// A workload's contenders by what a request costs them at the common rate. Contenders that are far apart are not given the same
/// work: each group of them has a rate of its own.
#[derive(Default)]
pub(crate) struct CommonRate {
    /// The highest rate first; in each group those that are ranked first, the cheapest first.
    pub(crate) measurements: Vec<Measurement>,
    /// Of each group that has a pair.
    pub(crate) pairs: Vec<FigurePairs>,
}

impl CommonRate {
    /// CPU time per request of one contender over another's at a rate, where they are a pair of its group.
    pub(crate) fn ratio(
        &self,
        rate_per_s: f64,
        over: &ContenderName,
        under: &ContenderName,
    ) -> Option<Estimate> {
        let mut own = self.pairs.iter().filter(|one| one.under == LoadCondition::OpenLoop { rate_per_s });
        own.find_map(|one| one.pairs.ratio(over, under))
    }
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
) -> CommonRate {
    let groups = groups(cells, workload, rows, run);
    let candidates = candidates(&groups);
    let contest = compare(&candidates, run.level);
    let names: Vec<ContenderName> = candidates.iter().map(|(_, entry)| entry.row.contender.clone()).collect();
    let compared = pairs::compared(&contest.comparison, &names, promise);
    let mut found = CommonRate::default();
    for (number, group) in groups.iter().enumerate() {
        let of_group = candidates.iter().zip(&contest.ranges).filter(|((of, _), _)| *of == number);
        // Those that are ranked stand first, in the order of the ranges.
        let ranges: Vec<RankRange> = of_group.map(|(_, range)| *range).collect();
        let measured = group.iter().enumerate().map(|(place, entry)| entry.measurement(ranges.get(place)));
        found.measurements.extend(measured);
        let own = contest.comparison.pairs.iter().zip(&compared);
        let own = own.filter(|(pair, _)| candidates[pair.first].0 == number);
        let own: Vec<ComparedPair> = own.map(|(_, pair)| pair.clone()).collect();
        let Some(entry) = group.first().filter(|_| !own.is_empty()) else { continue };
        match found.pairs.last_mut().filter(|last| last.under == entry.load()) {
            Some(last) => {
                let all = last.pairs.compared.iter().cloned().chain(own).collect();
                last.pairs = pairs::of_pairs(&contest.comparison, all);
            }
            None => {
                let pairs = pairs::of_pairs(&contest.comparison, own);
                found.pairs.push(FigurePairs { of: OF, under: entry.load(), pairs });
            }
        }
    }
    found
}

impl Entry<'_> {
    fn load(&self) -> LoadCondition {
        LoadCondition::OpenLoop { rate_per_s: self.figures.rate_per_s }
    }

    fn measurement(&self, range: Option<&RankRange>) -> Measurement {
        let (row, figures) = (self.row, self.figures);
        let rank = range.map(|range| (range.best, range.worst));
        let point = Point { rank, reason: self.fault.clone(), ..Point::default() };
        Measurement::new(&row.contender, OF, self.load(), figures.estimate(OF))
            .fitted(self.cpu_ns.clone())
            .unless(row.cpu_fault().or_else(|| rate_fault(figures)))
            .shown(row.has_figures().then_some(point))
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

/// The rows by the rate that they were given, the highest rate first, those that ran already apart from the others at it; those that may
/// be ranked first in each.
fn groups<'a>(
    cells: &Cells<'_>,
    workload: &str,
    rows: &'a [Row],
    run: &RunContext<'_>,
) -> Vec<Vec<Entry<'a>>> {
    let mut by_rate: BTreeMap<(u64, bool), Vec<Entry<'_>>> = BTreeMap::new();
    for row in rows {
        let Some(cell) = cells.get(workload, &row.contender) else { continue };
        for figures in row.at_common_rates() {
            let cpu_ns = cell.logs_at(OF, figures.rate_per_s);
            let fault = fault(row, figures, run.nothing_ranked);
            // The bits of positive numbers are in the order of the numbers.
            let group = by_rate.entry((figures.rate_per_s.to_bits(), !is_external(row))).or_default();
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

/// One contender over another of the same workload at a rate, whether or not they are a pair of its group.
pub(crate) fn over(cell: &Cell<'_>, base: &Cell<'_>, rate_per_s: f64) -> LaunchLogs {
    cell.logs_at(OF, rate_per_s).over(&base.logs_at(OF, rate_per_s))
}

/// What is wrong with the figures at the rate; `None` when they can be compared.
pub(crate) fn rate_fault(figures: &PacedFigures) -> Option<Reason> {
    if figures.estimate(OF).is_none() {
        return Some(Reason::CpuTimeUnknown);
    }
    (!figures.is_met).then(|| Reason::RateNotMet {
        sent_share: figures.achieved_share.unwrap_or(0.0),
        behind_share: figures.behind_share.unwrap_or(0.0),
        failed_share: figures.answers.share(figures.answers.failures()).unwrap_or(0.0),
    })
}

fn fault(row: &Row, figures: &PacedFigures, nothing_ranked: Option<&NothingRanked>) -> Option<Reason> {
    let is_alone = matches!(row.state, RowState::NotRanked { cause: Cause::OnlyExternal });
    if row.class == Class::Reference || is_alone || row.cpu_fault().is_some() {
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
    let cpu = |entry: &Entry<'_>| entry.figures.estimate(OF).map_or(f64::INFINITY, |cpu| cpu.value);
    group.sort_by(|a, b| {
        let by_fault = a.fault.is_some().cmp(&b.fault.is_some());
        by_fault.then(cpu(a).total_cmp(&cpu(b))).then_with(|| a.row.contender.cmp(&b.row.contender))
    });
}

fn compare(candidates: &[(usize, &Entry<'_>)], level: f64) -> Contest {
    let candidates = candidates.iter().map(|(group, entry)| Candidate { logs: &entry.cpu_ns, group: *group });
    contest(OF, &candidates.collect::<Vec<_>>(), level)
}
