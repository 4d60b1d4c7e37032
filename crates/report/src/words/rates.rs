//! Open loops: whether a stated rate was offered, and what became of it.

use velo_judge::words::rate;
use velo_judge::{StatedRate, failures_in_words};
use velo_record::Outcomes;
use velo_record::RatePurpose;
use velo_stats::number::{percent, time_in_digits as time_ns};

use super::plural::plural;
use crate::number::count;

/// `at 50 % of its highest rate (24,000/s)`.
fn place(at: &StatedRate) -> String {
    let rate = rate(at.rate_per_s, 3);
    match at.purpose {
        RatePurpose::EqualWork => format!("at the common rate ({rate})"),
        RatePurpose::Share { percent } => format!("at {percent} % of its highest rate ({rate})"),
        RatePurpose::Curve { .. } | RatePurpose::Search => format!("at {rate}"),
    }
}

pub(super) fn unreadable(histograms: u32) -> String {
    let histograms = plural(histograms.into(), "histogram", "histograms");
    format!("{histograms} of open loops cannot be read and are missing from the percentiles")
}

pub(super) fn dropped(rates: &[RatePurpose]) -> String {
    let name = |purpose: &RatePurpose| match purpose {
        RatePurpose::EqualWork => Some("those at the common rate".to_owned()),
        RatePurpose::Share { percent } => Some(format!("those at {percent} % of its highest rate")),
        RatePurpose::Curve { .. } | RatePurpose::Search => None,
    };
    let mut names: Vec<String> = rates.iter().filter_map(name).collect();
    let points = rates.len() - names.len();
    if points > 0 {
        names.push(plural(points as u64, "point of the curve", "points of the curve"));
    }
    format!("all windows were in disturbed blocks and are dropped: {}", names.join(", "))
}

pub(super) fn not_offered(at: &StatedRate, sent_share: f64) -> String {
    let sent = percent(sent_share);
    format!("{} the load could not be offered: {sent} of the requests were sent", place(at))
}

pub(super) fn offered_late(at: &StatedRate, behind_share: f64) -> String {
    let behind = percent(behind_share);
    format!("{} the load could not be offered in time: {behind} behind at a window's end", place(at))
}

pub(super) fn never_sent(at: &StatedRate, requests: u64) -> String {
    let were = if requests == 1 { "request was" } else { "requests were" };
    format!("{} {} {were} due but never sent", place(at), count(requests))
}

pub(super) fn failures(at: &StatedRate, share: f64, answers: &Outcomes) -> String {
    let failed = failures_in_words(answers);
    format!("{} {} of the requests failed: {failed}", place(at), percent(share))
}

pub(super) fn send_lag(at: &StatedRate, p99_ns: u64) -> String {
    let late = time_ns(p99_ns as f64, 3);
    format!("{} p99 send lag {late}, included in response times", place(at))
}

pub(super) fn samples(at: &StatedRate, percentiles: &[String]) -> String {
    format!("{} there are not enough samples for {}", place(at), percentiles.join(", "))
}
