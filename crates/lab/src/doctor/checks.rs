use velo_record::{CpuAccounting, HostFacts};

use super::busy::Busy;
use super::facts::More;
use super::{Check, CheckState};
use crate::toolchain;

/// Below this share of the CPUs what others do does not show in the figures (it is the bound of a run's blocks).
const OTHERS_BOUND: f64 = 0.05;
const STEAL_BOUND: f64 = 0.01;
/// Connections of a large run, the contender's side and some room.
const OPEN_FILES_NEEDED: u64 = 4_096;
/// Enough for a server that closes each connection, for a window or two.
const PORTS_NEEDED: u32 = 10_000;
/// A machine that has just come up is still starting services.
const SETTLED_S: u64 = 120;
/// A CPU that needs this much longer for the canary than the fastest is not the same.
const CANARY_SPREAD: f64 = 1.25;

/// All lines, in the order to show them.
pub(super) fn all(facts: &HostFacts, busy: &Busy, more: &More) -> Vec<Check> {
    let mut checks = vec![
        cpu(facts, more),
        system(facts),
        memory(facts, more),
        governor(facts),
        clock(facts),
        steal(facts),
        others(facts, busy),
    ];
    checks.extend(canary(facts));
    checks.extend(pressure(more));
    checks.extend([files(facts, more), ports(facts, more)]);
    checks.extend(uptime(facts));
    checks.extend([accounting(more), counters(more)]);
    checks.extend(facts.toolchains.iter().map(|fact| match &fact.version {
        Some(version) => check(&fact.name, version, CheckState::Ok),
        None => Check {
            advice: toolchain::install_line(&fact.name),
            ..check(&fact.name, "not installed", CheckState::Note)
        },
    }));
    checks
}

fn check(name: &str, found: impl Into<String>, state: CheckState) -> Check {
    Check { name: name.to_owned(), found: found.into(), state, advice: None }
}

