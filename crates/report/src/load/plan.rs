use velo_judge::words::schedule_words;
use velo_record::{LoadProtocol, LoadSchedule, LoadSettings};

use super::figures::stretch;
use crate::section::plural;
use crate::text::{clean, columns, wrap};

const WIDTH: usize = 80;

/// What is asked and what asks it: `open loop 5,000/s, Poisson, up to 64 connections, 10 s    io_uring, 1 thread`. One line of at
/// most 80 columns, further ones where it is too short; without a line break at the end. Text from outside is stripped
/// of escape sequences and control characters.
pub fn plan_line(settings: &LoadSettings, driver: &str) -> String {
    let asked = clean(&asked(settings));
    let asks = clean(&asks(settings, driver));
    let gap = WIDTH.saturating_sub(columns(&asked) + columns(&asks));
    if gap >= 2 {
        return format!("{asked}{}{asks}", " ".repeat(gap)).trim_end().to_owned();
    }
    let mut lines = wrap(&asked, WIDTH);
    lines.extend(wrap(&asks, WIDTH));
    lines.join("\n")
}

pub(super) fn asked(settings: &LoadSettings) -> String {
    let connections = plural(u64::from(settings.connections), "connection", "connections");
    let connections = match settings.schedule {
        LoadSchedule::Open { .. } if settings.connections > 1 => format!("up to {connections}"),
        _ => connections,
    };
    let mut parts = vec![schedule_words(&settings.schedule), connections];
    match settings.requests_per_connection {
        Some(1) => parts.push("a new one for each request".to_owned()),
        Some(n) => parts.push(format!("{} on each", plural(u64::from(n), "request", "requests"))),
        None => {}
    }
    let protocol = match settings.protocol {
        LoadProtocol::Http1 => None,
        LoadProtocol::Http2 => Some("HTTP/2"),
        LoadProtocol::Grpc => Some("gRPC"),
    };
    if let Some(protocol) = protocol {
        parts.push(match settings.streams {
            1 => protocol.to_owned(),
            streams => format!("{protocol}, {streams} streams on each"),
        });
    }
    if settings.pipelining > 1 {
        parts.push(format!("{} in flight on each", settings.pipelining));
    }
    let count = settings.most_requests.map(|most| plural(most, "request", "requests"));
    match (settings.duration_ns, count) {
        (Some(ns), Some(count)) => parts.push(format!("{} or {count}", stretch(ns))),
        (Some(ns), None) => parts.push(stretch(ns)),
        (None, Some(count)) => parts.push(count),
        (None, None) => {}
    }
    if settings.warm_up_ns > 0 {
        parts.push(format!("after {} of warm-up", stretch(settings.warm_up_ns)));
    }
    if settings.drops_when_full {
        parts.push("dropped when no connection is free".to_owned());
    }
    parts.join(", ")
}

pub(super) fn asks(settings: &LoadSettings, driver: &str) -> String {
    let polling = if settings.busy_poll { ", busy polling" } else { "" };
    format!("{driver}, {}{polling}", plural(settings.cpus.len() as u64, "thread", "threads"))
}
