//! Published claims against what was measured: one evaluator for all of them.

use serde::Serialize;
use velo_model::{
    Bound, Claim, ClaimFigure, ClaimLoad, Figure, FigureKind, LoadCondition, Role, Side, Subject,
};
use velo_record::RunFile;
use velo_stats::CONFIDENCE;

use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::cause::Cause;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::doubt::reason::{CallFault, Reason};
use crate::measure::estimate::Estimate;
use crate::measure::launch_logs::LaunchLogs;
use crate::table::measurement::Measurement;
use crate::table::{self, Table};
use crate::words::as_json::some_in_words;

/// A claim and its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<Reason>,
}

/// One neighbouring pair of an order.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<Reason>,
}

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// The whole interval lies inside the bound.
    Holds,
    /// The whole interval lies outside.
    DoesNotHold,
    /// Neither, or a side cannot be used.
    CannotBeTold,
}

/// What claims are judged by.
pub(crate) struct Evidence<'a> {
    pub(crate) file: &'a RunFile,
    pub(crate) table: &'a Table,
    /// Why nothing is ranked, when nothing is.
    pub(crate) nothing_ranked: Option<&'a NothingRanked>,
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
        let (confidence, nothing_ranked, role) = self.rules(figure);
        let measured = self.ratio(over, under, figure, 1.0 - (1.0 - confidence) / pairs as f64);
        let (measured, holds, reason) = told(measured, bound, nothing_ranked, few_have(role, true));
        JudgedPair { over: over.clone(), under: under.clone(), measured, holds, reason }
    }

    /// A figure itself against its bound.
    fn judge_value(
        &self,
        side: &Side,
        figure: ClaimFigure,
        bound: Bound,
    ) -> (Option<Estimate>, Holds, Option<Reason>) {
        let (_, nothing_ranked, role) = self.rules(figure);
        told(self.value(side, figure), bound, nothing_ranked, few_have(role, false))
    }

    /// The confidence of a figure's intervals, why no verdict may rest on it, and whose it is.
    fn rules(&self, figure: ClaimFigure) -> (f64, Option<&'a NothingRanked>, Role) {
        let kind = figure.of.kind();
        let role = if kind == FigureKind::Process { Role::Task } else { Role::Server };
        match kind.row().is_planned {
            true => (self.confidence, self.nothing_ranked, role),
            false => (CONFIDENCE, self.no_task_ranked, role),
        }
    }

    /// The figure of one side, or why it cannot be used. Of those that are claimed by themselves a source prints seconds.
    fn value(&self, side: &Side, figure: ClaimFigure) -> Result<Estimate, Reason> {
        if figure.of.kind() != FigureKind::Burst {
            return Err(Reason::NotClaimedAsItIs);
        }
        let no_figure = || Reason::NoFigure { contender: side.contender.clone() };
        let seconds = self.usable(side, figure, true)?.estimate.and_then(|estimate| estimate.times(1e-9));
        seconds.ok_or_else(no_figure)
    }

    /// First side over second, or why a side cannot be used.
    fn ratio(
        &self,
        over: &Side,
        under: &Side,
        figure: ClaimFigure,
        confidence: f64,
    ) -> Result<Estimate, Reason> {
        let of = (over.workload.as_str(), self.usable(over, figure, true)?);
        let beside = (under.workload.as_str(), self.usable(under, figure, false)?);
        let is_one_workload = over.workload == under.workload;
        if let [Some(own), Some(other)] = [of, beside].map(|(_, one)| one.under.rate_per_s())
            && own != other
        {
            return Err(Reason::RatesDiffer { over_per_s: own, under_per_s: other });
        }
        let pair = self.table.pair(&over.workload, of.1, beside.1).filter(|_| is_one_workload);
        if let Some(ratio) = pair.and_then(|pair| pair.ratio_at(confidence)) {
            return Ok(ratio.into());
        }
        // In one workload the same baseline divides both scores, so the pairs need none.
        let log_ratios = if figure.is_score && !is_one_workload {
            let scores = [self.score(over, of)?, self.score(under, beside)?];
            scores[0].over_apart(&scores[1])
        } else {
            table::ratio(of, beside)
        };
        let role = self.rules(figure).2;
        log_ratios.estimate(confidence).ok_or_else(|| nothing_together(role, over, under))
    }

    /// A goodput over that of its workload's baseline.
    fn score(&self, side: &Side, own: (&str, &Measurement)) -> Result<LaunchLogs, Reason> {
        let workload = self.file.workload(&side.workload);
        let baseline = workload.map_or(&side.contender, |workload| &workload.baseline).clone();
        let baseline = Side { workload: side.workload.clone(), contender: baseline };
        let of = self.usable(&baseline, ClaimFigure::SCORE, false);
        let of = of.map_err(|reason| Reason::NoBaseline(Box::new(reason)))?;
        Ok(table::ratio(own, (&side.workload, of)))
    }

    /// What was measured of a side, where it can be used; `is_over`: it is the first of two.
    fn usable(&self, side: &Side, figure: ClaimFigure, is_over: bool) -> Result<&'a Measurement, Reason> {
        let Side { workload, contender } = side;
        let is_meant = |load: LoadCondition| figure.under.is_none_or(|meant| meant.means(load, is_over));
        let found = self.table.of(workload, contender, figure.of, is_meant);
        found.ok_or_else(|| self.missing(side, figure, is_over))?.usable()
    }

    /// Why a side has no such figure.
    fn missing(&self, side: &Side, figure: ClaimFigure, is_over: bool) -> Reason {
        let Side { workload, contender } = side.clone();
        let kind = figure.of.kind();
        let has_kind = self.table.of_workload(&workload).iter().any(|one| one.of.kind() == kind);
        match (kind, figure.under) {
            _ if self.file.workload(&workload).is_none() => Reason::NotRun { workload },
            (FigureKind::Process, _) if !has_kind => Reason::NoTasks { workload },
            (FigureKind::Process, _) => Reason::Absent { contender },
            (FigureKind::Call, _) if !has_kind => Reason::NoCalls { workload },
            (_, Some(ClaimLoad::Call { over, under })) => {
                let condition = if is_over { over } else { under };
                Reason::Call(CallFault::NotMade { contender, condition })
            }
            (_, under) => {
                let row = self.table.of(&workload, &contender, Figure::Startup, |_| true);
                match (row.map(Measurement::usable), under) {
                    (None, _) => Reason::NotRunOn { contender, workload },
                    (Some(Err(reason)), _) => reason,
                    (Some(Ok(_)), Some(ClaimLoad::Burst { requests, .. })) => {
                        Reason::NoBurst { contender, requests }
                    }
                    (Some(Ok(_)), _) => Reason::NoFigure { contender },
                }
            }
        }
    }
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
