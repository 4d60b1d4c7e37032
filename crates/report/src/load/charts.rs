//! The pictures of a load's page: durations by percentile, and the load over time.

use velo_judge::load::{Headline, LoadResult, Time};
use velo_record::LoadMoment;
use velo_stats::Histogram;

use crate::html::Html;
use crate::number::{count, figure, tidy, time_ns};
use crate::svg::{Scale, scale_over};

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 190.0;
/// The ends of the area of the figures, in the picture's own units.
const LEFT: f64 = 50.0;
const RIGHT: f64 = 330.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 160.0;
/// Places of the line of percentiles for each factor of ten in what lies beyond.
const STEPS: u32 = 24;
/// What must lie beyond a percentile for it to be drawn.
const BEYOND: f64 = 10.0;

/// Durations by percentile, on an axis on which each nine takes as much as the one before; `None` without samples.
pub(super) fn percentiles(result: &LoadResult, html: &mut Html) -> Option<()> {
    let times: &[Time] = match result.figures.headline {
        Headline::Response => &[Time::Service, Time::Response],
        Headline::Service => &[Time::Service],
    };
    let lines: Vec<(Time, Vec<(f64, f64)>)> = times
        .iter()
        .filter_map(|time| Some((*time, line(&time.histogram(&result.record).decode().ok()?))))
        .filter(|(_, line)| line.len() > 1)
        .collect();
    let nines = lines.iter().flat_map(|(_, line)| line.last()).map(|(x, _)| *x).reduce(f64::max)?;
    let values: Vec<f64> = lines.iter().flat_map(|(_, line)| line.iter().map(|(_, ns)| *ns)).collect();
    let axis = Axis { y: scale_over(&values)?, until: nines };
    let words = "Durations by percentile; the table below has the figures.";
    picture(words, html, |html| {
        axis.draw(|ns| tidy(&time_ns(ns)), html);
        for (q, label) in
            [(0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %")]
        {
            let at = beyond(q);
            if at <= nines {
                axis.tick(at, label, html);
            }
        }
        for (time, line) in &lines {
            let is_headline = *time == Time::from(result.figures.headline);
            let class = if is_headline { "line" } else { "line soft" };
            html.empty("path", &[("class", class), ("d", &axis.path(line))]);
        }
    });
    Some(())
}

/// How many nines a quantile has: 1 for 0.9, 2 for 0.99.
fn beyond(q: f64) -> f64 {
    -(1.0 - q).log10()
}

/// From the median to the last percentile that has samples enough beyond it.
fn line(histogram: &Histogram) -> Vec<(f64, f64)> {
    let most = (histogram.count() as f64 / BEYOND).log10();
    let first = beyond(0.5);
    (0..)
        .map(|step| first + f64::from(step) / f64::from(STEPS))
        .take_while(|nines| *nines <= most)
        .filter_map(|nines| Some((nines, histogram.quantile_ns(1.0 - 10f64.powf(-nines))? as f64)))
        .collect()
}

/// Correct answers per second over time, and failures below where there were any; `None` where nobody watched.
pub(super) fn over_time(moments: &[LoadMoment], html: &mut Html) -> Option<()> {
    let is_drawable = |moment: &&LoadMoment| moment.correct_per_s.is_finite() && moment.correct_per_s >= 0.0;
    let moments: Vec<&LoadMoment> = moments.iter().filter(is_drawable).collect();
    let until = moments.last()?.at_ns as f64 / 1e9;
    let rates: Vec<f64> = moments.iter().map(|moment| moment.correct_per_s).collect();
    draw_over_time("Correct answers per second over time", &moments, &rates, until, per_second, html)?;
    if moments.iter().any(|moment| moment.failed > 0) {
        let failures: Vec<f64> = moments.iter().map(|moment| moment.failed as f64).collect();
        html.element("h3", &[], "Failures");
        draw_over_time("Failures over time", &moments, &failures, until, |n| count(n as u64), html)?;
    }
    Some(())
}

fn per_second(rate: f64) -> String {
    format!("{}/s", tidy(&figure(rate)))
}

/// A value for each part, as steps.
fn draw_over_time(
    words: &str,
    moments: &[&LoadMoment],
    values: &[f64],
    until: f64,
    value: impl Fn(f64) -> String,
    html: &mut Html,
) -> Option<()> {
    let y = scale_over(&[&[0.0], values].concat())?;
    let axis = Axis { y, until };
    let mut steps = Vec::new();
    let mut from = 0.0;
    for (moment, value) in moments.iter().zip(values) {
        let to = moment.at_ns as f64 / 1e9;
        steps.extend([(from, *value), (to, *value)]);
        from = to;
    }
    picture(words, html, |html| {
        axis.draw(value, html);
        let seconds = scale_over(&[0.0, until]).map(|scale| scale.ticks).unwrap_or_default();
        for second in seconds.into_iter().filter(|second| *second <= until) {
            axis.tick(second, &format!("{} s", tidy(&figure(second))), html);
        }
        html.empty("path", &[("class", "line"), ("d", &axis.path(&steps))]);
    });
    Some(())
}

/// Where things are: the horizontal axis goes from 0, or from the median, to `until`.
struct Axis {
    y: Scale,
    until: f64,
}

impl Axis {
    fn x(&self, value: f64) -> f64 {
        let share = if self.until > 0.0 { value / self.until } else { 0.0 };
        LEFT + (RIGHT - LEFT) * share.clamp(0.0, 1.0)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * self.y.at(value)
    }

    /// Lines across, each with its value.
    fn draw(&self, words: impl Fn(f64) -> String, html: &mut Html) {
        for tick in &self.y.ticks {
            let y = self.y(*tick);
            let line = format!("M{} {}H{}", place(LEFT), place(y), place(RIGHT));
            html.empty("path", &[("class", "rule"), ("d", &line)]);
            let (x, y) = (place(LEFT - 6.0), place(y + 3.5));
            html.element("text", &[("x", &x), ("y", &y), ("class", "end")], &words(*tick));
        }
    }

    /// A value below the horizontal axis.
    fn tick(&self, value: f64, words: &str, html: &mut Html) {
        let x = place(self.x(value));
        let line = format!("M{x} {}V{}", place(BOTTOM), place(BOTTOM + 4.0));
        html.empty("path", &[("class", "rule"), ("d", &line)]);
        let y = place(BOTTOM + 16.0);
        // At the right end there is no room for half of it.
        let class = if self.x(value) > RIGHT - 16.0 { "end" } else { "middle" };
        html.element("text", &[("x", &x), ("y", &y), ("class", class)], words);
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (index, (x, y)) in points.iter().enumerate() {
            let command = if index == 0 { 'M' } else { 'L' };
            path.push_str(&format!("{command}{} {}", place(self.x(*x)), place(self.y(*y))));
        }
        path
    }
}

fn picture(words: &str, html: &mut Html, fill: impl FnOnce(&mut Html)) {
    let size = format!("0 0 {} {}", place(WIDTH), place(HEIGHT));
    html.within(
        "svg",
        &[("class", "large"), ("viewBox", &size), ("role", "img"), ("aria-label", words)],
        fill,
    );
}

/// A place to a tenth of a unit.
fn place(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}
