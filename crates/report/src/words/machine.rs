//! What the machine and others on it did to a run.

use velo_judge::bounds::BUSY_HOST;
use velo_judge::words::list;
use velo_judge::{DisturbedBy, TakenShares};
use velo_model::ContenderName;
use velo_stats::number::percent;

use super::plural::plural;

pub(super) const INTERRUPTS_APART: &str = "this kernel counts interrupts apart from tasks (IRQ time accounting): the network's softirq \
    work is in no contender's CPU time per request, and a saturated server may read below 90 % busy";

pub(super) fn others_busy(names: &[String], share: f64, rest_share: f64) -> String {
    let names = if names.is_empty() { String::new() } else { format!(" ({})", list(names, 3)) };
    let (own, rest) = (percent(share), percent(rest_share));
    format!(
        "others{names} used {own} of the CPUs while it was loaded, and {rest} while the rest were: somebody else may do its work"
    )
}

pub(super) fn externally_started(contenders: &[ContenderName]) -> String {
    let names: Vec<&str> = contenders.iter().map(ContenderName::as_str).collect();
    format!(
        "{} is externally started: it is not stopped while others are measured, and on this machine its CPU time cannot be separated from that of other programs, so none is reported for them",
        names.join(", ")
    )
}

pub(super) fn external_launch(contenders: &[ContenderName]) -> String {
    let (names, are) = listed(contenders);
    format!(
        "{names} {are} externally started: one launch, so that ± covers its processes as they run now; ranked among such servers alone, and not stopped while others are measured"
    )
}

pub(super) fn external_placement(contenders: &[ContenderName]) -> String {
    let (names, are) = listed(contenders);
    format!(
        "{names} {are} on other CPUs than contenders are given: --pin moves its threads there for the run"
    )
}

fn listed(contenders: &[ContenderName]) -> (String, &'static str) {
    let names: Vec<&str> = contenders.iter().map(ContenderName::as_str).collect();
    (names.join(", "), if names.len() == 1 { "is" } else { "are each" })
}

pub(super) fn unknown(steal: bool, others: bool) -> String {
    let figures = [(steal, "the hypervisor stole"), (others, "others used")];
    let missing: Vec<&str> = figures.iter().filter(|(missing, _)| *missing).map(|(_, what)| *what).collect();
    format!("unknown: how much CPU time {}", missing.join(" and "))
}

pub(super) const STEAL_IN_CPU_TIMES: &str = "this kernel counts what the hypervisor steals as CPU time of the task that was \
    running: CPU time per request is corrected for it";

/// `others (cc1) took 6 % of the contender's CPUs and 8 % of the load's; intervals allow for it`.
pub(super) fn cpu_time_taken(taken: &TakenShares, others: &str) -> String {
    let by = match taken.stolen_server {
        stolen if stolen >= 0.9 * taken.server && stolen > 0.0 => "the hypervisor".to_owned(),
        stolen if stolen >= 0.1 * taken.server && stolen > 0.0 => format!("{others} and the hypervisor"),
        _ => others.to_owned(),
    };
    let (server, load) = (percent(taken.server), percent(taken.load));
    let consequence = match taken.worse() >= BUSY_HOST {
        true => "intervals allow for it, and the answer is by CPU time per request, which leaves it out",
        false => "intervals allow for it",
    };
    format!("{by} took {server} of the contender's CPU time and {load} of the load's: {consequence}")
}

pub(super) fn slower_cpu(launches: &[u32], longer_share: f64) -> String {
    let (launch, longer) = (plural(launches.len() as u64, "launch", "launches"), percent(longer_share));
    format!(
        "a CPU was slower in {launch} ({}): a fixed piece of work took over {longer} longer than in the whole run",
        list(launches, 5)
    )
}

pub(super) fn blocks_disturbed(disturbed: u64, blocks: u64, by: &DisturbedBy, are_counted: bool) -> String {
    let (blocks, causes) = (plural(blocks, "block", "blocks"), by.in_words().join(", "));
    if !are_counted {
        return format!("{disturbed} of {blocks} dropped: {causes}");
    }
    let cure = match by.names.as_slice() {
        [] => String::new(),
        names => format!("; stop {} and measure again", names.join(", ")),
    };
    format!(
        "{disturbed} of {blocks} disturbed: {causes}; the figures are of all blocks and rank nothing{cure}"
    )
}

pub(super) fn control(
    workload: &str,
    contender: &ContenderName,
    difference_share: f64,
    half_width_share: Option<f64>,
) -> String {
    format!(
        "A against A' on {workload}: {contender} measured twice differs by {} ± {}; this happens in 5 % of good runs",
        percent(difference_share),
        percent(half_width_share.unwrap_or(f64::NAN)),
    )
}
