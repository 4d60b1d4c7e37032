//! Whether a task may be ranked: the rules in the order in which a reader would want to hear of them.

use velo_model::Class;
use velo_record::{ContenderRecord, ContenderState, TaskProcess};

use super::own_clock::LeftOut;
use super::row::TaskRow;
use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::cause::Cause;
use crate::doubt::data;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::doubt::state::RowState;

/// The server of files uses at most this share of a client's CPU time, else it may have been the limit.
const SERVER_CPU: f64 = 0.5;

/// The state of a task whose figures are there. A candidate gets rank 1 until all have been seen.
pub(super) fn of(
    row: &TaskRow,
    record: &ContenderRecord,
    all: &[&TaskProcess],
    left_out: Option<LeftOut>,
    nothing_ranked: Option<&NothingRanked>,
) -> RowState {
    match &record.state {
        ContenderState::Skipped { reason, cure } => {
            return RowState::Skipped { reason: reason.clone(), cure: cure.clone() };
        }
        ContenderState::Excluded { stage, reason, log } => {
            return RowState::Excluded { stage: *stage, reason: reason.clone(), log: log.clone() };
        }
        ContenderState::Pending | ContenderState::Measured => {}
    }
    let few = (row.processes < LEAST_LAUNCHES).then_some(Cause::FewLaunches {
        role: row.role,
        launches: row.processes,
        needed: LEAST_LAUNCHES,
    });
    let of_run = || nothing_ranked.cloned().map(|because| Cause::Run { because });
    match fault(row, all, left_out).or_else(of_run).or(few) {
        // The floor may well be below what the server can do: then it is the server's.
        Some(Cause::FileServer { .. }) if row.class == Class::Reference => RowState::Reference,
        Some(cause) => RowState::NotRanked { cause },
        // The floor, which nobody would use.
        None if row.class == Class::Reference => RowState::Reference,
        None => RowState::Ranked { best: 1, worst: 1 },
    }
}

/// What is wrong with the task itself.
fn fault(row: &TaskRow, all: &[&TaskProcess], left_out: Option<LeftOut>) -> Option<Cause> {
    if row.wrong_answers > 0 {
        return Some(Cause::WrongAnswers {
            wrong: row.wrong_answers,
            requests: row.iterations.saturating_add(row.wrong_answers),
            example: row.wrong_examples.first().cloned(),
        });
    }
    let ended = all.iter().find_map(|process| Some((process.process, process.ended_early.clone()?)));
    if let Some((process, ended)) = ended {
        return Some(Cause::ProcessEndedEarly { process, ended });
    }
    if let Some(cause) = row.read_share.and_then(|share| data::not_read(row.role, share)) {
        return Some(cause);
    }
    if let Some(LeftOut { workload, share }) = left_out {
        return Some(Cause::OwnClock { workload, share });
    }
    if let Some(share) = row.server_cpu_share.filter(|share| *share > SERVER_CPU) {
        return Some(Cause::FileServer { share });
    }
    let dropped = !all.is_empty() && row.dropped > 0;
    row.steady_ns.is_none().then_some(Cause::NotMeasured { role: row.role, dropped })
}
