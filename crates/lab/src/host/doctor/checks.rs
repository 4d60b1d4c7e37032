use velo_link::LinkError;
use velo_record::HostFacts;

use super::ceiling::Ceiling;
use super::check::{Check, CheckState};
use super::facts::More;
use super::words::roughly;

use crate::host::toolchain;

mod cpu;
mod load;
mod memory;
mod network;
mod reading;

/// What the machine is, in the order to show it; toolchains and ceiling come after.
pub(super) fn of_machine(facts: &HostFacts, more: &More) -> Vec<Check> {
    let lines = [
        Some(cpu::model(facts)),
        cpu::cores(more),
        Some(system(facts)),
        Some(memory::memory(facts, more)),
        Some(cpu::governor(facts)),
        cpu::throttling(facts),
        Some(reading::clock(facts)),
        Some(load::steal(facts)),
        Some(load::others(facts)),
        load::canary(facts),
        load::pressure(facts),
        Some(network::files(facts)),
        Some(network::ports(facts)),
        network::loopback(facts),
        uptime(facts),
        Some(reading::accounting(more)),
        Some(reading::interrupts(facts)),
        Some(reading::counters(facts)),
    ];
    lines.into_iter().flatten().collect()
}

/// What became of a link that was tried.
pub(super) fn of_links(opened: Result<(), &LinkError>) -> Check {
    network::links(opened)
}

pub(super) fn of_toolchains(facts: &HostFacts) -> Vec<Check> {
    let check = |fact: &velo_record::ToolchainFact| match &fact.version {
        Some(version) => match toolchain::wanted_instead_of(&fact.name, version) {
            Some(least) => Check {
                advice: toolchain::install_line(&fact.name),
                ..Check::new(&fact.name, format!("{version}, older than {least}"), CheckState::Note)
            },
            None => Check::new(&fact.name, version, CheckState::Ok),
        },
        None => Check {
            advice: toolchain::install_line(&fact.name),
            ..Check::new(&fact.name, "not installed", CheckState::Note)
        },
    };
    facts.toolchains.iter().map(check).collect()
}

pub(super) fn of_ceiling(ceiling: Option<Ceiling>) -> Check {
    let Some(ceiling) = ceiling else {
        return Check::new("ceiling", "not known: the generator had no answers", CheckState::Unknown);
    };
    let words = if ceiling.is_reached { "about" } else { "at least" };
    let found =
        format!("{words} {} requests/s; faster stacks will read \">= x\" here", roughly(ceiling.per_s));
    Check::new("ceiling", found, CheckState::Ok)
}

/// A machine that has just come up is still starting services.
const SETTLED_S: u64 = 120;

fn system(facts: &HostFacts) -> Check {
    let distribution = facts.distribution.as_deref().unwrap_or("unknown distribution");
    Check::new("system", format!("{distribution}, Linux {}", facts.kernel), CheckState::Ok)
}

fn uptime(facts: &HostFacts) -> Option<Check> {
    let seconds = facts.uptime_s?;
    let found = format!("up for {}", super::words::long_time(seconds));
    Some(if seconds < SETTLED_S {
        Check::new("uptime", found, CheckState::Note)
            .advise("services may still be starting: wait two minutes")
    } else {
        Check::new("uptime", found, CheckState::Ok)
    })
}

#[cfg(test)]
mod tests;
