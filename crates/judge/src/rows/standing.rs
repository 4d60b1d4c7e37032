//! Whether a row may be ranked: the rules in the order in which a reader would want to hear of them.

use velo_model::{Class, Role};
use velo_record::{ContenderState, External, WindowKind};

use crate::doubt::answers::FAILURES;
use crate::doubt::bounds::{LEAST_LAUNCHES, LITTLES_LAW};
use crate::doubt::cause::Cause;
use crate::doubt::coin::CoinFinding;
use crate::doubt::consistency::ConsistencyOf;
use crate::doubt::context::RunContext;
use crate::doubt::data;
use crate::doubt::state::RowState;
use crate::doubt::{placement, warming};
use crate::measure::cell::Cell;
use crate::rows::row::Row;

/// The state of a row whose figures are there. A candidate gets rank 1 until `rank::ranking` has seen all.
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
    let of_run = || run.nothing_ranked.cloned().map(|because| Cause::Run { because });
    let is_of_the_host = |cause: &Cause| {
        run.is_host_unfit
            && matches!(
                cause,
                Cause::Inconsistent { .. }
                    | Cause::Unsteady { .. }
                    | Cause::StillWarming { .. }
                    | Cause::LittlesLaw { .. }
            )
    };
    let own = fault(row, cell, run).filter(|cause| !is_of_the_host(cause));
    match own.or_else(of_run).or_else(|| few(row)) {
        Some(cause) => RowState::NotRanked { cause },
        None => RowState::Ranked { best: 1, worst: 1 },
    }
}

/// What is wrong with the row itself.
fn fault(row: &Row, cell: &Cell<'_>, run: &RunContext<'_>) -> Option<Cause> {
    let answers = &row.answers;
    // Wrong answers come first: they count in windows of every kind, also when no counted one was reached.
    if answers.wrong_answer > 0 {
        let example = row.wrong_examples.first().cloned();
        let requests = answers.requests();
        return Some(Cause::WrongAnswers { wrong: answers.wrong_answer, requests, example });
    }
    if let Some(cause) = data::fault(&cell.windows) {
        return Some(cause);
    }
    if let Some(coin) = row.coin.as_ref().and_then(CoinFinding::accusation) {
        return Some(Cause::UnfairCoin { coin });
    }
    let windows = cell.windows.iter().chain(&cell.apart).copied();
    if let Some(left) = placement::left(windows, cell.record, &cell.record.placement(run.placement)) {
        return Some(Cause::OutsideCpus { left });
    }
    // In a closed loop at a fixed number of connections a request that never gets its answer is no overload.
    let bound = if answers.timeout > 0 { 0.0 } else { FAILURES };
    if let Some(share) = answers.share(answers.failures()).filter(|share| *share > bound) {
        return Some(Cause::Failures { share, answers: *answers });
    }
    if let Some(warming) = row.consistency.as_ref().and_then(|found| warming::still(found, cell, run)) {
        return Some(Cause::StillWarming { warming });
    }
    if let Some((figure, parts)) =
        row.consistency.as_ref().and_then(|found| Some((found.figure, found.fault()?)))
    {
        return Some(match parts.of {
            ConsistencyOf::Blocks => Cause::Inconsistent { figure, parts },
            ConsistencyOf::Launch | ConsistencyOf::Launches => Cause::Unsteady { figure, parts },
        });
    }
    if let Some(rate_per_s) = cell.workload.load.rate_per_s {
        let has_answers = cell.paced.iter().any(|window| window.outcomes.correct > 0);
        return Some(match has_answers {
            true => Cause::StatedRate { rate_per_s },
            false => Cause::NotMeasured { role: Role::Server, dropped: false },
        });
    }
    if row.goodput_per_s.is_none_or(|goodput| goodput.value <= 0.0) {
        let was_measured = cell.windows.iter().any(|window| window.kind() == WindowKind::Block);
        let dropped = was_measured && cell.blocks.is_empty();
        return Some(Cause::NotMeasured { role: Role::Server, dropped });
    }
    if let Some(share) = row.littles_law.together.filter(|share| *share > LITTLES_LAW) {
        return Some(Cause::LittlesLaw { share });
    }
    if row.class == Class::Running {
        match &cell.record.external {
            Some(External::Seen { .. }) => {}
            Some(External::Unseen { reason, cure }) => {
                return Some(Cause::RanAlready { why: Some(format!("{reason}: {cure}")) });
            }
            None => return Some(Cause::RanAlready { why: None }),
        }
    }
    let limit = row.limit.clone().filter(|finding| !finding.is_contenders())?;
    Some(Cause::NotServerBound { limit })
}

fn few(row: &Row) -> Option<Cause> {
    (row.launches < LEAST_LAUNCHES).then_some(Cause::FewLaunches {
        role: Role::Server,
        launches: row.launches,
        needed: LEAST_LAUNCHES,
    })
}
