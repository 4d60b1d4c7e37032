//! The published table and its claims beside what was measured.

use velo_judge::{ComparedRow, Holds, JudgedClaim, JudgedWorkload, RowState};
use velo_spec::{Figure, PublishedFigure, Subject};

use super::phrases::{BASELINE, with_interval};
use crate::number::{plus_minus, ratio, time_ns};
use crate::text::clean;

/// Where the published table comes from.
pub(crate) fn source(workload: &JudgedWorkload) -> String {
    let source = &workload.source;
    clean(&format!("\"{}\", {}: {}, {}", source.title, source.year, source.command, source.machine))
}

/// The rows of the published table that are rates, and so scores.
pub(crate) fn published_scores(workload: &JudgedWorkload) -> impl Iterator<Item = &ComparedRow> {
    workload.published.iter().filter(|row| matches!(row.figure, PublishedFigure::RequestsPerS(_)))
}

/// The published score and the one measured here.
pub(crate) fn there_and_here(row: &ComparedRow, workload: &JudgedWorkload) -> (String, String) {
    let there = row.there.map_or_else(|| "-".to_owned(), ratio);
    let here = match &row.here {
        Some(_) if row.contender.as_ref() == Some(&workload.baseline) => BASELINE.to_owned(),
        Some(here) => with_interval(ratio(here.value), row.at_least, plus_minus(here, ratio)),
        None => "-".to_owned(),
    };
    (there, here)
}

/// Why a published row has no score here, in a word or two: the whole reason stands with the contender's row.
pub(crate) fn no_score(compared: &ComparedRow, workload: &JudgedWorkload) -> Option<String> {
    let reason = compared.reason.as_deref()?;
    let row = workload.rows.iter().find(|row| Some(&row.contender) == compared.contender.as_ref());
    Some(match row.map(|row| &row.state) {
        None => clean(reason),
        Some(RowState::Skipped { .. }) => "skipped".to_owned(),
        Some(RowState::Excluded { .. }) => "failed".to_owned(),
        Some(_) if workload.baseline_fault.is_some() => "no baseline".to_owned(),
        Some(_) => "not ranked".to_owned(),
    })
}

/// A claim's figure: seconds where it is about a makespan itself, else a ratio.
pub(crate) fn claimed(judged: &JudgedClaim, value: f64) -> String {
    match (&judged.claim.subject, judged.claim.figure) {
        (Subject::Value(_), Figure::Makespan { .. }) => time_ns(value * 1e9),
        _ => ratio(value),
    }
}

pub(crate) fn holds(holds: Holds) -> &'static str {
    match holds {
        Holds::Holds => "holds",
        Holds::DoesNotHold => "does not hold",
        Holds::CannotBeTold => "cannot be told",
    }
}
