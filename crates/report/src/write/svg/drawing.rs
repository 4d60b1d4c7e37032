use super::canvas::{Canvas, MARGIN, WIDTH, units};
use super::chart::{Chart, Dot};
use crate::document::{Axis, Tick};
use crate::text::{columns, cut, cut_in_the_middle};

/// Heights of a row with a dot, and of one without.
const ROW: f64 = 26.0;
const ASIDE: f64 = 20.0;
/// From the middle of a row to the baseline of its text.
const BASELINE: f64 = 4.5;
/// Where ranks end, where the bracket of those that share one stands, and where names begin beside ranks.
const RANK: f64 = 58.0;
const BRACKET: f64 = 66.0;
const NAMES: f64 = 80.0;
/// What figures in words take at the right.
const WORDS: f64 = 132.0;
/// What a column of text takes at most, in letters of 13 and of 12 units.
const COLUMN: f64 = 7.2;
const SMALL_COLUMN: f64 = 6.6;
/// Half of a dot.
const RADIUS: f64 = 4.5;
/// The columns of a line of small text.
pub(super) const LINE: usize = 118;
/// Longer names are cut.
const LONGEST_NAME: usize = 32;

/// Where things are from left to right.
struct Layout {
    names: f64,
    left: f64,
    right: f64,
}

impl Layout {
    fn of(chart: &Chart) -> Self {
        let has_ranks = chart.dots.iter().any(|dot| dot.rank.is_some());
        let names = if has_ranks { NAMES } else { MARGIN };
        let all = chart.dots.iter().map(|dot| &dot.name).chain(chart.asides.iter().map(|aside| &aside.name));
        let longest = all.map(|name| columns(name)).max().unwrap_or(0).clamp(8, LONGEST_NAME);
        let left = names + longest as f64 * COLUMN + 10.0;
        Self { names, left, right: WIDTH - MARGIN - WORDS }
    }

    fn at(&self, axis: &Axis, value: f64) -> f64 {
        self.left + axis.at(value) * (self.right - self.left)
    }
}

/// Draws a workload's picture below what is there.
pub(super) fn draw(chart: &Chart, canvas: &mut Canvas) {
    canvas.y += 8.0;
    canvas.paragraph("question", &chart.question, 66, 22.0, 2);
    canvas.y += 4.0;
    if let Some(answer) = &chart.answer {
        canvas.paragraph("answer", answer, 102, 20.0, 4);
    }
    canvas.y += 4.0;
    canvas.paragraph("faint", &chart.caption, LINE, 17.0, 2);
    canvas.y += 12.0;
    let layout = Layout::of(chart);
    if !chart.dots.is_empty() {
        draw_dots(chart, &layout, canvas);
    }
    draw_asides(chart, &layout, canvas);
    canvas.y += 16.0;
}

fn draw_dots(chart: &Chart, layout: &Layout, canvas: &mut Canvas) {
    let top = canvas.y;
    let bottom = top + chart.dots.len() as f64 * ROW;
    if let Some(axis) = &chart.axis {
        draw_axis(axis, layout, (top, bottom), canvas);
    }
    draw_ranks(&chart.dots, canvas);
    for dot in &chart.dots {
        draw_dot(dot, chart, layout, canvas);
    }
    canvas.y = bottom + 20.0;
}

/// Lines from top to bottom, each with its value below where there is room; powers of 10 come first, as they are looked for
/// on a logarithmic axis.
fn draw_axis(axis: &Axis, layout: &Layout, (top, bottom): (f64, f64), canvas: &mut Canvas) {
    let is_power = |tick: &Tick| tick.at.log10().fract() == 0.0;
    let (powers, others): (Vec<&Tick>, Vec<&Tick>) =
        axis.ticks.iter().partition(|tick| !axis.is_log || is_power(tick));
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for tick in powers.into_iter().chain(others) {
        let x = layout.at(axis, tick.at);
        canvas.path("rule", &format!("M{} {}V{}", units(x), units(top), units(bottom + 4.0)));
        let half = columns(&tick.text) as f64 * SMALL_COLUMN / 2.0 + 3.0;
        let (from, to) = (x - half, x + half);
        if taken.iter().all(|(left, right)| to <= *left || from >= *right) {
            canvas.text(x, bottom + 17.0, "faint middle", &tick.text);
            taken.push((from, to));
        }
    }
}

