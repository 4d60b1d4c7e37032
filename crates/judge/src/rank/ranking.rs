//! Ranks of one workload, and the order in which its rows are shown.

use velo_model::{Figure, Workload};
use velo_stats::Comparison;

use super::contest::{Candidate, contest};

use crate::doubt::context::RunContext;
use crate::doubt::state::RowState;
use crate::measure::cell::Cells;
use crate::measure::launch_logs::LaunchLogs;
use crate::rows::impossible;
use crate::rows::judge;
use crate::rows::row::Row;

/// The rows of a workload in the order in which they are shown, and how those that may be ranked compare.
pub(crate) struct Ranking {
    pub(crate) rows: Vec<Row>,
    /// The contenders in it are the first rows. `None` when fewer than two may be ranked.
    pub(crate) comparison: Option<Comparison>,
}

/// Judges the rows of a workload and ranks those that may be ranked. A twin has no row: it is there for the control.
pub(crate) fn rows(workload: &Workload, cells: &Cells<'_>, run: &RunContext<'_>) -> Ranking {
    let own = cells.of_workload(&workload.name).filter(|cell| cell.record.twin_of.is_none());
    let mut rows: Vec<Row> = own.map(|cell| judge::judge(cell, run)).collect();
    impossible::add(cells, &workload.name, &mut rows);
    sort(&mut rows);
    let candidates = rows.iter().take_while(|row| matches!(row.state, RowState::Ranked { .. })).count();
    let figures: Vec<LaunchLogs> = rows[..candidates]
        .iter()
        .filter_map(|row| cells.get(&workload.name, &row.contender))
        .map(|cell| cell.logs(Figure::Goodput))
        .collect();
    let contest =
        (figures.len() > 1).then(|| contest(Figure::Goodput, &Candidate::together(&figures), run.level));
    for (row, range) in rows.iter_mut().zip(contest.iter().flat_map(|contest| &contest.ranges)) {
        row.state = RowState::Ranked { best: range.best, worst: range.worst };
    }
    Ranking { rows, comparison: contest.map(|contest| contest.comparison) }
}

/// Ranked ones first, then those whose figures stand, then the others, the higher goodput first.
fn sort(rows: &mut [Row]) {
    rows.sort_by(|a, b| {
        let goodput = |row: &Row| row.goodput_per_s.map_or(0.0, |goodput| goodput.value);
        let by_goodput = goodput(b).total_cmp(&goodput(a));
        group(a).cmp(&group(b)).then(by_goodput).then_with(|| a.contender.cmp(&b.contender))
    });
}

fn group(row: &Row) -> u8 {
    match &row.state {
        RowState::Ranked { .. } => 0,
        RowState::NotRanked { .. } if row.is_comparable() => 1,
        RowState::Reference => 2,
        RowState::NotRanked { .. } => 3,
        RowState::Excluded { .. } => 4,
        RowState::Skipped { .. } => 5,
    }
}
