//! Load models: what decides when requests are due.

use std::sync::Arc;

use crate::rng::Rng;

/// A load model: what decides when the next request is due.
#[derive(Debug, Clone, PartialEq)]
pub enum Schedule {
    /// As soon as a connection is free, after a pause. The rate is a result.
    Closed {
        /// The pause between an answer and the next request on its connection.
        think: Think,
    },
    /// At times that do not depend on the answers. The rate is a setting.
    Open(Arrivals),
}

/// The pause of a closed loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Think {
    /// None.
    #[default]
    None,
    /// Always the same.
    Constant {
        /// Its length.
        ns: u64,
    },
    /// Exponentially distributed.
    Exponential {
        /// The mean length.
        mean_ns: u64,
    },
}

impl Think {
    /// The length of the next pause in nanoseconds.
    pub fn pause_ns(&self, rng: &mut Rng) -> u64 {
        match *self {
            Self::None => 0,
            Self::Constant { ns } => ns,
            Self::Exponential { mean_ns } => (rng.exponential() * mean_ns as f64) as u64,
        }
    }
}

/// The intended starts of an open loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrivals {
    /// How the rate goes over time.
    pub shape: Shape,
    /// How arrivals are spaced at a given rate; without meaning for [`Shape::Burst`] and [`Shape::Offsets`].
    pub spacing: Spacing,
    /// The seed of random spacing.
    pub seed: u64,
}

/// How arrivals are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spacing {
    /// At equal distances.
    Even,
    /// As a Poisson process: exponentially distributed distances, as many independent users make.
    #[default]
    Poisson,
}

/// A rate over time. Rates are in requests per second, from 0 to 1,000,000,000.
///
/// Where the rate is 0 nothing is due; a shape that ends with a rate of 0 comes to an end.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Always the same.
    Constant {
        /// The rate.
        per_s: f64,
    },
    /// From one rate to another in a straight line, then staying there.
    Ramp {
        /// At the start.
        from_per_s: f64,
        /// At the end.
        to_per_s: f64,
        /// How long it takes.
        over_ns: u64,
    },
    /// One rate after the other; the last one stays, whatever its length.
    Steps(Vec<Step>),
    /// A rate with a higher one in the middle.
    Spike {
        /// Before and after.
        base_per_s: f64,
        /// In the spike.
        peak_per_s: f64,
        /// When it begins.
        from_ns: u64,
        /// How long it lasts.
        for_ns: u64,
    },
    /// Many at once, again and again, the first at the start.
    Burst {
        /// How many at once.
        requests: u32,
        /// From one burst to the next.
        every_ns: u64,
    },
    /// At these times from the start, ascending.
    Offsets(Arc<[u64]>),
}

/// A part of [`Shape::Steps`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The rate.
    pub per_s: f64,
    /// How long.
    pub for_ns: u64,
}

/// What happens to a request that is due while no connection is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenFull {
    /// It waits for one; its response time counts the wait.
    #[default]
    Queue,
    /// It is dropped and counted.
    Drop,
}
