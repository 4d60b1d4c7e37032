//! Connections: kept busy, open, opened again, and served alike.

use velo_judge::words::list;
use velo_judge::{Fairness, IdleCause};
use velo_stats::number::{decimals, percent, time_in_digits as time_ns};

use super::plural::plural;
use crate::number::count;

pub(super) fn littles_law(share: f64) -> String {
    format!("requests in flight and service times differ by {}", percent(share))
}

pub(super) fn idle(busy_share: f64, cause: &IdleCause) -> String {
    format!("only {} of the connections were kept busy: {}", percent(busy_share), why_idle(cause))
}

fn why_idle(cause: &IdleCause) -> String {
    match cause {
        IdleCause::Unserved { answered, open, asked } => {
            let open = open.map(|open| (open, "were open at the end"));
            match (answered, open) {
                (Some(answered), Some((open, were))) => {
                    format!("{answered} of {asked} ever got an answer, {open} {were}")
                }
                (Some(answered), None) => {
                    format!("{answered} of {asked} ever got an answer, though all were open")
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
    format!("only {open} of {asked} connections were open at the end")
}

pub(super) fn reopened(times: u64, each_answers: u64) -> String {
    let each =
        if each_answers > 1 { format!("{} answers", count(each_answers)) } else { "answer".to_owned() };
    let times = plural(times, "time", "times");
    format!(
        "the server closed connections, which were opened again {times}, once for each {each}: what that costs is in the figures"
    )
}

/// The server keeps connections alive, but for less time than they were without a request.
pub(super) fn closed_idle(connections: u64, shortest_ns: u64) -> String {
    let were = plural(connections, "connection was", "connections were");
    format!("{were} closed by the server after at least {} without a request", time_ns(shortest_ns as f64, 2))
}

pub(super) fn streams(allowed: u32, asked: u32) -> String {
    let allowed = plural(allowed.into(), "stream", "streams");
    let asked = count(asked.into());
    format!(
        "the server takes {allowed} on a connection, not {asked}: more connections, or another limit there"
    )
}

pub(super) fn no_port(times: u64) -> String {
    let times = plural(times, "time", "times");
    format!("no local port was free {times}: fewer connections, or a wider net.ipv4.ip_local_port_range")
}

pub(super) fn starved(fairness: &Fairness, below_share: f64) -> String {
    let named: Vec<String> = fairness
        .starved
        .iter()
        .map(|starved| match starved.launch {
            Some(launch) => format!("{} in launch {launch}", starved.connection),
            None => starved.connection.to_string(),
        })
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
