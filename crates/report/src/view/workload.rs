//! The parts of a workload's report below its main table.

use velo_judge::JudgedWorkload;

use super::section::Section;
use super::{bursts, calls, cost, details, latency, pairs, strictness, tasks, tax};

/// What is to be shown, in its order: how contenders compare, then each further measurement.
pub(crate) fn parts(workload: &JudgedWorkload) -> Vec<Section> {
    let mut parts: Vec<Section> = Vec::new();
    parts.extend(pairs::section(workload));
    parts.extend(tax::sections(workload));
    parts.extend(latency::at_common_rate(workload));
    parts.extend(latency::response_times(workload));
    parts.extend(bursts::section(workload));
    parts.extend(bursts::sweep_section(workload));
    parts.extend(cost::section(workload));
    parts.extend(tasks::sections(workload));
    parts.extend(calls::sections(workload));
    parts
}

/// What stands at the end: details of each contender, and odd input.
pub(crate) fn appendix(workload: &JudgedWorkload) -> impl Iterator<Item = Section> {
    details::section(workload).into_iter().chain(strictness::section(&workload.strictness))
}
