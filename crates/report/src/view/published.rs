//! The published table and its claims beside what was measured.

use velo_judge::{ComparedRow, Holds, JudgedClaim, JudgedWorkload};
use velo_model::{Bound, FigureKind, PublishedFigure, Subject};

use super::phrases::{BASELINE, no_score, plural, with_interval};
use super::section::{Block, Column, Place, Table};
use super::{bursts, calls, tasks};
use crate::number::{plus_minus, ratio, time_ns};
use crate::text::clean;

/// Where the published table comes from.
pub(crate) fn source(workload: &JudgedWorkload) -> String {
    let source = &workload.source;
    clean(&format!(
        "\"{}\", {}; command: {}; machine: {}",
        source.title, source.year, source.command, source.machine
    ))
}

/// How many of the published claims hold; `None` where nothing was claimed.
pub(crate) fn claims_summary(workload: &JudgedWorkload) -> Option<String> {
    let all = u64::try_from(workload.claims.len()).ok().filter(|all| *all > 0)?;
    let counted = |is: fn(&JudgedClaim) -> bool| workload.claims.iter().filter(|claim| is(claim)).count();
    let parts = [
        (counted(|claim| claim.holds == Holds::Holds), ["holds", "hold"]),
        (counted(|claim| claim.holds == Holds::DoesNotHold), ["does not hold", "do not hold"]),
        (counted(is_inconclusive), ["inconclusive"; 2]),
        (counted(is_untested), ["not testable in this run"; 2]),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(times, _)| *times > 0)
        .map(|(times, [one, many])| format!("{times} {}", if times == 1 { one } else { many }))
        .collect();
    let source = clean(&format!("\"{}\", {}", workload.source.title, workload.source.year));
    Some(format!("{source}: of {}, {} (-v shows each)", plural(all, "claim", "claims"), parts.join(", ")))
}

fn is_inconclusive(claim: &JudgedClaim) -> bool {
    claim.holds == Holds::CannotBeTold && claim.measured.is_some()
}

/// What it is about was not measured.
fn is_untested(claim: &JudgedClaim) -> bool {
    claim.holds == Holds::CannotBeTold && claim.measured.is_none()
}

/// The published figures beside those measured here. A terminal lays out scores and claims by itself.
pub(crate) fn published(workload: &JudgedWorkload) -> Vec<Block> {
    let columns =
        [Column::text("score"), Column::number("there"), Column::number("here"), Column::text("why not")];
    let scores = published_scores(workload).map(|row| {
        let (there, here) = there_and_here(row, workload);
        [Some(row.row.clone()), Some(there), Some(here), no_score(row, workload)]
    });
    let scores = Block::Table(Table::new(columns, scores.collect()).only(Place::Markdown));
    let columns = [
        Column::text("claim"),
        Column::number("there"),
        Column::number("here"),
        Column::text("holds"),
        Column::text("verdict"),
        Column::text("why"),
    ];
    let claims = Table::new(columns, workload.claims.iter().map(claim).collect()).only(Place::Markdown);
    let mut blocks = vec![scores];
    blocks.extend(bursts::published(workload));
    blocks.push(tasks::published(workload));
    blocks.push(calls::published(workload));
    blocks.push(Block::Table(claims));
    blocks
}

fn claim(judged: &JudgedClaim) -> [Option<String>; 6] {
    let figure = |value| claimed(judged, value);
    let here = judged.measured.map(|measured| match measured.interval() {
        Some((low, high)) => format!("{} ({} to {})", figure(measured.value), figure(low), figure(high)),
        None => figure(measured.value),
    });
    [
        Some(judged.claim.says.clone()),
        judged.claim.printed.map(figure),
        here,
        bound(judged),
        Some(holds(judged.holds).to_owned()),
        judged.reason.as_ref().map(ToString::to_string),
    ]
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

/// A claim's figure: seconds where it is about a makespan itself, else a ratio.
pub(crate) fn claimed(judged: &JudgedClaim, value: f64) -> String {
    match (&judged.claim.subject, judged.claim.figure.of.kind()) {
        (Subject::Value(_), FigureKind::Burst) => time_ns(value * 1e9),
        _ => ratio(value),
    }
}

/// Where the whole interval must lie for the claim to hold: `from 4.71 to 6.37`. `None` where nothing bounds it, as in an
/// order, in which each is above the next.
pub(crate) fn bound(judged: &JudgedClaim) -> Option<String> {
    let Bound { low, high } = judged.claim.bound;
    let figure = |value| claimed(judged, value);
    match (low.map(figure), high.map(figure)) {
        (Some(low), Some(high)) => Some(format!("from {low} to {high}")),
        (Some(low), None) => Some(format!("from {low} upward")),
        (None, Some(high)) => Some(format!("up to {high}")),
        (None, None) => None,
    }
}

pub(crate) fn holds(holds: Holds) -> &'static str {
    match holds {
        Holds::Holds => "holds",
        Holds::DoesNotHold => "does not hold",
        Holds::CannotBeTold => "inconclusive",
    }
}
