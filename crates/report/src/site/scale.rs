use super::figures::Figure;
use crate::svg::scale::{LEAST, Scale};

/// An interval may be far wider than its figure is large; the scale reaches so many times as far as the figure.
const REACH: f64 = 2.0;
/// A scale may end at so many times a power of 10; half of each is a short number too.
const ENDS: [f64; 9] = [1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0];
/// Powers of 10 on a logarithmic scale stand so far apart that there are about this many steps.
const STEPS: f64 = 3.0;
/// This share of a logarithmic scale stays free at its ends, where numbers would touch.
const CLEAR: f64 = 0.15;

/// One that shows all of these; `None` for none.
pub(super) fn over(figures: &[Figure]) -> Option<Scale> {
    let values = || figures.iter().map(|figure| figure.estimate.value);
    let (least, most) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let is_logarithmic = Scale::is_logarithmic(least, most);
    let ticks = if is_logarithmic { logarithmic(least, most) } else { linear(figures) };
    Some(Scale { ticks, is_logarithmic })
}

fn linear(figures: &[Figure]) -> Vec<f64> {
    let top = |figure: &Figure| {
        let value = figure.estimate.value;
        figure.interval().map_or(value, |(_, high)| high.min(value * REACH))
    };
    let most = figures.iter().map(top).fold(0.0, f64::max);
    if most < LEAST {
        return vec![0.0, 1.0];
    }
    let power = 10f64.powi(most.log10().floor() as i32);
    // What is rounded must not make the scale longer.
    let end = ENDS.into_iter().map(|end| end * power).find(|end| *end >= most * (1.0 - 1e-9));
    let end = end.unwrap_or(10.0 * power);
    vec![0.0, end / 2.0, end]
}

/// From and to 1, 2 or 5 times a power of 10, and at powers of 10 between that keep clear of these ends; of many not at each.
fn logarithmic(least: f64, most: f64) -> Vec<f64> {
    let (first, last) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let power = |power: i32| 10f64.powi(power);
    let ends = || (first..=last).flat_map(|number| [1.0, 2.0, 5.0].map(|factor| factor * power(number)));
    // What is rounded must not make the scale longer.
    let from = ends().take_while(|end| *end <= least * (1.0 + 1e-9)).last().unwrap_or(least);
    let to = ends().find(|end| *end >= most * (1.0 - 1e-9)).unwrap_or(most);
    let span = (to / from).log10();
    let step = (span / STEPS).ceil().max(1.0) as usize;
    let is_clear = |tick: &f64| (tick / from).log10() > CLEAR * span && (to / tick).log10() > CLEAR * span;
    let between = (first..=last).step_by(step).map(power).filter(is_clear);
    std::iter::once(from).chain(between).chain([to]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use velo_judge::Estimate;

    fn figure(value: f64, half: f64) -> Figure {
        let (low, high) = (Some(value - half), Some(value + half));
        Figure::of(Estimate { value, low, high, launches: 5, ..Estimate::default() }, false).unwrap()
    }

    fn over(values: &[f64]) -> Scale {
        super::over(&values.iter().map(|value| figure(*value, 0.0)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn scales_have_short_numbers() {
        assert_eq!(over(&[48_300.0, 9_000.0]).ticks, [0.0, 3e4, 6e4]);
        assert_eq!(over(&[20_000.0]).ticks, [0.0, 1e4, 2e4]);
        assert_eq!(over(&[0.0]).ticks, [0.0, 1.0]);
        assert_eq!(super::over(&[]), None);
    }

    #[test]
    fn far_apart_is_logarithmic() {
        let scale = over(&[900.0, 20_000.0]);
        assert_eq!((scale.is_logarithmic, scale.ticks.as_slice()), (true, &[500.0, 1e3, 1e4, 2e4][..]));
        assert!((scale.at(3_162.278) - 0.5).abs() < 1e-6, "the geometric middle is in the middle");
        assert_eq!(over(&[5.0, 150.0]).ticks, [5.0, 10.0, 100.0, 200.0]);
        assert_eq!(over(&[1.0, 1e9]).ticks, [1.0, 1e3, 1e6, 1e9]);
        assert_eq!(over(&[1.0, 1e10]).ticks, [1.0, 1e4, 1e8, 1e10]);
        assert!(!over(&[0.0, 1e6]).is_logarithmic, "0 has no logarithm");
    }

    #[test]
    fn a_wide_interval_does_not_rule_the_scale() {
        let scale = super::over(&[figure(10.0, 500.0)]).unwrap();
        assert_eq!(scale.ticks, [0.0, 10.0, 20.0]);
        assert_eq!((scale.at(-490.0), scale.at(510.0)), (0.0, 1.0));
    }

    proptest! {
        #[test]
        fn every_scale_holds_its_figures(
            values in prop::collection::vec((0.0..10.0f64, -99..98i32, 0.0..3.0f64), 1..20),
        ) {
            let figures: Vec<Figure> = values
                .into_iter()
                .map(|(value, power, half)| (value * 10f64.powi(power), half))
                .map(|(value, half)| figure(value, half * value))
                .collect();
            let scale = super::over(&figures).unwrap();
            prop_assert!((2..=5).contains(&scale.ticks.len()), "{:?}", scale.ticks);
            prop_assert!(scale.ticks.windows(2).all(|pair| pair[0] < pair[1] && pair[1].is_finite()));
            let top = scale.ticks[scale.ticks.len() - 1];
            for figure in &figures {
                prop_assert!(figure.estimate.value <= top * (1.0 + 1e-6), "{:?}", scale.ticks);
            }
        }
    }
}
