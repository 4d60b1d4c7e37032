//! What else is to be known of a task.

use velo_record::TaskProcess;
use velo_stats::{CONFIDENCE, STEADY_WITHIN};

use super::process::median_ns;
use super::row::TaskRow;
use crate::doubt::finding::Finding;
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::measure::estimate::Estimate;
use crate::measure::launch_logs::ratio;

/// The last quarter of a process over the quarter before it: a run-time that still compiles is not steady yet.
pub(super) fn change(counted: &[&TaskProcess]) -> Option<Estimate> {
    let log_ratio = |process: &&TaskProcess| {
        let (all, quarter) = (&process.iterations, process.iterations.len() / 4);
        let third = median_ns(all.get(all.len() - 2 * quarter..all.len() - quarter)?)?;
        let last = median_ns(&all[all.len() - quarter..])?;
        Some((process.process, (last / third).ln()))
    };
    ratio(counted.iter().filter_map(log_ratio).collect(), CONFIDENCE)
}

pub(super) fn verdicts(row: &TaskRow, all: &[&TaskProcess], change: Option<Estimate>) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for process in all {
        if let Some(reason) = process.ended_early.clone() {
            let finding = Finding::ProcessEndedEarly { process: process.process, reason };
            verdicts.push(Verdict::new(Kind::Warning, Check::Launches, finding));
        }
    }
    if row.dropped > 0 {
        let of = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let finding = Finding::ProcessesDropped { processes: row.dropped, of };
        verdicts.push(Verdict::new(Kind::Hint, Check::Host, finding).of(f64::from(row.dropped), 0.0));
    }
    let is_unread = |process: &&TaskProcess| process.ended_early.is_none() && process.file_bytes > 0;
    if row.read_share.is_none() && all.iter().any(is_unread) {
        verdicts.push(Verdict::new(Kind::Hint, Check::Record, Finding::ReadBytesUnknown));
    }
    if let Some((change, (low, high))) = change.and_then(|change| Some((change, change.interval()?)))
        && (high < 1.0 - STEADY_WITHIN || low > 1.0 + STEADY_WITHIN)
    {
        let finding = Finding::TaskTrend { change_share: change.value - 1.0 };
        verdicts.push(Verdict::new(Kind::Warning, Check::Steady, finding).of(change.value, 1.0));
    }
    verdicts
}
