//! Open loops: whether a stated rate was offered, and what became of it.

use velo_judge::words::rate;
use velo_judge::{NotSent, StatedRate};
use velo_record::Outcomes;
use velo_record::RatePurpose;
use velo_stats::number::{percent, time_in_digits as time_ns};

use super::plural::plural;
use super::requests;

/// `at 50 % of its highest rate (24,000/s) `; nothing of a load alone.
fn place(at: Option<&StatedRate>) -> String {
    let Some(at) = at else { return String::new() };
    let rate = rate(at.rate_per_s, 3);
    match at.purpose {
        RatePurpose::CommonRate => format!("at the common rate ({rate}) "),
        RatePurpose::Share { percent } => format!("at {percent} % of its highest rate ({rate}) "),
        RatePurpose::Curve { .. } | RatePurpose::Search => format!("at {rate} "),
    }
}

/// What a column has for it: `equal`, `50 %`.
pub(crate) fn short(purpose: RatePurpose) -> String {
    match purpose {
        RatePurpose::CommonRate => "equal".to_owned(),
        RatePurpose::Share { percent } => format!("{percent} %"),
        RatePurpose::Curve { .. } | RatePurpose::Search => "other".to_owned(),
    }
}

pub(super) fn unreadable(histograms: u32) -> String {
    let histograms = plural(histograms.into(), "histogram", "histograms");
    format!("{histograms} of open loops cannot be read and are missing from the percentiles")
}

pub(super) fn dropped(rates: &[RatePurpose]) -> String {
    let name = |purpose: &RatePurpose| match purpose {
        RatePurpose::CommonRate => Some("those at the common rate".to_owned()),
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

pub(super) fn not_offered(at: Option<&StatedRate>, sent_share: f64, cause: Option<&NotSent>) -> String {
    let sent = percent(sent_share);
    format!("{}the load could not be offered: {sent} of the requests were sent{}", place(at), why(cause))
}

pub(super) fn offered_late(at: Option<&StatedRate>, behind_share: f64) -> String {
    let behind = percent(behind_share);
    format!("{}the load could not be offered in time: {behind} behind at a window's end", place(at))
}

pub(super) fn never_sent(at: Option<&StatedRate>, requests: u64, cause: Option<&NotSent>) -> String {
    let were = plural(requests, "request was", "requests were");
    format!("{}{were} due but never sent{}", place(at), why(cause))
}

fn why(cause: Option<&NotSent>) -> String {
    match cause {
        None => String::new(),
        Some(NotSent::NoConnection { requests }) => {
            format!("; {} no connection", plural(*requests, "request had", "requests had"))
        }
        Some(NotSent::GeneratorBusy { share }) => format!("; the generator was busy {}", percent(*share)),
        Some(NotSent::ServerSlow { p50_ns, min_ns }) => format!(
            "; all connections were in use, since answers took {} in place of {} for the fastest: the server is at its limit, and more connections would wait there",
            time_ns(*p50_ns as f64, 3),
            time_ns(*min_ns as f64, 3)
        ),
        Some(NotSent::NoneFree) => "; no connection was free; more of them (-c) may help".to_owned(),
        Some(NotSent::NoneFreeBeforeEnd) => {
            "; the load ended before a connection was free; more of them (-c) may help".to_owned()
        }
    }
}

pub(super) fn failures(at: &StatedRate, share: f64, answers: &Outcomes) -> String {
    format!("{}{}", place(Some(at)), requests::failures(share, answers))
}

pub(super) fn send_lag(at: Option<&StatedRate>, p99_ns: u64, closed_loop: bool) -> String {
    let late = time_ns(p99_ns as f64, 3);
    let means = if closed_loop { "left out of service times" } else { "included in response times" };
    format!("{}p99 send lag {late}, {means}", place(at))
}

pub(super) fn samples(at: Option<&StatedRate>, percentiles: &[String]) -> String {
    format!("{}{}", place(at), requests::samples("response time", percentiles))
}
