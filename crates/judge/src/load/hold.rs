//! Holds conditions against figures. What is undecided says why.

use serde::{Deserialize, Serialize};
use velo_record::LoadRecord;

use super::condition::{Comparison, Condition, Failures, Figure, Statistic};
use super::few::Few;
use super::figures::{LoadFigures, Time};
use crate::Percentiles;
use crate::doubt::samples::{quantile, samples_needed};
use crate::words::load::{apart, share, thousands, time_ns};
use crate::words::rate;

/// Whether a condition holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConditionResult {
    /// The condition as it was typed: `p99<20ms`.
    pub text: String,
    /// The figure: nanoseconds, per second, a count, or a share from 0 to 1; null when there is none.
    pub figure: Option<f64>,
    /// The bound, in the same unit.
    pub bound: f64,
    /// Whether it holds; null when undecided.
    pub holds: Option<bool>,
    /// The same in words: `p99 1.41 ms < 20 ms`, `p99 31.2 ms is not < 20 ms`, `errors 3 is not 0`.
    pub words: String,
}

/// Holds a condition against figures.
pub(super) fn check(condition: &Condition, record: &LoadRecord, figures: &LoadFigures) -> ConditionResult {
    let Condition { text, figure, comparison, bound, bound_words } = condition;
    let name = name(*figure, text);
    let asked = format!("{} {bound_words}", comparison.sign());
    let equal = *comparison == Comparison::Equal;
    let found = find(*figure, record, figures);
    let (value, holds, words) = match found {
        Err(why) => match by_few(condition, record, figures) {
            None => (None, None, format!("{name} {asked} is undecided: {why}")),
            Some((few, holds)) => {
                let told = match holds {
                    Some(true) => format!("{name} {asked}"),
                    Some(false) => format!("{name} is not {asked}"),
                    None => format!("{name} {asked} is undecided: {why}"),
                };
                let (beyond, samples) = (thousands(few.beyond), thousands(few.samples));
                (None, holds, format!("{told}; {beyond} of {samples} samples are beyond it"))
            }
        },
        Ok(value) => {
            let shown = shown(*figure, value, *bound);
            let lower_bound = *figure == Figure::Rate && figures.at_least;
            match told(*comparison, value, *bound, lower_bound) {
                Some(true) if equal => (Some(value), Some(true), format!("{name} {shown}")),
                Some(false) if equal => {
                    (Some(value), Some(false), format!("{name} {shown} is not {bound_words}"))
                }
                Some(true) => (Some(value), Some(true), format!("{name} {shown} {asked}")),
                Some(false) => (Some(value), Some(false), format!("{name} {shown} is not {asked}")),
                None => {
                    let why = format!("{name} is at least {shown}, and the generator was the limit");
                    (Some(value), None, format!("{name} {asked} is undecided: {why}"))
                }
            }
        }
    };
    ConditionResult { text: text.clone(), figure: value, bound: *bound, holds, words }
}

/// What the samples say of a percentile that they are too few for; `None` where there are none.
fn by_few(condition: &Condition, record: &LoadRecord, figures: &LoadFigures) -> Option<(Few, Option<bool>)> {
    let Figure::Time(time, Statistic::Percentile(percentile)) = condition.figure else { return None };
    let (comparison, bound) = (condition.comparison, condition.bound);
    let histogram = time.unwrap_or_else(|| figures.headline.into()).histogram(record).decode().ok()?;
    let is_upper = match comparison {
        Comparison::Less | Comparison::AtMost => true,
        Comparison::Greater | Comparison::AtLeast => false,
        Comparison::Equal => return None,
    };
    let few = Few::count(&histogram, |ns| comparison.holds(ns as f64, bound) != is_upper);
    let holds = few.is_beyond(quantile(percentile)).map(|is_beyond| is_beyond != is_upper);
    (few.samples > 0).then_some((few, holds))
}

/// A figure that is a lower bound decides only what a greater one would not change.
fn told(comparison: Comparison, value: f64, bound: f64, lower_bound: bool) -> Option<bool> {
    let holds = comparison.holds(value, bound);
    let stays = match comparison {
        Comparison::Greater | Comparison::AtLeast => holds,
        Comparison::Less | Comparison::AtMost => !holds,
        Comparison::Equal => value > bound,
    };
    (stays || !lower_bound).then_some(holds)
}

/// The figure's name as it was typed.
fn name(figure: Figure, text: &str) -> &str {
    match figure {
        Figure::Achieved => "achieved",
        Figure::Generator => "generator busy",
        _ => text.split(['<', '>', '=']).next().unwrap_or(text).trim(),
    }
}

/// The figure's value, or why there is none.
fn find(figure: Figure, record: &LoadRecord, figures: &LoadFigures) -> Result<f64, String> {
    let nothing = || "no request was answered or failed".to_owned();
    match figure {
        Figure::Time(time, statistic) => {
            of_time(time.unwrap_or_else(|| figures.headline.into()), statistic, figures)
        }
        Figure::Rate => figures.goodput_per_s.ok_or_else(|| "the stretch had no length".to_owned()),
        Figure::Achieved => figures.achieved_share.ok_or_else(|| match figures.offered_per_s {
            None => "a closed loop offers no rate".to_owned(),
            Some(_) => "no request was due".to_owned(),
        }),
        Figure::Generator => {
            figures.generator_busy_share.ok_or_else(|| "the generator's CPU time is not known".to_owned())
        }
        Figure::Failures(failures) => match figures.requests {
            0 => Err(nothing()),
            _ => Ok(count(failures, record) as f64),
        },
        Figure::FailureShare(failures) => match figures.requests {
            0 => Err(nothing()),
            requests => Ok(count(failures, record) as f64 / requests as f64),
        },
    }
}

fn count(failures: Failures, record: &LoadRecord) -> u64 {
    let outcomes = &record.outcomes;
    match failures {
        Failures::All => outcomes.failed(),
        Failures::Wrong => outcomes.wrong_answer,
        Failures::Timeouts => outcomes.timeout,
        Failures::Refused => outcomes.refused,
        Failures::Dropped => outcomes.dropped,
    }
}

fn of_time(time: Time, statistic: Statistic, figures: &LoadFigures) -> Result<f64, String> {
    let percentiles = figures.of(time).ok_or_else(|| "there are no samples".to_owned())?;
    let value = match statistic {
        Statistic::Mean => percentiles.mean_ns,
        Statistic::Max => percentiles.max_ns.map(|max| max as f64),
        Statistic::Percentile(name) => return percentile(percentiles, name),
    };
    value.ok_or_else(|| "there are no samples".to_owned())
}

fn percentile(percentiles: &Percentiles, name: &str) -> Result<f64, String> {
    let listed = percentiles.listed().into_iter().find(|(known, ..)| *known == name);
    // OK because conditions take their names from the same list.
    let (_, q, value) = listed.expect("a percentile of the list");
    value.map(|value| value as f64).ok_or_else(|| {
        let (needed, samples) = (samples_needed(q), percentiles.samples);
        format!("it needs {} samples, and there are {}", thousands(needed), thousands(samples))
    })
}

/// The value, with digits enough to see on which side of the bound it lies.
fn shown(figure: Figure, value: f64, bound: f64) -> String {
    match figure {
        Figure::Time(..) => apart(time_ns, value, bound),
        Figure::Rate => apart(rate, value, bound),
        Figure::Achieved | Figure::Generator | Figure::FailureShare(_) => apart(share, value, bound),
        Figure::Failures(_) => thousands(value as u64),
    }
}
