//! Axes: where they begin and end, and which values are marked.

use super::chart::{Axis, Tick};

/// Ticks behind the first one, at most.
const TICKS: f64 = 5.0;
/// The least value that has a place on a logarithmic axis, and what is beyond reason on any.
const DRAWABLE: std::ops::RangeInclusive<f64> = 1e-250..=1e250;
/// When the greatest of some figures is more than so many times the least one, the others would all lie at one end.
const FAR_APART: f64 = 20.0;
/// An interval may be far wider than its figure is large; an axis reaches so many times as far as the figure.
const REACH: f64 = 2.0;
/// When an axis around 1 shows nothing but 1.
const NARROWEST: f64 = 0.05;

impl Axis {
    /// From 0 to at least the greatest of some values.
    pub(crate) fn from_zero(
        title: &str,
        column: &'static str,
        values: &[f64],
        write: &impl Fn(f64) -> String,
    ) -> Self {
        Self::of(title, column, false, linear(greatest(values)), write)
    }

    /// From 0 to a value and no further.
    pub(crate) fn until(title: &str, column: &'static str, to: f64, write: &impl Fn(f64) -> String) -> Self {
        let ticks = linear(to).into_iter().filter(|tick| *tick <= to);
        let ticks = ticks.map(|at| Tick { at, text: write(at) }).collect();
        Self::marked(title, column, (0.0, to), ticks)
    }

    /// Between the least and the greatest of some values and 1, which is marked.
    pub(crate) fn around_one(
        title: &str,
        column: &'static str,
        values: &[f64],
        write: &impl Fn(f64) -> String,
    ) -> Self {
        let least = drawable(values).fold(1.0 - NARROWEST, f64::min);
        Self::of(title, column, false, between(least, greatest(values).max(1.0 + NARROWEST)), write)
    }

    /// From the least to the greatest of some values; `None` where one has no logarithm, and where there is none.
    pub(crate) fn logarithmic(
        title: &str,
        column: &'static str,
        values: &[f64],
        write: &impl Fn(f64) -> String,
    ) -> Option<Self> {
        if values.iter().any(|value| !DRAWABLE.contains(value)) {
            return None;
        }
        let least = values.iter().copied().reduce(f64::min)?;
        Some(Self::of(title, column, true, logarithmic(least, greatest(values)), write))
    }

    /// Logarithmic where it can be, else from 0.
    pub(crate) fn over(
        title: &str,
        column: &'static str,
        values: &[f64],
        write: &impl Fn(f64) -> String,
    ) -> Self {
        Self::logarithmic(title, column, values, write)
            .unwrap_or_else(|| Self::from_zero(title, column, values, write))
    }

    /// From 0, or logarithmic where figures are far apart; `None` for none. Each has its interval, where it has one.
    pub(crate) fn spread(
        title: &str,
        column: &'static str,
        figures: &[(f64, Option<(f64, f64)>)],
        write: &impl Fn(f64) -> String,
    ) -> Option<Self> {
        let values = || figures.iter().map(|(value, _)| *value);
        let (least, most) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
        let ends = |(value, interval): &(f64, Option<(f64, f64)>)| {
            let (low, high) = interval.unwrap_or((*value, *value));
            [low.max(value / REACH), high.min(value * REACH)]
        };
        let shown: Vec<f64> = values().chain(figures.iter().flat_map(ends)).collect();
        let log = (most > least * FAR_APART).then(|| Self::logarithmic(title, column, &shown, write));
        Some(log.flatten().unwrap_or_else(|| Self::from_zero(title, column, &shown, write)))
    }

    /// One with ticks of its own, which do not say where it begins and ends.
    pub(crate) fn marked(
        title: &str,
        column: &'static str,
        (from, to): (f64, f64),
        ticks: Vec<Tick>,
    ) -> Self {
        Self { title: title.to_owned(), column, is_log: false, from, to, ticks }
    }

