use super::model::{Arrivals, Shape};

/// The highest rate: one in each nanosecond, which is as fine as time is told here.
const MOST_PER_S: f64 = 1e9;

/// Why a load model makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScheduleError {
    /// A rate that cannot be.
    #[error("a rate of {per_s}/s: expected a number from 0 to 1,000,000,000")]
    Rate {
        /// The rate as given.
        per_s: f64,
    },
    /// Something that lasts no time.
    #[error("{what} has a length of 0: expected 1 ns or more")]
    NoLength {
        /// What.
        what: &'static str,
    },
    /// Lengths that add up to more than can be told.
    #[error("the lengths add up to more than 2^64 ns, which is 584 years: shorten them")]
    TooLong,
    /// Nothing would ever be due.
    #[error("no request would ever be due: expected {expected}")]
    Nothing {
        /// What was expected.
        expected: &'static str,
    },
    /// Offsets that go back.
    #[error(
        "offset {number} is {ns} ns, but the one before it is {before_ns} ns: sort the offsets in ascending order"
    )]
    Unsorted {
        /// Which, from 1.
        number: usize,
        /// The offset.
        ns: u64,
        /// The one before it.
        before_ns: u64,
    },
}

impl Arrivals {
    /// Whether the shape makes sense.
    ///
    /// # Errors
    /// When a rate is not a number from 0 to 1,000,000,000, a length is 0, lengths add up to more than 2^64 ns, offsets
    /// are not ascending, or no request would ever be due.
    pub fn validate(&self) -> Result<(), ScheduleError> {
        match &self.shape {
            Shape::Constant { per_s } => rates(&[*per_s]),
            Shape::Ramp { from_per_s, to_per_s, over_ns } => {
                length("the ramp", *over_ns)?;
                rates(&[*from_per_s, *to_per_s])
            }
            Shape::Steps(steps) => {
                let mut starts_ns = 0_u64;
                for (index, step) in steps.iter().enumerate() {
                    length("a step", step.for_ns)?;
                    if index + 1 < steps.len() {
                        starts_ns = starts_ns.checked_add(step.for_ns).ok_or(ScheduleError::TooLong)?;
                    }
                }
                rates(&steps.iter().map(|step| step.per_s).collect::<Vec<_>>())
            }
            Shape::Spike { base_per_s, peak_per_s, from_ns, for_ns } => {
                length("the spike", *for_ns)?;
                from_ns.checked_add(*for_ns).ok_or(ScheduleError::TooLong)?;
                rates(&[*base_per_s, *peak_per_s])
            }
            Shape::Burst { requests: 0, .. } => {
                Err(ScheduleError::Nothing { expected: "at least one request in a burst" })
            }
            Shape::Burst { every_ns, .. } => length("the time between bursts", *every_ns),
            Shape::Offsets(offsets) if offsets.is_empty() => {
                Err(ScheduleError::Nothing { expected: "at least one offset" })
            }
            Shape::Offsets(offsets) => match offsets.iter().zip(&offsets[1..]).position(|(a, b)| a > b) {
                Some(index) => Err(ScheduleError::Unsorted {
                    number: index + 2,
                    ns: offsets[index + 1],
                    before_ns: offsets[index],
                }),
                None => Ok(()),
            },
        }
    }
}

fn length(what: &'static str, ns: u64) -> Result<(), ScheduleError> {
    if ns == 0 { Err(ScheduleError::NoLength { what }) } else { Ok(()) }
}

fn rates(rates: &[f64]) -> Result<(), ScheduleError> {
    if let Some(per_s) = rates.iter().find(|per_s| !(0.0..=MOST_PER_S).contains(*per_s)) {
        return Err(ScheduleError::Rate { per_s: *per_s });
    }
    if rates.iter().any(|per_s| *per_s > 0.0) {
        Ok(())
    } else {
        Err(ScheduleError::Nothing { expected: "a rate above 0" })
    }
}
