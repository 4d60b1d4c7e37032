//! Whether a row may be ranked: the rules in the order in which a reader would want to hear of them.

use velo_record::{ContenderState, WindowKind};
use velo_spec::Class;

use crate::checks::answers::{self, FAILURES};
use crate::checks::coin::CoinFinding;
use crate::checks::consistency::Consistency;
use crate::checks::data;
use crate::checks::limit::Limit;
use crate::checks::littles_law::DISAGREEMENT;
use crate::checks::placement;
use crate::rows::context::RunContext;
use crate::rows::row::Row;
use crate::rows::state::{Cause, LEAST_LAUNCHES, RowState};
use crate::series::cell::Cell;
use crate::words::{count, percent};

/// The state of a row whose figures are there. A candidate gets rank 1 until [`crate::rank::ranking`] has seen all.
pub(crate) fn of(row: &Row, cell: &Cell<'_>, run: &RunContext<'_>) -> RowState {
    match &cell.record.state {
        ContenderState::Skipped { reason, cure } => {
            return RowState::Skipped { reason: reason.clone(), cure: cure.clone() };
        }
        ContenderState::Excluded { stage, reason, log } => {
            return RowState::Excluded { stage: *stage, reason: reason.clone(), log: log.clone() };
        }
        ContenderState::Pending | ContenderState::Measured => {}
    }
    if row.class == Class::Reference {
        return RowState::Reference;
    }
    let is_of_the_host = |cause: Cause| {
        run.is_host_unfit && matches!(cause, Cause::Inconsistent | Cause::Unsteady | Cause::LittlesLaw)
    };
    match fault(row, cell, run)
        .filter(|(cause, _)| !is_of_the_host(*cause))
        .or_else(|| run.nothing_ranked.map(|reason| (Cause::Run, reason.to_owned())))
        .or_else(|| few(row))
    {
        Some((cause, reason)) => RowState::NotRanked { cause, reason },
        None => RowState::Ranked { best: 1, worst: 1 },
    }
}

/// What is wrong with the row itself.
fn fault(row: &Row, cell: &Cell<'_>, run: &RunContext<'_>) -> Option<(Cause, String)> {
    let answers = &row.answers;
    // Wrong answers come first: they count in windows of every kind, also when no counted one was reached.
    if answers.wrong_answer > 0 {
        let share = percent(answers.share(answers.wrong_answer).unwrap_or(1.0));
        let example =
            row.wrong_examples.first().map(|words| format!(", such as {words}")).unwrap_or_default();
        let reason =
            format!("wrong answers: {} of {} ({share}){example}", answers.wrong_answer, answers.requests());
        return Some((Cause::WrongAnswers, reason));
    }
    if let Some((cause, reason)) = data::fault(&cell.windows) {
        return Some((cause, reason));
    }
    if let Some(accusation) = row.coin.as_ref().and_then(CoinFinding::accusation) {
        return Some((Cause::UnfairCoin, accusation.in_words()));
    }
    let windows = cell.windows.iter().chain(&cell.bursts).copied();
    if let Some(left) = placement::left(windows, cell.record, run.placement) {
        return Some((Cause::OutsideCpus, left.in_words()));
    }
    // In a closed loop at a fixed number of connections a request that never gets its answer is no overload.
    let bound = if answers.timeout > 0 { 0.0 } else { FAILURES };
    if let Some(share) = answers.share(answers.failures()).filter(|share| *share > bound) {
        let reason =
            format!("{} of the requests failed: {}", percent(share), answers::failures_in_words(answers));
        return Some((Cause::Failures, reason));
    }
    if let Some(fault) = row.consistency.as_ref().and_then(Consistency::fault) {
        return Some(fault);
    }
    if let Some(rate) = cell.workload.load.rate_per_s {
        let has_answers = cell.paced.iter().any(|window| window.outcomes.correct > 0);
        let reason = format!("loaded at {rate} requests a second, not as fast as it can");
        return Some(match has_answers {
            true => (Cause::StatedRate, reason),
            false => (Cause::NotMeasured, "no counted window has an answer".to_owned()),
        });
    }
    if row.goodput_per_s.is_none_or(|goodput| goodput.value <= 0.0) {
        let was_measured = cell.windows.iter().any(|window| window.kind() == WindowKind::Block);
        let reason = if was_measured && cell.blocks.is_empty() {
            "all its blocks were disturbed, and are dropped"
        } else {
            "no counted window has an answer"
        };
        return Some((Cause::NotMeasured, reason.to_owned()));
    }
    if let Some(share) = row.littles_law.together.filter(|share| *share > DISAGREEMENT) {
        let reason =
            format!("requests in flight and service times differ by {} (Little's law)", percent(share));
        return Some((Cause::LittlesLaw, reason));
    }
    if row.class == Class::Running {
        let reason = "externally started: its CPU time cannot be read, so the bottleneck is not known";
        return Some((Cause::RanAlready, reason.to_owned()));
    }
    let limit = row.limit.as_ref().filter(|finding| finding.limit != Limit::Server)?;
    Some((Cause::NotServerBound, limit.in_words()))
}

fn few(row: &Row) -> Option<(Cause, String)> {
    (row.launches < LEAST_LAUNCHES).then(|| {
        let had = count(row.launches as usize, "launch", "launches");
        (Cause::FewLaunches, format!("{had}, and ranks need {LEAST_LAUNCHES}"))
    })
}