    fn of(
        title: &str,
        column: &'static str,
        is_log: bool,
        ticks: Vec<f64>,
        write: &impl Fn(f64) -> String,
    ) -> Self {
        let (from, to) = (ticks.first().copied().unwrap_or(0.0), ticks.last().copied().unwrap_or(1.0));
        let ticks = ticks.into_iter().map(|at| Tick { at, text: write(at) }).collect();
        Self { title: title.to_owned(), column, is_log, from, to, ticks }
    }
}

fn drawable(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().copied().filter(|value| DRAWABLE.contains(value))
}

fn greatest(values: &[f64]) -> f64 {
    drawable(values).fold(0.0, f64::max)
}

/// A step of 1, 2 or 5 times a power of 10, at most so many of which make a length.
fn step(length: f64) -> f64 {
    let rough = length / TICKS;
    let power = 10f64.powi(rough.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= rough * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// From 0 in equal steps.
fn linear(to: f64) -> Vec<f64> {
    if to <= 0.0 {
        return vec![0.0, 1.0];
    }
    let step = step(to);
    // Rounding must not add a step.
    let count = (to / step - 1e-9).ceil().clamp(1.0, TICKS) as u32;
    (0..=count).map(|number| f64::from(number) * step).collect()
}

/// In equal steps between two values that are not equal.
fn between(from: f64, to: f64) -> Vec<f64> {
    let step = step(to - from);
    let (first, last) = ((from / step + 1e-9).floor() as i64, (to / step - 1e-9).ceil() as i64);
    // Whole numbers of steps, rounded, so that 1 is exactly 1.
    let tick = |number: i64| {
        let tick = number as f64 * step;
        (tick * 1e9).round() / 1e9
    };
    (first..=last).map(tick).collect()
}

/// At 1, 2 and 5 times the powers of 10; where these would be many at 1 and 3 times, then at powers of 10 alone, and of many
/// not at each.
fn logarithmic(from: f64, to: f64) -> Vec<f64> {
    let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let factors: &[f64] = match (to / from).log10() {
        decades if decades > 3.0 => {
            let step = ((last - first) as usize).div_ceil(TICKS as usize);
            let ticks = (first..).step_by(step).map(|power| 10f64.powi(power));
            let below = ticks.clone().take_while(|tick| *tick < to * (1.0 - 1e-9)).count();
            return ticks.take(below.max(1) + 1).collect();
        }
        decades if decades > 1.6 => &[1.0, 3.0],
        _ => &[1.0, 2.0, 5.0],
    };
    let of_power = |power: i32| factors.iter().map(move |factor| factor * 10f64.powi(power));
    let all: Vec<f64> = (first..=last.max(first + 1)).flat_map(of_power).collect();
    let begin = all.iter().rposition(|tick| *tick <= from * (1.0 + 1e-9)).unwrap_or(0);
    let end = all.iter().position(|tick| *tick >= to * (1.0 - 1e-9)).unwrap_or(all.len() - 1);
    all[begin..=end.max(begin + 1).min(all.len() - 1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn spread(figures: &[(f64, Option<(f64, f64)>)]) -> Option<Axis> {
        Axis::spread("", "", figures, &|value| value.to_string())
    }

    fn over(values: &[f64]) -> Axis {
        spread(&values.iter().map(|value| (*value, None)).collect::<Vec<_>>()).unwrap()
    }

    fn ticks(axis: &Axis) -> Vec<f64> {
        axis.ticks.iter().map(|tick| tick.at).collect()
    }

    #[test]
    fn steps_are_nice() {
        assert_eq!(ticks(&over(&[48_300.0, 9_000.0])), [0.0, 1e4, 2e4, 3e4, 4e4, 5e4]);
        assert_eq!(ticks(&over(&[50_000.0])), [0.0, 1e4, 2e4, 3e4, 4e4, 5e4]);
        assert_eq!(ticks(&over(&[3.1])), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(over(&[1.0]).ticks.len(), 6);
        assert_eq!(ticks(&over(&[0.0])), [0.0, 1.0]);
        assert!(spread(&[]).is_none());
    }

    #[test]
    fn far_apart_is_logarithmic() {
        assert!(!over(&[900.0, 17_000.0]).is_log);
        let axis = over(&[900.0, 20_000.0]);
        assert!(axis.is_log);
        assert_eq!(ticks(&axis), [500.0, 1e3, 2e3, 5e3, 1e4, 2e4]);
        assert!((axis.at(3_162.278) - 0.5).abs() < 1e-6, "the geometric middle is in the middle");
        assert_eq!((axis.at(500.0), axis.at(20_000.0), axis.at(1.0)), (0.0, 1.0, 0.0));
        assert_eq!(ticks(&over(&[990.0, 60_000.0])), [300.0, 1e3, 3e3, 1e4, 3e4, 1e5]);
        assert_eq!(ticks(&over(&[50.0, 6e6])), [10.0, 1e3, 1e5, 1e7]);
        assert!(!over(&[0.0, 1e6]).is_log, "0 has no logarithm");
    }

    #[test]
    fn a_wide_interval_does_not_rule_the_axis() {
        let axis = spread(&[(10.0, Some((-500.0, 520.0))), (12.0, Some((11.0, 13.0)))]).unwrap();
        assert_eq!(ticks(&axis), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!((axis.at(-500.0), axis.at(520.0)), (0.0, 1.0));
    }

    #[test]
    fn one_that_ends_somewhere_has_the_ticks_before_that() {
        let axis = Axis::until("", "", 61.0, &|value| value.to_string());
        assert_eq!((ticks(&axis), axis.to), (vec![0.0, 20.0, 40.0, 60.0], 61.0));
        assert_eq!(Axis::until("", "", 0.0, &|value| value.to_string()).at(0.0), 0.0);
    }

    proptest! {
        #[test]
        fn every_axis_holds_its_figures(
            figures in proptest::collection::vec((1e-3..1e3f64, 0.0..3.0f64, 0.0..3.0f64, -190i32..190), 1..20),
        ) {
            let figures: Vec<(f64, Option<(f64, f64)>)> = figures
                .into_iter()
                .map(|(value, below, above, power)| {
                    let value = value * 10f64.powi(power);
                    (value, Some((value - below * value, value + above * value)))
                })
                .collect();
            let axis = spread(&figures).unwrap();
            let ticks = ticks(&axis);
            prop_assert!((2..=10).contains(&ticks.len()), "{ticks:?}");
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1] && pair[1].is_finite()));
            for (value, _) in &figures {
                prop_assert!(*value <= axis.to * (1.0 + 1e-6) && *value >= axis.from * (1.0 - 1e-6), "{ticks:?}");
            }
        }
    }

    /// What the page's own axes are held to as well.
    const SHARED_TICKS: &str = include_str!("../../../../web/tests/ticks.json");

    fn holds(name: &str, ticks: impl Fn(f64, f64) -> Vec<f64>) {
        let cases: Value = serde_json::from_str(SHARED_TICKS).unwrap();
        let cases = cases[name].as_array().unwrap();
        assert!(!cases.is_empty());
        for case in cases {
            let wanted: Vec<f64> =
                case["ticks"].as_array().unwrap().iter().map(|tick| tick.as_f64().unwrap()).collect();
            let found = ticks(case["from"].as_f64().unwrap(), case["to"].as_f64().unwrap());
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= b.abs() * 1e-9;
            assert!(
                found.len() == wanted.len() && found.iter().zip(&wanted).all(is_near),
                "{name} of {case}: {found:?}"
            );
        }
    }

    #[test]
    fn the_page_has_the_same_axes() {
        holds("between", between);
        holds("logarithmic", logarithmic);
    }
}
