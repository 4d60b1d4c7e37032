//! Turns of phrase that several parts of a report share.

use velo_judge::{ComparedRow, Estimate, JudgedWorkload, Kind, RowState};

use velo_model::{Link, Protocol};

use crate::number::{bit_rate, change, change_range, count, tidy_percent, tidy_time_ns};
use crate::text::clean;

/// How a workload's requests were carried: `64 connections`, `HTTP/2 in clear, 64 connections x 1 stream`, `64 connections over a link
/// of 20 ms, 100 Mbit/s, 0.1 % loss, a new one for each request`. HTTP/1.1 in clear without a link on connections that are kept is what
/// is meant where nothing is said.
pub fn carried(
    connections: u32,
    requests_per_connection: Option<u32>,
    protocol: Protocol,
    streams: u32,
    link: Option<&Link>,
) -> String {
    let over = link.map_or(String::new(), |link| format!(" over a link of {}", distance(link)));
    let turns = requests_per_connection.map_or(String::new(), |requests| format!(", {}", turns(requests)));
    format!("{}{over}{turns}", spoken(connections, protocol, streams))
}

/// Where connections are closed after so many requests: `a new one for each request`.
pub fn turns(requests_per_connection: u32) -> String {
    match requests_per_connection {
        1 => "a new one for each request".to_owned(),
        requests => format!("a new one after {requests} requests"),
    }
}

/// A link: `20 ms, 100 Mbit/s, 0.1 % loss`.
pub(crate) fn distance(link: &Link) -> String {
    let mut parts = vec![tidy_time_ns(link.rtt_ns)];
    if let Some(bits) = link.rate_bits_per_s {
        parts.push(bit_rate(bits));
    }
    if link.loss > 0.0 {
        parts.push(format!("{} loss", tidy_percent(link.loss)));
    }
    parts.join(", ")
}

fn spoken(connections: u32, protocol: Protocol, streams: u32) -> String {
    let connections = plural(u64::from(connections), "connection", "connections");
    let streams = plural(u64::from(streams), "stream", "streams");
    match protocol {
        Protocol::Http1 => connections,
        Protocol::Https1 => format!("HTTP/1.1 over TLS, {connections}"),
        Protocol::H2c => format!("HTTP/2 in clear, {connections} x {streams}"),
        Protocol::H2 => format!("HTTP/2 over TLS, {connections} x {streams}"),
        Protocol::Grpc => format!("gRPC in clear, {connections} x {streams}"),
        Protocol::Grpcs => format!("gRPC over TLS, {connections} x {streams}"),
    }
}

pub(super) const BASELINE: &str = "1 (baseline)";

pub(crate) fn rank_of(state: &RowState) -> String {
    match state {
        RowState::Ranked { best, worst } => rank_range(*best, *worst),
        _ => "-".to_owned(),
    }
}

/// `2`, `1-3`.
pub(crate) fn rank_range(best: u32, worst: u32) -> String {
    if best == worst { best.to_string() } else { format!("{best}-{worst}") }
}

/// A figure and how sure it is. A lower bound says so and has no interval: what it could have been is not known.
pub(crate) fn with_interval(value: String, at_least: bool, plus_minus: Option<String>) -> String {
    match plus_minus {
        _ if at_least => format!("≥ {value}"),
        Some(plus_minus) => format!("{value} {plus_minus}"),
        None => value,
    }
}

/// A ratio as a change, with the ends of its interval: `+25 % (+1.2 to +54 %)`.
pub(super) fn difference(ratio: &Estimate) -> String {
    let ends = match (ratio.range(), ratio.interval()) {
        (Some((least, most)), _) => Some(format!("({} and {})", change(least), change(most))),
        (None, Some((low, high))) => Some(format!("({})", change_range(low, high))),
        (None, None) => None,
    };
    with_interval(change(ratio.value), false, ends)
}

/// Why a published row has no score here, in a word or two: the whole reason stands with the contender's row.
pub(crate) fn no_score(compared: &ComparedRow, workload: &JudgedWorkload) -> Option<String> {
    let reason = compared.reason.as_ref()?;
    let row = workload.rows.iter().find(|row| Some(&row.contender) == compared.contender.as_ref());
    Some(match row.map(|row| &row.state) {
        None => clean(&reason.to_string()),
        Some(RowState::Skipped { .. }) => "skipped".to_owned(),
        Some(RowState::Excluded { .. }) => "failed".to_owned(),
        Some(_) if workload.baseline_fault.is_some() => "no baseline".to_owned(),
        Some(_) => "not ranked".to_owned(),
    })
}

pub(crate) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Hint => "hint",
        Kind::Warning => "warning",
        Kind::Error => "error",
    }
}

pub(crate) fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// CPUs as ranges: `0-3,8`.
pub(super) fn cpus(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*cpu) => *last = *cpu,
            _ => ranges.push((*cpu, *cpu)),
        }
    }
    if ranges.is_empty() {
        return "unknown".to_owned();
    }
    let range = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_has_the_ends_of_its_interval() {
        let of = |value: f64, low: f64, high: f64| Estimate {
            value,
            low: Some(low),
            high: Some(high),
            launches: 5,
            ..Estimate::default()
        };
        assert_eq!(difference(&of(1.25, 1.012, 1.54)), "+25 % (+1.2 to +54 %)");
        assert_eq!(difference(&of(0.99, 0.97, 1.01)), "-1.0 % (-3.0 to +1.0 %)");
        let two =
            Estimate { value: 1.02, least: Some(1.0), most: Some(1.04), launches: 2, ..Estimate::default() };
        assert_eq!(difference(&two), "+2.0 % (+0.0 % and +4.0 %)");
        assert_eq!(difference(&Estimate { value: 1.5, launches: 1, ..Estimate::default() }), "+50 %");
    }

    #[test]
    fn cpus_are_written_as_ranges() {
        assert_eq!(cpus(&[0]), "0");
        assert_eq!(cpus(&[0, 1, 2, 3, 8, u32::MAX]), "0-3,8,4294967295");
        assert_eq!(cpus(&[]), "unknown");
    }
}
