//! Which common rate and which burst speak for a workload.

use velo_judge::{JudgedBurst, JudgedWorkload, Series};
use velo_model::Figure;

/// What contenders need that were given the same work: where there are several rates, at that at which the most are ranked.
pub(crate) fn at_main_rate(workload: &JudgedWorkload) -> Option<&Series> {
    let ranked = |series: &&Series| series.points.iter().filter(|point| point.best.is_some()).count();
    let groups = workload.series.iter().filter(|series| series.of == Figure::CpuAtOneRate);
    // The last of equals is taken, and the highest rate stands first.
    groups.rev().max_by_key(ranked)
}

/// The largest burst that somebody answered whole; that at once before the one that `ab` would send.
pub(crate) fn main_burst(workload: &JudgedWorkload) -> Option<&JudgedBurst> {
    let has_answers =
        |burst: &&JudgedBurst| burst.rows.iter().any(|row| row.fault.is_none() && row.makespan_ns.is_some());
    let bursts = workload.bursts.iter().filter(|burst| !burst.sweep).filter(has_answers);
    bursts.max_by_key(|burst| (burst.requests, burst.connections, !burst.first_alone))
}
