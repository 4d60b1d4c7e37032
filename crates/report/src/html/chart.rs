//! Charts as SVG within a page without a script.

use super::Html;
use crate::document::{Axis, Chart, Line, Mark, Point, Sign};
use crate::text::{columns, cut_in_the_middle};

/// In the picture's own units: as wide as a phone, so that letters are legible there.
const WIDTH: f64 = 340.0;
const RIGHT: f64 = WIDTH - 12.0;
const TOP: f64 = 10.0;
/// Below the area of the figures, for what stands at ticks.
const BELOW: f64 = 20.0;
/// How much of the height of a page's chart.
const SCALE: f64 = 0.55;
/// What a letter takes, and how many a name at the left may have.
const LETTER: f64 = 5.4;
const LONGEST_NAME: usize = 32;
/// From the middle of a row to the baseline of its text.
const BASELINE: f64 = 3.5;

/// Where things are.
struct Area<'c> {
    x: &'c Axis,
    y: &'c Axis,
    left: f64,
    bottom: f64,
}

/// Draws it; nothing where there is no point.
pub(super) fn draw(chart: &Chart, html: &mut Html) {
    let longest = chart.y.ticks.iter().map(|tick| columns(&tick.text)).max().unwrap_or(0).min(LONGEST_NAME);
    let bottom = (f64::from(chart.height) * SCALE).max(60.0);
    let area = Area { x: &chart.x, y: &chart.y, left: longest as f64 * LETTER + 8.0, bottom };
    let size = format!("0 0 {} {}", place(WIDTH), place(bottom + BELOW));
    let attributes = [
        ("class", "large"),
        ("viewBox", size.as_str()),
        ("role", "img"),
        ("aria-label", chart.label.as_str()),
    ];
    html.within("svg", &attributes, |html| {
        area.draw_axes(html);
        chart.lines.iter().enumerate().for_each(|(index, line)| area.draw(line, index, html));
    });
    let names: Vec<&str> = chart.lines.iter().map(|line| line.name.as_str()).collect();
    if names.len() > 1 && names.iter().all(|name| !name.is_empty()) {
        html.element("p", &[("class", "about")], &format!("From dark to light: {}.", names.join(", ")));
    }
}

impl Area<'_> {
    fn x(&self, value: f64) -> f64 {
        self.left + (RIGHT - self.left) * self.x.at(value)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - TOP) * self.y.at(value)
    }

    fn draw_axes(&self, html: &mut Html) {
        // Names have no line across: the points have.
        let is_of_names = self.y.from > self.y.to;
        for tick in &self.y.ticks {
            let y = self.y(tick.at);
            if !is_of_names {
                let line = format!("M{} {}H{}", place(self.left), place(y), place(RIGHT));
                html.empty("path", &[("class", "rule"), ("d", &line)]);
            }
            let (x, class) = if is_of_names { (0.0, "start") } else { (self.left - 6.0, "end") };
            let (x, y) = (place(x), place(y + BASELINE));
            html.element(
                "text",
                &[("x", &x), ("y", &y), ("class", class)],
                &cut_in_the_middle(&tick.text, LONGEST_NAME),
            );
        }
        let mut taken = f64::MIN;
        for tick in &self.x.ticks {
            let x = self.x(tick.at);
            let class = if self.x.is_log && tick.at == 1.0 { "change" } else { "rule" };
            let top = if is_of_names { TOP } else { self.bottom };
            let line = format!("M{} {}V{}", place(x), place(top), place(self.bottom + 4.0));
            html.empty("path", &[("class", class), ("d", &line)]);
            let half = columns(&tick.text) as f64 * LETTER / 2.0;
            // At the right end there is no room for half of it.
            let (from, class) = if x + half > WIDTH { (x - 2.0 * half, "end") } else { (x - half, "middle") };
            if from > taken {
                let (x, y) = (place(x.min(WIDTH - 1.0)), place(self.bottom + 16.0));
                html.element("text", &[("x", &x), ("y", &y), ("class", class)], &tick.text);
                taken = from + 2.0 * half + 4.0;
            }
        }
    }

    fn draw(&self, line: &Line, index: usize, html: &mut Html) {
        match line.mark {
            Mark::Line | Mark::Steps => {
                let class = if index == 0 { "line" } else { "line soft" };
                html.empty("path", &[("class", class), ("d", &self.path(line))]);
            }
            Mark::Dots => line.points.iter().for_each(|point| self.dot(point, html)),
            Mark::Spans | Mark::Bars | Mark::Columns => {
                for point in &line.points {
                    let (from, to) = (self.x(point.x), self.x(point.end.unwrap_or(point.x)));
                    let line = format!("M{} {}H{}", place(from), place(self.y(point.y)), place(to));
                    html.empty("path", &[("class", "interval"), ("d", &line)]);
                }
            }
        }
    }

    fn dot(&self, point: &Point, html: &mut Html) {
        let class = if point.sign == Some(Sign::Hollow) { "dot open" } else { "dot" };
        let (x, y) = (place(self.x(point.x)), place(self.y(point.y)));
        html.empty("circle", &[("class", class), ("cx", &x), ("cy", &y), ("r", "3")]);
    }

    fn path(&self, line: &Line) -> String {
        let mut path = String::new();
        let mut last = None;
        for point in &line.points {
            let (x, y) = (place(self.x(point.x)), place(self.y(point.y)));
            match (&last, line.mark) {
                (None, _) => path.push_str(&format!("M{x} {y}")),
                (Some(_), Mark::Steps) => path.push_str(&format!("H{x}V{y}")),
                (Some(_), _) => path.push_str(&format!("L{x} {y}")),
            }
            last = Some(x);
        }
        path
    }
}

/// A place to a tenth of a unit.
fn place(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}
