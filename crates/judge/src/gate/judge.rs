//! From a run to what a gate comes to.

use velo_model::ContenderName;
use velo_record::{ContenderState, RunFile, RunState, Window};
use velo_stats::SEQUENTIAL_LEVEL;

use super::figures;
use super::numbers::Sides;
use super::question::GateQuestion;
use super::result::{FORMAT, GateFigure, GateRun, GateSide, GateState, GateSubject, GateVerdict, SideState};
use super::why;
use crate::doubt::cause::Cause;
use crate::doubt::state::RowState;
use crate::run::judge::judge_run;

/// Judges the run of two revisions. The states of the sides follow from the run.
pub fn judge(file: &RunFile, windows: &[Window], question: &GateQuestion, subject: GateSubject) -> GateRun {
    let run = judge_run(file, windows);
    let sides = Sides::of(&run, &question.base, &question.head);
    let planned = file.plan.as_ref().map_or(0, |plan| plan.launches);
    let launches = whole_launches(file, windows);
    let rows = || sides.iter().flat_map(|sides| [sides.base.row, sides.head.row]);
    let state = |name: &ContenderName| {
        let row = rows().find(|row| row.contender == *name);
        side_state(file, name, row.map(|row| &row.state))
    };
    let base = GateSide { state: state(&question.base), ..subject.base };
    let head = GateSide { state: state(&question.head), ..subject.head };
    let is_fit = [&base, &head].iter().all(|side| side.state == SideState::Fit);
    let fit = sides.as_ref().filter(|_| is_fit);
    let looks = question.looks(planned);
    let figures = fit.map(|sides| figures::of(sides, question, &looks, launches)).unwrap_or_default();
    let doubtful = rows().filter(|row| matches!(row.state, RowState::NotRanked { .. }));
    let doubts = doubtful.map(|row| format!("{}: {}", row.contender, row.standing())).collect();
    let verdict = verdict(file.state, [&base.state, &head.state], &figures);
    let per_request = fit.map(why::of).unwrap_or_default();
    GateRun {
        verdict,
        launches,
        planned,
        measured_ns: file.timings.measure_ns,
        per_request,
        figures,
        doubts,
        ..unmeasured(GateSubject { base, head, ..subject }, file.state)
    }
}

/// A gate of which nothing was measured: the verdict follows from the states of the sides alone.
pub fn unmeasured(subject: GateSubject, state: RunState) -> GateRun {
    GateRun {
        format: FORMAT,
        verdict: verdict(state, [&subject.base.state, &subject.head.state], &[]),
        contender: subject.contender,
        workload: subject.workload,
        workload_differs: subject.workload_differs,
        base: subject.base,
        head: subject.head,
        level: SEQUENTIAL_LEVEL,
        launches: 0,
        planned: 0,
        budget_ns: subject.budget_ns,
        measured_ns: 0,
        seed: subject.seed,
        started_at: subject.started_at,
        command: subject.command,
        figures: Vec::new(),
        per_request: Vec::new(),
        accepted: subject.accepted,
        doubts: Vec::new(),
    }
}

/// Launches that came to their end: the last one of a run that was stopped did not.
fn whole_launches(file: &RunFile, windows: &[Window]) -> u32 {
    let last = windows.iter().map(|window| window.launch).max().unwrap_or(0);
    if file.state == RunState::Complete { last } else { last.saturating_sub(1) }
}

/// What a run says of a side. Figures that are doubtful for what the machine did to them are none of its
/// faults.
fn side_state(file: &RunFile, name: &ContenderName, row: Option<&RowState>) -> SideState {
    let record = file.contenders.iter().find(|record| record.manifest.name == *name);
    match (record.map(|record| &record.state), row) {
        (None, _) => SideState::Absent,
        (Some(ContenderState::Skipped { reason, .. }), _) => SideState::Skipped { reason: reason.clone() },
        (Some(ContenderState::Excluded { reason, log, .. }), _) => {
            SideState::Broken { reason: reason.clone(), log: log.clone() }
        }
        (Some(_), Some(state @ RowState::NotRanked { cause })) if is_own_fault(cause) => {
            SideState::Broken { reason: state.in_words(), log: None }
        }
        (Some(_), _) => SideState::Fit,
    }
}

fn is_own_fault(cause: &Cause) -> bool {
    matches!(
        cause,
        Cause::WrongAnswers { .. }
            | Cause::UnfairCoin { .. }
            | Cause::Failures { .. }
            | Cause::StaleData { .. }
            | Cause::NotRead { .. }
    )
}

fn verdict(state: RunState, [base, head]: [&SideState; 2], figures: &[GateFigure]) -> GateVerdict {
    let is = |state: GateState| move |figure: &&GateFigure| figure.state == state;
    let worse = || figures.iter().filter(is(GateState::Worse));
    match (base, head) {
        (_, SideState::Broken { .. }) => GateVerdict::HeadBroken,
        (_, SideState::Skipped { .. }) | (SideState::Skipped { .. }, _) => GateVerdict::Unfit,
        (SideState::Broken { .. }, _) => GateVerdict::BaseBroken,
        (SideState::Absent, _) if state == RunState::Complete => GateVerdict::New,
        _ if worse().any(|figure| !figure.is_accepted) => GateVerdict::Worse,
        _ if state != RunState::Complete => GateVerdict::Interrupted,
        _ if figures.iter().all(|figure| figure.state == GateState::Missing) => GateVerdict::Undecided,
        _ if figures.iter().any(|figure| figure.state == GateState::Undecided) => GateVerdict::Undecided,
        _ if worse().next().is_some() => GateVerdict::Accepted,
        _ if figures.iter().any(|figure| figure.state == GateState::Better) => GateVerdict::Better,
        _ => GateVerdict::Within,
    }
}
