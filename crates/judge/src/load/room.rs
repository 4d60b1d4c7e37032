//! Whether a load leaves room for its conditions, before it begins.

use velo_record::{LoadSchedule, LoadSettings};

use super::condition::{Condition, Figure, Statistic};
use super::figures::Time;
use crate::doubt::samples::{quantile, samples_needed};
use crate::words::load::thousands;

/// Random arrivals are hardly ever fewer than expected by so many standard deviations.
const DEVIATIONS: f64 = 3.0;

impl Condition {
    /// Why it can never be decided by a load with these settings.
    pub fn is_impossible(&self, settings: &LoadSettings) -> Option<String> {
        let is_closed = matches!(settings.schedule, LoadSchedule::Closed { .. });
        (self.figure == Figure::Achieved && is_closed).then(|| {
            format!("`{self}`: a closed loop offers no rate\n  expected -R or another rate with it, or a condition on rps")
        })
    }

    /// That a load with these settings has too few samples for it, where that is known before; and how many are enough.
    pub fn lacks_samples(&self, settings: &LoadSettings) -> Option<String> {
        let Figure::Time(time, Statistic::Percentile(name)) = self.figure else { return None };
        if matches!(time, Some(Time::Connect | Time::Handshake)) {
            return None;
        }
        let needed = samples_needed(quantile(name));
        let (expected, is_random) = match &settings.schedule {
            LoadSchedule::Closed { .. } => (settings.most_requests? as f64, false),
            LoadSchedule::Open { expected, spacing, .. } => {
                let is_count = settings.most_requests.is_some_and(|most| most as f64 <= *expected);
                (*expected, spacing == "poisson" && !is_count)
            }
        };
        let deviations = if is_random { DEVIATIONS } else { 0.0 };
        if expected - deviations * expected.sqrt() >= needed as f64 {
            return None;
        }
        // The least e with e - deviations * sqrt(e) = needed.
        let root = (deviations + (deviations * deviations + 4.0 * needed as f64).sqrt()) / 2.0;
        let enough = (root * root).ceil();
        let cure = match settings.duration_ns {
            Some(duration_ns) if settings.most_requests.is_none() && expected > 0.0 => {
                format!("-d {}s is needed", (duration_ns as f64 / 1e9 * enough / expected).ceil())
            }
            _ => format!("{} requests are needed", thousands(enough as u64)),
        };
        let (about, due) = (if is_random { "about " } else { "" }, thousands(expected.round() as u64));
        Some(format!(
            "--fail-on `{self}`: {name} needs {} samples, and {about}{due} requests are asked for: {cure}, or few samples must decide",
            thousands(needed)
        ))
    }
}
