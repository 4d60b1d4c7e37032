//! Turns of phrase that several parts of a report share.

use velo_judge::{ComparedRow, JudgedWorkload, Kind, RowState};

use crate::number::count;
use crate::text::clean;

pub(super) const BASELINE: &str = "1 (baseline)";

pub(crate) fn rank_of(state: &RowState) -> String {
    match state {
        RowState::Ranked { best, worst } => rank_range(*best, *worst),
        _ => "-".to_owned(),
    }
}

/// `2`, `1-3`.
pub(crate) fn rank_range(best: u32, worst: u32) -> String {
    if best == worst { best.to_string() } else { format!("{best}-{worst}") }
}

/// A figure and how sure it is. A lower bound says so and has no interval: what it could have been is not known.
pub(crate) fn with_interval(value: String, at_least: bool, plus_minus: Option<String>) -> String {
    match plus_minus {
        _ if at_least => format!("≥ {value}"),
        Some(plus_minus) => format!("{value} {plus_minus}"),
        None => value,
    }
}

/// Why a published row has no score here, in a word or two: the whole reason stands with the contender's row.
pub(crate) fn no_score(compared: &ComparedRow, workload: &JudgedWorkload) -> Option<String> {
    let reason = compared.reason.as_ref()?;
    let row = workload.rows.iter().find(|row| Some(&row.contender) == compared.contender.as_ref());
    Some(match row.map(|row| &row.state) {
        None => clean(&reason.to_string()),
        Some(RowState::Skipped { .. }) => "skipped".to_owned(),
        Some(RowState::Excluded { .. }) => "failed".to_owned(),
        Some(_) if workload.baseline_fault.is_some() => "no baseline".to_owned(),
        Some(_) => "not ranked".to_owned(),
    })
}

pub(crate) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Hint => "hint",
        Kind::Warning => "warning",
        Kind::Error => "error",
    }
}

pub(crate) fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// CPUs as ranges: `0-3,8`.
pub(super) fn cpus(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*cpu) => *last = *cpu,
            _ => ranges.push((*cpu, *cpu)),
        }
    }
    if ranges.is_empty() {
        return "unknown".to_owned();
    }
    let range = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_written_as_ranges() {
        assert_eq!(cpus(&[0]), "0");
        assert_eq!(cpus(&[0, 1, 2, 3, 8, u32::MAX]), "0-3,8,4294967295");
        assert_eq!(cpus(&[]), "unknown");
    }
}
