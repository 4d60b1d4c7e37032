//! What others take of the generator's CPUs, as far as the services may run anywhere.

use std::time::Duration;

use crate::host::doctor;
use crate::host::host_cpu::{Counting, Taken, Ticks, taken};
use crate::host::machine::Host;

/// Looks at the CPUs from block to block.
pub(super) struct Others<'h> {
    host: &'h dyn Host,
    /// The generator's.
    cpus: Vec<u32>,
    counting: Counting,
}

/// The beginning of a stretch.
pub(super) struct Stretch {
    ticks: Ticks,
    own_ns: u64,
}

impl<'h> Others<'h> {
    pub(super) fn new(host: &'h dyn Host, cpus: &[u32]) -> Self {
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        let counting = Counting {
            tick: Duration::from_nanos(1_000_000_000 / per_second),
            irq_time_apart: doctor::facts_at_a_glance().irq_time_apart == Some(true),
        };
        Self { host, cpus: cpus.to_vec(), counting }
    }

    pub(super) fn begin(&self) -> Option<Stretch> {
        Some(Stretch { ticks: self.host.ticks()?, own_ns: self.host.own_cpu_ns() })
    }

    /// What was taken of the generator's CPUs since. `services_ns`: CPU time that the services used on this machine
    /// meanwhile, which may have been on the same CPUs.
    pub(super) fn taken_ns(&self, since: &Stretch, services_ns: u64) -> Option<i64> {
        let now = self.host.ticks()?;
        let own_ns = self.host.own_cpu_ns().saturating_sub(since.own_ns);
        let of = |cpus: &[u32], own_ns| taken(&since.ticks, &now, cpus, own_ns, self.counting);
        let load = of(&self.cpus, own_ns)?;
        let all = of(&now.cpus(), own_ns.saturating_add(services_ns))?;
        Some(least(load, all))
    }
}

/// On the generator's CPUs are others, and the services as far as they ran there; on all CPUs others alone. What others
/// did on the generator's is no more than either.
fn least(load: Taken, all: Taken) -> i64 {
    let stolen = |taken: Taken| i64::try_from(taken.stolen_ns).unwrap_or(i64::MAX);
    let others = |taken: Taken| taken.all_ns.saturating_sub(stolen(taken));
    others(load).min(others(all)).saturating_add(stolen(load))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_service_used_on_the_loads_cpu_is_not_taken() {
        let taken = |all_ns, stolen_ns| Taken { all_ns, stolen_ns };
        assert_eq!(least(taken(500, 0), taken(20, 0)), 20, "the service ran there");
        assert_eq!(least(taken(10, 0), taken(900, 0)), 10, "others ran elsewhere");
        assert_eq!(least(taken(30, 20), taken(200, 60)), 30, "what is stolen there counts whole");
        assert_eq!(least(taken(-10, 0), taken(5, 0)), -10, "ticks are coarse");
    }
}
