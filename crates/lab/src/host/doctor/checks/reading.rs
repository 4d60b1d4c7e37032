use velo_record::{CpuAccounting, HardwareCounters, HostFacts};

use crate::host::doctor::check::{Check, CheckState};
use crate::host::doctor::facts::More;

pub(super) fn clock(facts: &HostFacts) -> Check {
    match facts.clock_source.as_deref() {
        Some(name @ ("tsc" | "kvm-clock" | "arch_sys_counter" | "hyperv_clocksource_tsc_page")) => {
            Check::new("clock", name, CheckState::Ok)
        }
        Some(name) => Check::new("clock", name, CheckState::Warning)
            .advise("reading this clock is a system call, which the generator makes for each request"),
        None => Check::new("clock", "not visible", CheckState::Unknown),
    }
}

pub(super) fn accounting(more: &More) -> Check {
    match more.accounting {
        CpuAccounting::CgroupV2 => Check::new("CPU time", "read from cgroup v2", CheckState::Ok),
        CpuAccounting::CgroupV1 => Check::new("CPU time", "read from cgroup v1 (cpuacct)", CheckState::Ok),
        CpuAccounting::Schedstat => Check::new("CPU time", "summed over tasks in /proc", CheckState::Note)
            .advise(
                "no control group can be made here, so what ends between two readings is missed; \
                 systemd-run --user --scope -p Delegate=yes velo ... gives one",
            ),
    }
}

pub(super) fn interrupts(facts: &HostFacts) -> Check {
    match facts.irq_time_apart {
        Some(false) => Check::new("interrupts", "counted with the task that they interrupt", CheckState::Ok),
        Some(true) => Check::new("interrupts", "counted apart from tasks (IRQ time accounting)", CheckState::Note)
            .advise(
                "the network's softirq work is in no contender's CPU time: CPU time per request leaves it out, and a saturated \
                 server may read below 90 % busy and stay unranked; tsc=noirqtime on the kernel's command line counts it in (x86)",
            ),
        None => Check::new("interrupts", "not visible whether they are counted with tasks", CheckState::Unknown)
            .advise("if they are not (CONFIG_IRQ_TIME_ACCOUNTING), the network's softirq work counts as that of others"),
    }
}

pub(super) fn counters(facts: &HostFacts) -> Check {
    match &facts.hardware_counters {
        HardwareCounters::Counting => {
            Check::new("counters", "instructions and cycles are counted", CheckState::Ok)
        }
        HardwareCounters::Unknown => Check::new("counters", "not looked at", CheckState::Unknown),
        HardwareCounters::Missing { reason } => {
            let check =
                Check::new("counters", format!("{reason} (instructions per request: no)"), CheckState::Note);
            if reason.contains("perf_event_paranoid") {
                check.advise("sysctl kernel.perf_event_paranoid=1; a container may forbid it all the same")
            } else {
                check
            }
        }
    }
}
