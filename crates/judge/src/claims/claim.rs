//! Published claims against what was measured: one evaluator for all of them.

use schemars::JsonSchema;
use serde::Serialize;
use velo_model::{Bound, Claim, ClaimFigure, ContenderName, Figure, FigureKind, Role, Side, Subject};
use velo_record::RunFile;
use velo_stats::{CONFIDENCE, Comparison, Pair};

use crate::calls::{self, Calls};
use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::cause::Cause;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::doubt::reason::Reason;
use crate::measure::cell::{Cell, Cells};
use crate::measure::estimate::Estimate;
use crate::measure::figures::Launches;
use crate::measure::launch_logs::estimate;
use crate::measure::launch_logs::{LaunchLogs, difference};
use crate::rows::bursts;
use crate::rows::row::Row;
use crate::tasks::{self, Tasks};
use crate::words::as_json::some_in_words;

/// A claim and its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgedClaim {
    /// The claim as published.
    pub claim: Claim,
    /// The ratio or the figure that was measured, where the claim is about one and its sides can be used.
    pub measured: Option<Estimate>,
    /// For an order: each neighbouring pair.
    pub pairs: Vec<JudgedPair>,
    /// Whether it holds.
    pub holds: Holds,
    /// Why it is inconclusive, or which pair breaks an order.
    #[serde(serialize_with = "some_in_words")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<Reason>,
}

/// One neighbouring pair of an order.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgedPair {
    /// The one that should be higher.
    pub over: Side,
    /// The other.
    pub under: Side,
    /// The ratio that was measured.
    pub measured: Option<Estimate>,
    /// Whether the pair is as claimed.
    pub holds: Holds,
    /// Why it is inconclusive.
    #[serde(serialize_with = "some_in_words")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<Reason>,
}

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// The whole interval lies inside the bound.
    Holds,
    /// The whole interval lies outside.
    DoesNotHold,
    /// Neither, or a side cannot be used.
    CannotBeTold,
}

/// The rows of each workload, with its name.
pub(crate) type RowsByWorkload<'a> = Vec<(&'a str, Vec<Row>)>;

/// What claims are judged by.
pub(crate) struct Evidence<'a> {
    pub(crate) file: &'a RunFile,
    pub(crate) cells: &'a Cells<'a>,
    /// The rows of all workloads, by workload.
    pub(crate) rows: &'a [(&'a str, Vec<Row>)],
    /// How the first rows of each workload compare; `None` where fewer than two are ranked.
    pub(crate) comparisons: &'a [Option<Comparison>],
    /// Why nothing is ranked, when nothing is.
    pub(crate) nothing_ranked: Option<&'a NothingRanked>,
    /// The tasks of all workloads, by workload.
    pub(crate) tasks: &'a [(&'a str, Option<Tasks>)],
    /// The single calls of all workloads, by workload.
    pub(crate) calls: &'a [(&'a str, Option<Calls>)],
    /// Why no task is ranked, when none is.
    pub(crate) no_task_ranked: Option<&'a NothingRanked>,
    /// Of the intervals, unless they are of tasks or of single calls.
    pub(crate) confidence: f64,
}

/// Judges a claim.
pub(crate) fn judge(claim: &Claim, evidence: &Evidence<'_>) -> JudgedClaim {
    let judged =
        |measured, pairs, holds, reason| JudgedClaim { claim: claim.clone(), measured, pairs, holds, reason };
    match &claim.subject {
        Subject::Ratio(over, under) => {
            let pair = evidence.judge_pair(over, under, claim.figure, claim.bound, 1);
            judged(pair.measured, Vec::new(), pair.holds, pair.reason)
        }
        Subject::Order(sides) => {
            // An order without a bound of its own says that each is above the next.
            let bound = match claim.bound {
                Bound { low: None, high: None } => Bound { low: Some(1.0), high: None },
                bound => bound,
            };
            let pairs: Vec<JudgedPair> = sides
                .windows(2)
                .map(|pair| evidence.judge_pair(&pair[0], &pair[1], claim.figure, bound, sides.len() - 1))
                .collect();
            let (holds, reason) = conclude(&pairs);
            judged(None, pairs, holds, reason)
        }
        Subject::Value(side) => {
            let (measured, holds, reason) = evidence.judge_value(side, claim.figure, claim.bound);
            judged(measured, Vec::new(), holds, reason)
        }
    }
}