/// The ranks at the left; neighbours that share theirs are joined by a bracket and have it once.
fn draw_ranks(dots: &[Dot], canvas: &mut Canvas) {
    let mut y = canvas.y;
    for tied in dots.chunk_by(|one, next| one.rank == next.rank) {
        let height = tied.len() as f64 * ROW;
        if let Some(rank) = tied.first().and_then(|dot| dot.rank.as_deref()) {
            canvas.text(RANK, y + height / 2.0 + BASELINE, "end", rank);
            if tied.len() > 1 {
                let (top, bottom) = (units(y + 6.0), units(y + height - 6.0));
                let (stem, tip) = (units(BRACKET), units(BRACKET + 5.0));
                canvas.path("bracket", &format!("M{tip} {top}H{stem}V{bottom}H{tip}"));
            }
        }
        y += height;
    }
}

/// A dot on its interval between the name and the figure in words. One that is not settled is a ring: colour is not the only
/// sign of it.
fn draw_dot(dot: &Dot, chart: &Chart, layout: &Layout, canvas: &mut Canvas) {
    let middle = canvas.y + ROW / 2.0;
    let (text, interval, point) =
        if chart.is_settled { ("", "interval", "dot") } else { ("faint", "seen", "ring") };
    canvas.begin(&format!("{}: {}", dot.name, dot.words));
    canvas.text(layout.names, middle + BASELINE, text, &cut_in_the_middle(&dot.name, LONGEST_NAME));
    if let (Some(figure), Some(axis)) = (&dot.figure, &chart.axis) {
        let (left, right) = (units(layout.left), units(layout.right));
        canvas.path("guide", &format!("M{left} {}H{right}", units(middle)));
        let x = layout.at(axis, figure.value);
        if let Some((low, high)) = figure.interval {
            let end = |value| (layout.at(axis, value), axis.holds(value));
            let path = whiskers(end(low), end(high), x, middle);
            if !path.is_empty() {
                canvas.path(interval, &path);
            }
        }
        canvas.circle(point, x, middle, RADIUS);
    }
    let end = if chart.is_settled { "end" } else { "faint end" };
    canvas.text(WIDTH - MARGIN, middle + BASELINE, end, &dot.words);
    canvas.end();
    canvas.y += ROW;
}

/// The line of an interval at both sides of its dot, as far as it reaches beyond it: within a ring it would be seen, and
/// ends close to a dot would make it another shape. One that leaves the axis has no end there.
fn whiskers(low: (f64, bool), high: (f64, bool), dot: f64, y: f64) -> String {
    let (top, bottom, level) = (units(y - 4.0), units(y + 4.0), units(y));
    let sides = [(low, dot - RADIUS), (high, dot + RADIUS)];
    let visible = sides.into_iter().filter(|((end, _), edge)| (end - dot).abs() > (edge - dot).abs() + 1.0);
    visible
        .map(|((end, is_on_axis), edge)| {
            let (end, edge) = (units(end), units(edge));
            let stop = if is_on_axis { format!("M{end} {top}V{bottom}") } else { String::new() };
            format!("M{edge} {level}H{end}{stop}")
        })
        .collect()
}

/// Those without a rank below a line, and how many there are for which there was no room.
fn draw_asides(chart: &Chart, layout: &Layout, canvas: &mut Canvas) {
    if !chart.asides.is_empty() {
        canvas.y += 6.0;
        canvas.rule();
        let has_ranks = chart.dots.iter().any(|dot| dot.rank.is_some());
        let what = if has_ranks { "not ranked" } else { "not in the chart" };
        canvas.text(MARGIN, canvas.y + 16.0, "faint", what);
        canvas.y += ASIDE;
    }
    let columns = ((WIDTH - MARGIN - layout.left) / SMALL_COLUMN) as usize;
    for aside in &chart.asides {
        let middle = canvas.y + ASIDE / 2.0;
        canvas.begin(&format!("{}: {}", aside.name, aside.reason));
        canvas.text(layout.names, middle + BASELINE, "faint", &cut_in_the_middle(&aside.name, LONGEST_NAME));
        canvas.text(layout.left, middle + BASELINE, "faint", &cut(&aside.reason, columns));
        canvas.end();
        canvas.y += ASIDE;
    }
    if chart.left_out > 0 {
        let rows = if chart.left_out == 1 { "row" } else { "rows" };
        let words = format!("and {} more {rows} in the report", chart.left_out);
        canvas.text(layout.names, canvas.y + ASIDE / 2.0 + BASELINE, "faint", &words);
        canvas.y += ASIDE;
    }
}
