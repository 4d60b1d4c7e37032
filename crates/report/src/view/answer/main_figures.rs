//! Which group of equal work and which burst speak for a workload.

use velo_judge::{EqualWorkGroup, JudgedBurst, JudgedWorkload};

/// The contenders that were given the same work: where there are several rates, those at which the most are ranked.
pub(crate) fn main_group(workload: &JudgedWorkload) -> Option<&EqualWorkGroup> {
    let ranked = |group: &EqualWorkGroup| group.rows.iter().filter(|row| row.best.is_some()).count();
    // The last of equals is taken, and the highest rate stands first.
    workload.equal_work.groups.iter().rev().max_by_key(|group| ranked(group))
}

/// The largest burst that somebody answered whole; that at once before the one that `ab` would send.
pub(crate) fn main_burst(workload: &JudgedWorkload) -> Option<&JudgedBurst> {
    let has_answers =
        |burst: &&JudgedBurst| burst.rows.iter().any(|row| row.fault.is_none() && row.makespan_ns.is_some());
    let bursts = workload.bursts.iter().filter(|burst| !burst.sweep).filter(has_answers);
    bursts.max_by_key(|burst| (burst.requests, burst.connections, !burst.first_alone))
}
