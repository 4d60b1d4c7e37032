use std::sync::Arc;

use super::model::{Arrivals, Shape, Spacing};
use super::rate::{self, Walk};
use crate::rng::Rng;

/// Keeps arrivals apart from what else is drawn with the same seed.
const SEED_OF_ARRIVALS: u64 = 0x5EED_A221_7A15_0001;

/// Intended starts in nanoseconds from the start of the load, ascending, several at once included.
///
/// Endless, unless the shape ends: offsets do, and shapes whose last rate is 0. Each start is worked out from its
/// number and not from the one before, so that nothing drifts.
#[derive(Debug, Clone)]
pub struct Intended {
    source: Source,
    /// Arrivals of other workers before the next own one, and between own ones.
    passed: u64,
    between: u64,
}

#[derive(Debug, Clone)]
enum Source {
    Even { rate: Walk, number: u64 },
    Poisson { rate: Walk, sum: f64, rng: Rng },
    Burst { requests: u64, every_ns: u64, number: u64 },
    Offsets { offsets: Arc<[u64]>, number: u64 },
}

impl Source {
    /// Leaves out so many arrivals and gives the one behind them.
    fn next(&mut self, passed: u64) -> Option<u64> {
        match self {
            Self::Even { rate, number } => {
                let own = number.saturating_add(passed);
                *number = own.saturating_add(1);
                rate.time_ns(own as f64)
            }
            Self::Poisson { rate, sum, rng } => {
                // Each arrival is drawn, so that the parts of several workers make up the whole.
                for _ in 0..=passed {
                    *sum += rng.exponential();
                }
                rate.time_ns(*sum)
            }
            Self::Burst { requests, every_ns, number } => {
                let own = number.saturating_add(passed);
                *number = own.saturating_add(1);
                own.checked_div(*requests)?.checked_mul(*every_ns)
            }
            Self::Offsets { offsets, number } => {
                let own = number.saturating_add(passed);
                *number = own.saturating_add(1);
                offsets.get(usize::try_from(own).ok()?).copied()
            }
        }
    }
}

impl Intended {
    /// The part of one of several workers, which share a schedule without talking: of the arrivals yet to come those
    /// whose index modulo `workers` is `worker`.
    ///
    /// # Panics
    /// When `worker` is not below `workers`.
    #[must_use]
    pub fn dealt(mut self, worker: u32, workers: u32) -> Self {
        assert!(worker < workers, "worker {worker} of {workers}");
        let step = self.between.saturating_add(1);
        self.passed = self.passed.saturating_add(step.saturating_mul(worker.into()));
        self.between = step.saturating_mul(workers.into()) - 1;
        self
    }
}

impl Iterator for Intended {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let passed = std::mem::replace(&mut self.passed, self.between);
        self.source.next(passed)
    }
}

impl Arrivals {
    /// The intended starts. The first of even spacing is at the start; that of a Poisson process is behind its first gap.
    ///
    /// For arrivals that [`Self::validate`] refuses they are of no use, but nothing panics or hangs.
    pub fn intended(&self) -> Intended {
        let source = match (&self.shape, self.spacing) {
            (Shape::Burst { requests, every_ns }, _) => {
                Source::Burst { requests: (*requests).into(), every_ns: *every_ns, number: 0 }
            }
            (Shape::Offsets(offsets), _) => Source::Offsets { offsets: Arc::clone(offsets), number: 0 },
            (shape, Spacing::Even) => Source::Even { rate: Walk::new(shape), number: 0 },
            (shape, Spacing::Poisson) => {
                let rng = Rng::new(self.seed ^ SEED_OF_ARRIVALS);
                Source::Poisson { rate: Walk::new(shape), sum: 0.0, rng }
            }
        };
        Intended { source, passed: 0, between: 0 }
    }

    /// How many requests are due before a time from the start; on average, when they are spaced at random.
    pub fn expected(&self, duration_ns: u64) -> f64 {
        match &self.shape {
            Shape::Burst { every_ns: 0, .. } => 0.0,
            Shape::Burst { requests, every_ns } => {
                f64::from(*requests) * duration_ns.div_ceil(*every_ns) as f64
            }
            Shape::Offsets(offsets) => offsets.partition_point(|offset| *offset < duration_ns) as f64,
            shape => rate::expected(&rate::pieces(shape), duration_ns),
        }
    }
}
