//! What of a workload can be compared, in one shape: the numbers of each series by launch, and what stands against them.

use velo_model::{Class, ContenderName, Figure, LoadCondition};
use velo_record::RatePurpose;
use velo_stats::CONFIDENCE;

use super::snapshot::Fault;
use crate::calls::{CallLogs, Calls};
use crate::doubt::answers::FAILURES;
use crate::doubt::cause::{Cause, Validity};
use crate::doubt::reason::{CallFault, Reason};
use crate::doubt::state::RowState;
use crate::measure::cell::Cells;
use crate::measure::estimate::Estimate;
use crate::measure::launch_logs::LaunchLogs;
use crate::rank::equal_work;
use crate::rows::row::Row;
use crate::run::workload::JudgedWorkload;
use crate::series::measured::measured;
use crate::tasks::Tasks;
use crate::words::percent;

/// A contender's value in a series, launch by launch (of a task: process by process).
pub(super) struct Comparable<'a> {
    pub(super) of: Figure,
    pub(super) under: LoadCondition,
    pub(super) contender: &'a ContenderName,
    pub(super) is_reference: bool,
    /// What the run's own report prints.
    pub(super) estimate: Option<Estimate>,
    pub(super) logs: LaunchLogs,
    /// Why it cannot be compared.
    pub(super) fault: Option<Fault>,
}

/// All of a workload, by series in the order of the table of figures.
pub(super) fn of_workload<'a>(
    judged: &'a JudgedWorkload,
    cells: &Cells<'_>,
    tasks: Option<&'a Tasks>,
    calls: Option<&'a Calls>,
) -> Vec<Comparable<'a>> {
    let rows = judged.rows.iter().flat_map(|row| of_row(judged, row, cells));
    let tasks = tasks.into_iter().flat_map(Tasks::steady).map(|(row, steady_ns)| Comparable {
        of: Figure::IterationSteady,
        under: LoadCondition::None,
        contender: &row.contender,
        is_reference: false,
        estimate: row.steady_ns,
        logs: steady_ns.clone(),
        fault: (!row.is_comparable()).then(|| of_state(&row.state)),
    });
    let calls = calls.into_iter().flat_map(Calls::logs).map(of_call);
    let mut all: Vec<Comparable<'a>> = rows.chain(tasks).chain(calls).collect();
    all.sort_by_key(|one| one.of);
    all
}

fn of_call(own: CallLogs<'_>) -> Comparable<'_> {
    let CallLogs { of, condition, row, logs } = own;
    let fault = |reason: &Reason| {
        let is_failure = matches!(
            reason,
            Reason::Call(
                CallFault::WrongAnswers { .. } | CallFault::EndedEarly { .. } | CallFault::NoAnswer { .. }
            )
        );
        Fault { reason: reason.to_string(), is_failure }
    };
    Comparable {
        of,
        under: LoadCondition::Call { condition },
        contender: &row.contender,
        is_reference: false,
        estimate: if of == Figure::Call { row.whole_ns } else { logs.estimate(CONFIDENCE) },
        logs: logs.clone(),
        fault: row.fault.as_ref().map(fault),
    }
}

fn of_row<'a>(judged: &JudgedWorkload, row: &'a Row, cells: &Cells<'_>) -> Vec<Comparable<'a>> {
    let Some(cell) = cells.get(&judged.name, &row.contender) else { return Vec::new() };
    let is_reference = row.class == Class::Reference;
    let cpu_fault = || match is_reference {
        true => reference_fault(row),
        false => row.cpu_fault().map(|_| of_state(&row.state)),
    };
    let at_one_rate = row.latency.iter().find(|figures| figures.purpose == RatePurpose::EqualWork);
    let comparable = |of, under, logs| {
        let (fault, estimate) = match of {
            Figure::Goodput if is_reference => (reference_fault(row), row.goodput_per_s),
            Figure::Goodput => (goodput_fault(row), row.goodput_per_s.filter(|_| !is_at_stated_rate(row))),
            Figure::CpuPerRequest => (cpu_fault(), row.cpu_per_request_ns),
            Figure::CpuAtOneRate => {
                let figures = at_one_rate?;
                let at_rate = |reason: Reason| Fault { reason: reason.to_string(), is_failure: false };
                let fault = cpu_fault().or_else(|| equal_work::rate_fault(figures).map(at_rate));
                (fault, figures.cpu_per_request_ns)
            }
            _ => return None,
        };
        Some(Comparable { of, under, contender: &row.contender, is_reference, estimate, logs, fault })
    };
    let rate_per_s = at_one_rate.map(|figures| figures.rate_per_s);
    measured(cell, rate_per_s).into_iter().filter_map(|own| comparable(own.of, own.under, own.logs)).collect()
}

fn is_at_stated_rate(row: &Row) -> bool {
    matches!(row.state, RowState::NotRanked { cause: Cause::StatedRate { .. } })
}

/// Why the goodput of a row is not its own; `None` when it is, and at a stated rate, where there is none.
fn goodput_fault(row: &Row) -> Option<Fault> {
    (!row.is_comparable() && !is_at_stated_rate(row)).then(|| of_state(&row.state))
}

/// Why a server failed by itself: no figure of it means anything then. Never the reference.
pub(super) fn failure(row: &Row) -> Option<Fault> {
    let fault = if row.class == Class::Reference { None } else { goodput_fault(row) };
    fault.filter(|fault| fault.is_failure)
}

/// Why the reference says nothing of the machine; `None` when it does. It need not be the limit: as long as it is the same
/// program, its level is that of the machine and the generator.
pub(super) fn reference_fault(row: &Row) -> Option<Fault> {
    let answers = &row.answers;
    let failed = answers.share(answers.failures()).filter(|share| *share > FAILURES);
    let reason = match &row.state {
        RowState::Reference if answers.wrong_answer > 0 => format!("{} wrong answers", answers.wrong_answer),
        RowState::Reference => format!("{} of its requests failed", percent(failed?)),
        _ => row.standing(),
    };
    Some(Fault { reason, is_failure: is_failure(&row.state) })
}

fn of_state(state: &RowState) -> Fault {
    Fault { reason: state.in_words(), is_failure: is_failure(state) }
}

/// Whether the contender itself is at fault.
fn is_failure(state: &RowState) -> bool {
    let has_failed = matches!(
        state,
        RowState::Excluded { .. }
            | RowState::NotRanked { cause: Cause::Failures { .. } | Cause::ProcessEndedEarly { .. } }
    );
    has_failed || state.validity() == Validity::Invalid
}