impl Check {
    fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

fn cpu(facts: &HostFacts, more: &More) -> Check {
    let model = facts.cpu_model.as_deref().unwrap_or("unknown model");
    let mut parts =
        vec![model.to_owned(), format!("{} CPU{}", facts.cpus, if facts.cpus == 1 { "" } else { "s" })];
    if more.usable_cpus < facts.cpus {
        parts.push(format!("{} of them for velo", more.usable_cpus));
    }
    if let Some(quota) = more.quota_cpus {
        parts.push(format!("limited to the time of {quota:.1}"));
    }
    parts.push(match facts.threads_per_core {
        Some(1) => "no SMT seen".to_owned(),
        Some(threads) => format!("{threads} threads a core"),
        None => "SMT not told".to_owned(),
    });
    parts.push(match &facts.virtualisation {
        Some(kind) => format!("virtual ({kind})"),
        None => "no hypervisor seen".to_owned(),
    });
    let found = parts.join(", ");
    if more.usable_cpus < 2 {
        check("CPU", found, CheckState::Unfit)
            .advise("a run needs two CPUs: one for the contender, one for the load generator")
    } else if more.quota_cpus.is_some() {
        check("CPU", found, CheckState::Warning).advise(
            "the control group's limit holds back contender and generator in turns: lift it (cpu.max)",
        )
    } else if more.usable_cpus < 4 {
        check("CPU", found, CheckState::Note).advise(
            "small: the fastest stacks reach the generator and will read \">= x\"; 4 CPUs would rank them",
        )
    } else {
        check("CPU", found, CheckState::Ok)
    }
}

fn system(facts: &HostFacts) -> Check {
    let distribution = facts.distribution.as_deref().unwrap_or("unknown distribution");
    check("system", format!("{distribution}, Linux {}", facts.kernel), CheckState::Ok)
}

fn memory(facts: &HostFacts, more: &More) -> Check {
    let Some(bytes) = facts.memory_bytes else { return check("memory", "not visible", CheckState::Unknown) };
    match more.swap_used_bytes {
        Some(swap) if swap > 0 => {
            check("memory", format!("{}, {} of swap in use", size(bytes), size(swap)), CheckState::Note)
                .advise("what comes back from swap in a window is measured with it: swapoff -a && swapon -a")
        }
        Some(_) => check("memory", format!("{}, no swap in use", size(bytes)), CheckState::Ok),
        None => check("memory", size(bytes), CheckState::Ok),
    }
}

fn governor(facts: &HostFacts) -> Check {
    let turbo = match facts.turbo {
        Some(true) => ", turbo on",
        Some(false) => ", turbo off",
        None => "",
    };
    match (&facts.governor, &facts.virtualisation) {
        (Some(name), _) if name == "performance" => {
            check("governor", format!("{name}{turbo}"), CheckState::Ok)
        }
        (Some(name), _) => check("governor", format!("{name}{turbo}"), CheckState::Warning)
            .advise("the clock follows the load: cpupower frequency-set -g performance"),
        (None, Some(_)) => {
            check("governor", format!("not visible in this guest{turbo}"), CheckState::Unknown)
        }
        (None, None) => check("governor", format!("not visible{turbo}"), CheckState::Unknown),
    }
}

fn clock(facts: &HostFacts) -> Check {
    match facts.clock_source.as_deref() {
        Some(name @ ("tsc" | "kvm-clock" | "arch_sys_counter" | "hyperv_clocksource_tsc_page")) => {
            check("clock", name, CheckState::Ok)
        }
        Some(name) => check("clock", name, CheckState::Warning)
            .advise("reading this clock is a system call, which the generator makes for each request"),
        None => check("clock", "not visible", CheckState::Unknown),
    }
}

fn steal(facts: &HostFacts) -> Check {
    match facts.steal_share_before {
        Some(share) if share < STEAL_BOUND => check("steal", percent(share), CheckState::Ok),
        Some(share) => check("steal", percent(share), CheckState::Warning).advise(
            "the hypervisor gives these CPUs to somebody else; windows above 1 % are counted and named",
        ),
        None => check("steal", "not visible", CheckState::Unknown),
    }
}

fn others(facts: &HostFacts, busy: &Busy) -> Check {
    let Some(share) = facts.busy_share_before else {
        return check("others", "not visible", CheckState::Unknown);
    };
    let found = format!("{} of the CPUs are busy with something else", percent(share));
    if share < OTHERS_BOUND {
        return check("others", found, CheckState::Ok);
    }
    let names: Vec<_> =
        busy.processes.iter().map(|(name, share)| format!("{name} ({})", percent(*share))).collect();
    check("others", found, CheckState::Warning).advise(if names.is_empty() {
        "windows above 5 % are counted and named; no single process stands out".to_owned()
    } else {
        format!(
            "windows above 5 % are counted and named; busiest, in shares of one CPU: {}",
            names.join(", ")
        )
    })
}

fn canary(facts: &HostFacts) -> Option<Check> {
    let times = || facts.canary.iter().map(|canary| canary.duration_ns);
    let (fastest, slowest) = (times().min()?, times().max()?);
    let milliseconds = |nanoseconds: u64| nanoseconds as f64 / 1e6;
    let found = format!("a fixed spin takes {:.2} to {:.2} ms", milliseconds(fastest), milliseconds(slowest));
    Some(if slowest as f64 <= fastest as f64 * CANARY_SPREAD {
        check("canary", found, CheckState::Ok)
    } else {
        check("canary", found, CheckState::Note)
            .advise("the CPUs are not alike, or one of them was busy just now")
    })
}

fn pressure(more: &More) -> Option<Check> {
    let share = more.cpu_pressure_share?;
    let found = format!("some task waited for a CPU in {} of the last 10 s", percent(share));
    Some(check("pressure", found, if share < OTHERS_BOUND { CheckState::Ok } else { CheckState::Note }))
}

fn files(facts: &HostFacts, more: &More) -> Check {
    let limit = |limit: Option<u64>| limit.map_or_else(|| "none".to_owned(), thousands);
    let found = format!("soft limit {}, hard {}", limit(facts.open_files_limit), limit(more.open_files_hard));
    if more.open_files_hard.is_none_or(|hard| hard >= OPEN_FILES_NEEDED) {
        check("files", found, CheckState::Ok)
    } else {
        check("files", found, CheckState::Note)
            .advise("bounds the connections of a run: raise it, ulimit -Hn 65536")
    }
}

fn ports(facts: &HostFacts, more: &More) -> Check {
    let Some(ports) = facts.local_ports else { return check("ports", "not visible", CheckState::Unknown) };
    let reuse = match more.port_reuse {
        Some(1 | 2) => ", reuse on",
        Some(_) => ", reuse off",
        None => "",
    };
    let found = format!("{} local ports{reuse}", thousands(u64::from(ports)));
    if ports >= PORTS_NEEDED {
        check("ports", found, CheckState::Ok)
    } else {
        check("ports", found, CheckState::Note)
            .advise("few, where a server closes each connection: widen net.ipv4.ip_local_port_range")
    }
}

fn uptime(facts: &HostFacts) -> Option<Check> {
    let seconds = facts.uptime_s?;
    let found = format!("up for {}", long_time(seconds));
    Some(if seconds < SETTLED_S {
        check("uptime", found, CheckState::Note).advise("services may still be starting: wait two minutes")
    } else {
        check("uptime", found, CheckState::Ok)
    })
}

fn accounting(more: &More) -> Check {
    match more.accounting {
        CpuAccounting::CgroupV2 => check("CPU time", "read from cgroup v2", CheckState::Ok),
        CpuAccounting::CgroupV1 => check("CPU time", "read from cgroup v1 (cpuacct)", CheckState::Ok),
        CpuAccounting::Schedstat => check("CPU time", "summed over tasks in /proc", CheckState::Note).advise(
            "no control group can be made here, so what ends between two readings is missed; \
             systemd-run --user --scope -p Delegate=yes velo ... gives one",
        ),
    }
}

fn counters(more: &More) -> Check {
    let found = match (more.has_counters, more.may_count) {
        (true, true) => return check("counters", "hardware counters", CheckState::Ok),
        (true, false) => "hardware counters, not for this user",
        (false, _) => "no hardware counters",
    };
    check("counters", format!("{found} (instructions per request: no)"), CheckState::Note)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn size(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    if bytes >= 1024 * MIB {
        format!("{:.1} GiB", bytes as f64 / (1024 * MIB) as f64)
    } else {
        format!("{} MiB", bytes / MIB)
    }
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn long_time(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_record::{Canary, ToolchainFact};

    fn quiet() -> (HostFacts, Busy, More) {
        let facts = HostFacts {
            hostname: "host".to_owned(),
            cpu_model: Some("Some CPU".to_owned()),
            cpus: 4,
            threads_per_core: Some(1),
            kernel: "6.1.0".to_owned(),
            memory_bytes: Some(8 << 30),
            governor: Some("performance".to_owned()),
            turbo: Some(true),
            clock_source: Some("tsc".to_owned()),
            open_files_limit: Some(1024),
            local_ports: Some(28_232),
            uptime_s: Some(90_000),
            busy_share_before: Some(0.006),
            steal_share_before: Some(0.0),
            ..HostFacts::default()
        };
        let more = More {
            usable_cpus: 4,
            open_files_hard: Some(1 << 20),
            swap_used_bytes: Some(0),
            cpu_pressure_share: Some(0.0),
            port_reuse: Some(2),
            accounting: CpuAccounting::CgroupV2,
            quota_cpus: None,
            has_counters: true,
            may_count: true,
        };
        (facts, Busy::default(), more)
    }

    fn found(checks: &[Check], name: &str) -> Check {
        checks.iter().find(|check| check.name == name).cloned().expect("the line is there")
    }

    #[test]
    fn a_quiet_machine_is_ok_everywhere() {
        let (facts, busy, more) = quiet();
        for check in all(&facts, &busy, &more) {
            assert_eq!((check.state, &check.advice), (CheckState::Ok, &None), "{check:?}");
        }
    }

    #[test]
    fn nothing_readable_is_unknown_and_never_a_pass() {
        let facts = HostFacts { cpus: 4, ..HostFacts::default() };
        let more = More { swap_used_bytes: None, cpu_pressure_share: None, port_reuse: None, ..quiet().2 };
        let checks = all(&facts, &Busy::default(), &more);
        for name in ["memory", "governor", "clock", "steal", "others", "ports"] {
            assert_eq!(found(&checks, name).state, CheckState::Unknown, "{name}");
        }
    }

    #[test]
    fn one_cpu_is_unfit_and_two_are_small() {
        let (facts, busy, mut more) = quiet();
        more.usable_cpus = 1;
        let check = found(&all(&facts, &busy, &more), "CPU");
        assert_eq!(check.state, CheckState::Unfit);
        assert!(check.found.contains("1 of them for velo"), "{check:?}");
        more.usable_cpus = 2;
        assert_eq!(found(&all(&facts, &busy, &more), "CPU").state, CheckState::Note);
    }

    #[test]
    fn who_is_busy_is_named() {
        let (mut facts, mut busy, more) = quiet();
        facts.busy_share_before = Some(0.41);
        busy.processes = vec![("rustc".to_owned(), 0.8), ("java".to_owned(), 0.1)];
        let check = found(&all(&facts, &busy, &more), "others");
        assert_eq!(check.state, CheckState::Warning);
        assert_eq!(
            check.advice.as_deref(),
            Some(
                "windows above 5 % are counted and named; busiest, in shares of one CPU: rustc (80.0 %), java (10.0 %)"
            )
        );
    }

    #[test]
    fn a_disturbed_machine_is_warned_of() {
        let (mut facts, busy, mut more) = quiet();
        facts.steal_share_before = Some(0.02);
        facts.governor = Some("powersave".to_owned());
        facts.clock_source = Some("hpet".to_owned());
        facts.canary =
            vec![Canary { cpu: 0, duration_ns: 2_000_000 }, Canary { cpu: 1, duration_ns: 3_000_000 }];
        more.quota_cpus = Some(1.5);
        more.swap_used_bytes = Some(3 << 20);
        let checks = all(&facts, &busy, &more);
        for name in ["steal", "governor", "clock", "CPU"] {
            assert_eq!(found(&checks, name).state, CheckState::Warning, "{name}");
        }
        for name in ["canary", "memory"] {
            assert_eq!(found(&checks, name).state, CheckState::Note, "{name}");
        }
    }

    #[test]
    fn a_missing_toolchain_comes_with_the_line_that_installs_it() {
        let (mut facts, busy, more) = quiet();
        facts.toolchains = vec![ToolchainFact { name: "ruby".to_owned(), version: None }];
        let check = found(&all(&facts, &busy, &more), "ruby");
        assert_eq!(check.state, CheckState::Note);
        assert_eq!(check.advice.as_deref(), Some("apt-get install -y --no-install-recommends ruby"));
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(28_232), "28,232");
        assert_eq!(thousands(1_048_576), "1,048,576");
        assert_eq!(size(24_684_084 * 1024), "23.5 GiB");
        assert_eq!(size(512 << 20), "512 MiB");
        assert_eq!(long_time(119), "119 s");
        assert_eq!(long_time(172_800), "2 days");
    }
}