/// One pair that is wholly outside breaks an order, whatever can be told of the others.
fn conclude(pairs: &[JudgedPair]) -> (Holds, Option<Reason>) {
    if let Some(broken) = pairs.iter().find(|pair| pair.holds == Holds::DoesNotHold) {
        let (over, under) = (broken.over.contender.clone(), broken.under.contender.clone());
        let reason = Reason::NotAbove { over, under };
        return (Holds::DoesNotHold, Some(reason));
    }
    if let Some(open) = pairs.iter().find(|pair| pair.holds == Holds::CannotBeTold) {
        let (over, under) = (open.over.contender.clone(), open.under.contender.clone());
        let between = || Reason::NotToldApart { over, under };
        return (Holds::CannotBeTold, open.reason.clone().or_else(|| Some(between())));
    }
    if pairs.is_empty() {
        return (Holds::CannotBeTold, Some(Reason::NothingToOrder));
    }
    (Holds::Holds, None)
}

/// Where an estimate's interval lies; without one it is inconclusive. `None` for a bound that bounds nothing.
fn place(estimate: &Estimate, bound: Bound) -> Option<Holds> {
    let (low, high) = (bound.low.unwrap_or(f64::NEG_INFINITY), bound.high.unwrap_or(f64::INFINITY));
    if low.is_nan() || high.is_nan() || low > high || (low == f64::NEG_INFINITY && high == f64::INFINITY) {
        return None;
    }
    Some(match estimate.interval() {
        Some((least, most)) if low <= least && most <= high => Holds::Holds,
        Some((least, most)) if most < low || high < least => Holds::DoesNotHold,
        _ => Holds::CannotBeTold,
    })
}

/// What a figure tells. `few`: that fewer than are needed have it.
fn told(
    measured: Result<Estimate, Reason>,
    bound: Bound,
    nothing_ranked: Option<&NothingRanked>,
    few: Reason,
) -> (Option<Estimate>, Holds, Option<Reason>) {
    let measured = match measured {
        Ok(measured) => measured,
        Err(reason) => return (None, Holds::CannotBeTold, Some(reason)),
    };
    let cannot = |reason: Reason| (Some(measured), Holds::CannotBeTold, Some(reason));
    if let Some(because) = nothing_ranked.cloned() {
        return cannot(Reason::Rule(Box::new(Cause::Run { because })));
    }
    if measured.launches == 1 {
        return cannot(Reason::MeasuredOnce);
    }
    if measured.launches < LEAST_LAUNCHES {
        return cannot(few);
    }
    match place(&measured, bound) {
        None => cannot(Reason::NoBound),
        Some(Holds::CannotBeTold) => cannot(Reason::CrossesBound),
        Some(holds) => (Some(measured), holds, None),
    }
}

fn few_have(role: Role, both: bool) -> Reason {
    Reason::FewHave { needed: LEAST_LAUNCHES, role, both }
}

fn nothing_together(role: Role, over: &Side, under: &Side) -> Reason {
    Reason::NothingTogether { role, over: over.contender.clone(), under: under.contender.clone() }
}

