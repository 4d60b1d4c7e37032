//! Ranks of one workload, and the order in which its rows are shown.

use velo_stats::rank_ranges;

use crate::row::{Row, RowState};

/// Ranks the candidates by goodput: rows whose intervals overlap share a rank. Sorts all rows: ranked ones first,
/// then those whose figures stand, then the others, the higher goodput first.
pub(crate) fn assign(rows: &mut [Row]) {
    rows.sort_by(|a, b| {
        let goodput = |row: &Row| row.goodput_per_s.map_or(0.0, |goodput| goodput.value);
        let by_goodput = goodput(b).total_cmp(&goodput(a));
        group(a).cmp(&group(b)).then(by_goodput).then_with(|| a.contender.cmp(&b.contender))
    });
    let candidates = rows.iter().take_while(|row| matches!(row.state, RowState::Ranked { .. })).count();
    let ranked = &mut rows[..candidates];
    let ranges =
        rank_ranges(u32::try_from(candidates).unwrap_or(u32::MAX), |i, j| is_above(&ranked[i], &ranked[j]));
    for (row, range) in ranked.iter_mut().zip(ranges) {
        row.state = RowState::Ranked { best: range.best, worst: range.worst };
    }
}

/// Whether one row is separated from another and better: the one place that decides it.
fn is_above(one: &Row, other: &Row) -> bool {
    match (&one.goodput_per_s, &other.goodput_per_s) {
        (Some(one), Some(other)) => one.is_apart_from(other) && one.value > other.value,
        _ => false,
    }
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
