//! The published table and its claims beside what was measured.

use velo_judge::{ComparedRow, Holds, JudgedClaim, JudgedWorkload};
use velo_model::{Bound, FigureKind, PublishedFigure, Subject};

use super::phrases::{BASELINE, no_score, plural, with_interval};
use super::{bursts, calls, tasks};
use crate::document::{Block, Claim, Column, Section, Table, Tone};
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

/// How many of the published claims hold; `None` where none could be tested.
fn claims_summary(workload: &JudgedWorkload) -> Option<String> {
    let all = workload.claims.len() as u64;
    let counted = |is: fn(&JudgedClaim) -> bool| workload.claims.iter().filter(|claim| is(claim)).count();
    if counted(is_untested) as u64 == all {
        return None;
    }
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
    Some(format!("{source}: of {}, {}", plural(all, "claim", "claims"), parts.join(", ")))
}

fn is_inconclusive(claim: &JudgedClaim) -> bool {
    claim.holds == Holds::CannotBeTold && claim.measured.is_some()
}

/// What it is about was not measured.
fn is_untested(claim: &JudgedClaim) -> bool {
    claim.holds == Holds::CannotBeTold && claim.measured.is_none()
}

/// The published table and its claims: how many hold, each of them, and the figures beside those measured here.
pub(super) fn sections(workload: &JudgedWorkload) -> Vec<Section> {
    let (claims, published) = (&workload.claims, &workload.published);
    if claims.is_empty() && published.is_empty() {
        return Vec::new();
    }
    let summary = claims_summary(workload).map(|words| Section::new("published", words, vec![]).headline());
    let has_claims = !claims.is_empty();
    let claims = Block::Claims { claims: claims.iter().map(claim).collect() };
    let said = has_claims.then(|| Section::new("published", source(workload), vec![claims]));
    let mut blocks = vec![Block::Table(scores(workload))];
    blocks.extend(bursts::published(workload));
    blocks.push(tasks::published(workload));
    blocks.push(calls::published(workload));
    blocks.push(Block::remarks(workload.source.notes.iter().map(|note| clean(note)).collect()));
    // Where nothing was claimed the source stands with the figures.
    let about = if has_claims { String::new() } else { source(workload) };
    let figures = Section::new("published figures", about, blocks).detail();
    summary.into_iter().chain(said).chain([figures]).collect()
}

/// The published scores beside those measured here.
fn scores(workload: &JudgedWorkload) -> Table {
    let columns =
        [Column::text("score"), Column::number("there"), Column::number("here"), Column::text("why not")];
    let rows = workload.published.iter().filter(|row| matches!(row.figure, PublishedFigure::RequestsPerS(_)));
    let rows = rows.map(|row| {
        let (there, here) = there_and_here(row, workload);
        [Some(row.row.clone()), Some(there), Some(here), no_score(row, workload)]
    });
    Table::new(columns, rows)
}

fn claim(judged: &JudgedClaim) -> Claim {
    let figure = |value| claimed(judged, value);
    let (verdict, tone) = match judged.holds {
        Holds::Holds => ("holds", Tone::Good),
        Holds::DoesNotHold => ("does not hold", Tone::Bad),
        Holds::CannotBeTold => ("inconclusive", Tone::Doubtful),
    };
    Claim {
        says: clean(&judged.claim.says),
        there: judged.claim.printed.map(figure),
        here: judged.measured.map(|measured| figure(measured.value)),
        interval: judged
            .measured
            .and_then(|measured| measured.interval())
            .map(|(low, high)| format!("{} to {}", figure(low), figure(high))),
        bound: bound(judged).filter(|_| judged.measured.is_some()),
        verdict: verdict.to_owned(),
        tone,
        // Why nothing is ranked is not said for each claim again.
        reason: judged
            .reason
            .as_ref()
            .filter(|reason| !reason.is_of_run())
            .map(|reason| clean(&reason.to_string())),
        is_tested: !is_untested(judged),
    }
}

/// The published score and the one measured here.
fn there_and_here(row: &ComparedRow, workload: &JudgedWorkload) -> (String, String) {
    let there = row.there.map_or_else(|| "-".to_owned(), ratio);
    let here = match &row.here {
        Some(_) if row.contender.as_ref() == Some(&workload.baseline) => BASELINE.to_owned(),
        Some(here) => with_interval(ratio(here.value), row.at_least, plus_minus(here, ratio)),
        None => "-".to_owned(),
    };
    (there, here)
}

/// A claim's figure: seconds where it is about a makespan itself, else a ratio.
fn claimed(judged: &JudgedClaim, value: f64) -> String {
    match (&judged.claim.subject, judged.claim.figure.of.kind()) {
        (Subject::Value(_), FigureKind::Burst) => time_ns(value * 1e9),
        _ => ratio(value),
    }
}

/// Where the whole interval must lie for the claim to hold: `from 4.71 to 6.37`. `None` where nothing bounds it, as in an
/// order, in which each is above the next.
fn bound(judged: &JudgedClaim) -> Option<String> {
    let Bound { low, high } = judged.claim.bound;
    let figure = |value| claimed(judged, value);
    match (low.map(figure), high.map(figure)) {
        (Some(low), Some(high)) => Some(format!("from {low} to {high}")),
        (Some(low), None) => Some(format!("from {low} upward")),
        (None, Some(high)) => Some(format!("up to {high}")),
        (None, None) => None,
    }
}
