//! What was odd about launches, and about the processes of a task.

use super::plural::plural;

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

fn all(launches: u32) -> String {
    plural(launches.into(), "launch", "launches")
}
