//! How far the launches of a run have come, for those who wait.

use std::time::Duration;

use crate::course::countdown::Countdown;
use crate::progress::Part;

/// A part of the launches under way.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) part: Part,
    /// The launch under way; counted from 1 over all parts.
    pub(crate) launch: u32,
    /// Launches of the parts before.
    pub(crate) launches_before: u32,
    /// Launches of this part, once that is known.
    pub(crate) launches: Option<u32>,
    /// Windows of this part.
    pub(crate) windows: Countdown,
}

impl Course {
    /// The first part, whose plan is not known yet.
    pub(crate) fn blocks(now: Duration) -> Self {
        let windows = Countdown::new(now, Duration::ZERO, 0);
        Self { part: Part::Blocks, launch: 0, launches_before: 0, launches: None, windows }
    }

    /// The next part begins.
    pub(crate) fn begin(&mut self, part: Part, launches: u32, windows: Countdown) {
        let launch = self.launch;
        *self = Self { part, launch, launches_before: launch, launches: Some(launches), windows };
    }

    /// The launch under way, counted from 1 within its part.
    pub(crate) fn launch_of_part(&self) -> u32 {
        self.launch - self.launches_before
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
        course.begin(Part::Latency, 5, Countdown::new(s(60), s(1000), 100));
        course.launch += 1;
        assert_eq!((course.launch, course.launch_of_part(), course.launches), (10, 1, Some(5)));
        course.windows.beside = s(1);
        assert_eq!(course.windows.left(s(90)), s(1000 - 29));
        course.windows.expected = Duration::ZERO;
        assert_eq!(course.windows.left(s(60)), Duration::ZERO);
    }
}
