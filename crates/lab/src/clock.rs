//! The time that a course goes by: that of the machine, or in tests one that passes only while somebody waits.

use std::thread;
use std::time::{Duration, Instant};

/// Says what time it is, and lets time pass.
pub(crate) trait Clock {
    /// The time since some moment before the run; never less than before.
    fn now(&self) -> Duration;

    /// Returns so much later.
    fn sleep(&self, duration: Duration);

    /// How long ago that was.
    fn since(&self, then: Duration) -> Duration {
        self.now().saturating_sub(then)
    }
}

/// The time of day and the date, to the second, RFC 3339, UTC.
pub(crate) fn today() -> String {
    jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_else(|_| jiff::Timestamp::now()).to_string()
}

/// The clock of this machine.
#[derive(Debug)]
pub(crate) struct MachineClock(Instant);

impl MachineClock {
    /// Begins at 0.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for MachineClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        thread::sleep(duration);
    }
}
