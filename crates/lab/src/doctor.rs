//! What the machine is good for, before anything is measured on it.

use std::time::Duration;
use velo_record::{Canary, HostFacts};

mod busy;
mod checks;
mod cpu;
mod facts;
mod files;
mod quota;
mod spin;

use busy::Busy;

/// How long the look at the CPUs takes.
const LOOK: Duration = Duration::from_secs(1);

/// One line of `velo doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at: `CPU`, `governor`, ...
    pub name: String,
    /// What was found, in words.
    pub found: String,
    /// What it means.
    pub state: CheckState,
    /// What to do, where something can be done.
    pub advice: Option<String>,
}

/// What a check means for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    /// Nothing in the way.
    Ok,
    /// Good to know.
    Note,
    /// Could not be read.
    Unknown,
    /// Figures will suffer.
    Warning,
    /// No run is possible.
    Unfit,
}

/// Looks at the machine for a second.
pub fn examine() -> (HostFacts, Vec<Check>) {
    let (facts, busy) = look();
    let checks = checks::all(&facts, &busy, &facts::more());
    (facts, checks)
}

/// Looks at the machine for a second, for the record of a run.
pub fn host_facts() -> HostFacts {
    look().0
}

/// What can be read at once, without a look at what the CPUs are doing, the canary and the toolchains.
pub fn facts_at_a_glance() -> HostFacts {
    facts::read()
}

/// Times a fixed spin on each CPU that this process may use: a CPU that is slowed down or shared shows it, also in
/// a guest whose steal time always reads 0.
pub fn canary() -> Vec<Canary> {
    spin::on_each_cpu()
}

fn look() -> (HostFacts, Busy) {
    let mut facts = facts::read();
    // The look comes before anything that uses the CPU itself.
    let busy = busy::look(LOOK);
    facts.busy_share_before = busy.busy_share;
    facts.steal_share_before = busy.steal_share;
    facts.canary = canary();
    facts.toolchains = facts::toolchains();
    (facts, busy)
}
