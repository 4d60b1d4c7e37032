//! Ranks of one workload, and the order in which its rows are shown.

use velo_model::{Class, Figure, Workload};
use velo_stats::Comparison;

use super::contest::{Candidate, Contest, contest};

use crate::doubt::cause::Cause;
use crate::doubt::context::RunContext;
use crate::doubt::state::RowState;
use crate::measure::cell::{Cell, Cells};
use crate::measure::launch_logs::LaunchLogs;
use crate::rows::disturber;
use crate::rows::impossible;
use crate::rows::judge;
use crate::rows::row::Row;

/// The rows of a workload in the order in which they are shown, and how those that may be ranked compare.
pub(crate) struct Ranking {
    pub(crate) rows: Vec<Row>,
    /// The contenders in it are the first rows. `None` when fewer than two may be ranked.
    pub(crate) comparison: Option<Comparison>,
    /// The same rows by CPU time per request, where the machine was so busy that the answer rests on that.
    pub(crate) by_cpu: Option<Contest>,
}

/// Judges the rows of a workload and ranks those that may be ranked. A twin has no row: it is there for the control.
pub(crate) fn rows(workload: &Workload, cells: &Cells<'_>, run: &RunContext<'_>) -> Ranking {
    let own = cells.of_workload(&workload.name).filter(|cell| cell.record.twin_of.is_none());
    let mut rows: Vec<Row> = own.map(|cell| judge::judge(cell, run)).collect();
    impossible::add(cells, &workload.name, &mut rows);
    disturber::add(cells, &workload.name, run.placement, &mut rows);
    leave_alone(&mut rows);
    sort(&mut rows);
    let candidates = rows.iter().take_while(|row| matches!(row.state, RowState::Ranked { .. })).count();
    let own: Vec<&Cell<'_>> =
        rows[..candidates].iter().filter_map(|row| cells.get(&workload.name, &row.contender)).collect();
    let by = |figure| {
        let figures: Vec<LaunchLogs> = own.iter().map(|cell| cell.logs(figure)).collect();
        let of_row = |(logs, row)| Candidate { logs, group: usize::from(is_external(row)) };
        let candidates: Vec<Candidate<'_>> = figures.iter().zip(&rows).map(of_row).collect();
        (candidates.len() > 1).then(|| contest(figure, &candidates, run.level))
    };
    let contest = by(Figure::Goodput);
    let by_cpu = if run.is_host_busy { by(Figure::LEAST_DISTURBED) } else { None };
    for (row, range) in rows.iter_mut().zip(contest.iter().flat_map(|contest| &contest.ranges)) {
        row.state = RowState::Ranked { best: range.best, worst: range.worst };
    }
    Ranking { rows, comparison: contest.map(|contest| contest.comparison), by_cpu }
}

/// A server that ran already is one launch, however often it is measured: it is no pair of what `velo` starts.
pub(super) fn is_external(row: &Row) -> bool {
    row.class == Class::Running
}

/// Takes the rank of a server that ran already where it is the only one.
fn leave_alone(rows: &mut [Row]) {
    let mut external =
        rows.iter_mut().filter(|row| is_external(row) && matches!(row.state, RowState::Ranked { .. }));
    if let (Some(only), None) = (external.next(), external.next()) {
        only.state = RowState::NotRanked { cause: Cause::OnlyExternal };
    }
}

/// Ranked ones first, of them those that ran already behind the others, then those whose figures stand, then the others, the higher goodput first.
fn sort(rows: &mut [Row]) {
    rows.sort_by(|a, b| {
        let goodput = |row: &Row| row.goodput_per_s.map_or(0.0, |goodput| goodput.value);
        let by_goodput = goodput(b).total_cmp(&goodput(a));
        group(a).cmp(&group(b)).then(by_goodput).then_with(|| a.contender.cmp(&b.contender))
    });
}

fn group(row: &Row) -> u8 {
    match &row.state {
        RowState::Ranked { .. } => u8::from(is_external(row)),
        RowState::NotRanked { .. } if row.is_comparable() => 2,
        RowState::Reference => 3,
        RowState::NotRanked { .. } => 4,
        RowState::Excluded { .. } => 5,
        RowState::Skipped { .. } => 6,
    }
}
