//! Two runs: each contender against itself.

use std::collections::BTreeMap;

use velo_model::{Better, ContenderName, Figure, LoadCondition};
use velo_stats::estimate::mean_over_launches;
use velo_stats::{CONFIDENCE, LEAST_FOR_INTERVAL, LEVEL, Welch, holm_adjusted, welch};

use super::condition::{self, Condition};
use super::identity::{self, ByName};
use super::result::{
    Change, ChangeState, CompareError, ComparedRuns, ComparedWorkload, FORMAT, LevelChange, NotCompared,
    Ratio, Refused, RunHead,
};
use super::snapshot::{LaunchFigure, Snapshot, SnapshotSeries, SnapshotWorkload};
use super::tested::Tested;
use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::words::{percent, rate};

/// Rates of two runs that differ by more, as a share of the smaller one, are not one rate.
const RATES_AGREE: f64 = 0.05;

/// So many reasons why nothing can be compared are given.
const MOST_REASONS: usize = 20;
/// And so much of each.
const LONGEST: usize = 300;

/// Compares the same contenders before and after, and holds the conditions against what changed.
///
/// A launch is one number, its logarithm taken. Where both runs have the reference on a workload, unchanged, the number of a
/// server is its log ratio over the reference in the same blocks, so that what the machine did between the runs cancels; startup
/// and tasks have no reference. Welch's t tells means apart; Holm's procedure over all contenders and workloads of a figure keeps
/// the probability of even one false separation at 5 %. What a whole run has in common (where the kernel put memory, how busy
/// neighbours were) is in no launch's spread, so that it is not in the intervals.
///
/// # Errors
/// When nothing is left to be compared.
pub fn runs(
    before: &Snapshot,
    after: &Snapshot,
    conditions: &[Condition],
) -> Result<ComparedRuns, CompareError> {
    if let Some(reason) = identity::refuse(before, after) {
        return Err(CompareError::NothingLeft { reasons: vec![printable(&reason)] });
    }
    let mut comparer = Comparer::new(before, after);
    comparer.workloads();
    if comparer.compared.is_empty() {
        let words = |refused: &Refused| printable(&format!("{}: {}", refused.workload, refused.reason));
        let mut reasons: Vec<String> = comparer.refused.iter().map(words).take(MOST_REASONS).collect();
        if reasons.is_empty() {
            reasons.push("neither has a workload".to_owned());
        }
        return Err(CompareError::NothingLeft { reasons });
    }
    comparer.series(None, [&before.series, &after.series], false);
    let Comparer { compared, refused, mut tested, not_compared, .. } = comparer;
    tested.sort_by_key(|tested| tested.change.figure);
    Figure::compared().for_each(|figure| separate(&mut tested, figure));
    Ok(ComparedRuns {
        format: FORMAT,
        before: head(before),
        after: head(after),
        confidence: CONFIDENCE,
        level: LEVEL,
        differences: identity::differences(before, after),
        refused,
        workloads: compared,
        conditions: condition::judge(conditions, &tested, &not_compared),
        changes: tested.into_iter().map(|tested| tested.change).collect(),
        not_compared,
    })
}

/// What a file says of itself may be long, and may speak to a terminal.
fn printable(text: &str) -> String {
    text.chars().take(LONGEST).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn head(run: &Snapshot) -> RunHead {
    RunHead {
        started_at: run.started_at.clone(),
        velo: run.velo.clone(),
        nothing_ranked: run.nothing_ranked.clone(),
    }
}

/// Holm's procedure over the changes of a figure that a verdict may rest on.
fn separate(tested: &mut [Tested], figure: Figure) {
    let mut family: Vec<(&mut Tested, f64)> = tested
        .iter_mut()
        .filter(|tested| tested.change.figure == figure)
        .filter_map(|tested| {
            let p = tested.test()?.p();
            Some((tested, p))
        })
        .collect();
    let p_values: Vec<f64> = family.iter().map(|(_, p)| *p).collect();
    for ((tested, _), p_holm) in family.iter_mut().zip(holm_adjusted(&p_values)) {
        let change = &mut tested.change;
        change.p_holm = Some(p_holm);
        if p_holm <= LEVEL {
            let is_more = change.ratio.value > 1.0;
            change.state = if is_more == (figure.row().better == Better::More) {
                ChangeState::Better
            } else {
                ChangeState::Worse
            };
        }
    }
}

/// What is compared: a figure of a contender in both runs.
struct Candidate<'s> {
    figure: Figure,
    workload: Option<&'s str>,
    contender: &'s ContenderName,
    load: Option<LoadCondition>,
    before: &'s LaunchFigure,
    after: &'s LaunchFigure,
    /// Whether its ratios over the reference can be compared, where there are enough.
    has_reference: bool,
}

