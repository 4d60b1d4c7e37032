use std::path::Path;

use rustix::process::{Resource, getrlimit};
use velo_model::PartyRole;
use velo_record::{CpuAccounting, HostFacts, Placement, ToolchainFact};

use super::cpu::{self, Signs};
use super::{files, frequency, irq, memory, quota, spin};
use crate::host::placement;
use crate::host::toolchain;
use crate::process::cage::CageMaker;

const CPUS: &str = "/sys/devices/system/cpu";

/// What the checks look at beside the facts: it is recorded elsewhere, or is of `velo doctor` alone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct More {
    /// Where contenders' CPU time will be read.
    pub(super) accounting: CpuAccounting,
    /// Pages that went to swap or came back in the look.
    pub(super) swapped_pages: Option<u64>,
    /// A CPU that would serve and one that would load, though they are threads of one core.
    pub(super) shared_core: Option<(u32, u32)>,
}

/// All but what takes a look at the CPUs, and the toolchains.
pub(super) fn read() -> HostFacts {
    let kernel = files::line("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpuinfo = files::text("/proc/cpuinfo").unwrap_or_default();
    let release =
        files::text("/etc/os-release").or_else(|| files::text("/usr/lib/os-release")).unwrap_or_default();
    let meminfo = files::text("/proc/meminfo").unwrap_or_default();
    let frequency = frequency::read(Path::new(CPUS));
    HostFacts {
        hostname: files::line("/proc/sys/kernel/hostname").unwrap_or_default(),
        cpu_model: cpu::model(&cpuinfo),
        cpus: cpus_online(),
        usable_cpus: u32::try_from(spin::own_cpus().len()).ok().filter(|&count| count > 0),
        cpu_quota: quota::CpuQuota::of_this_process().cpus(),
        threads_per_core: siblings(0).and_then(|list| u32::try_from(list.len()).ok()),
        virtualisation: virtualisation(&cpuinfo, &kernel),
        irq_time_apart: irq::time_apart(&kernel),
        kernel,
        distribution: files::value(&release, "PRETTY_NAME").map(str::to_owned),
        memory_bytes: memory::bytes(&meminfo, "MemTotal"),
        swap_used_bytes: memory::swap_used_bytes(&meminfo),
        transparent_huge_pages: files::line("/sys/kernel/mm/transparent_hugepage/enabled")
            .and_then(|choices| memory::chosen(&choices)),
        governor: frequency.governor,
        turbo: frequency.turbo,
        frequency_allowed_khz: frequency.allowed_khz,
        frequency_possible_khz: frequency.possible_khz,
        clock_source: files::line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        open_files_limit: getrlimit(Resource::Nofile).current,
        open_files_hard_limit: getrlimit(Resource::Nofile).maximum,
        local_ports: files::line("/proc/sys/net/ipv4/ip_local_port_range").and_then(|line| ports_in(&line)),
        port_reuse: files::number("/proc/sys/net/ipv4/tcp_tw_reuse"),
        accept_backlog: files::number("/proc/sys/net/core/somaxconn"),
        loopback_mtu_bytes: files::number("/sys/class/net/lo/mtu"),
        uptime_s: files::line("/proc/uptime").and_then(|line| line.split(['.', ' ']).next()?.parse().ok()),
        ..HostFacts::default()
    }
}

pub(super) fn more(swapped_pages: Option<u64>) -> More {
    More {
        accounting: CageMaker::find().accounting(),
        swapped_pages,
        shared_core: placement::choose(&Placement::default())
            .ok()
            .and_then(|placement| shared_core(&placement, siblings)),
    }
}

pub(super) fn toolchains() -> Vec<ToolchainFact> {
    let names: Vec<_> = toolchain::known_names().collect();
    let fact = |(name, found): (&&str, Option<toolchain::Found>)| ToolchainFact {
        name: (*name).to_owned(),
        version: found.map(|found| found.version.to_string()),
    };
    names.iter().zip(toolchain::find_all(&names)).map(fact).collect()
}

fn cpus_online() -> u32 {
    files::line(format!("{CPUS}/online"))
        .and_then(|list| cpu::count(&list))
        .or_else(|| {
            std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok())
        })
        .unwrap_or(1)
}

/// The threads of a CPU's core, itself among them.
fn siblings(cpu: u32) -> Option<Vec<u32>> {
    let list = files::line(format!("{CPUS}/cpu{cpu}/topology/thread_siblings_list"))?;
    Some(crate::process::tree::parse_cpu_list(&list)).filter(|list| !list.is_empty())
}

/// The first pair of a serving and a loading CPU of one core.
fn shared_core(placement: &Placement, siblings: impl Fn(u32) -> Option<Vec<u32>>) -> Option<(u32, u32)> {
    placement.cpus(PartyRole::Contender).iter().find_map(|&server| {
        let core = siblings(server)?;
        let load = placement.cpus(PartyRole::Generator).iter().find(|load| core.contains(load))?;
        Some((server, *load))
    })
}

fn virtualisation(cpuinfo: &str, kernel: &str) -> Option<String> {
    let firmware = ["sys_vendor", "product_name"]
        .map(|name| files::line(format!("/sys/class/dmi/id/{name}")).unwrap_or_default());
    let clock_sources = files::line("/sys/devices/system/clocksource/clocksource0/available_clocksource");
    cpu::virtualisation(Signs {
        cpuinfo,
        firmware: &firmware.join(" "),
        hypervisor_type: files::line("/sys/hypervisor/type").as_deref(),
        clock_sources: clock_sources.as_deref().unwrap_or_default(),
        device_tree: files::line("/proc/device-tree/hypervisor/compatible").as_deref(),
        kernel,
    })
}

fn ports_in(range: &str) -> Option<u32> {
    let (first, last) = range.split_once(char::is_whitespace)?;
    let (first, last): (u16, u16) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    Some(u32::from(last.checked_sub(first)?) + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ports_are_counted_with_both_ends() {
        assert_eq!(ports_in("32768\t60999"), Some(28_232));
        assert_eq!(ports_in("1 1"), Some(1));
        for odd in ["", "1", "2 1", "a b", "1 70000"] {
            assert_eq!(ports_in(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_core_that_serves_and_loads_is_found() {
        let placement = |server: &[u32], load: &[u32]| {
            Placement::new([(PartyRole::Contender, server.to_vec()), (PartyRole::Generator, load.to_vec())])
        };
        // Threads of a core are n and n + 4.
        let far = |cpu: u32| Some(vec![cpu % 4, cpu % 4 + 4]);
        assert_eq!(shared_core(&placement(&[0, 1, 2, 3, 4, 5], &[6, 7]), far), Some((2, 6)));
        assert_eq!(shared_core(&placement(&[0, 1, 4, 5], &[2, 6, 3, 7]), far), None);
        let alone = |cpu: u32| Some(vec![cpu]);
        assert_eq!(shared_core(&placement(&[0], &[1]), alone), None);
        assert_eq!(shared_core(&placement(&[0], &[1]), |_| None), None);
    }

    #[test]
    fn this_machine_has_cpus_and_a_kernel() {
        let facts = read();
        assert!(facts.cpus >= 1 && !facts.kernel.is_empty(), "{facts:?}");
        assert!(facts.usable_cpus.is_some_and(|usable| usable >= 1 && usable <= facts.cpus), "{facts:?}");
    }

    proptest! {
        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}") {
            ports_in(&text);
        }
    }
}
