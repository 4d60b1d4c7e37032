//! Kernels without paravirtual time accounting bill what the hypervisor steals to the task that was running: then CPU time per request
//! holds it, and is corrected.

use velo_model::PartyRole;
use velo_record::{Placement, Window};

/// A contender that used at least this share of its CPUs' time was at its limit, so that its CPU time and what was stolen fill it.
const SATURATED: f64 = 0.85;
/// CPU time and stolen time together are more than there is, by more than what ticks make of it.
const MORE_THAN_ALL: f64 = 1.02;

/// Whether CPU times hold what was stolen; not where nothing tells.
pub(crate) fn is_in_cpu_times<'w>(windows: impl Iterator<Item = &'w Window>, placement: &Placement) -> bool {
    let cpus = placement.cpus(PartyRole::Contender).len().max(1) as f64;
    let (mut used_ns, mut all_ns) = (0.0, 0.0);
    for window in windows {
        let Some((cpu_ns, stolen_ns)) =
            window.cpu_total_ns(PartyRole::Contender).zip(window.host.stolen_server_ns)
        else {
            continue;
        };
        let elapsed_ns = window.host.others_elapsed_ns.unwrap_or(0) as f64 * cpus;
        if cpu_ns as f64 >= SATURATED * elapsed_ns {
            used_ns += cpu_ns as f64 + stolen_ns as f64;
            all_ns += elapsed_ns;
        }
    }
    used_ns > MORE_THAN_ALL * all_ns
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation, contender_mut};

    /// A kernel that counts 95 % of the time as the contender's, and 5 or 10 % as stolen.
    #[test]
    fn more_than_all_of_the_time_is_steal_counted_twice() {
        let (file, mut windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
        let cpus = file.placement.cpus(PartyRole::Contender).len() as u64;
        let mut found = |cpu: u64, stolen: u64| {
            for window in &mut windows {
                window.host.others_elapsed_ns = Some(100_000_000);
                contender_mut(window).cpu_total_ns = Some(cpu * cpus * 1_000_000);
                window.host.stolen_server_ns = Some(stolen * cpus * 1_000_000);
            }
            is_in_cpu_times(windows.iter(), &file.placement)
        };
        assert!(!found(95, 5) && found(95, 10));
        assert!(!found(50, 60), "a contender that waits tells nothing");
        assert!(!is_in_cpu_times([].into_iter(), &file.placement));
    }
}
