//! How a process is fed: how many lines, when its files are replaced, when it is enough. Pure.

use std::time::Duration;

/// The least limit of time for an answer.
pub(crate) const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// A process is not fed longer than this, unless it would have too few iterations.
pub(crate) const FED_LIMIT: Duration = Duration::from_secs(10);
/// However slow it is.
const LEAST_ITERATIONS: u32 = 5;
/// Before the files are replaced, however slow it is.
const LEAST_BEFORE: u32 = 2;

/// The lines of a process so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeedingCourse {
    iterations: u32,
    asked: u32,
    /// After so many lines the files were replaced.
    renewed_after: Option<u32>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A line about the files of this version.
    Ask { version: u32 },
    /// The files are replaced.
    Renew,
    /// It has had enough.
    Stop,
}

impl FeedingCourse {
    /// Of so many lines, if there is time.
    pub(crate) fn new(iterations: u32) -> Self {
        Self { iterations, asked: 0, renewed_after: None }
    }

    /// The next step of a process that has been fed for so long.
    pub(crate) fn next(&mut self, fed_for: Duration) -> Step {
        let Some(renewed_after) = self.renewed_after else {
            let is_half_done = self.asked >= self.iterations / 2;
            let is_half_over = 2 * fed_for >= FED_LIMIT && self.asked >= LEAST_BEFORE;
            if is_half_done || is_half_over {
                self.renewed_after = Some(self.asked);
                return Step::Renew;
            }
            self.asked += 1;
            return Step::Ask { version: 0 };
        };
        let is_over = fed_for >= FED_LIMIT && self.asked >= LEAST_ITERATIONS && self.asked > renewed_after;
        if is_over || self.asked >= self.iterations {
            return Step::Stop;
        }
        self.asked += 1;
        Step::Ask { version: 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines before and after the change, when each takes so long.
    fn fed(iterations: u32, each_ms: u64) -> (u32, u32) {
        let mut course = FeedingCourse::new(iterations);
        let (mut asked, mut renewals) = ([0, 0], 0);
        loop {
            let fed_for = Duration::from_millis(each_ms * u64::from(asked[0] + asked[1]));
            match course.next(fed_for) {
                Step::Ask { version } => asked[version as usize] += 1,
                Step::Renew => renewals += 1,
                Step::Stop => break,
            }
            assert_eq!(asked[1] > 0 || renewals > 0, renewals == 1);
        }
        (asked[0], asked[1])
    }

    #[test]
    fn a_quick_one_gets_all_lines_half_of_them_after_the_change() {
        assert_eq!(fed(60, 1), (30, 30));
        assert_eq!(fed(61, 1), (30, 31));
        assert_eq!(fed(5, 1), (2, 3));
    }

    #[test]
    fn a_slow_one_is_fed_for_its_time_and_sees_the_change_in_its_middle() {
        assert_eq!(fed(60, 500), (10, 10));
        assert_eq!(fed(60, 4_000), (2, 3), "five lines, however slow");
        assert_eq!(fed(1_000, 9), (500, 500), "under ten seconds in all");
    }

    #[test]
    fn one_that_becomes_slow_sees_the_change_all_the_same() {
        let mut course = FeedingCourse::new(60);
        for _ in 0..20 {
            assert_eq!(course.next(Duration::from_secs(1)), Step::Ask { version: 0 });
        }
        assert_eq!(course.next(Duration::from_secs(30)), Step::Renew);
        assert_eq!(course.next(Duration::from_secs(30)), Step::Ask { version: 1 });
        assert_eq!(course.next(Duration::from_secs(31)), Step::Stop);
    }
}
