//! Response times at stated rates and against the rate, and CPU time at equal work.

use velo_judge::{
    Curve, EqualWorkGroup, EqualWorkRow, Estimate, JudgedWorkload, KneeReason, PacedFigures, Row, Standing,
};
use velo_record::RatePurpose;

use crate::number::{percent, plus_minus, rate, time_ns};
use crate::text::clean;
use crate::view::plural;

/// A contender at a stated rate.
pub(crate) struct AtRate {
    pub(crate) is_equal_work: bool,
    /// Which rate: `equal`, `50 %`.
    pub(crate) load: String,
    pub(crate) contender: String,
    pub(crate) rate: String,
    /// `None`: the rate was not met, so there are no response times at it.
    pub(crate) times: Option<Times>,
    pub(crate) achieved: String,
    pub(crate) utilisation: String,
}

/// Its figures in words, `-` where there are too few samples.
pub(crate) struct Times {
    pub(crate) p50: String,
    pub(crate) p90: String,
    pub(crate) p99: String,
    pub(crate) p999: String,
    pub(crate) service_p99: String,
    pub(crate) cpu_per_request: String,
    pub(crate) cpu_with_interval: String,
}

const UNKNOWN: &str = "-";

/// The contenders at each stated rate, those of one kind of rate together.
pub(crate) fn at_rates(workload: &JudgedWorkload) -> Vec<AtRate> {
    let mut all: Vec<(&Row, &PacedFigures)> =
        workload.rows.iter().flat_map(|row| row.latency.iter().map(move |figures| (row, figures))).collect();
    all.sort_by_key(|(_, figures)| match figures.purpose {
        RatePurpose::EqualWork => (0, 0),
        RatePurpose::Share { percent } => (1, percent),
        RatePurpose::Curve { point } => (2, point),
        RatePurpose::Search => (3, 0),
    });
    all.into_iter().map(|(row, figures)| at_rate(row, figures)).collect()
}

pub(crate) fn at_rate(row: &Row, figures: &PacedFigures) -> AtRate {
    let load = match figures.purpose {
        RatePurpose::EqualWork => "equal".to_owned(),
        RatePurpose::Share { percent } => format!("{percent} %"),
        RatePurpose::Curve { .. } | RatePurpose::Search => "other".to_owned(),
    };
    let times = &figures.response;
    AtRate {
        is_equal_work: figures.purpose == RatePurpose::EqualWork,
        load,
        contender: row.contender.to_string(),
        rate: rate(figures.rate_per_s),
        times: figures.is_met.then(|| Times {
            p50: plain(times.p50_ns),
            p90: plain(times.p90_ns),
            p99: with_interval(times.p99_ns),
            p999: plain(times.p999_ns),
            service_p99: plain(figures.service_p99_ns),
            cpu_per_request: plain(figures.cpu_per_request_ns),
            cpu_with_interval: with_interval(figures.cpu_per_request_ns),
        }),
        achieved: figures.achieved_share.map_or_else(|| UNKNOWN.to_owned(), percent),
        utilisation: figures.utilisation.map_or_else(|| UNKNOWN.to_owned(), percent),
    }
}

fn plain(time: Option<Estimate>) -> String {
    time.map_or_else(|| UNKNOWN.to_owned(), |time| time_ns(time.value))
}

fn with_interval(time: Option<Estimate>) -> String {
    let interval = time.as_ref().and_then(|time| plus_minus(time, time_ns)).unwrap_or_default();
    format!("{} {interval}", plain(time)).trim_end().to_owned()
}

/// Where requests begin to queue: `knee at 38,400/s: p99 1.20 ms, 0.41 ms when nearly idle; above it slower than 3 times that`.
pub(crate) fn knee(curve: &Curve) -> String {
    let Some(knee) = &curve.knee else {
        return "no knee: too few of the rates were met with enough samples".to_owned();
    };
    let factor = knee.factor;
    let end = match knee.end {
        KneeReason::Slow => format!("above it slower than {factor} times that"),
        KneeReason::NotMet => "the next rate was not met".to_owned(),
        KneeReason::NotReached => "no higher rate was tried, so it may lie higher".to_owned(),
    };
    let (at, p99) = (rate(knee.rate_per_s), time_ns(knee.p99_ns));
    format!("knee at {at}/s: p99 {p99}, {} when nearly idle; {end}", time_ns(knee.idle_p99_ns))
}

