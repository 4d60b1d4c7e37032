//! What is due next on this worker, by its schedule.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::rng::Rng;
use crate::schedule::{Arrivals, Intended, Schedule, Think};

/// A schedule under way, on the worker's clock.
pub(crate) enum Pace {
    /// Requests are due when a connection is free.
    Closed { think: Think, rng: Rng, thinking: BinaryHeap<Reverse<(u64, u32)>> },
    /// Requests are due at their times.
    Open { arrivals: Arrivals, workers: usize, intended: Intended, start_ns: u64, next_ns: Option<u64> },
}

impl Pace {
    pub(crate) fn new(schedule: &Schedule, start_ns: u64, worker: usize, workers: usize, seed: u64) -> Self {
        match schedule {
            Schedule::Closed { think } => Self::Closed {
                think: *think,
                rng: Rng::new(seed ^ (worker as u64) << 32),
                thinking: BinaryHeap::new(),
            },
            Schedule::Open(arrivals) => {
                let mut intended = arrivals.intended().dealt(worker as u32, workers as u32);
                let next_ns = intended.next().map(|offset_ns| start_ns.saturating_add(offset_ns));
                Self::Open { arrivals: arrivals.clone(), workers, intended, start_ns, next_ns }
            }
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. })
    }

    /// A connection of a closed loop is free: when its next request is due, when that is now. Else it is remembered.
    pub(crate) fn is_due(&mut self, connection: usize, now_ns: u64) -> bool {
        match self {
            Self::Closed { think: Think::None, .. } => true,
            Self::Closed { think, rng, thinking } => {
                thinking.push(Reverse((now_ns + think.pause_ns(rng), connection as u32)));
                false
            }
            Self::Open { .. } => false,
        }
    }

    /// The connection of a closed loop whose pause is over, and when it was.
    pub(crate) fn thought(&mut self, now_ns: u64) -> Option<(usize, u64)> {
        let Self::Closed { thinking, .. } = self else { return None };
        let &Reverse((due_ns, connection)) = thinking.peek().filter(|entry| entry.0.0 <= now_ns)?;
        thinking.pop();
        Some((connection as usize, due_ns))
    }

    /// The intended start of the open loop's next request, when it is due by then.
    pub(crate) fn due(&self, now_ns: u64) -> Option<u64> {
        match self {
            Self::Open { next_ns, .. } => next_ns.filter(|&next_ns| next_ns <= now_ns),
            Self::Closed { .. } => None,
        }
    }

    /// The open loop's request that was due has been dealt with.
    pub(crate) fn advance(&mut self) {
        if let Self::Open { intended, start_ns, next_ns, .. } = self {
            *next_ns = intended.next().map(|offset_ns| start_ns.saturating_add(offset_ns));
        }
    }

    /// When something is due next.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        match self {
            Self::Closed { thinking, .. } => thinking.peek().map(|entry| entry.0.0),
            Self::Open { next_ns, .. } => *next_ns,
        }
    }

    /// How many requests the schedule has for this worker, on average, from the next one until then.
    pub(crate) fn expected_until(&self, end_ns: u64) -> u64 {
        let Self::Open { arrivals, workers, start_ns, next_ns: Some(next_ns), .. } = self else { return 0 };
        let until = |ns: u64| arrivals.expected(ns.saturating_sub(*start_ns));
        ((until(end_ns) - until(*next_ns)) / *workers as f64).max(0.0).round() as u64
    }

    /// Whether nothing will be due any more.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::Open { next_ns: None, .. })
    }
}
