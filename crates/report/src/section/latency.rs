//! Response times at stated rates and against the rate, and CPU time at equal work.

use velo_judge::{
    Curve, DistributionOf, Estimate, JudgedWorkload, KneeReason, PacedFigures, Reason, Row, Series,
    SeriesPoint, WorkloadDetail, per_core_second,
};
use velo_model::{Figure, LoadCondition};

use super::charts;
use super::names::{name_in, name_of};
use crate::document::{
    Axis, Block, Chart, Column, Fold, Line, Mark, Named, Point, Room, Section, Sign, Table, TableRow,
};
use crate::number::{percent, plus_minus, rate, tidy, tidy_time_ns, time_ns};
use crate::section::{plural, rank_range};
use crate::text::clean;
use crate::words::rates;

const UNKNOWN: &str = "-";
/// The height of a chart that many contenders share.
const TALL: u32 = 360;

/// The second ranking: CPU time at the common rate. That there is none is said where something was measured.
pub(crate) fn at_common_rate(workload: &JudgedWorkload, detail: Option<&WorkloadDetail>) -> Vec<Section> {
    let mut groups = workload.series.iter().filter(|series| series.of == Figure::CpuAtOneRate).peekable();
    if groups.peek().is_none() {
        let was_measured = workload.rows.iter().any(|row| row.windows > 0);
        let about = "left out: nothing was measured at the common rate";
        return was_measured.then(|| Section::new("equal work", about, vec![])).into_iter().collect();
    }
    let of_group = |group: &Series| {
        let columns = [
            Column::number("rank"),
            Column::text("contender"),
            Column::number("CPU/request"),
            Column::number("per core-s"),
            Column::number("CPUs used"),
            Column::number("p50"),
            Column::number("p99"),
        ];
        let rows = group
            .points
            .iter()
            .map(|point| TableRow::of(&point.contender, point_row(point, group.under, workload).map(Some)));
        let table = Block::Table(Table::new(columns, rows));
        let reasons = Block::remarks(not_ranked(group));
        let chart = detail.map(|detail| times(group, workload, detail));
        let blocks = [table, reasons].into_iter().chain(chart).collect();
        Section::new("equal work", about(group, workload), blocks)
    };
    groups.map(of_group).collect()
}

/// The percentiles of a group's response times.
fn times(group: &Series, workload: &JudgedWorkload, detail: &WorkloadDetail) -> Block {
    let at = group.under.rate_per_s().unwrap_or_default();
    let is_it = |of: &DistributionOf| match *of {
        DistributionOf::OpenLoop { purpose, rate_per_s } => purpose.is_common() && rate_per_s == at,
        DistributionOf::ClosedLoop => false,
    };
    let own = detail.contenders.iter().filter_map(|one| {
        let found = one.distributions.iter().find(|distribution| is_it(&distribution.of))?;
        Some((name_in(workload, &one.contender), &one.contender, found))
    });
    let own: Vec<_> = own.collect();
    let lines: Vec<_> = own.iter().map(|(name, of, found)| (name.as_str(), Some(*of), *found)).collect();
    let label = format!(
        "Response time percentiles at {}/s, open loop, from the moment a request was due; each added nine takes equal width",
        rate(at)
    );
    Block::Chart(charts::percentiles(&format!("response-times-{at:.0}"), &label, TALL, &lines))
}

