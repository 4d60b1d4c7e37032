use std::time::Duration;

use velo_judge::load::{LoadResult, Time};
use velo_stats::{Histogram, LogInterval, interval_log};

/// The histograms as an HdrHistogram log, format 1.3, one interval long: the tags `response`, `service` and `send-lag`,
/// values in nanoseconds. A histogram that is empty or cannot be read is left out.
pub fn hdr_log(result: &LoadResult) -> String {
    let record = &result.record;
    let histograms: Vec<(&str, Histogram)> = [Time::Response, Time::Service, Time::SendLag]
        .into_iter()
        .filter_map(|time| Some((time.name(), time.histogram(record).decode().ok()?)))
        .filter(|(_, histogram)| !histogram.is_empty())
        .collect();
    let intervals: Vec<LogInterval<'_>> = histograms
        .iter()
        .map(|(tag, histogram)| LogInterval { tag, start_ns: 0, length_ns: record.duration_ns, histogram })
        .collect();
    let comment = format!("[Logged with velo {}]", crate::text::clean(&record.velo));
    interval_log(&comment, since_epoch(&record.started_at), &intervals)
}

fn since_epoch(rfc_3339: &str) -> Option<Duration> {
    let started_at: jiff::Timestamp = rfc_3339.parse().ok()?;
    Duration::try_from(started_at.as_duration()).ok()
}
