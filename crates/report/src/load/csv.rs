use velo_judge::Percentiles;
use velo_judge::load::{LoadResult, Time};
use velo_record::{LoadProtocol, LoadSchedule, Outcomes};

use crate::text::clean;

/// The result as CSV (RFC 4180, but lines end in LF): a line of column names, a line of values.
///
/// Units are in the names: `_ns` nanoseconds, `_per_s` per second, `_share` 0 to 1, `_bytes` bytes; other numbers are
/// counts. A figure that is missing is empty. Each duration (`response`, `service`, `first_byte`, `send_lag`, `connect`,
/// `handshake`) has its samples, mean, percentiles (`p999` is the 99.9th, `p9999` the 99.99th) and maximum.
pub fn csv(result: &LoadResult) -> String {
    let (names, values): (Vec<String>, Vec<String>) = cells(result).into_iter().unzip();
    format!("{}\n{}\n", names.join(","), values.join(","))
}

fn cells(result: &LoadResult) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    asked(result, &mut cells);
    counted(result, &mut cells);
    for time in
        [Time::Response, Time::Service, Time::FirstByte, Time::SendLag, Time::Connect, Time::Handshake]
    {
        durations(&time.name().replace('-', "_"), result.figures.of(time), &mut cells);
    }
    worth(result, &mut cells);
    cells
}

type Cells = Vec<(String, String)>;

fn asked(result: &LoadResult, cells: &mut Cells) {
    let record = &result.record;
    let settings = &record.settings;
    let (model, shape, spacing) = match &settings.schedule {
        LoadSchedule::Closed { .. } => ("closed", "", ""),
        LoadSchedule::Open { shape, spacing, .. } => ("open", shape.as_str(), spacing.as_str()),
    };
    let protocol = match settings.protocol {
        LoadProtocol::Http1 => "http/1.1",
        LoadProtocol::Http2 => "h2",
        LoadProtocol::Grpc => "grpc",
    };
    let think_ns = match settings.schedule {
        LoadSchedule::Closed { think_ns } => Some(think_ns),
        LoadSchedule::Open { .. } => None,
    };
    for (name, words) in [
        ("started_at", record.started_at.as_str()),
        ("velo", &record.velo),
        ("driver", &record.driver),
        ("url", &record.target.url),
        ("protocol", protocol),
        ("model", model),
        ("shape", shape),
        ("spacing", spacing),
    ] {
        cells.push((name.to_owned(), text(words)));
    }
    for (name, value) in [
        ("think_ns", think_ns),
        ("connections", Some(settings.connections.into())),
        ("threads", Some(settings.cpus.len() as u64)),
        ("pipelining", Some(settings.pipelining.into())),
        ("streams", Some(settings.streams.into())),
        ("requests_per_connection", settings.requests_per_connection.map(u64::from)),
        ("warm_up_ns", Some(settings.warm_up_ns)),
        ("duration_ns", Some(record.duration_ns)),
    ] {
        cells.push((name.to_owned(), optional(value)));
    }
    cells.push(("requests_hash".to_owned(), text(&settings.requests_hash)));
}

fn counted(result: &LoadResult, cells: &mut Cells) {
    let (figures, outcomes) = (&result.figures, &result.record.outcomes);
    for (name, value) in [
        ("goodput_per_s", figures.goodput_per_s),
        ("offered_per_s", figures.offered_per_s),
        ("sent_per_s", figures.sent_per_s),
    ] {
        cells.push((name.to_owned(), optional(value)));
    }
    let counts = [("requests", figures.requests), ("correct", outcomes.correct)];
    for (name, value) in counts.into_iter().chain(failures(outcomes)) {
        cells.push((name.to_owned(), value.to_string()));
    }
}

/// Failures by class.
pub(super) fn failures(outcomes: &Outcomes) -> [(&'static str, u64); 8] {
    [
        ("wrong_answer", outcomes.wrong_answer),
        ("http_error", outcomes.http_error),
        ("truncated", outcomes.truncated),
        ("timeout", outcomes.timeout),
        ("connect_error", outcomes.connect_error),
        ("closed_by_server", outcomes.closed_by_server),
        ("refused", outcomes.refused),
        ("dropped", outcomes.dropped),
    ]
}

fn durations(of: &str, times: Option<&Percentiles>, cells: &mut Cells) {
    cells.push((format!("{of}_samples"), times.map_or(0, |times| times.samples).to_string()));
    cells.push((format!("{of}_mean_ns"), optional(times.and_then(|times| times.mean_ns))));
    let listed = |index: usize| times.and_then(|times| times.listed()[index].2);
    for (index, name) in ["p50", "p75", "p90", "p95", "p99", "p999", "p9999"].into_iter().enumerate() {
        cells.push((format!("{of}_{name}_ns"), optional(listed(index))));
    }
    cells.push((format!("{of}_max_ns"), optional(times.and_then(|times| times.max_ns))));
}

fn worth(result: &LoadResult, cells: &mut Cells) {
    let (record, figures) = (&result.record, &result.figures);
    for (name, value) in figures.of_generator() {
        cells.push((name.to_owned(), optional(value)));
    }
    for (name, value) in [
        ("established", Some(record.connections.established.into())),
        ("reconnects", Some(record.connections.reconnects)),
        ("resumed", Some(record.resumed)),
        ("peak_memory_bytes", record.peak_memory_bytes),
    ] {
        cells.push((name.to_owned(), optional(value)));
    }
    let failed = result.conditions.iter().filter(|condition| condition.holds != Some(true)).count();
    cells.push(("conditions_failed".to_owned(), failed.to_string()));
    cells.push(("interrupted".to_owned(), record.interrupted.to_string()));
}

fn optional<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Text from outside in one line, in quotes where a comma or a quote is in it.
fn text(words: &str) -> String {
    let line = clean(words);
    if line.contains([',', '"']) { format!("\"{}\"", line.replace('"', "\"\"")) } else { line }
}
