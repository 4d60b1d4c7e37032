//! The rows of the main table, and those beside it.

use velo_judge::{Cause, Fairness, JudgedWorkload, Row, RowState, Validity};
use velo_model::{Figure, FigureKind, PartyRole};
use velo_stats::number::decimals;

use super::aside::{aside, not_measured};
use super::names::name_of;
use super::phrases::{BASELINE, rank_of, with_interval};
use super::series;
use crate::document::Aside;
use crate::number::{plus_minus, rate, ratio};
use crate::words::figures;

/// The rows of the main table: ranked ones, and those that stand though the run ranks nothing.
pub(crate) fn table_rows(workload: &JudgedWorkload) -> impl Iterator<Item = &Row> {
    workload.rows.iter().filter(|row| is_in_table(row))
}

pub(super) fn is_in_table(row: &Row) -> bool {
    matches!(row.state, RowState::Ranked { .. } | RowState::NotRanked { cause: Cause::Run { .. } })
}

/// `1-2`, `3`, or `-`.
pub(crate) fn rank(row: &Row) -> String {
    rank_of(&row.state)
}

pub(crate) fn goodput(row: &Row) -> Option<String> {
    let goodput = row.goodput_per_s.as_ref()?;
    Some(with_interval(rate(goodput.value), row.at_least, plus_minus(goodput, rate)))
}

pub(crate) fn score(row: &Row, workload: &JudgedWorkload) -> Option<String> {
    let score = row.against_baseline.as_ref()?;
    if row.contender == workload.baseline {
        return Some(BASELINE.to_owned());
    }
    // Both of two launches stand beside the goodput; here they would take the place of other columns.
    let interval = score.interval().and_then(|_| plus_minus(score, ratio));
    Some(with_interval(ratio(score.value), row.at_least, interval))
}

pub(crate) fn outside(workload: &JudgedWorkload) -> Vec<Aside> {
    // Those at a stated rate are ranked by what they use there.
    let has_no_goodput =
        |row: &&Row| matches!(row.state, RowState::NotRanked { cause: Cause::StatedRate { .. } });
    let rows = workload.rows.iter().filter(|row| !is_in_table(row) && !has_no_goodput(row));
    rows.map(|row| outside_row(row, workload)).collect()
}

pub(super) fn outside_row(row: &Row, workload: &JudgedWorkload) -> Aside {
    let figure = || row.goodput_per_s.map(|goodput| with_interval(rate(goodput.value), row.at_least, None));
    // What was measured beside the figure that would rank it.
    let others = || -> String {
        let unranked = Figure::of_kind(FigureKind::OwnLoad).filter(|figure| !figure.row().is_ranked);
        let words = unranked.filter_map(|figure| {
            let point = workload.point(figure, &row.contender)?;
            let value = series::value(figure.row().unit, point.estimate.value);
            Some(format!("; {} {value}", figures::of(figure).short))
        });
        words.collect()
    };
    let said = match &row.state {
        RowState::NotRanked { cause } => {
            let what = match cause {
                Cause::NotServerBound { .. } | Cause::RanAlready { .. } | Cause::FewLaunches { .. } => {
                    figure()
                }
                Cause::OnlyExternal => goodput(row),
                Cause::Failures { .. } => Some("failures".to_owned()),
                cause => match cause.validity() {
                    Validity::Doubtful => Some("doubtful".to_owned()),
                    Validity::Invalid => Some("invalid".to_owned()),
                    _ => None,
                },
            };
            let cpu = if matches!(cause, Cause::NotServerBound { .. } | Cause::OnlyExternal) {
                others()
            } else {
                String::new()
            };
            (what, format!("{cause}{cpu}"), None)
        }
        RowState::Reference => {
            let limit = row.limit.as_ref().map(|limit| format!("; {}", limit.in_words())).unwrap_or_default();
            let wrong = if row.answers.wrong_answer > 0 { ", with wrong answers" } else { "" };
            let ceiling = match &row.limit {
                Some(limit) if limit.is_at_limit(PartyRole::Generator) => {
                    "the reference, never ranked: the most that the generator can measure here"
                }
                _ => "the reference, never ranked",
            };
            (figure(), format!("{ceiling}{wrong}{limit}"), None)
        }
        RowState::Skipped { .. } | RowState::Excluded { .. } => not_measured(&row.state),
        RowState::Ranked { .. } => (None, row.standing(), None),
    };
    aside(name_of(row), said)
}

/// Jain's index, and between how many processes the connections were shared.
pub(super) fn fairness(fairness: &Fairness) -> String {
    let index = decimals(fairness.jains_index, 2);
    match (fairness.processes, fairness.connections_per_process) {
        (Some(processes), Some(each)) if processes > 1 => {
            format!("{index} ({processes} processes, {} connections each)", decimals(each, 1))
        }
        _ => index,
    }
}
