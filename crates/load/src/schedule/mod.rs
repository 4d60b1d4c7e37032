//! When requests are due. Pure: the caller has the clock.

mod intended;
mod model;
mod rate;
#[cfg(test)]
mod tests;
mod validate;

pub use intended::Intended;
pub use model::{Arrivals, Schedule, Shape, Spacing, Step, Think, WhenFull};
pub use validate::ScheduleError;