/// A point of a curve: the rate and what was seen there.
pub(crate) fn point(figures: &PacedFigures) -> (String, String) {
    let seen = match figures.response.p99_ns {
        _ if !figures.is_met => "not met".to_owned(),
        None => "too few samples".to_owned(),
        Some(p99) => time_ns(p99.value),
    };
    (format!("{}/s", rate(figures.rate_per_s)), seen)
}

/// All points of a curve in a sentence.
pub(crate) fn points(curve: &Curve) -> String {
    let points = curve.points.iter().map(point).map(|(rate, seen)| format!("{rate} {seen}"));
    format!("p99 at {}", points.collect::<Vec<_>>().join(", "))
}

/// What a group was given, and how its pairs came out.
pub(crate) fn equal_work(group: &EqualWorkGroup) -> String {
    let at = rate(group.rate_per_s);
    let mut words = format!("CPU/request and response time at {at} requests/s, the same for all");
    if !group.pairs.is_empty() {
        let of = |state| group.pairs.iter().filter(|pair| pair.state == state).count() as u64;
        words.push_str(&format!(
            "; {}: {} separated, {} equal, {} open",
            plural(group.pairs.len() as u64, "pair", "pairs"),
            of(Standing::Separated),
            of(Standing::Equal),
            of(Standing::Open)
        ));
    }
    words
}

/// A contender at the rate of its group: rank, name, CPU time per request, requests per core-second, utilisation, median
/// and 99th percentile of response time.
pub(crate) fn equal_work_row(
    row: &EqualWorkRow,
    group: &EqualWorkGroup,
    workload: &JudgedWorkload,
) -> [String; 7] {
    let of_contender = workload.rows.iter().find(|other| other.contender == row.contender);
    let is_at_rate = |figures: &&PacedFigures| {
        figures.purpose == RatePurpose::EqualWork && figures.rate_per_s == group.rate_per_s && figures.is_met
    };
    let response =
        of_contender.and_then(|other| other.latency.iter().find(is_at_rate)).map(|figures| &figures.response);
    let rank = match (row.best, row.worst) {
        (Some(best), Some(worst)) if best != worst => format!("{best}-{worst}"),
        (Some(best), _) => best.to_string(),
        _ => UNKNOWN.to_owned(),
    };
    let per_core = row.requests_per_core_second;
    [
        rank,
        row.contender.to_string(),
        with_interval(row.cpu_per_request_ns),
        per_core.map_or_else(|| UNKNOWN.to_owned(), |per_core| rate(per_core.value)),
        row.utilisation.map_or_else(|| UNKNOWN.to_owned(), percent),
        plain(response.and_then(|response| response.p50_ns)),
        plain(response.and_then(|response| response.p99_ns)),
    ]
}

/// Why rows of a group are not ranked: each reason once, unless it is the run's own or that of the first ranking, which
/// are said already.
pub(crate) fn not_ranked(
    group: &EqualWorkGroup,
    workload: &JudgedWorkload,
    nothing_ranked: Option<&str>,
) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for row in &group.rows {
        let of_contender = workload.rows.iter().find(|other| other.contender == row.contender);
        let is_said = |reason: &&str| {
            Some(*reason) == nothing_ranked || of_contender.is_some_and(|other| other.standing() == *reason)
        };
        let Some(reason) = row.reason.as_deref().filter(|reason| !is_said(reason)) else { continue };
        let (reason, name) = (clean(reason), row.contender.to_string());
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    reasons.into_iter().map(|(reason, names)| format!("{}: {reason}", names.join(", "))).collect()
}
