//! What few samples say of a percentile that they are too few for.

use velo_stats::{Histogram, binomial_at_most};

/// How often a percentile may be told to lie beyond its bound, or within it, and be wrong.
const MISTAKEN: f64 = 0.025;

/// Samples, and those of them that are beyond a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Few {
    pub(super) samples: u64,
    pub(super) beyond: u64,
}

impl Few {
    pub(super) fn count(histogram: &Histogram, is_beyond: impl Fn(u64) -> bool) -> Self {
        let beyond = histogram.recorded().filter(|(ns, _)| is_beyond(*ns)).map(|(_, times)| times).sum();
        Self { samples: histogram.count(), beyond }
    }

    /// Whether the percentile `q` is beyond the bound: the share of what is must then be above 1 - q. `None` where as many would be
    /// beyond by chance either way.
    pub(super) fn is_beyond(self, q: f64) -> Option<bool> {
        let Self { samples, beyond } = self;
        match beyond {
            _ if samples == 0 => None,
            0 => Some(false),
            _ if beyond == samples => Some(true),
            _ => {
                let share = 1.0 - q;
                let fewer = binomial_at_most(beyond - 1, samples, share)?;
                let at_most = binomial_at_most(beyond, samples, share)?;
                if 1.0 - fewer < MISTAKEN { Some(true) } else { (at_most < MISTAKEN).then_some(false) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_tell_what_chance_would_not() {
        let told = |samples, beyond, q| Few { samples, beyond }.is_beyond(q);
        assert_eq!(told(0, 0, 0.99), None);
        assert_eq!(told(50, 0, 0.99), Some(false), "the greatest is within");
        assert_eq!(told(1, 1, 0.99), Some(true));
        assert_eq!(told(50, 50, 0.99), Some(true));
        assert_eq!(told(50, 10, 0.99), Some(true), "ten where half a sample is expected");
        assert_eq!(told(50, 1, 0.99), None);
        assert_eq!(told(967, 3, 0.99), Some(false), "three where ten are expected");
        assert_eq!(told(967, 9, 0.99), None);
    }

    #[test]
    fn samples_beyond_are_counted() {
        let mut histogram = Histogram::new();
        (1..=10).for_each(|ns| histogram.record(ns));
        assert_eq!(Few::count(&histogram, |ns| ns > 7), Few { samples: 10, beyond: 3 });
    }
}
