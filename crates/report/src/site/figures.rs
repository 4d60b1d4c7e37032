use velo_judge::Estimate;

use crate::number::plus_minus;

/// Beyond this a number is no measurement, and sums with it would not be numbers any more.
const MOST: f64 = 1e100;

/// A figure that can be written and drawn: finite, and at least 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    pub(super) estimate: Estimate,
    /// A lower bound: the contender was not seen to be the limit.
    pub(super) is_least: bool,
}

impl Figure {
    pub(super) fn of(estimate: Estimate, is_least: bool) -> Option<Self> {
        (0.0..=MOST).contains(&estimate.value).then_some(Self { estimate, is_least })
    }

    /// Its interval, where it has one that holds its value.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        let holds =
            |(low, high): &(f64, f64)| (*low..=*high).contains(&self.estimate.value) && high.is_finite();
        self.estimate.interval().filter(|_| !self.is_least).filter(holds)
    }

    /// `48,100 ± 0.5 %`, `≥ 171,000`; `write` writes its value.
    pub(super) fn words(&self, write: impl Fn(f64) -> String) -> String {
        let value = write(self.estimate.value);
        match plus_minus(&self.estimate, &write) {
            _ if self.is_least => format!("≥ {value}"),
            Some(plus_minus) => format!("{value} {plus_minus}"),
            None => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::rate;

    fn estimate(value: f64, low: Option<f64>, high: Option<f64>) -> Estimate {
        Estimate { value, low, high, launches: 5, ..Estimate::default() }
    }

    #[test]
    fn what_is_no_measurement_is_no_figure() {
        for value in [f64::NAN, f64::INFINITY, -1.0, 1e200] {
            assert_eq!(Figure::of(estimate(value, None, None), false), None);
        }
        let figure = Figure::of(estimate(2.0, Some(3.0), Some(f64::INFINITY)), false).unwrap();
        assert_eq!(figure.interval(), None);
    }

    #[test]
    fn a_lower_bound_says_so() {
        let estimate = estimate(48_100.0, Some(47_900.0), Some(48_300.0));
        assert_eq!(Figure::of(estimate, false).unwrap().words(rate), "48,100 ± 0.4 %");
        let least = Figure::of(estimate, true).unwrap();
        assert_eq!((least.words(rate).as_str(), least.interval()), ("≥ 48,100", None));
    }
}
