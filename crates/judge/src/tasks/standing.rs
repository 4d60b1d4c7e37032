//! Whether a task may be ranked: the rules in the order in which a reader would want to hear of them.

use velo_record::{ContenderRecord, ContenderState, TaskProcess};

use super::process::Clocks;
use super::row::TaskRow;
use crate::rows::state::LEAST_LAUNCHES;
use crate::rows::state::{Cause, RowState};
use crate::words::{count, percent};

/// Of what its iterations must read, so much must have been read.
const READ: f64 = 0.99;
/// Its own times together are at least this share of those of the lab's clock, without what pipes may cost.
const OWN_CLOCK: f64 = 0.5;

/// The state of a task whose figures are there. A candidate gets rank 1 until all have been seen.
pub(super) fn of(
    row: &TaskRow,
    record: &ContenderRecord,
    all: &[&TaskProcess],
    nothing_ranked: Option<&str>,
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
    let few = (row.processes < LEAST_LAUNCHES).then(|| {
        let had = count(row.processes as usize, "process", "processes");
        (Cause::FewLaunches, format!("{had}, and ranks need {LEAST_LAUNCHES}"))
    });
    match fault(row, all).or_else(|| nothing_ranked.map(|reason| (Cause::Run, reason.to_owned()))).or(few) {
        Some((cause, reason)) => RowState::NotRanked { cause, reason },
        None => RowState::Ranked { best: 1, worst: 1 },
    }
}

/// What is wrong with the task itself.
fn fault(row: &TaskRow, all: &[&TaskProcess]) -> Option<(Cause, String)> {
    if row.wrong_answers > 0 {
        let answers = row.iterations.saturating_add(row.wrong_answers);
        let share = percent(row.wrong_answers as f64 / answers as f64);
        let example =
            row.wrong_examples.first().map(|words| format!(", such as {words}")).unwrap_or_default();
        let reason = format!("wrong answers: {} of {answers} ({share}){example}", row.wrong_answers);
        return Some((Cause::WrongAnswers, reason));
    }
    if let Some((process, reason)) =
        all.iter().find_map(|process| Some((process.process, process.ended_early.as_ref()?)))
    {
        return Some((Cause::Failures, format!("process {process} ended early: {reason}")));
    }
    if let Some(share) = row.read_share.filter(|share| *share < READ) {
        let share = percent(share);
        return Some((
            Cause::NotRead,
            format!("it read {share} of what its iterations must read from its files"),
        ));
    }
    let clocks = Clocks::of(all);
    if let Some(share) = clocks.share().filter(|_| clocks.own_ns < OWN_CLOCK * clocks.accountable_ns) {
        let share = percent(share);
        let reason =
            format!("its own clock leaves out most of the time: it says {share} of what the lab's does");
        return Some((Cause::OwnClock, reason));
    }
    row.steady_ns.is_none().then(|| {
        let reason = match (all.is_empty(), row.dropped) {
            (false, 1..) => "all its processes were disturbed, and are dropped",
            _ => "no process has an answer",
        };
        (Cause::NotMeasured, reason.to_owned())
    })
}
