//! The loads of a workload: where it asks for so many connections for each CPU, or for connections that are kept and others that
//! are not, one workload for each.

use velo_spec::Workload;

/// The workload as it is, or one for each of its loads. The first keeps its name, its claims and its table.
pub(crate) fn of(workload: &Workload, cores: u32) -> Vec<Workload> {
    let per_core = workload.load.connections_per_core.iter().map(|&per_core| {
        let mut load = workload.clone();
        load.load.connections = per_core.saturating_mul(cores).clamp(1, 65_535);
        (load, format!("{per_core}-per-core"))
    });
    let by_core: Vec<_> = per_core.collect();
    let by_turns = workload.load.requests_per_connection_each.iter().map(|&requests| {
        let mut load = workload.clone();
        load.load.requests_per_connection = requests;
        let name = requests.map_or("kept".to_owned(), |requests| format!("{requests}-per-connection"));
        (load, name)
    });
    // The definition has several of one of them at most.
    let loads = if by_core.is_empty() { by_turns.collect() } else { by_core };
    if loads.is_empty() {
        return vec![workload.clone()];
    }
    let named = |(number, (mut load, name)): (usize, (Workload, String))| {
        load.load.connections_per_core.clear();
        load.load.requests_per_connection_each.clear();
        load.load_of = Some(workload.name.clone());
        if number > 0 {
            load.name = format!("{}-{name}", workload.name);
            load.published.clear();
            load.claims.clear();
            load.task = None;
            load.bursts.clear();
            load.calls.clear();
        }
        load
    };
    loads.into_iter().enumerate().map(named).collect()
}
