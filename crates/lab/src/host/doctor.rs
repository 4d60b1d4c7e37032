//! What the machine is good for, before anything is measured on it.

use std::time::Duration;

use velo_link::{LinkError, LinkHandle, Options};
use velo_model::Link;
use velo_record::{Canary, HostFacts, Placement};

pub(crate) mod busy;
mod ceiling;
mod check;
mod checks;
mod counting;
mod cpu;
mod facts;
mod files;
mod frequency;
mod irq;
mod memory;
mod processes;
mod quota;
mod slowing;
mod spin;
mod ticks;
mod words;

pub use check::{Check, CheckState};
pub use quota::{CpuQuota, Throttled, Throttling};

use crate::host::placement;

/// How long the look at the CPUs takes.
const LOOK: Duration = Duration::from_secs(1);

/// All that `velo doctor` shows: the machine, looked at for a second, the toolchains, and what the generator can send,
/// which loads servers of this process for half a second. Without root `velo_link::obtain_rights` must have been called before.
pub fn examine() -> (HostFacts, Vec<Check>) {
    let (facts, mut checks) = before_run();
    checks.push(checks::of_links(try_link().as_ref().copied()));
    checks.extend(checks::of_toolchains(&facts));
    if let Ok(placement) = placement::choose(&Placement::default()) {
        checks.push(checks::of_ceiling(ceiling::look(&placement)));
    }
    (facts, checks)
}

/// Whether a link can be made here: makes one, and takes it away again.
///
/// # Errors
/// When none can be made; the error says what to do.
pub fn try_link() -> Result<(), LinkError> {
    let link = Link { rtt_ns: 0, rate_bits_per_s: None, loss: 0.0 };
    LinkHandle::open(&link, &Options { logged: 0, ..Options::default() }).map(drop)
}

/// The machine, looked at for a second, for the record of a run, and what is to be said of it before.
pub fn before_run() -> (HostFacts, Vec<Check>) {
    let (facts, swapped_pages) = look();
    let checks = checks::of_machine(&facts, &facts::more(swapped_pages));
    (facts, checks)
}

/// What speaks against a run, the worst first: what makes it impossible, then what its figures will suffer from.
/// `velo run --strict` refuses when there is any.
pub fn unfit(checks: &[Check]) -> Vec<&Check> {
    let of = |state: CheckState| checks.iter().filter(move |check| check.state == state);
    of(CheckState::Unfit).chain(of(CheckState::Warning)).collect()
}

/// What can be read at once, without a look at what the CPUs are doing, the canary, counters and toolchains.
pub fn facts_at_a_glance() -> HostFacts {
    facts::read()
}

/// Times a fixed spin of about a millisecond on each CPU that this process may use: a CPU that is slowed down or
/// shared shows it, also in a guest whose steal time always reads 0.
pub fn canary() -> Vec<Canary> {
    spin::on_each_cpu()
}

/// The facts, and how many pages went to swap or came back in the look.
fn look() -> (HostFacts, Option<u64>) {
    let mut facts = facts::read();
    // The look comes before anything that uses the CPU itself.
    let busy = busy::look(LOOK);
    facts.pressure_before = memory::pressure();
    facts.busy_share_before = busy.busy_share;
    facts.steal_share_before = busy.steal_share;
    facts.busiest_before = busy.seen.others;
    facts.throttled_before = busy.seen.throttled;
    facts.canary = canary();
    facts.hardware_counters = counting::look();
    facts.toolchains = facts::toolchains();
    (facts, busy.seen.swapped_pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_comes_first_and_what_is_harmless_does_not_come() {
        let check =
            |name: &str, state| Check { name: name.to_owned(), found: String::new(), state, advice: None };
        let checks = [
            check("a", CheckState::Warning),
            check("b", CheckState::Ok),
            check("c", CheckState::Unfit),
            check("d", CheckState::Note),
            check("e", CheckState::Unknown),
            check("f", CheckState::Warning),
        ];
        let names: Vec<&str> = unfit(&checks).into_iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names, ["c", "a", "f"]);
        assert!(unfit(&checks[1..2]).is_empty());
    }
}
