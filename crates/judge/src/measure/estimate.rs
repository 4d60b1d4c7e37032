//! A figure with its uncertainty.

use serde::Serialize;

/// A figure with Student's t interval over launches, at the judgement's confidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The geometric mean over launches.
    pub value: f64,
    /// The interval's lower end; none with fewer than three launches.
    pub low: Option<f64>,
    /// The interval's upper end; there when the lower one is.
    pub high: Option<f64>,
    /// The lower one of two launches, which are too few for an interval; none with more or fewer.
    pub least: Option<f64>,
    /// The higher one of two launches.
    pub most: Option<f64>,
    /// How many launches it rests on.
    pub launches: u32,
}

impl From<velo_stats::estimate::Estimate> for Estimate {
    fn from(estimate: velo_stats::estimate::Estimate) -> Self {
        Self {
            value: estimate.value,
            low: estimate.low(),
            high: estimate.high(),
            least: None,
            most: None,
            launches: u32::try_from(estimate.launches).unwrap_or(u32::MAX),
        }
    }
}

impl Estimate {
    /// The interval's ends; `None` with fewer than three launches.
    pub fn interval(&self) -> Option<(f64, f64)> {
        Some((self.low?, self.high?))
    }

    /// Both launches, the lower one first, where there are two.
    pub fn range(&self) -> Option<(f64, f64)> {
        Some((self.least?, self.most?))
    }

    /// The same in another unit, so many of which make one; `None` when that is more than a number holds.
    pub(crate) fn times(&self, factor: f64) -> Option<Self> {
        let times = |value: f64| Some(value * factor).filter(|value| value.is_finite());
        let (low, high) = (self.low.and_then(times), self.high.and_then(times));
        let (least, most) = (self.least.and_then(times), self.most.and_then(times));
        Some(Self {
            value: times(self.value)?,
            low: low.and(high).and(low),
            high: high.and(low).and(high),
            least: least.and(most).and(least),
            most: most.and(least).and(most),
            ..*self
        })
    }

    /// Half of the interval's width, relative to the value; `None` without an interval, and when it is not finite.
    pub fn relative_half_width(&self) -> Option<f64> {
        let (low, high) = self.interval()?;
        let half = (high / 2.0 - low / 2.0) / self.value.abs();
        half.is_finite().then_some(half)
    }
}