/// Response times at stated rates, and against the rate.
pub(crate) fn response_times(workload: &JudgedWorkload) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut all: Vec<(&Row, &PacedFigures)> =
        workload.rows.iter().flat_map(|row| row.latency.iter().map(move |figures| (row, figures))).collect();
    all.sort_by_key(|(_, figures)| figures.purpose);
    // On a terminal those at equal work stand in its table alone.
    let (equal, others): (Vec<_>, Vec<_>) = all.iter().partition(|(_, figures)| figures.purpose.is_common());
    let about = "open loop, Poisson; from the intended start to the last byte";
    let rows = |of: &[(&Row, &PacedFigures)]| -> Vec<TableRow> {
        of.iter().map(|(row, figures)| TableRow::of(&row.contender, cells(row, figures))).collect()
    };
    if !others.is_empty() {
        let on_terminal = Table::new(columns(), rows(&others)).only(Room::Narrow);
        let in_markdown = Table::new(columns(), rows(&all)).only(Room::Wide);
        let blocks = vec![Block::Table(on_terminal), Block::Table(in_markdown)];
        sections.push(Section::new("response time", about, blocks));
    } else if !equal.is_empty() {
        let blocks = vec![Block::Table(Table::new(columns(), rows(&equal)))];
        sections.push(Section::new("response time", about, blocks).detail());
    }
    let curves: Vec<(&Row, &Curve)> =
        workload.rows.iter().filter_map(|row| Some((row, row.curve.as_ref()?))).collect();
    if !curves.is_empty() {
        let about = "the 99th percentile at rising rates, open loop";
        let knees = curves.iter().map(|(row, own)| (name_of(row), knee(own))).collect();
        let knees = Named { room: Room::Narrow, ..Named::new(["contender", "knee"], knees) };
        let blocks = vec![Block::Chart(curves_chart(&curves)), Block::Named(knees)];
        sections.push(Section::new("response time against load", about, blocks));
        let folds = curves.iter().map(|(row, own)| Block::Fold(curve(row, own))).collect();
        sections.push(Section::new("response time at each rate", "", folds).detail());
    }
    sections
}

fn columns() -> [Column; 11] {
    [
        Column::number("load"),
        Column::text("contender"),
        Column::number("rate/s"),
        Column::number("sent").detail(),
        Column::number("p50"),
        Column::number("p90").detail(),
        Column::number("p99"),
        Column::number("p99.9"),
        Column::number("service p99").detail(),
        Column::number("CPU/request"),
        Column::number("CPUs used").detail(),
    ]
}

/// A contender at a stated rate. Of one that was not met there are no response times.
fn cells(row: &Row, figures: &PacedFigures) -> [Option<String>; 11] {
    let load = rates::short(figures.purpose);
    let times = &figures.response;
    let met = |words: String| figures.is_met.then_some(words);
    [
        Some(load),
        Some(name_of(row)),
        Some(rate(figures.rate_per_s)),
        figures.achieved_share.map(percent),
        met(plain(times.p50_ns)),
        met(plain(times.p90_ns)),
        met(with_interval(times.p99_ns)).or_else(|| Some("not met".to_owned())),
        met(plain(times.p999_ns)),
        met(plain(figures.service_p99_ns)),
        met(with_interval(figures.cpu_per_request_ns)),
        figures.utilisation.map(percent),
    ]
}

/// All curves beside one another, with their knees.
fn curves_chart(curves: &[(&Row, &Curve)]) -> Chart {
    let points = || curves.iter().flat_map(|(_, curve)| &curve.points);
    let rates: Vec<f64> = points().map(|figures| figures.rate_per_s).collect();
    let times: Vec<f64> = points().filter_map(|figures| Some(figures.response.p99_ns?.value)).collect();
    let line = |(row, curve): &(&Row, &Curve)| {
        let point = |figures: &PacedFigures| {
            let p99 = figures.response.p99_ns?.value;
            let sign = if figures.is_met { Sign::Full } else { Sign::Hollow };
            let (rate, seen) = point(figures);
            Some(Point::at(figures.rate_per_s, p99).signed(sign).says(format!("{rate}: {seen}")))
        };
        let knee = curve
            .knee
            .iter()
            .map(|knee| Point::at(knee.rate_per_s, knee.p99_ns).signed(Sign::Ring).says(self::knee(curve)));
        let line = |mark: Mark, points: Vec<Point>| Line {
            name: name_of(row),
            of: Some(row.contender.clone()),
            mark,
            points,
        };
        let points = curve.points.iter().filter_map(point).collect();
        [line(Mark::Line, points), line(Mark::Dots, knee.collect())]
    };
    Chart {
        id: "response-time-against-load".to_owned(),
        label: "99th percentile of response time against the rate; a ring is the knee".to_owned(),
        height: TALL,
        x: Axis::from_zero("requests per second", "rate_per_s", &rates, &|value| tidy(&rate(value))),
        y: Axis::over("", "p99_ns", &times, &|ns| tidy_time_ns(ns as u64)),
        lines: curves.iter().flat_map(line).collect(),
    }
}

