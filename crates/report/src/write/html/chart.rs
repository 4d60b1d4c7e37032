//! Charts as SVG within a page without a script.

use super::Html;
use crate::document::{Axis, Chart, Line, Mark, Point, Sign};
use crate::text::{columns, cut_in_the_middle};

/// How wide it is, in the picture's own units.
#[derive(Debug, Clone, Copy)]
pub(super) enum Size {
    /// As wide as a phone, so that letters are legible there.
    Large,
    /// Beside others.
    Small,
}

/// Between the area of the figures and the right end.
const MARGIN: f64 = 12.0;
const TOP: f64 = 10.0;
/// Below the area of the figures, for what stands at ticks.
const BELOW: f64 = 20.0;
/// How much of the height of a page's chart.
const SCALE: f64 = 0.55;
/// What a letter takes, and how many a name at the left may have.
const LETTER: f64 = 5.4;
const LONGEST_NAME: usize = 32;
/// Between what stands at two ticks of the axis `y`, at least.
const LINE: f64 = 14.0;
/// From the middle of a row to the baseline of its text.
const BASELINE: f64 = 3.5;

/// Where things are.
struct Area<'c> {
    x: &'c Axis,
    y: &'c Axis,
    width: f64,
    left: f64,
    bottom: f64,
}

/// Draws it; nothing where there is no point.
pub(super) fn draw(chart: &Chart, size: Size, html: &mut Html) {
    let (width, class) = match size {
        Size::Large => (340.0, "large"),
        Size::Small => (260.0, "small"),
    };
    let longest = chart.y.ticks.iter().map(|tick| columns(&tick.text)).max().unwrap_or(0).min(LONGEST_NAME);
    let bottom = (f64::from(chart.height) * SCALE).max(60.0);
    let area = Area { x: &chart.x, y: &chart.y, width, left: longest as f64 * LETTER + 12.0, bottom };
    let view = format!("0 0 {} {}", place(width), place(bottom + BELOW));
    let attributes =
        [("class", class), ("viewBox", view.as_str()), ("role", "img"), ("aria-label", chart.label.as_str())];
    let names = names(&chart.lines);
    html.within("svg", &attributes, |html| {
        area.draw_axes(html);
        chart.lines.iter().for_each(|line| area.draw(line, class_of(line, &names), html));
    });
    if names.len() > 1 {
        html.within("p", &[("class", "about legend")], |html| {
            for (name, class) in names.iter().zip(classes(names.len())) {
                html.element("span", &[("class", class)], name);
                html.text(" ");
            }
        });
    }
}

/// How lines look: the last one, which is above the others, has the accent.
fn classes(lines: usize) -> impl Iterator<Item = &'static str> {
    const CLASSES: [&str; 3] = ["line", "line soft", "line soft dashed"];
    (0..lines).rev().map(|above| CLASSES[above % CLASSES.len()])
}

/// Each name once, in the order of the lines.
fn names(lines: &[Line]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in lines.iter().map(|line| line.name.as_str()).filter(|name| !name.is_empty()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn class_of(line: &Line, names: &[&str]) -> &'static str {
    let own = names.iter().position(|name| *name == line.name);
    own.and_then(|own| classes(names.len()).nth(own)).unwrap_or("line")
}

impl Area<'_> {
    fn right(&self) -> f64 {
        self.width - MARGIN
    }

    fn x(&self, value: f64) -> f64 {
        self.left + (self.right() - self.left) * self.x.at(value)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - TOP) * self.y.at(value)
    }

    fn draw_axes(&self, html: &mut Html) {
        // Names have no line across: the points have.
        let is_of_names = self.y.from > self.y.to;
        let mut below = f64::MAX;
        for tick in &self.y.ticks {
            let y = self.y(tick.at);
            if !is_of_names {
                if below - y < LINE {
                    continue;
                }
                below = y;
                let line = format!("M{} {}H{}", place(self.left), place(y), place(self.right()));
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
            let (from, class) =
                if x + half > self.width { (x - 2.0 * half, "end") } else { (x - half, "middle") };
            if from > taken {
                let (x, y) = (place(x.min(self.width - 1.0)), place(self.bottom + 16.0));
                html.element("text", &[("x", &x), ("y", &y), ("class", class)], &tick.text);
                taken = from + 2.0 * half + 4.0;
            }
        }
    }

    fn draw(&self, line: &Line, class: &str, html: &mut Html) {
        match line.mark {
            Mark::Line | Mark::Steps => {
                html.empty("path", &[("class", class), ("d", &self.path(line))]);
            }
            Mark::Dots => {
                for point in &line.points {
                    said(point, html, |html| self.dot(point, html));
                }
            }
            Mark::Spans | Mark::Bars | Mark::Columns => {
                for point in &line.points {
                    let (from, to) = (self.x(point.x), self.x(point.end.unwrap_or(point.x)));
                    let line = format!("M{} {}H{}", place(from), place(self.y(point.y)), place(to));
                    html.empty("path", &[("class", "interval"), ("d", &line)]);
                }
            }
            Mark::Events => {
                for point in &line.points {
                    let line =
                        format!("M{} {}V{}", place(self.x(point.x)), place(TOP), place(self.bottom + 4.0));
                    said(point, html, |html| html.empty("path", &[("class", "change"), ("d", &line)]));
                }
            }
        }
    }

    fn dot(&self, point: &Point, html: &mut Html) {
        let (x, y) = (place(self.x(point.x)), place(self.y(point.y)));
        if let Some((low, high)) = point.interval {
            let line = format!("M{x} {}V{}", place(self.y(low)), place(self.y(high)));
            html.empty("path", &[("class", "interval"), ("d", &line)]);
        }
        let class = if point.sign == Some(Sign::Hollow) { "dot open" } else { "dot" };
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

/// With what is said of it to who points at it.
fn said(point: &Point, html: &mut Html, fill: impl FnOnce(&mut Html)) {
    match &point.text {
        Some(words) => html.within("g", &[], |html| {
            html.element("title", &[], words);
            fill(html);
        }),
        None => fill(html),
    }
}

/// A place to a tenth of a unit.
fn place(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}
