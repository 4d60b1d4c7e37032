//! The parts of a workload's report below its main table.

use velo_judge::{JudgedWorkload, WorkloadDetail};

use super::{bursts, calls, cost, details, latency, pairs, published, strictness, tasks, tax};
use crate::document::Section;

/// What is to be shown, in its order: how contenders compare, each further measurement, what was published, and at the end
/// details of each contender and odd input. Charts of what stands behind the figures need the detail.
pub(crate) fn parts(workload: &JudgedWorkload, detail: Option<&WorkloadDetail>) -> Vec<Section> {
    let mut parts: Vec<Section> = Vec::new();
    parts.extend(pairs::section(workload));
    parts.extend(tax::sections(workload));
    parts.extend(latency::at_common_rate(workload, detail));
    parts.extend(latency::response_times(workload));
    parts.extend(bursts::section(workload, detail));
    parts.extend(bursts::sweep_section(workload));
    parts.extend(cost::section(workload));
    parts.extend(tasks::sections(workload, detail));
    parts.extend(calls::sections(workload));
    parts.extend(published::sections(workload));
    parts.extend(details::section(workload));
    parts.extend(strictness::section(&workload.strictness).map(Section::detail));
    parts
}