fn curve(row: &Row, curve: &Curve) -> Fold {
    let columns =
        [Column::number("rate"), Column::number("sent"), Column::number("p99"), Column::number("CPUs used")];
    let rows = curve.points.iter().map(|figures| {
        let (rate, p99) = point(figures);
        [Some(rate), figures.achieved_share.map(percent), Some(p99), figures.utilisation.map(percent)]
    });
    let table = Table::new(columns, rows).only(Room::Wide);
    let blocks = vec![Block::text_in(Room::Narrow, points(curve)), Block::Table(table)];
    Fold { title: name_of(row), about: knee(curve), is_open: false, blocks }
}

fn plain(time: Option<Estimate>) -> String {
    time.map_or_else(|| UNKNOWN.to_owned(), |time| time_ns(time.value))
}

fn with_interval(time: Option<Estimate>) -> String {
    let interval = time.as_ref().and_then(|time| plus_minus(time, time_ns)).unwrap_or_default();
    format!("{} {interval}", plain(time)).trim_end().to_owned()
}

/// Where requests begin to queue: `knee at 38,400/s: p99 1.20 ms, 0.41 ms when nearly idle; above it slower than 3 times that`.
fn knee(curve: &Curve) -> String {
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
fn point(figures: &PacedFigures) -> (String, String) {
    let seen = match figures.response.p99_ns {
        _ if !figures.is_met => "not met".to_owned(),
        None => "too few samples".to_owned(),
        Some(p99) => time_ns(p99.value),
    };
    (format!("{}/s", rate(figures.rate_per_s)), seen)
}

/// All points of a curve in a sentence.
fn points(curve: &Curve) -> String {
    let points = curve.points.iter().map(point).map(|(rate, seen)| format!("{rate} {seen}"));
    format!("p99 at {}", points.collect::<Vec<_>>().join(", "))
}

/// What a group was given, and how its pairs came out.
fn about(group: &Series, workload: &JudgedWorkload) -> String {
    let at = rate(group.under.rate_per_s().unwrap_or_default());
    let mut words = format!("CPU/request and response time at {at} requests/s, the same for all");
    if let Some(pairs) = workload.pairs_by(group.of, Some(group.under)) {
        words.push_str(&format!(
            "; {}: {} separated, {} equal, {} not resolved",
            plural(pairs.compared.len() as u64, "pair", "pairs"),
            pairs.separated,
            pairs.equal,
            pairs.open
        ));
    }
    words
}

/// A contender at the rate of its group: rank, name, CPU time per request, requests per core-second, utilisation, median
/// and 99th percentile of response time.
fn point_row(point: &SeriesPoint, load: LoadCondition, workload: &JudgedWorkload) -> [String; 7] {
    let row = workload.rows.iter().find(|row| row.contender == point.contender);
    let figures = row.and_then(|row| {
        let is_it =
            |one: &&PacedFigures| one.purpose.is_common() && load.rate_per_s() == Some(one.rate_per_s);
        row.latency.iter().find(is_it)
    });
    let response = figures.filter(|figures| figures.is_met).map(|figures| &figures.response);
    let rank = point
        .best
        .zip(point.worst)
        .map_or_else(|| UNKNOWN.to_owned(), |(best, worst)| rank_range(best, worst));
    let per_core = per_core_second(point.estimate);
    let utilisation = figures.and_then(|figures| figures.utilisation);
    [
        rank,
        name_in(workload, &point.contender),
        with_interval(Some(point.estimate)),
        per_core.map_or_else(|| UNKNOWN.to_owned(), |per_core| rate(per_core.value)),
        utilisation.map_or_else(|| UNKNOWN.to_owned(), percent),
        plain(response.and_then(|response| response.p50_ns)),
        plain(response.and_then(|response| response.p99_ns)),
    ]
}

/// Why rows of a group are not ranked: each reason once, unless it is the run's own or that of the first ranking, which
/// are said already.
fn not_ranked(group: &Series) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for row in &group.points {
        let is_said = |reason: &&Reason| reason.is_of_run() || matches!(reason, Reason::Standing(_));
        let Some(reason) = row.reason.as_ref().filter(|reason| !is_said(reason)) else { continue };
        let (reason, name) = (clean(&reason.to_string()), row.contender.to_string());
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    reasons.into_iter().map(|(reason, names)| format!("{}: {reason}", names.join(", "))).collect()
}
