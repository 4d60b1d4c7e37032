//! A contender's trend as a small picture. All pictures of a trend have the same axes.

use jiff::Timestamp;

use super::figures::Figure;
use super::group::Member;
use super::measure::Measure;
use super::run::{day, minute};
use super::scale;
use super::series::{Change, Point, Series};
use crate::html::Html;
use crate::number::rate;
use crate::svg::scale::Scale;
use crate::view::plural;

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 112.0;
/// The ends of the area of the figures, in the picture's own units.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 252.0;
/// Dots keep so far from the ends, so that they do not touch what is written there.
const INSET: f64 = 7.0;
const TOP: f64 = 9.0;
const BOTTOM: f64 = 88.0;

/// What the pictures of a trend share.
#[derive(Debug)]
pub(super) struct Axes {
    measure: Measure,
    scale: Scale,
    first: Timestamp,
    last: Timestamp,
}

impl Axes {
    /// Axes that show all of these; `None` where there is no figure, or a trend has less than two runs.
    pub(super) fn over(measure: Measure, trend: &[Member<'_>], all: &[Series<'_>]) -> Option<Self> {
        let dates: Vec<Timestamp> = trend.iter().filter_map(|member| member.run.started_at).collect();
        let [first, .., last] = dates.as_slice() else { return None };
        let figures: Vec<Figure> =
            all.iter().flat_map(|series| &series.points).map(|point| point.figure).collect();
        Some(Self { measure, scale: scale::over(&figures)?, first: *first, last: *last })
    }

    /// What a reader must know of the scale.
    pub(super) fn words(&self) -> &'static str {
        if self.scale.is_logarithmic {
            "All pictures have the same axes; the scale is logarithmic."
        } else {
            "All pictures have the same axes; the scale begins at 0."
        }
    }

    fn x(&self, at: Timestamp) -> f64 {
        let seconds = |from: Timestamp, to: Timestamp| to.as_second() as f64 - from.as_second() as f64;
        let all = seconds(self.first, self.last);
        let share = if all > 0.0 { seconds(self.first, at) / all } else { 0.5 };
        LEFT + INSET + (RIGHT - LEFT - 2.0 * INSET) * share.clamp(0.0, 1.0)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * self.scale.at(value)
    }

    /// Days, or minutes where there is only one day.
    fn date(&self, at: Timestamp) -> String {
        if day(self.first) == day(self.last) { minute(at) } else { day(at) }
    }

    fn value(&self, figure: &Figure) -> String {
        figure.words(|value| self.measure.value(value))
    }
}

/// Draws a contender's trend.
pub(super) fn draw(series: &Series<'_>, axes: &Axes, html: &mut Html) {
    let size = format!("0 0 {} {}", place(WIDTH), place(HEIGHT));
    let words = words(series, axes);
    html.within("svg", &[("viewBox", &size), ("role", "img"), ("aria-label", &words)], |html| {
        draw_axes(axes, html);
        series.changes.iter().for_each(|change| draw_change(change, axes, html));
        series.points.iter().for_each(|point| draw_point(point, axes, html));
    });
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

fn draw_axes(axes: &Axes, html: &mut Html) {
    for tick in &axes.scale.ticks {
        let y = axes.y(*tick);
        let line = format!("M{} {}H{}", place(LEFT), place(y), place(RIGHT));
        html.empty("path", &[("class", "rule"), ("d", &line)]);
        let (x, y) = (place(LEFT - 6.0), place(y + 3.5));
        html.element("text", &[("x", &x), ("y", &y), ("class", "end")], &axes.measure.tick(*tick));
    }
    let y = place(HEIGHT - 6.0);
    html.element("text", &[("x", &place(LEFT)), ("y", &y)], &axes.date(axes.first));
    html.element("text", &[("x", &place(RIGHT)), ("y", &y), ("class", "end")], &axes.date(axes.last));
}

fn draw_change(change: &Change<'_>, axes: &Axes, html: &mut Html) {
    let line = format!("M{} {}V{}", place(axes.x(change.at)), place(TOP), place(BOTTOM + 6.0));
    titled(&format!("{}: {} to {}", axes.date(change.at), change.before, change.after), html, |html| {
        html.empty("path", &[("class", "change"), ("d", &line)]);
    });
}

fn draw_point(point: &Point, axes: &Axes, html: &mut Html) {
    let (x, y) = (place(axes.x(point.at)), place(axes.y(point.figure.estimate.value)));
    let ranked = if point.is_ranked { "" } else { ", not ranked" };
    let at = point.rate_per_s.map(|per_s| format!(" at {} requests/s", rate(per_s))).unwrap_or_default();
    let words = format!("{}: {}{at}{ranked}", axes.date(point.at), axes.value(&point.figure));
    titled(&words, html, |html| {
        if let Some((low, high)) = point.figure.interval() {
            let line = format!("M{x} {}V{}", place(axes.y(low)), place(axes.y(high)));
            html.empty("path", &[("class", "interval"), ("d", &line)]);
        }
        let class = if point.figure.is_least || !point.is_ranked { "dot open" } else { "dot" };
        html.empty("circle", &[("class", class), ("cx", &x), ("cy", &y), ("r", "3")]);
    });
}

/// What belongs together, with words for who points at it.
fn titled(words: &str, html: &mut Html, fill: impl FnOnce(&mut Html)) {
    html.within("g", &[], |html| {
        html.element("title", &[], words);
        fill(html);
    });
}

/// A place to a tenth of a unit.
fn place(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    tenths.to_string()
}
