//! How far a run's measuring has come, for those who wait.

use std::time::Duration;

use crate::progress::Part;

/// A part of the measuring under way.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) part: Part,
    /// The launch under way; counted from 1 over all parts.
    pub(crate) launch: u32,
    /// Launches of the parts before.
    pub(crate) launches_before: u32,
    /// Launches of this part, once that is known.
    pub(crate) launches: Option<u32>,
    pub(crate) expected: Duration,
    pub(crate) windows_done: u64,
    /// Windows of this part.
    pub(crate) windows: u64,
    /// What took place meanwhile and is not in what was expected.
    pub(crate) beside: Duration,
    began: Duration,
}

impl Course {
    /// The first part, whose plan is not known yet.
    pub(crate) fn blocks(now: Duration) -> Self {
        Self {
            part: Part::Blocks,
            launch: 0,
            launches_before: 0,
            launches: None,
            expected: Duration::ZERO,
            windows_done: 0,
            windows: 0,
            beside: Duration::ZERO,
            began: now,
        }
    }

    /// The next part begins.
    pub(crate) fn begin(
        &mut self,
        part: Part,
        launches: u32,
        windows: u64,
        expected: Duration,
        now: Duration,
    ) {
        *self = Self {
            part,
            launch: self.launch,
            launches_before: self.launch,
            launches: Some(launches),
            expected,
            windows_done: 0,
            windows,
            beside: Duration::ZERO,
            began: now,
        };
    }

    /// The launch under way, counted from 1 within its part.
    pub(crate) fn launch_of_part(&self) -> u32 {
        self.launch - self.launches_before
    }

    pub(crate) fn elapsed(&self, now: Duration) -> Duration {
        now.saturating_sub(self.began).saturating_sub(self.beside)
    }

    pub(crate) fn left(&self, now: Duration) -> Duration {
        self.expected.saturating_sub(self.elapsed(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_counted_on_and_shown_from_one() {
        let s = Duration::from_secs;
        let mut course = Course::blocks(s(5));
        course.launch = 9;
        assert_eq!(course.launch_of_part(), 9);
        course.begin(Part::Latency, 5, 100, s(1000), s(60));
        course.launch += 1;
        assert_eq!((course.launch, course.launch_of_part(), course.launches), (10, 1, Some(5)));
        course.beside = s(1);
        assert_eq!(course.left(s(90)), s(1000 - 29));
        course.expected = Duration::ZERO;
        assert_eq!(course.left(s(60)), Duration::ZERO);
    }
}
