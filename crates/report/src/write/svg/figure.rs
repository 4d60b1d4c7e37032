use velo_judge::Estimate;

/// Beyond these a figure is no measurement, and sums with it would not be numbers any more.
const DRAWABLE: std::ops::RangeInclusive<f64> = 1e-200..=1e200;

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
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(
            Figure::of(&estimate(1.0, Some(0.5), Some(2.0))),
            Some(Figure { value: 1.0, interval: Some((0.5, 2.0)) })
        );
    }
}
