//! How much CPU time others and the hypervisor took from either side, over some windows together: the kernel's ticks of 10 ms say
//! nothing of a single window.

use serde::Serialize;
use velo_model::PartyRole;
use velo_record::{Placement, Window};

/// CPU time that others and the hypervisor took, as shares of the time of the CPUs in question, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TakenShares {
    /// On the CPUs of the contender. It hits all contenders alike.
    pub server: f64,
    /// On the CPUs of the load. It hits those more that need the load's CPUs more.
    pub load: f64,
    /// What of the former the hypervisor took.
    pub stolen_server: f64,
}

impl TakenShares {
    /// Over these windows; `None` where none of them says. What ticks make of nothing can be below 0, and is nothing.
    pub(crate) fn over<'w>(
        windows: impl IntoIterator<Item = &'w Window>,
        placement: &Placement,
    ) -> Option<Self> {
        let mut sum = TakenTime::default();
        windows.into_iter().for_each(|window| sum.add(window));
        sum.shares(placement)
    }

    /// That of the worse side.
    pub fn worse(&self) -> f64 {
        self.server.max(self.load)
    }

    /// What is left of the time of a role's CPUs; never nothing.
    pub(crate) fn left(&self, role: PartyRole) -> f64 {
        let taken = if role == PartyRole::Contender { self.server } else { self.load };
        1.0 - taken.min(MOST)
    }
}

/// More than this is no measurement any more, and would make any party busy.
const MOST: f64 = 0.9;

/// CPU time taken over some windows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct TakenTime {
    server_ns: f64,
    load_ns: f64,
    stolen_server_ns: f64,
    elapsed_ns: f64,
}

impl TakenTime {
    /// A window that does not say counts for nothing.
    pub(crate) fn add(&mut self, window: &Window) {
        let host = &window.host;
        let Some(((server, load), elapsed)) =
            host.taken_server_ns.zip(host.taken_load_ns).zip(host.others_elapsed_ns)
        else {
            return;
        };
        self.server_ns += server as f64;
        self.load_ns += load as f64;
        self.stolen_server_ns += host.stolen_server_ns.unwrap_or(0) as f64;
        self.elapsed_ns += elapsed as f64;
    }

    pub(crate) fn shares(&self, placement: &Placement) -> Option<TakenShares> {
        let cpus = |role| placement.cpus(role).len().max(1) as f64;
        let share = |taken_ns: f64, role| (taken_ns / (self.elapsed_ns * cpus(role))).clamp(0.0, 1.0);
        let stolen_server = share(self.stolen_server_ns, PartyRole::Contender);
        (self.elapsed_ns > 0.0).then(|| TakenShares {
            // Where CPU times hold what was stolen, it is not in what is left when they are subtracted.
            server: share(self.server_ns, PartyRole::Contender).max(stolen_server),
            load: share(self.load_ns, PartyRole::Generator),
            stolen_server,
        })
    }

    /// The CPU time taken on the worse side, in nanoseconds.
    pub(crate) fn worse_ns(&self) -> f64 {
        self.server_ns.max(self.load_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation};

    #[test]
    fn sums_count_and_what_is_below_nothing_is_nothing() {
        let (file, mut windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
        let of = |windows: &[Window]| TakenShares::over(windows, &file.placement);
        for window in &mut windows {
            (window.host.taken_server_ns, window.host.taken_load_ns) = (None, None);
        }
        assert_eq!(of(&windows), None);
        for (window, ticks) in windows.iter_mut().zip([0, 1, 0, -1, 4]) {
            window.host.others_elapsed_ns = Some(100_000_000);
            window.host.taken_server_ns = Some(ticks * 10_000_000);
            window.host.taken_load_ns = Some(-ticks * 10_000_000);
            window.host.stolen_server_ns = Some(5_000_000);
        }
        let cpus = file.placement.cpus(PartyRole::Contender).len() as f64;
        let found = of(&windows).unwrap();
        assert!((found.server - 0.08 / cpus).abs() < 1e-12, "4 ticks in half a second: {found:?}");
        assert!((found.stolen_server - 0.05 / cpus).abs() < 1e-12);
        assert_eq!((found.load, found.worse()), (0.0, found.server));
    }

    #[test]
    fn something_is_always_left() {
        let shares = TakenShares { server: 1.0, load: 0.25, stolen_server: 0.0 };
        assert!((shares.left(PartyRole::Contender) - 0.1).abs() < 1e-12);
        assert_eq!(shares.left(PartyRole::Generator), 0.75);
    }
}
