//! What a contender answered in a window, and how long it may still work on what it did not.

use std::time::Duration;

use velo_record::Window;

/// Whole answers of a window. Wrong ones are answers: what they are worth is for the judge to say.
pub(crate) fn answers(window: &Window) -> u64 {
    window.all().checked()
}

/// However much a contender still has to do.
const LONGEST_BACKLOG: Duration = Duration::from_secs(30);

/// How long a contender may still work on requests of a window that got no answer in it.
pub(crate) fn backlog(window: &Window) -> Duration {
    let unanswered = window.all().timeout.saturating_add(window.connections.carried.into());
    time_for(unanswered, answers(window), window.loaded_ns())
}

/// Twice what so many requests take at a known pace.
fn time_for(unanswered: u64, answered: u64, lasted_ns: u64) -> Duration {
    if unanswered == 0 {
        return Duration::ZERO;
    }
    let ns = 2.0 * unanswered as f64 * lasted_ns as f64 / answered as f64;
    LONGEST_BACKLOG.min(Duration::from_nanos(ns as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backlog_is_worked_off_at_the_pace_seen() {
        // 46 of 241 in 4.8 s, as four threads left them that hold a tenth of a second each.
        let left = time_for(46, 195, 4_800_000_000);
        assert!((2.2..2.4).contains(&left.as_secs_f64()), "{left:?}");
        assert_eq!(time_for(0, 0, 1), Duration::ZERO);
        assert_eq!(time_for(1, 0, 1), LONGEST_BACKLOG, "no pace is known");
        assert_eq!(time_for(u64::MAX, 1, u64::MAX), LONGEST_BACKLOG);
    }
}
