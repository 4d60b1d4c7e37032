//! Axes: where they begin and end, and which values are marked.

use super::chart::{Axis, Tick};

/// Ticks behind the first one, at most.
const TICKS: f64 = 5.0;
/// The least value that has a place on a logarithmic axis, and what is beyond reason on any.
const DRAWABLE: std::ops::RangeInclusive<f64> = 1e-250..=1e250;
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
pub(crate) fn linear(to: f64) -> Vec<f64> {
    if to <= 0.0 {
        return vec![0.0, 1.0];
    }
    let step = step(to);
    // Rounding must not add a step.
    let count = (to / step - 1e-9).ceil().clamp(1.0, TICKS) as u32;
    (0..=count).map(|number| f64::from(number) * step).collect()
}

/// In equal steps between two values that are not equal.
pub(crate) fn between(from: f64, to: f64) -> Vec<f64> {
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
pub(crate) fn logarithmic(from: f64, to: f64) -> Vec<f64> {
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
