//! Connections: kept busy, open, opened again, and served alike.

use velo_judge::words::list;
use velo_judge::{Fairness, IdleCause};
use velo_stats::number::{decimals, percent};

use super::plural::plural;

pub(super) fn littles_law(share: f64) -> String {
    format!("requests in flight and service times differ by {} in the worst window", percent(share))
}

pub(super) fn idle(busy_share: f64, cause: &IdleCause) -> String {
    format!("only {} of the connections were kept busy: {}", percent(busy_share), why_idle(cause))
}

fn why_idle(cause: &IdleCause) -> String {
    match cause {
        IdleCause::Unserved { answered, open, asked } => {
            let open = open.map(|open| (open, "were open at the end of a window"));
            match (answered, open) {
                (Some(answered), Some((open, were))) => {
                    format!("{answered} of {asked} ever got an answer in a launch, {open} {were}")
                }
                (Some(answered), None) => {
                    format!("{answered} of {asked} ever got an answer in a launch, though all were open")
                }
                (None, Some((open, were))) => format!("{open} of {asked} {were}"),
                (None, None) => "the cause is not known".to_owned(),
            }
        }
        IdleCause::Reopening => "the others were being opened again".to_owned(),
        IdleCause::AfterFailures => "after failures there is a pause".to_owned(),
        IdleCause::GeneratorHeldBack => "the generator held back".to_owned(),
    }
}

pub(super) fn missing(open: u32, asked: u32) -> String {
    format!("only {open} of {asked} connections were open at the end of a window")
}

pub(super) fn reopened(times: u64, each_answers: u64) -> String {
    let each = if each_answers > 1 { format!("{each_answers} answers") } else { "answer".to_owned() };
    let times = plural(times, "time", "times");
    format!(
        "its connections were opened again {times} under load, once for each {each}: what that costs is in its figures"
    )
}

pub(super) fn starved(fairness: &Fairness, below_share: f64) -> String {
    let named: Vec<String> = fairness
        .starved
        .iter()
        .map(|starved| format!("{} in launch {}", starved.connection, starved.launch))
        .collect();
    let shared = match (fairness.processes, fairness.connections_per_process) {
        (Some(processes), Some(each)) if processes > 1 => {
            format!(", {processes} processes with {} connections each", decimals(each, 1))
        }
        _ => String::new(),
    };
    format!(
        "{} got under {} of the median: {} (Jain's index {}{shared})",
        plural(named.len() as u64, "connection", "connections"),
        percent(below_share),
        list(&named, 4),
        decimals(fairness.jains_index, 2)
    )
}
