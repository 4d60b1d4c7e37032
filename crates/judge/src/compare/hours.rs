//! The published sum for any two contenders: how many hours more people wait in a year with one than with the other.

use serde::Serialize;
use velo_model::{CallCondition, ContenderName};
use velo_stats::CONFIDENCE;
use velo_stats::estimate::mean_over_launches;

use super::comparable::Comparable;

const NS_PER_HOUR: f64 = 3_600e9;

/// How many people wait how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiting {
    /// Users.
    pub users: u64,
    /// Calls that each of them makes in a year.
    pub calls_per_user_per_year: u64,
}

/// The hours of a workload's calls: whole call x calls x users.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingHours {
    /// Which workload.
    pub workload: String,
    /// How many people wait how often.
    pub of: Waiting,
    /// Each pair under each condition that both have.
    pub pairs: Vec<HoursApart>,
}

/// The hours of two contenders under one condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HoursApart {
    /// The condition of the calls.
    pub call: CallCondition,
    /// The contender that was named first.
    pub over: ContenderName,
    /// The other.
    pub under: ContenderName,
    /// Hours a year with the first.
    pub over_hours: f64,
    /// Hours a year with the other.
    pub under_hours: f64,
    /// The first less the second; below 0: people wait less with the first.
    pub more_hours: f64,
    /// The lower end of its interval, by Student's t over the differences of launches; none with fewer than three.
    pub low: Option<f64>,
    /// The upper end; there when the lower one is.
    pub high: Option<f64>,
}

impl Waiting {
    /// The hours of two contenders under the condition of their calls; `None` where there is no figure, or no number holds it.
    pub(super) fn apart(self, over: &Comparable<'_>, under: &Comparable<'_>) -> Option<HoursApart> {
        let times = self.users as f64 * self.calls_per_user_per_year as f64 / NS_PER_HOUR;
        let hours =
            |one: &Comparable<'_>| Some(one.estimate?.value * times).filter(|hours| hours.is_finite());
        let (over_hours, under_hours) = (hours(over)?, hours(under)?);
        let more_hours = over_hours - under_hours;
        // Paired by launch, so that what a launch did to both cancels.
        let of_under = under.measured.logs.figures();
        let differences: Vec<f64> = over
            .measured
            .logs
            .figures()
            .iter()
            .filter_map(|(launch, ns)| Some((ns - of_under.get(launch)?) * times))
            .collect();
        let spread = mean_over_launches(&differences, CONFIDENCE);
        // About the difference of the figures that are printed, which are geometric means.
        let ends = spread.and_then(|spread| {
            let (low, high) = (spread.low()? - spread.value, spread.high()? - spread.value);
            Some((more_hours + low, more_hours + high))
                .filter(|(low, high)| low.is_finite() && high.is_finite())
        });
        Some(HoursApart {
            call: over.measured.under.call()?,
            over: over.measured.contender.clone(),
            under: under.measured.contender.clone(),
            over_hours,
            under_hours,
            more_hours,
            low: ends.map(|(low, _)| low),
            high: ends.map(|(_, high)| high),
        })
    }
}

impl HoursApart {
    /// The interval's ends; `None` with fewer than three launches.
    pub fn interval(&self) -> Option<(f64, f64)> {
        Some((self.low?, self.high?))
    }
}