/// What a run has of each contender, the reference left out: by quantity its figures, each under its load.
type ByContender<'s> = BTreeMap<&'s ContenderName, BTreeMap<Figure, Vec<(LoadCondition, &'s LaunchFigure)>>>;

fn by_contender(series: &[SnapshotSeries]) -> ByContender<'_> {
    let mut all = ByContender::new();
    for series in series {
        for point in series.points.iter().filter(|point| !point.is_reference) {
            let own = all.entry(&point.contender).or_default().entry(series.of).or_default();
            own.push((series.under, &point.figure));
        }
    }
    all
}

struct Comparer<'s> {
    runs: [&'s Snapshot; 2],
    contenders: [ByName<'s>; 2],
    compared: Vec<ComparedWorkload>,
    refused: Vec<Refused>,
    tested: Vec<Tested>,
    not_compared: Vec<NotCompared>,
}

impl<'s> Comparer<'s> {
    fn new(before: &'s Snapshot, after: &'s Snapshot) -> Self {
        Self {
            runs: [before, after],
            contenders: [identity::by_name(before), identity::by_name(after)],
            compared: Vec::new(),
            refused: Vec::new(),
            tested: Vec::new(),
            not_compared: Vec::new(),
        }
    }

    fn workloads(&mut self) {
        let [before, after] = self.runs;
        let refused = |name: &str, reason: String| Refused { workload: name.to_owned(), reason };
        let mut later: BTreeMap<&str, &SnapshotWorkload> =
            after.workloads.iter().rev().map(|workload| (workload.name.as_str(), workload)).collect();
        for own in &before.workloads {
            match later.remove(own.name.as_str()) {
                None => self.refused.push(refused(&own.name, "not in the run after".to_owned())),
                Some(other) => match identity::refuse_workload(own, other) {
                    Some(reason) => self.refused.push(refused(&own.name, reason)),
                    None => self.workload(own, other),
                },
            }
        }
        self.refused.extend(later.into_keys().map(|name| refused(name, "not in the run before".to_owned())));
    }

    fn workload(&mut self, before: &'s SnapshotWorkload, after: &'s SnapshotWorkload) {
        let [first, second] = &self.contenders;
        let reference = identity::reference(self.runs, [before, after], [first, second]);
        self.series(Some(&before.name), [&before.series, &after.series], reference.is_ok());
        self.compared.push(ComparedWorkload {
            name: before.name.clone(),
            connections: before.connections,
            requests_per_connection: before.requests_per_connection,
            protocol: before.protocol,
            streams: before.streams,
            link: before.link,
            rate_per_s: before.rate_per_s,
            reference: reference.as_ref().ok().map(|name| (*name).clone()),
            machine: if reference.is_ok() { machine([&before.series, &after.series]) } else { Vec::new() },
            no_reference: reference.err(),
        });
    }

    /// What two runs have of a workload, or outside of any, contender by contender.
    fn series(
        &mut self,
        workload: Option<&'s str>,
        [before, after]: [&'s [SnapshotSeries]; 2],
        has_reference: bool,
    ) {
        let mut later = by_contender(after);
        for (contender, own) in by_contender(before) {
            match later.remove(contender) {
                Some(other) => self.contender(workload, contender, [own, other], has_reference),
                None if workload.is_some() => self.missing(workload, contender, "after"),
                None => {}
            }
        }
        if workload.is_some() {
            later.into_keys().for_each(|contender| self.missing(workload, contender, "before"));
        }
    }

    fn contender(
        &mut self,
        workload: Option<&'s str>,
        contender: &'s ContenderName,
        runs: [BTreeMap<Figure, Vec<(LoadCondition, &'s LaunchFigure)>>; 2],
        has_reference: bool,
    ) {
        let [before, after] = &runs;
        // Where a run has none of a quantity, what is wrong with the contender there is the reason.
        let faulty = runs
            .each_ref()
            .map(|of| of.values().flatten().map(|(_, figure)| *figure).find(|figure| figure.fault.is_some()));
        let mut of_series: Vec<Figure> = before.keys().chain(after.keys()).copied().collect();
        of_series.sort_unstable();
        of_series.dedup();
        for figure in of_series {
            let [own, other] = [before, after].map(|of| of.get(&figure).map_or(&[][..], Vec::as_slice));
            let candidate = |under: &LoadCondition, before, after| {
                let load = figure.told_apart_by(*under);
                Candidate { figure, workload, contender, load, before, after, has_reference }
            };
            for (under, own) in own {
                let same = other.iter().find(|(load, _)| load == under);
                let reason = match same.or_else(|| other.iter().find(|(load, _)| load.is_like(*under))) {
                    Some((load, other)) => match rates_differ(*under, *load) {
                        None => {
                            self.compare(&candidate(under, own, other));
                            continue;
                        }
                        Some(reason) => reason,
                    },
                    None => match faulty[1] {
                        Some(other) => {
                            self.compare(&candidate(under, own, other));
                            continue;
                        }
                        None => format!("{} after", not_measured(figure)),
                    },
                };
                self.not_in_both(figure, workload, contender, *under, reason);
            }
            for (under, other) in other {
                if own.iter().any(|(load, _)| load.is_like(*under)) {
                    continue;
                }
                match faulty[0] {
                    Some(own) => self.compare(&candidate(under, own, other)),
                    None => {
                        let reason = format!("{} before", not_measured(figure));
                        self.not_in_both(figure, workload, contender, *under, reason);
                    }
                }
            }
        }
    }

    fn not_in_both(
        &mut self,
        figure: Figure,
        workload: Option<&str>,
        contender: &ContenderName,
        under: LoadCondition,
        reason: String,
    ) {
        self.leave_out(Some(figure), workload, contender, figure.told_apart_by(under), reason, false);
    }

    fn missing(&mut self, workload: Option<&str>, contender: &ContenderName, run: &str) {
        self.leave_out(None, workload, contender, None, format!("not in the run {run}"), false);
    }

    fn compare(&mut self, candidate: &Candidate<'_>) {
        let Candidate { figure, workload, contender, load, before, after, .. } = candidate;
        let reason = match fault(before, after) {
            Some(reason) => reason,
            None if before.launches.is_empty() => return,
            None => match change(candidate) {
                Some(tested) => return self.tested.push(tested),
                None => "its figures are beyond what can be compared".to_owned(),
            },
        };
        let had = before.fault.is_none() && !before.launches.is_empty();
        let is_lost = had && after.fault.as_ref().is_some_and(|fault| fault.is_failure);
        self.leave_out(Some(*figure), *workload, contender, *load, reason, is_lost);
    }

    fn leave_out(
        &mut self,
        figure: Option<Figure>,
        workload: Option<&str>,
        contender: &ContenderName,
        load: Option<LoadCondition>,
        reason: String,
        is_lost: bool,
    ) {
        self.not_compared.push(NotCompared {
            figure,
            workload: workload.map(str::to_owned),
            contender: contender.clone(),
            load,
            reason,
            is_lost,
        });
    }
}

/// Why two figures cannot be compared; `None` when they can, and when neither run has any.
fn fault(before: &LaunchFigure, after: &LaunchFigure) -> Option<String> {
    let missing = |figure: &LaunchFigure| match &figure.fault {
        Some(fault) => Some(fault.reason.clone()),
        None => figure.launches.is_empty().then(|| "not measured".to_owned()),
    };
    let has_fault = before.fault.is_some() || after.fault.is_some();
    match (missing(before), missing(after)) {
        (Some(_), Some(_)) if !has_fault => None,
        (before, after) => in_both(before, after),
    }
}

/// What is true of one run or of both, in words.
fn in_both(before: Option<String>, after: Option<String>) -> Option<String> {
    match (before, after) {
        (None, None) => None,
        (Some(before), None) => Some(format!("before: {before}")),
        (None, Some(after)) => Some(format!("after: {after}")),
        (Some(before), Some(after)) if before == after => Some(format!("before and after: {before}")),
        (Some(before), Some(after)) => Some(format!("before: {before}; after: {after}")),
    }
}

fn not_measured(figure: Figure) -> &'static str {
    match figure {
        Figure::CpuAtOneRate => "not measured at the common rate",
        _ => "not measured",
    }
}

/// Why figures at two loads of one kind do not compare; `None` when they do.
fn rates_differ(before: LoadCondition, after: LoadCondition) -> Option<String> {
    let (LoadCondition::OpenLoop { rate_per_s: before }, LoadCondition::OpenLoop { rate_per_s: after }) =
        (before, after)
    else {
        return None;
    };
    (!agree([before, after])).then(|| {
        let [before, after] = [before, after].map(|per_s| rate(per_s, 3));
        format!("the rates differ by more than {}: {before}, then {after}", percent(RATES_AGREE))
    })
}

fn agree([one, other]: [f64; 2]) -> bool {
    one > 0.0 && other > 0.0 && one.max(other) <= one.min(other) * (1.0 + RATES_AGREE)
}

/// The change of the reference's own figures.
fn machine([before, after]: [&[SnapshotSeries]; 2]) -> Vec<LevelChange> {
    fn own(series: &SnapshotSeries) -> Option<&LaunchFigure> {
        series.points.iter().find(|point| point.is_reference).map(|point| &point.figure)
    }

    let mut changes: Vec<LevelChange> = Vec::new();
    for series in before {
        let is_same = |other: &&SnapshotSeries| {
            other.of == series.of
                && other.under.is_like(series.under)
                && rates_differ(series.under, other.under).is_none()
        };
        let other = after.iter().find(is_same).and_then(own);
        let Some((before, after)) = own(series).zip(other) else { continue };
        let logs = [before, after].map(|figure| logs(&figure.launches));
        let ratio = ratio(&logs, welch(&logs[0], &logs[1]).as_ref());
        changes.extend(ratio.map(|ratio| LevelChange { figure: series.of, ratio }));
    }
    changes
}

fn logs(launches: &[f64]) -> Vec<f64> {
    launches.iter().map(|value| value.ln()).collect()
}

/// `None` when a number is beyond what can be compared.
fn change(candidate: &Candidate<'_>) -> Option<Tested> {
    let Candidate { figure, workload, contender, load, before, after, has_reference } = *candidate;
    let over_reference = has_reference && [before, after].into_iter().all(has_enough_over_reference);
    let numbers = [before, after].map(|figure| match over_reference {
        true => figure.log_over_reference.clone(),
        false => logs(&figure.launches),
    });
    let mut welch = welch(&numbers[0], &numbers[1]);
    if let Some(welch) = welch.as_mut().filter(|_| !over_reference)
        && let (Some(before), Some(after)) = (before.log_mean, after.log_mean)
    {
        // That of the figures that are printed beside it.
        welch.difference = after - before;
    }
    let allowance = match over_reference {
        true => before.allowance_over_reference.hypot(after.allowance_over_reference),
        false => before.allowance.hypot(after.allowance),
    };
    let welch = welch.map(|welch| welch.allowing(allowance));
    let mean = |figure: &LaunchFigure| figure.logs().estimate(CONFIDENCE);
    let change = Change {
        figure,
        workload: workload.map(str::to_owned),
        contender: contender.clone(),
        load,
        before: mean(before)?,
        after: mean(after)?,
        over_reference,
        ratio: ratio(&numbers, welch.as_ref())?,
        p: welch.map(|welch| welch.p()),
        p_holm: None,
        state: ChangeState::Open,
        doubt: in_both(before.doubt.clone(), after.doubt.clone()),
    };
    Some(Tested { change, welch })
}

/// A launch in which the reference was not measured counts for nothing, so there must be enough of the others.
fn has_enough_over_reference(figure: &LaunchFigure) -> bool {
    let found = figure.log_over_reference.len();
    found > 0 && found >= figure.launches.len().min(LEAST_LAUNCHES as usize)
}

/// After over before, from logarithms; `None` when it is 0 or infinite.
fn ratio(logs: &[Vec<f64>; 2], welch: Option<&Welch>) -> Option<Ratio> {
    let difference = match welch {
        Some(welch) => welch.difference,
        None => {
            let [before, after] =
                [mean_over_launches(&logs[0], CONFIDENCE)?, mean_over_launches(&logs[1], CONFIDENCE)?];
            after.value - before.value
        }
    };
    let value = difference.exp();
    let has_enough = logs.iter().all(|logs| logs.len() >= LEAST_FOR_INTERVAL);
    let interval = welch.filter(|_| has_enough).and_then(|welch| welch.interval(CONFIDENCE)?.exp());
    (value > 0.0 && value.is_finite()).then(|| Ratio {
        value,
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_agree_within_a_twentieth() {
        for (rates, is_one) in [
            ([1_000.0, 1_050.0], true),
            ([1_050.0, 1_000.0], true),
            ([1_000.0, 1_051.0], false),
            ([0.0, 0.0], false),
            ([-1.0, -1.0], false),
            ([f64::NAN, 1.0], false),
            ([f64::INFINITY, f64::INFINITY], true),
        ] {
            assert_eq!(agree(rates), is_one, "{rates:?}");
        }
    }

    #[test]
    fn what_is_true_of_both_is_said_once() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(in_both(None, None), None);
        assert_eq!(in_both(some("quick look"), None), some("before: quick look"));
        assert_eq!(in_both(None, some("quick look")), some("after: quick look"));
        assert_eq!(in_both(some("x"), some("x")), some("before and after: x"));
        assert_eq!(in_both(some("x"), some("y")), some("before: x; after: y"));
    }
}
