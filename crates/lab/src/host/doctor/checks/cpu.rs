use velo_record::HostFacts;
use velo_stats::number::decimals;

use crate::host::doctor::check::{Check, CheckState};
use crate::host::doctor::facts::More;
use crate::host::doctor::words::gigahertz;

pub(super) fn model(facts: &HostFacts) -> Check {
    let model = facts.cpu_model.as_deref().unwrap_or("unknown model");
    let usable = facts.usable_cpus.unwrap_or(facts.cpus);
    let mut parts =
        vec![model.to_owned(), format!("{} CPU{}", facts.cpus, if facts.cpus == 1 { "" } else { "s" })];
    if usable < facts.cpus {
        parts.push(format!("{usable} of them for velo"));
    }
    if let Some(quota) = facts.cpu_quota {
        parts.push(format!("limited to the time of {}", decimals(quota, 1)));
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
    if usable < 2 {
        Check::new("CPU", found, CheckState::Unfit)
            .advise("a run needs two CPUs: one for the contender, one for the load generator")
    } else if facts.cpu_quota.is_some_and(|quota| quota < f64::from(usable)) {
        Check::new("CPU", found, CheckState::Warning).advise(
            "the control group's limit holds back contender and generator in turns: lift it (cpu.max)",
        )
    } else if usable < 4 {
        Check::new("CPU", found, CheckState::Note).advise(
            "small: the fastest stacks reach the generator and will read \">= x\"; 4 CPUs would rank them",
        )
    } else {
        Check::new("CPU", found, CheckState::Ok)
    }
}

/// Two threads of a core slow each other down.
pub(super) fn cores(more: &More) -> Option<Check> {
    let (server, load) = more.shared_core?;
    let found = format!("CPU {server} would serve and CPU {load} load, on one core");
    Some(Check::new("cores", found, CheckState::Warning).advise(
        "contender and generator slow each other down: give each whole cores (--server-cpus, --load-cpus; \
         lscpu -e lists them), or echo off > /sys/devices/system/cpu/smt/control",
    ))
}

pub(super) fn governor(facts: &HostFacts) -> Check {
    let turbo = match facts.turbo {
        Some(true) => ", turbo on",
        Some(false) => ", turbo off",
        None => "",
    };
    let Some(name) = &facts.governor else {
        let place = if facts.virtualisation.is_some() { " in this guest" } else { "" };
        return Check::new("governor", format!("not visible{place}{turbo}"), CheckState::Unknown);
    };
    let cap = facts.frequency_allowed_khz.zip(facts.frequency_possible_khz);
    let cap = cap.filter(|(allowed, possible)| allowed < possible);
    let capped = cap
        .map(|(allowed, possible)| format!(", held to {} of {}", gigahertz(allowed), gigahertz(possible)))
        .unwrap_or_default();
    let found = format!("{name}{turbo}{capped}");
    if name != "performance" {
        Check::new("governor", found, CheckState::Warning)
            .advise("the clock follows the load: cpupower frequency-set -g performance")
    } else if cap.is_some() {
        Check::new("governor", found, CheckState::Note)
            .advise("figures are those of the lower clock: steady, but not to be compared with others")
    } else {
        Check::new("governor", found, CheckState::Ok)
    }
}

pub(super) fn throttling(facts: &HostFacts) -> Option<Check> {
    Some(match facts.throttled_before? {
        0 => Check::new("throttling", "none seen in a second", CheckState::Ok),
        times => {
            let found = format!("the CPUs were held back {times} times in a second");
            let advice = if facts.cpu_quota.is_some() {
                "the control group used up its quota (cpu.max), or a CPU is too hot"
            } else {
                "a CPU is too hot: let it cool down, look at its fan, or turn turbo off"
            };
            Check::new("throttling", found, CheckState::Warning).advise(advice)
        }
    })
}
