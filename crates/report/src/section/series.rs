//! The words for series: what they are of, and who has no point in one.

use std::collections::BTreeSet;

use velo_judge::{JudgedWorkload, RowState, Series};
use velo_model::{ContenderName, FigureKind, KindLoads, LoadCondition, Unit};

use crate::number::{bytes, count, rate, ratio, time_ns};
use crate::text::clean;
use crate::words::figures;

/// A value with its unit.
pub(crate) fn value(unit: Unit, value: f64) -> String {
    match unit {
        Unit::PerSecond => rate(value),
        Unit::Nanoseconds => time_ns(value),
        Unit::Bytes => bytes(value as u64),
        Unit::Ratio => ratio(value),
    }
}

/// A load that is not the workload's own: `at 5,000/s`, `400 requests over 40 connections`; `None` of one that is, or of none.
pub fn load(under: LoadCondition) -> Option<String> {
    match under {
        LoadCondition::OpenLoop { rate_per_s } => Some(format!("at {}/s", rate(rate_per_s))),
        LoadCondition::Burst { requests, connections, first_alone } => {
            let (requests, connections) = (count(requests.into()), count(connections.into()));
            let how = if first_alone { ", one answered before the others" } else { "" };
            Some(format!("{requests} requests over {connections} connections{how}"))
        }
        LoadCondition::Call { condition } => Some(condition.to_string()),
        LoadCondition::ClosedLoop { .. } | LoadCondition::None => None,
    }
}

/// The heading of a chart, and what is drawn in it.
pub(crate) fn label(series: &Series, workload: &JudgedWorkload) -> (String, &'static str) {
    let is_alone = workload.series.iter().filter(|other| other.of == series.of).count() == 1;
    let (words, kind) = (figures::of(series.of), series.of.kind());
    let label = match load(series.under) {
        _ if kind == FigureKind::CommonRate && is_alone => format!("{} at the common rate", words.label),
        Some(at) if kind.row().loads == KindLoads::Rates => format!("{} {at}", words.label),
        Some(how) if kind.row().has_several_loads => format!("{}: {how}", words.label),
        _ => words.label.to_owned(),
    };
    (label, words.about)
}

/// Those that were measured or should have been, and have no point.
pub(crate) fn without(series: &Series, workload: &JudgedWorkload) -> Vec<(ContenderName, String)> {
    let has_point: BTreeSet<&ContenderName> = series.points.iter().map(|point| &point.contender).collect();
    let servers = workload.rows.iter().map(|row| (&row.contender, &row.state));
    let tasks = workload.tasks.iter().flat_map(|table| &table.rows).map(|row| (&row.contender, &row.state));
    let others = servers.chain(tasks).filter(|(contender, _)| !has_point.contains(contender));
    others.filter_map(|(contender, state)| Some((contender.clone(), reason(state)?))).collect()
}

/// Why a contender has no point; `None` where its state does not say.
fn reason(state: &RowState) -> Option<String> {
    let words = match state {
        RowState::Ranked { .. } | RowState::Reference => return None,
        RowState::NotRanked { cause } => cause.to_string(),
        RowState::Skipped { reason, cure } => {
            let cure = cure.as_ref().map(|cure| format!(" ({cure})")).unwrap_or_default();
            format!("skipped: {reason}{cure}")
        }
        RowState::Excluded { reason, .. } => format!("failed: {reason}"),
    };
    Some(clean(&words))
}
