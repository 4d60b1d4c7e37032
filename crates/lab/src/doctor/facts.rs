use rustix::process::{Resource, getrlimit};
use velo_record::{CpuAccounting, HostFacts, ToolchainFact};

use super::cpu::{self, Signs};
use super::{files, quota, spin};
use crate::process::cage::CageMaker;
use crate::toolchain;

/// What the checks look at beside the facts that a run keeps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct More {
    /// CPUs that this process may use.
    pub(super) usable_cpus: u32,
    /// Open files: the hard limit; `None`: no limit.
    pub(super) open_files_hard: Option<u64>,
    /// Swap in use.
    pub(super) swap_used_bytes: Option<u64>,
    /// The share of the last ten seconds in which some task waited for a CPU.
    pub(super) cpu_pressure_share: Option<f64>,
    /// `net.ipv4.tcp_tw_reuse`: 1 everywhere, 2 on loopback.
    pub(super) port_reuse: Option<u32>,
    /// Where contenders' CPU time will be read.
    pub(super) accounting: CpuAccounting,
    /// How many CPUs' time this process's control group may use, where it is limited.
    pub(super) quota_cpus: Option<f64>,
    /// Whether the kernel shows hardware counters.
    pub(super) has_counters: bool,
    /// Whether this process may read them.
    pub(super) may_count: bool,
}

/// All but the look at the CPUs, the canary and the toolchains.
pub(super) fn read() -> HostFacts {
    let kernel = files::line("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpuinfo = files::text("/proc/cpuinfo").unwrap_or_default();
    let release =
        files::text("/etc/os-release").or_else(|| files::text("/usr/lib/os-release")).unwrap_or_default();
    let meminfo = files::text("/proc/meminfo").unwrap_or_default();
    HostFacts {
        hostname: files::line("/proc/sys/kernel/hostname").unwrap_or_default(),
        cpu_model: cpu::model(&cpuinfo),
        cpus: cpus_online(),
        threads_per_core: files::line("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
            .and_then(|list| cpu::count(&list)),
        virtualisation: virtualisation(&cpuinfo, &kernel),
        kernel,
        distribution: files::value(&release, "PRETTY_NAME").map(str::to_owned),
        memory_bytes: kibibytes(&meminfo, "MemTotal"),
        governor: files::line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        turbo: turbo(),
        clock_source: files::line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        open_files_limit: getrlimit(Resource::Nofile).current,
        local_ports: files::line("/proc/sys/net/ipv4/ip_local_port_range").and_then(|line| ports_in(&line)),
        uptime_s: files::line("/proc/uptime").and_then(|line| line.split(['.', ' ']).next()?.parse().ok()),
        busy_share_before: None,
        steal_share_before: None,
        toolchains: Vec::new(),
        canary: Vec::new(),
    }
}

pub(super) fn more() -> More {
    let meminfo = files::text("/proc/meminfo").unwrap_or_default();
    let swap = |key| kibibytes(&meminfo, key);
    More {
        usable_cpus: u32::try_from(spin::own_cpus().len()).unwrap_or(u32::MAX),
        open_files_hard: getrlimit(Resource::Nofile).maximum,
        swap_used_bytes: swap("SwapTotal")
            .zip(swap("SwapFree"))
            .and_then(|(all, free)| all.checked_sub(free)),
        cpu_pressure_share: files::text("/proc/pressure/cpu").and_then(|text| pressure_in(&text)),
        port_reuse: number("/proc/sys/net/ipv4/tcp_tw_reuse"),
        accounting: CageMaker::find().accounting(),
        quota_cpus: quota::cpus(),
        has_counters: has_counters(),
        // 2 lets everybody count their own processes in user space.
        may_count: rustix::process::geteuid().is_root()
            || number::<i32>("/proc/sys/kernel/perf_event_paranoid").is_some_and(|level| level <= 2),
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
    files::line("/sys/devices/system/cpu/online")
        .and_then(|list| cpu::count(&list))
        .or_else(|| {
            std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok())
        })
        .unwrap_or(1)
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

/// Intel's own driver says it the other way round than the common one.
fn turbo() -> Option<bool> {
    let flag = |path| {
        files::line(path).and_then(|line| match line.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
    };
    flag("/sys/devices/system/cpu/intel_pstate/no_turbo")
        .map(|off| !off)
        .or_else(|| flag("/sys/devices/system/cpu/cpufreq/boost"))
}

/// The kernel lists a unit for each kind of core where there is one; its names differ by architecture.
fn has_counters() -> bool {
    let Ok(units) = std::fs::read_dir("/sys/bus/event_source/devices") else { return false };
    units.flatten().any(|unit| {
        unit.file_name().to_str().is_some_and(|name| name.starts_with("cpu") || name.starts_with("armv8"))
    })
}

fn number<T: std::str::FromStr>(path: &str) -> Option<T> {
    files::line(path)?.parse().ok()
}

fn kibibytes(meminfo: &str, key: &str) -> Option<u64> {
    let (number, unit) = files::value(meminfo, key)?.split_once(' ')?;
    number.parse::<u64>().ok().filter(|_| unit == "kB")?.checked_mul(1024)
}

fn ports_in(range: &str) -> Option<u32> {
    let (first, last) = range.split_once(char::is_whitespace)?;
    let (first, last): (u16, u16) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    Some(u32::from(last.checked_sub(first)?) + 1)
}

/// `some avg10=14.00 avg60=...`, a percentage.
fn pressure_in(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let percent: f64 = line.split(' ').find_map(|field| field.strip_prefix("avg10="))?.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        let text = "MemTotal:       24684084 kB\nSwapTotal:             0 kB\nHugePages_Total:       0\n";
        assert_eq!(kibibytes(text, "MemTotal"), Some(24_684_084 * 1024));
        assert_eq!(kibibytes(text, "SwapTotal"), Some(0));
        assert_eq!(kibibytes(text, "HugePages_Total"), None);
        assert_eq!(kibibytes("MemTotal: 18446744073709551615 kB", "MemTotal"), None);
    }

    #[test]
    fn ports_are_counted_with_both_ends() {
        assert_eq!(ports_in("32768\t60999"), Some(28_232));
        assert_eq!(ports_in("1 1"), Some(1));
        for odd in ["", "1", "2 1", "a b", "1 70000"] {
            assert_eq!(ports_in(odd), None, "{odd}");
        }
    }

    #[test]
    fn pressure_is_a_share() {
        assert_eq!(
            pressure_in("some avg10=14.00 avg60=34.15 avg300=34.97 total=1\nfull avg10=0.00"),
            Some(0.14)
        );
        for odd in ["", "some", "some avg10=x", "some avg10=-1", "full avg10=1.00"] {
            assert_eq!(pressure_in(odd), None, "{odd}");
        }
    }

    #[test]
    fn this_machine_has_cpus_and_a_kernel() {
        let facts = read();
        assert!(facts.cpus >= 1 && !facts.kernel.is_empty(), "{facts:?}");
        assert!(more().usable_cpus >= 1);
    }

    proptest! {
        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}") {
            kibibytes(&text, "MemTotal");
            ports_in(&text);
            pressure_in(&text);
        }
    }
}
