//! Ratios with their intervals below one another, around a line at 1.

use crate::html::Html;
use crate::text::cut_in_the_middle;

/// In the picture's own units.
const WIDTH: f64 = 340.0;
const LEFT: f64 = 175.0;
const RIGHT: f64 = 318.0;
const TOP: f64 = 8.0;
const ROW: f64 = 16.0;
/// From the middle of a row to the baseline of its text.
const BASELINE: f64 = 3.5;
/// Letters of a name.
const NAME: usize = 32;
/// How far an axis may reach from 1 to both sides.
const REACHES: [f64; 12] = [1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0];

/// A ratio to draw.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) interval: Option<(f64, f64)>,
    /// Told apart from 1; others are drawn as a ring, as colour must not be the only sign.
    pub(super) is_settled: bool,
}

/// Bars on a logarithmic axis around 1, so that twice and half are as far from it.
pub(super) struct Axis {
    bars: Vec<Bar>,
    reach: f64,
    words: fn(f64) -> String,
}

impl Axis {
    /// Bars that are no numbers are left out.
    pub(super) fn of(bars: impl Iterator<Item = Bar>, words: fn(f64) -> String) -> Self {
        let is_drawable = |value: f64| value.is_finite() && value > 0.0;
        let bars: Vec<Bar> = bars.filter(|bar| is_drawable(bar.value)).collect();
        let ends = bars.iter().flat_map(|bar| {
            let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
            [low, high, bar.value]
        });
        let far = ends.filter(|end| is_drawable(*end)).map(|end| end.max(1.0 / end)).fold(1.0, f64::max);
        let reach = REACHES.into_iter().find(|reach| far <= *reach).unwrap_or(REACHES[REACHES.len() - 1]);
        Self { bars, reach, words }
    }

    /// What lies beyond an end is at that end.
    fn x(&self, ratio: f64) -> f64 {
        let share = (ratio.ln() / self.reach.ln()).clamp(-1.0, 1.0);
        f64::midpoint(LEFT, RIGHT) + share * (RIGHT - LEFT) / 2.0
    }
}

/// Draws them; nothing where there is none.
pub(super) fn draw(label: &str, axis: Axis, html: &mut Html) {
    if axis.bars.is_empty() {
        return;
    }
    let bottom = TOP + axis.bars.len() as f64 * ROW;
    let size = format!("0 0 {WIDTH} {}", bottom + 18.0);
    let attributes = [("class", "large"), ("viewBox", size.as_str()), ("role", "img"), ("aria-label", label)];
    html.within("svg", &attributes, |html| {
        for (tick, anchor) in [(1.0 / axis.reach, "middle"), (1.0, "middle"), (axis.reach, "middle")] {
            let x = place(axis.x(tick));
            let class = if tick == 1.0 { "change" } else { "rule" };
            html.empty("path", &[("class", class), ("d", &format!("M{x} {TOP}V{bottom}"))]);
            let y = place(bottom + 12.0);
            html.element("text", &[("class", anchor), ("x", &x), ("y", &y)], &(axis.words)(tick));
        }
        for (row, bar) in axis.bars.iter().enumerate() {
            let y = TOP + (row as f64 + 0.5) * ROW;
            let baseline = place(y + BASELINE);
            let name = cut_in_the_middle(&bar.name, NAME);
            html.element("text", &[("x", "0"), ("y", &baseline)], &name);
            if let Some((low, high)) = bar.interval.filter(|(low, high)| low <= high && *low > 0.0) {
                let d = format!("M{} {}H{}", place(axis.x(low)), place(y), place(axis.x(high)));
                html.empty("path", &[("class", "interval"), ("d", &d)]);
            }
            let class = if bar.is_settled { "dot" } else { "dot open" };
            html.empty(
                "circle",
                &[("class", class), ("cx", &place(axis.x(bar.value))), ("cy", &place(y)), ("r", "3")],
            );
        }
    });
}

/// A place to a tenth of a unit.
fn place(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[f64]) -> Axis {
        let bar = |&value: &f64| Bar { name: "a/b".to_owned(), value, interval: None, is_settled: true };
        Axis::of(values.iter().map(bar), |value| value.to_string())
    }

    #[test]
    fn twice_and_half_are_as_far_from_one() {
        let axis = axis(&[2.0, 0.5]);
        let middle = axis.x(1.0);
        assert_eq!((axis.x(2.0), axis.x(0.5)), (RIGHT, LEFT));
        assert!((axis.x(2f64.sqrt()) - middle - (RIGHT - middle) / 2.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_ratio_is_left_out_and_what_is_beyond_stays_at_the_end() {
        let axis = axis(&[f64::NAN, 0.0, -1.0, f64::INFINITY, 1e9, 1.01]);
        assert_eq!((axis.bars.len(), axis.reach), (2, 1000.0));
        assert_eq!(axis.x(1e9), RIGHT);
        let mut html = Html::default();
        draw("ratios", axis, &mut html);
        let text = html.finish();
        assert!(
            text.matches("<circle").count() == 2 && !text.contains("NaN") && !text.contains("inf"),
            "{text}"
        );
    }
}
