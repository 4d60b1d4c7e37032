//! What a host tells of itself while it is measured on: this machine, or in tests what stands for it.

use std::cell::RefCell;
use std::fs;

use velo_record::Canary;

use crate::host::doctor;
use crate::host::doctor::busy::{Seen, Watch};
use crate::host::host_cpu::Ticks;
use crate::host::network::Network;
use crate::host::network_counts::NetworkCounts;

/// Tells what the kernel counts, and how fast the CPUs are now.
pub(crate) trait Host {
    /// What the CPUs did since the start; `None` where that cannot be read.
    fn ticks(&self) -> Option<Ticks>;

    /// CPU time of `velo` itself.
    fn own_cpu_ns(&self) -> u64;

    /// Microseconds in which some task waited for a CPU.
    fn pressure_us(&self) -> Option<u64>;

    /// Who used the CPUs since the look before, but for `velo` and these processes; `None` too soon after that.
    fn watch(&self, ours: &[u32]) -> Option<Seen>;

    /// Times a fixed spin on each CPU.
    fn canary(&self) -> Vec<Canary>;

    /// Connections that had to wait.
    fn network(&self) -> NetworkCounts;
}

/// This machine.
#[derive(Debug)]
pub(crate) struct Machine {
    watch: RefCell<Watch>,
    network: Network,
}

impl Machine {
    /// Has not looked yet. `network`: that of contenders.
    pub(crate) fn new(network: Network) -> Self {
        Self { watch: RefCell::new(Watch::new()), network }
    }
}

impl Host for Machine {
    fn ticks(&self) -> Option<Ticks> {
        Ticks::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn own_cpu_ns(&self) -> u64 {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    fn pressure_us(&self) -> Option<u64> {
        fs::read_to_string("/proc/pressure/cpu").ok().as_deref().and_then(parse_pressure)
    }

    fn watch(&self, ours: &[u32]) -> Option<Seen> {
        self.watch.borrow_mut().look(ours)
    }

    fn canary(&self) -> Vec<Canary> {
        doctor::canary()
    }

    fn network(&self) -> NetworkCounts {
        // Queues are those of who listens, and connections are opened by the load.
        let read = |counts: std::io::Result<NetworkCounts>| counts.unwrap_or_default();
        NetworkCounts {
            listen_overflows: read(self.network.at_contenders(NetworkCounts::read)).listen_overflows,
            syn_retransmits: read(self.network.at_load(NetworkCounts::read)).syn_retransmits,
        }
    }
}

fn parse_pressure(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("some"))?;
    line.split_ascii_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_is_read() {
        assert_eq!(
            parse_pressure("some avg10=0.00 avg60=0.02 total=2718687\nfull total=0\n"),
            Some(2_718_687)
        );
    }
}
