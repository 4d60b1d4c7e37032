//! What was odd about launches, and about the processes of a task.

use std::net::IpAddr;
use velo_model::Figure;

use velo_judge::words::list;
use velo_stats::number::{self, percent};

use super::plural::plural;

/// `1 of 8 launches had 28 % less goodput than the others: launch 3`.
pub(super) fn apart(figure: Figure, launches: &[u32], of: u32, change_share: f64) -> String {
    let (number, by) = (launches.len(), percent(change_share.abs()));
    let up_to = if number > 1 { "up to " } else { "" };
    let direction = if change_share < 0.0 { "less" } else { "more" };
    format!(
        "{number} of {} had {up_to}{by} {direction} {} than the others: launch {}",
        all(of),
        figure.row().name,
        list(launches, 5)
    )
}

pub(super) fn warm_up(launches: u32, of: u32) -> String {
    format!(
        "the warm-up ended at its cap, not steady, in {launches} of {}; --warm-up TIME gives it longer",
        all(of)
    )
}

pub(super) fn not_stopped(launches: u32, of: u32) -> String {
    format!("SIGTERM did not stop it in {launches} of {}", all(of))
}

pub(super) fn processes_dropped(processes: u32, of: u32) -> String {
    let of = plural(of.into(), "process", "processes");
    format!("{processes} of {of} dropped: others or the hypervisor took CPU time")
}

/// That it listens on all of the machine's networks.
pub fn listens_on_all(address: IpAddr) -> String {
    format!("it listens on {address}, expected the address in HOST alone: other machines may reach it")
}

/// That a log is not kept whole, and how much was written.
pub fn log_cut(log: &str, written_bytes: u64) -> String {
    format!(
        "{log}: {} written, first and last MiB of each launch kept; its figures include the writing",
        number::bytes(written_bytes)
    )
}

fn all(launches: u32) -> String {
    plural(launches.into(), "launch", "launches")
}
