//! What the machine and others on it did to a run.

use velo_judge::DisturbedBy;
use velo_judge::words::list;
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

pub(super) fn unknown(steal: bool, others: bool) -> String {
    let figures = [(steal, "the hypervisor stole"), (others, "others used")];
    let missing: Vec<&str> = figures.iter().filter(|(missing, _)| *missing).map(|(_, what)| *what).collect();
    format!("unknown: how much CPU time {}", missing.join(" and "))
}

pub(super) fn blocks_disturbed(disturbed: u64, blocks: u64, by: &DisturbedBy, are_counted: bool) -> String {
    let (blocks, causes) = (plural(blocks, "block", "blocks"), by.in_words().join(", "));
    if !are_counted {
        return format!("{disturbed} of {blocks} dropped: {causes}");
    }
    let cure = match (by.cure_of_steal(), by.names.as_slice()) {
        (Some(cure), _) => format!("; {cure}"),
        (None, []) => String::new(),
        (None, names) => format!("; stop {} and measure again", names.join(", ")),
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
