//! Where a value lies between the ends of a scale that is drawn. Which numbers stand beside it is for each kind of chart to say.

/// When the greatest value is more than so many times the least one, the others would all lie at one end.
const FAR_APART: f64 = 20.0;
/// The least value that has a place on a logarithmic scale.
pub(crate) const LEAST: f64 = 1e-250;

/// From 0, or logarithmic where figures are far apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    /// In rising order, at least two: the scale begins at the first and ends at the last.
    pub(crate) ticks: Vec<f64>,
    pub(crate) is_logarithmic: bool,
}

impl Scale {
    /// Whether a scale from the least of some values to the greatest is better logarithmic.
    pub(crate) fn is_logarithmic(least: f64, most: f64) -> bool {
        least > LEAST && most / least > FAR_APART
    }

    /// Whether a value lies between its ends.
    pub(crate) fn holds(&self, value: f64) -> bool {
        let ends = self.ticks.first().zip(self.ticks.last());
        ends.is_some_and(|(from, to)| (*from..=*to).contains(&value))
    }

    /// From 0 where it begins to 1 where it ends; what lies beyond an end is at that end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let (Some(from), Some(to)) = (self.ticks.first(), self.ticks.last()) else { return 0.0 };
        let share = if self.is_logarithmic {
            (value.max(*from) / from).ln() / (to / from).ln()
        } else {
            (value - from) / (to - from)
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }
}
