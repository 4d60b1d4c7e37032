use velo_judge::bounds::{BUSY_HOST, OTHERS};
use velo_record::HostFacts;
use velo_stats::number::{decimals, tidy_percent};

use crate::host::doctor::check::{Check, CheckState};
use crate::host::doctor::words::percent;

/// From here on waiting shows in the figures.
const PRESSURE_BOUND: f64 = 0.05;
/// A CPU that needs this much longer for the canary than the fastest is not the same.
const CANARY_SPREAD: f64 = 1.25;

pub(super) fn steal(facts: &HostFacts) -> Check {
    match facts.steal_share_before {
        Some(share) if share < BUSY_HOST => Check::new("steal", percent(share), CheckState::Ok),
        Some(share) => Check::new("steal", percent(share), CheckState::Warning).advise(format!(
            "the hypervisor gives these CPUs to somebody else: intervals get wider, and from {} on the answer of a run is by CPU time \
             per request",
            tidy_percent(BUSY_HOST)
        )),
        None => Check::new("steal", "not visible", CheckState::Unknown),
    }
}

pub(super) fn others(facts: &HostFacts) -> Check {
    let Some(share) = facts.busy_share_before else {
        return Check::new("others", "not visible", CheckState::Unknown);
    };
    let found = format!("{} of the CPUs are busy with something else", percent(share));
    if share < OTHERS {
        return Check::new("others", found, CheckState::Ok);
    }
    let name = |busy: &velo_record::BusyProcess| format!("{} ({})", busy.name, percent(busy.cpu_share));
    let names: Vec<_> = facts.busiest_before.iter().map(name).collect();
    let whom = if names.is_empty() {
        "no single program stands out".to_owned()
    } else {
        format!("end the busiest, in shares of one CPU: {}", names.join(", "))
    };
    Check::new("others", found, CheckState::Warning)
        .advise(format!("intervals get wider by what they take; {whom}"))
}

pub(super) fn canary(facts: &HostFacts) -> Option<Check> {
    let times = || facts.canary.iter().map(|canary| canary.duration_ns);
    let (fastest, slowest) = (times().min()?, times().max()?);
    let milliseconds = |nanoseconds: u64| decimals(nanoseconds as f64 / 1e6, 2);
    let found =
        format!("a fixed piece of CPU work takes {} to {} ms", milliseconds(fastest), milliseconds(slowest));
    Some(if slowest as f64 <= fastest as f64 * CANARY_SPREAD {
        Check::new("canary", found, CheckState::Ok)
    } else {
        Check::new("canary", found, CheckState::Note)
            .advise("the CPUs are not alike, or one of them was busy just now")
    })
}

pub(super) fn pressure(facts: &HostFacts) -> Option<Check> {
    let pressure = &facts.pressure_before;
    let parts =
        [("a CPU", pressure.cpu_share), ("memory", pressure.memory_share), ("a disk", pressure.io_share)];
    let told: Vec<String> = parts
        .iter()
        .filter_map(|(what, share)| Some(format!("for {what} in {}", percent((*share)?))))
        .collect();
    if told.is_empty() {
        return None;
    }
    let found = format!("of the last 10 s some task waited {}", told.join(", "));
    let is_high = |share: Option<f64>| share.is_some_and(|share| share >= PRESSURE_BOUND);
    Some(if is_high(pressure.memory_share) {
        Check::new("pressure", found, CheckState::Warning).advise("memory is short: end what holds it")
    } else if is_high(pressure.cpu_share) || is_high(pressure.io_share) {
        Check::new("pressure", found, CheckState::Note).advise("something was at work just now: look again")
    } else {
        Check::new("pressure", found, CheckState::Ok)
    })
}
