//! A contender's trend as a small chart. All charts of a trend have the same axes.

use jiff::Timestamp;

use super::figures::Figure;
use super::group::Member;
use super::measure::Measure;
use super::run::{day, minute};
use super::series::{Change, Point, Series};
use crate::document::{self, Axis, Chart, Line, Mark, Sign, Tick};
use crate::number::rate;
use crate::section::plural;

const HEIGHT: u32 = 150;
/// Dots keep this share of the axis from its ends, so that they do not touch what is written there.
const INSET: f64 = 0.04;

/// What the charts of a trend share.
#[derive(Debug)]
pub(super) struct Axes {
    measure: Measure,
    y: Axis,
    first: Timestamp,
    last: Timestamp,
}

impl Axes {
    /// Axes that show all of these; `None` where there is no figure, or a trend has less than two runs.
    pub(super) fn over(measure: Measure, trend: &[Member<'_>], all: &[Series<'_>]) -> Option<Self> {
        let dates: Vec<Timestamp> = trend.iter().filter_map(|member| member.run.started_at).collect();
        let [first, .., last] = dates.as_slice() else { return None };
        let points = all.iter().flat_map(|series| &series.points);
        let figures: Vec<_> =
            points.map(|point| (point.figure.estimate.value, point.figure.interval())).collect();
        let y = Axis::spread("", "value", &figures, &|value| measure.tick(value))?;
        Some(Self { measure, y, first: *first, last: *last })
    }

    /// What a reader must know of the scale.
    pub(super) fn words(&self) -> &'static str {
        if self.y.is_log {
            "All charts have the same axes; the scale is logarithmic."
        } else {
            "All charts have the same axes; the scale begins at 0."
        }
    }

    /// Seconds since the first run.
    fn seconds(&self, at: Timestamp) -> f64 {
        at.as_second() as f64 - self.first.as_second() as f64
    }

    fn x(&self) -> Axis {
        let all = self.seconds(self.last);
        // Runs of one second stand in the middle.
        let inset = (all * INSET).max(1.0);
        let tick = |at: Timestamp| Tick { at: self.seconds(at), text: self.date(at) };
        let mut ticks = vec![tick(self.first), tick(self.last)];
        ticks.dedup();
        Axis::marked("", "seconds", (-inset, all + inset), ticks)
    }

    /// Days, or minutes where there is only one day.
    fn date(&self, at: Timestamp) -> String {
        if day(self.first) == day(self.last) { minute(at) } else { day(at) }
    }

    fn value(&self, figure: &Figure) -> String {
        figure.words(|value| self.measure.value(value))
    }
}

/// A contender's trend.
pub(super) fn chart(series: &Series<'_>, axes: &Axes) -> Chart {
    let line =
        |mark: Mark, points: Vec<document::Point>| Line { name: String::new(), of: None, mark, points };
    let changes = series.changes.iter().map(|change| event(change, axes)).collect();
    let dots = series.points.iter().map(|point| dot(point, axes)).collect();
    Chart {
        id: String::new(),
        label: words(series, axes),
        height: HEIGHT,
        x: axes.x(),
        y: axes.y.clone(),
        lines: vec![line(Mark::Events, changes), line(Mark::Dots, dots)],
    }
}

/// `go/gin, goodput/s: 3 runs from 2026-11-20 to 2026-11-22, at last 48,100 ± 0.5 %`.
fn words(series: &Series<'_>, axes: &Axes) -> String {
    let about = format!("{}, {}", series.contender, axes.measure.name());
    let [first, ..] = series.points.as_slice() else { return format!("{about}: no figure") };
    let last = series.points.last().unwrap_or(first);
    let runs = plural(series.points.len() as u64, "run", "runs");
    let figure = axes.value(&last.figure);
    format!("{about}: {runs} from {} to {}, at last {figure}", axes.date(first.at), axes.date(last.at))
}

fn event(change: &Change<'_>, axes: &Axes) -> document::Point {
    let words = format!("{}: {} to {}", axes.date(change.at), change.before, change.after);
    document::Point::at(axes.seconds(change.at), axes.y.from).says(words)
}

fn dot(point: &Point, axes: &Axes) -> document::Point {
    let ranked = if point.is_ranked { "" } else { ", not ranked" };
    let at = point.rate_per_s.map(|per_s| format!(" at {} requests/s", rate(per_s))).unwrap_or_default();
    let words = format!("{}: {}{at}{ranked}", axes.date(point.at), axes.value(&point.figure));
    let sign = if point.figure.is_least || !point.is_ranked { Sign::Hollow } else { Sign::Full };
    document::Point::at(axes.seconds(point.at), point.figure.estimate.value)
        .between(point.figure.interval())
        .signed(sign)
        .says(words)
}
