//! How a load's figures are written.

use velo_judge::load::{LoadResult, Time};

use crate::number::{lasted_ns, time_ns};

/// What is written for a figure that is missing.
pub(super) const MISSING: &str = "-";

/// The label of a duration on a terminal.
pub(super) fn label(time: Time) -> &'static str {
    match time {
        Time::FirstByte => "first byte",
        Time::SendLag => "send lag",
        _ => time.name(),
    }
}

/// A time, or a dash.
pub(super) fn time(ns: Option<u64>) -> String {
    ns.map_or_else(|| MISSING.to_owned(), |ns| time_ns(ns as f64))
}

/// A stretch that somebody asked for: `10 s`, `500 ms`, `10:00`.
pub(super) fn stretch(ns: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    match ns {
        ns if !ns.is_multiple_of(SECOND) => time_ns(ns as f64),
        ns if ns < 600 * SECOND => format!("{} s", ns / SECOND),
        ns => lasted_ns(ns),
    }
}

/// The first failures, as they were recorded: none where all requests were correct.
pub(super) fn examples(result: &LoadResult) -> impl Iterator<Item = &str> {
    let record = &result.record;
    let has_failures =
        record.outcomes.correct == 0 || result.figures.failed > 0 || record.drained.failed() > 0;
    record.examples.iter().filter(move |_| has_failures).map(String::as_str)
}

/// A rate as a whole number where it is large, since a setting stands beside it: `5,001/s`.
pub(super) fn whole_rate(per_s: f64) -> String {
    if (1_000.0..1e9).contains(&per_s) {
        format!("{}/s", crate::number::count(per_s.round() as u64))
    } else {
        format!("{}/s", crate::number::rate(per_s))
    }
}
