//! What of a run can be compared: the measurements of figures that are, and what stands against each.

use velo_model::{Class, Figure};

use super::snapshot::Fault;
use crate::doubt::answers::FAILURES;
use crate::doubt::cause::Cause;
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::estimate::Estimate;
use crate::rows::row::Row;
use crate::run::workload::JudgedWorkload;
use crate::table::Table;
use crate::table::measurement::Measurement;
use crate::words::percent;

/// A measurement beside those of other contenders or of another run.
pub(super) struct Comparable<'a> {
    pub(super) measured: &'a Measurement,
    pub(super) is_reference: bool,
    /// What the run's own report prints; at a stated rate a goodput is not the contender's own.
    pub(super) estimate: Option<Estimate>,
    /// Why it cannot be compared.
    pub(super) fault: Option<Fault>,
}

/// All of a workload, by series in the order of the table of figures. Startup is of a contender, on whichever workload, and of the rates
/// for all a contender has one. `external`: only servers that ran already are compared, with one another in one run; else none of them
/// is, since they are one launch each.
pub(super) fn of_workload<'a>(
    judged: &JudgedWorkload,
    table: &'a Table,
    external: bool,
) -> Vec<Comparable<'a>> {
    let is_compared = |of: Figure| of.row().is_compared && of != Figure::Startup;
    let mut all: Vec<Comparable<'a>> = Vec::new();
    for measured in table.of_workload(&judged.name).iter().filter(|one| is_compared(one.of)) {
        let is_same = |one: &Comparable<'_>| {
            one.measured.of == Figure::CpuAtOneRate && one.measured.contender == measured.contender
        };
        if measured.of != Figure::CpuAtOneRate || !all.iter().any(is_same) {
            all.push(Comparable::new(measured, judged, external));
        }
    }
    all.sort_by_key(|one| one.measured.of);
    all
}

impl<'a> Comparable<'a> {
    fn new(measured: &'a Measurement, judged: &JudgedWorkload, external: bool) -> Self {
        let row = judged.rows.iter().find(|row| row.contender == measured.contender);
        let one_launch = row.filter(|row| row.class == Class::Running && !external).map(|_| Fault {
            reason: "externally started: it is one launch, and launches are what is compared".to_owned(),
            is_failure: false,
        });
        let reference =
            row.filter(|row| row.class == Class::Reference && measured.of.kind().row().is_under_load);
        let is_at_stated_rate = measured.of == Figure::Goodput && row.is_some_and(is_at_stated_rate);
        let fault = match reference {
            // As long as it is the same program, its level is that of the machine and the generator.
            Some(row) => reference_fault(row),
            None => measured.fault.as_ref().filter(|_| !is_at_stated_rate).map(of_reason),
        };
        Self {
            measured,
            is_reference: reference.is_some(),
            estimate: measured.estimate.filter(|_| !is_at_stated_rate || reference.is_some()),
            fault: fault.or(one_launch),
        }
    }
}

fn is_at_stated_rate(row: &Row) -> bool {
    matches!(row.state, RowState::NotRanked { cause: Cause::StatedRate { .. } })
}

/// Why a server failed by itself: no figure of it means anything then. Never the reference.
pub(super) fn failure(row: &Row) -> Option<Fault> {
    let own = row.goodput_fault().filter(|_| row.class != Class::Reference && !is_at_stated_rate(row));
    own.filter(Reason::is_failure).as_ref().map(of_reason)
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
    Some(Fault { reason, is_failure: row.state.is_failure() })
}

fn of_reason(reason: &Reason) -> Fault {
    let text = match reason {
        Reason::Standing(state) => state.in_words(),
        reason => reason.to_string(),
    };
    Fault { reason: text, is_failure: reason.is_failure() }
}
