//! How many turns are done, and how long the others may take, for those who wait.

use std::time::Duration;

/// Turns under way.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Countdown {
    began: Duration,
    /// All turns and what is around them.
    pub(crate) expected: Duration,
    pub(crate) done: u64,
    pub(crate) of: u64,
    /// What took place meanwhile and is not in what was expected.
    pub(crate) beside: Duration,
}

impl Countdown {
    pub(crate) fn new(now: Duration, expected: Duration, of: u64) -> Self {
        Self { began: now, expected, done: 0, of, beside: Duration::ZERO }
    }

    pub(crate) fn elapsed(&self, now: Duration) -> Duration {
        now.saturating_sub(self.began).saturating_sub(self.beside)
    }

    pub(crate) fn left(&self, now: Duration) -> Duration {
        self.expected.saturating_sub(self.elapsed(now))
    }
}