impl<'a> Evidence<'a> {
    /// One of so many pairs, any of which may break the claim: each has its part of the level.
    fn judge_pair(
        &self,
        over: &Side,
        under: &Side,
        figure: ClaimFigure,
        bound: Bound,
        pairs: usize,
    ) -> JudgedPair {
        let one_of = |confidence: f64| 1.0 - (1.0 - confidence) / pairs as f64;
        let pair = |measured, holds, reason| JudgedPair {
            over: over.clone(),
            under: under.clone(),
            measured,
            holds,
            reason,
        };
        let (measured, holds, reason) = match figure {
            _ if figure.measured().kind() == FigureKind::Process => {
                let measured = self.measure_tasks(over, under, figure, one_of(CONFIDENCE));
                told(measured, bound, self.no_task_ranked, few_have(Role::Task, true))
            }
            ClaimFigure::Call { over: over_condition, under: under_condition } => {
                let ratios = calls::log_ratios(self.calls, (over, over_condition), (under, under_condition));
                let measured = ratios.and_then(|ratios| {
                    let none = || nothing_together(Role::Server, over, under);
                    ratios.estimate(one_of(CONFIDENCE)).ok_or_else(none)
                });
                told(measured, bound, self.no_task_ranked, few_have(Role::Server, true))
            }
            _ => told(
                self.measure(over, under, figure, one_of(self.confidence)),
                bound,
                self.nothing_ranked,
                few_have(Role::Server, true),
            ),
        };
        pair(measured, holds, reason)
    }

    /// A figure itself against its bound.
    fn judge_value(
        &self,
        side: &Side,
        figure: ClaimFigure,
        bound: Bound,
    ) -> (Option<Estimate>, Holds, Option<Reason>) {
        told(self.value(side, figure), bound, self.nothing_ranked, few_have(Role::Server, false))
    }

    /// The figure of one side, or why it cannot be used.
    fn value(&self, side: &Side, figure: ClaimFigure) -> Result<Estimate, Reason> {
        let ClaimFigure::Makespan { requests, first_alone } = figure else {
            return Err(Reason::NotClaimedAsItIs);
        };
        let seconds = self.makespans(side, requests, first_alone)?;
        let no_figure = || Reason::NoFigure { contender: side.contender.clone() };
        estimate(&seconds, self.confidence).ok_or_else(no_figure)
    }

    /// Seconds that a burst took, one number a launch.
    fn makespans(&self, side: &Side, requests: u32, first_alone: bool) -> Result<Launches, Reason> {
        bursts::seconds(
            self.usable(side, ClaimFigure::Makespan { requests, first_alone })?,
            requests,
            first_alone,
        )
    }

    /// The first task's figure over the second's, or why a side cannot be used.
    fn measure_tasks(
        &self,
        over: &Side,
        under: &Side,
        figure: ClaimFigure,
        confidence: f64,
    ) -> Result<Estimate, Reason> {
        let log_ratios = tasks::log_ratios(self.tasks, over, under, figure.measured())?;
        log_ratios.estimate(confidence).ok_or_else(|| nothing_together(Role::Task, over, under))
    }

    /// First side over second, or why a side cannot be used.
    fn measure(
        &self,
        over: &Side,
        under: &Side,
        figure: ClaimFigure,
        confidence: f64,
    ) -> Result<Estimate, Reason> {
        let ratio_of = |log_ratios: &LaunchLogs| {
            log_ratios.estimate(confidence).ok_or_else(|| nothing_together(Role::Server, over, under))
        };
        if let ClaimFigure::Makespan { requests, first_alone } = figure {
            let logs = |side| Ok::<_, Reason>(logarithms(self.makespans(side, requests, first_alone)?));
            let log_ratios = difference(&logs(over)?, &logs(under)?);
            return ratio_of(&LaunchLogs::alone(log_ratios));
        }
        let measured = figure.measured();
        let (over_cell, under_cell) = (self.usable(over, figure)?, self.usable(under, figure)?);
        let pair = self.compared(over, under).filter(|_| measured == Figure::Goodput);
        if let Some(ratio) = pair.and_then(|pair| pair.ratio_at(confidence)) {
            return Ok(ratio.into());
        }
        let log_ratios = if over.workload == under.workload {
            // The same baseline divides both scores, so the pairs need no baseline.
            over_cell.over(under_cell, measured)
        } else if figure == ClaimFigure::Score {
            let scores = [self.log_scores(over, over_cell)?, self.log_scores(under, under_cell)?];
            LaunchLogs::alone(difference(scores[0].logs(), scores[1].logs()))
        } else {
            // Paired by launch: workloads have no blocks in common.
            LaunchLogs::alone(difference(over_cell.logs(measured).logs(), under_cell.logs(measured).logs()))
        };
        ratio_of(&log_ratios)
    }

