//! The loads of a workload: where it asks for so many connections for each CPU, one workload for each number.

use velo_spec::Workload;

/// The workload as it is, or one for each of its numbers of connections. The first keeps its name, its claims and its table.
pub(crate) fn of(workload: &Workload, cores: u32) -> Vec<Workload> {
    let each = workload.load.connections_per_core.clone();
    if each.is_empty() {
        return vec![workload.clone()];
    }
    let with = |(number, per_core): (usize, u32)| {
        let mut load = workload.clone();
        load.load.connections_per_core.clear();
        load.load.connections = per_core.saturating_mul(cores).clamp(1, 65_535);
        load.load_of = Some(workload.name.clone());
        if number > 0 {
            load.name = format!("{}-{per_core}-per-core", workload.name);
            load.published.clear();
            load.claims.clear();
            load.task = None;
            load.bursts.clear();
            load.calls.clear();
        }
        load
    };
    each.into_iter().enumerate().map(with).collect()
}
