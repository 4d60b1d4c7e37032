use velo_judge::Estimate;

use crate::svg::scale::Scale;

/// Beyond these a figure is no measurement, and sums with it would not be numbers any more.
const DRAWABLE: std::ops::RangeInclusive<f64> = 1e-200..=1e200;
/// An interval may be far wider than its figure is large; the axis reaches so many times as far as the figure.
const REACH: f64 = 2.0;
/// Ticks behind the first one, at most.
const TICKS: f64 = 5.0;

/// A figure that can be drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    pub(super) value: f64,
    /// Holds the value.
    pub(super) interval: Option<(f64, f64)>,
}

impl Figure {
    /// `None` for what is not finite, negative, or beyond reason.
    pub(super) fn of(estimate: &Estimate) -> Option<Self> {
        let value = estimate.value;
        let is_drawable = value == 0.0 || DRAWABLE.contains(&value);
        let holds =
            |(low, high): &(f64, f64)| low.is_finite() && high.is_finite() && (*low..=*high).contains(&value);
        is_drawable.then(|| Self { value, interval: estimate.interval().filter(holds) })
    }

    /// What the axis should show of it.
    fn extent(&self) -> (f64, f64) {
        let (low, high) = self.interval.unwrap_or((self.value, self.value));
        (low.max(self.value / REACH), high.min(self.value * REACH))
    }
}

/// One that shows all these; `None` for none.
pub(super) fn over(figures: &[Figure]) -> Option<Scale> {
    let least = figures.iter().map(|figure| figure.value).reduce(f64::min)?;
    let most = figures.iter().map(|figure| figure.value).reduce(f64::max)?;
    let from = figures.iter().map(|figure| figure.extent().0).fold(least, f64::min);
    let to = figures.iter().map(|figure| figure.extent().1).fold(most, f64::max);
    let is_logarithmic = Scale::is_logarithmic(least, most);
    let ticks = if is_logarithmic { logarithmic(from, to) } else { linear(to) };
    Some(Scale { ticks, is_logarithmic })
}

/// One that shows all these values; `None` for none, and for what is not finite, negative, or beyond reason.
pub(crate) fn scale_over(values: &[f64]) -> Option<Scale> {
    let figure = |&value: &f64| Figure::of(&Estimate { value, ..Estimate::default() });
    over(&values.iter().map(figure).collect::<Option<Vec<Figure>>>()?)
}

/// From 0 in steps of 1, 2 or 5 times a power of 10.
fn linear(to: f64) -> Vec<f64> {
    if to <= 0.0 {
        return vec![0.0, 1.0];
    }
    let rough = to / TICKS;
    let power = 10f64.powi(rough.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| *step >= rough * (1.0 - 1e-9)).unwrap_or(10.0 * power);
    // Rounding must not add a step.
    let count = (to / step - 1e-9).ceil().clamp(1.0, TICKS) as u32;
    (0..=count).map(|number| f64::from(number) * step).collect()
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
            return ticks.take(below + 1).collect();
        }
        decades if decades > 1.6 => &[1.0, 3.0],
        _ => &[1.0, 2.0, 5.0],
    };
    let of_power = |power: i32| factors.iter().map(move |factor| factor * 10f64.powi(power));
    let all: Vec<f64> = (first..=last).flat_map(of_power).collect();
    let begin = all.iter().rposition(|tick| *tick <= from * (1.0 + 1e-9)).unwrap_or(0);
    let end = all.iter().position(|tick| *tick >= to * (1.0 - 1e-9)).unwrap_or(all.len() - 1);
    all[begin..=end.max(begin + 1).min(all.len() - 1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn figure(value: f64, low: f64, high: f64) -> Figure {
        Figure { value, interval: Some((low, high)) }
    }

    fn over(values: &[f64]) -> Scale {
        let figures: Vec<Figure> =
            values.iter().map(|value| Figure { value: *value, interval: None }).collect();
        super::over(&figures).unwrap()
    }

    #[test]
    fn steps_are_nice() {
        assert_eq!(over(&[48_300.0, 9_000.0]).ticks, [0.0, 1e4, 2e4, 3e4, 4e4, 5e4]);
        assert_eq!(over(&[50_000.0]).ticks, [0.0, 1e4, 2e4, 3e4, 4e4, 5e4]);
        assert_eq!(over(&[3.1]).ticks, [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(over(&[1.0]).ticks.len(), 6);
        assert_eq!(over(&[0.0]).ticks, [0.0, 1.0]);
        assert_eq!(super::over(&[]), None);
    }

    #[test]
    fn far_apart_is_logarithmic() {
        let axis = over(&[900.0, 17_000.0]);
        assert!(!axis.is_logarithmic);
        let axis = over(&[900.0, 20_000.0]);
        assert!(axis.is_logarithmic);
        assert_eq!(axis.ticks, [500.0, 1e3, 2e3, 5e3, 1e4, 2e4]);
        assert!((axis.at(3_162.278) - 0.5).abs() < 1e-6, "the geometric middle is in the middle");
        assert_eq!((axis.at(500.0), axis.at(20_000.0), axis.at(1.0)), (0.0, 1.0, 0.0));
        assert_eq!(over(&[990.0, 60_000.0]).ticks, [300.0, 1e3, 3e3, 1e4, 3e4, 1e5]);
        assert_eq!(over(&[50.0, 6e6]).ticks, [10.0, 1e3, 1e5, 1e7]);
        assert!(!over(&[0.0, 1e6]).is_logarithmic, "0 has no logarithm");
    }

    #[test]
    fn a_wide_interval_does_not_rule_the_axis() {
        let axis = super::over(&[figure(10.0, -500.0, 520.0), figure(12.0, 11.0, 13.0)]).unwrap();
        assert_eq!(axis.ticks, [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!((axis.at(-500.0), axis.at(520.0)), (0.0, 1.0));
    }

    #[test]
    fn what_is_no_measurement_is_not_drawn() {
        let estimate = |value, low, high| Estimate { value, low, high, launches: 5, ..Estimate::default() };
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300, 1e-300] {
            assert_eq!(Figure::of(&estimate(value, None, None)), None, "{value}");
        }
        for (low, high) in [(f64::NAN, 2.0), (0.5, f64::INFINITY), (2.0, 3.0)] {
            let figure = Figure::of(&estimate(1.0, Some(low), Some(high))).unwrap();
            assert_eq!(figure.interval, None, "{low} to {high}");
        }
        assert_eq!(Figure::of(&estimate(1.0, Some(0.5), Some(2.0))), Some(figure(1.0, 0.5, 2.0)));
    }

    proptest! {
        #[test]
        fn every_axis_holds_its_figures(
            figures in proptest::collection::vec((1e-3..1e3f64, 0.0..3.0f64, 0.0..3.0f64, -190i32..190), 1..20),
        ) {
            let figures: Vec<Figure> = figures
                .into_iter()
                .map(|(value, below, above, power)| {
                    let value = value * 10f64.powi(power);
                    figure(value, value - below * value, value + above * value)
                })
                .collect();
            let axis = super::over(&figures).unwrap();
            prop_assert!((2..=10).contains(&axis.ticks.len()), "{:?}", axis.ticks);
            prop_assert!(axis.ticks.windows(2).all(|pair| pair[0] < pair[1] && pair[1].is_finite()));
            for figure in &figures {
                prop_assert!(figure.value <= axis.ticks[axis.ticks.len() - 1] * (1.0 + 1e-6));
                prop_assert!(figure.value >= axis.ticks[0] * (1.0 - 1e-6));
            }
        }
    }
}