    /// The two as a pair of their workload's table, where both are ranked in it.
    fn compared(&self, over: &Side, under: &Side) -> Option<Pair> {
        let at = self.rows.iter().position(|(workload, _)| *workload == over.workload)?;
        let place =
            |contender: &ContenderName| self.rows[at].1.iter().position(|row| row.contender == *contender);
        let comparison = self.comparisons.get(at)?.as_ref().filter(|_| over.workload == under.workload)?;
        comparison.between(place(&over.contender)?, place(&under.contender)?)
    }

    fn usable(&self, side: &Side, figure: ClaimFigure) -> Result<&'a Cell<'a>, Reason> {
        let Side { workload, contender } = side;
        if self.file.workload(workload).is_none() {
            return Err(Reason::NotRun { workload: workload.clone() });
        }
        let rows = self.rows.iter().find(|(name, _)| name == workload).map(|(_, rows)| rows.as_slice());
        let row = rows.unwrap_or_default().iter().find(|row| row.contender == *contender);
        let absent = || Reason::NotRunOn { contender: contender.clone(), workload: workload.clone() };
        let row = row.ok_or_else(absent)?;
        row.fault_of(figure.measured()).map_or(Ok(()), Err)?;
        self.cells.get(workload, contender).ok_or_else(absent)
    }

    fn log_scores(&self, side: &Side, cell: &Cell<'_>) -> Result<LaunchLogs, Reason> {
        let baseline = Side { workload: side.workload.clone(), contender: cell.workload.baseline.clone() };
        let baseline = self
            .usable(&baseline, ClaimFigure::Score)
            .map_err(|reason| Reason::NoBaseline(Box::new(reason)))?;
        Ok(cell.over(baseline, Figure::Goodput))
    }
}

fn logarithms(launches: Launches) -> Launches {
    launches.into_iter().map(|(launch, value)| (launch, value.ln())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(low: f64, high: f64) -> Estimate {
        Estimate {
            value: (low + high) / 2.0,
            low: Some(low),
            high: Some(high),
            launches: 5,
            ..Estimate::default()
        }
    }

    #[test]
    fn an_interval_is_inside_outside_or_neither() {
        let bound = Bound { low: Some(4.0), high: Some(6.0) };
        assert_eq!(place(&at(4.0, 6.0), bound), Some(Holds::Holds));
        assert_eq!(place(&at(6.1, 7.0), bound), Some(Holds::DoesNotHold));
        assert_eq!(place(&at(1.0, 3.9), bound), Some(Holds::DoesNotHold));
        assert_eq!(place(&at(3.9, 5.0), bound), Some(Holds::CannotBeTold));
        assert_eq!(place(&at(3.0, 7.0), bound), Some(Holds::CannotBeTold));
        let alone = Estimate { low: None, high: None, launches: 1, ..at(5.0, 5.0) };
        assert_eq!(place(&alone, bound), Some(Holds::CannotBeTold));
    }

    #[test]
    fn open_ends_bound_nothing_on_their_side() {
        let at_least = Bound { low: Some(1.0), high: None };
        assert_eq!(place(&at(1.0, 1e300), at_least), Some(Holds::Holds));
        assert_eq!(place(&at(0.5, 0.9), at_least), Some(Holds::DoesNotHold));
        assert_eq!(place(&at(1.0, 2.0), Bound { low: None, high: None }), None);
        assert_eq!(place(&at(1.0, 2.0), Bound { low: Some(3.0), high: Some(1.0) }), None);
        assert_eq!(place(&at(1.0, 2.0), Bound { low: Some(f64::NAN), high: None }), None);
    }
}
