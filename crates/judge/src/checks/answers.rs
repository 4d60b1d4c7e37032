//! What became of requests.

use velo_record::{Outcomes, Window};

/// Failures other than wrong answers above this share of all requests make a row unfit for ranking.
pub(crate) const FAILURES: f64 = 0.001;

/// Over windows of every kind, settling and draining included.
pub(crate) fn of(windows: &[&Window]) -> Outcomes {
    let mut all = Outcomes::default();
    for window in windows {
        let correct = window.outcomes.correct.saturating_add(window.correct_outside);
        all.add(&Outcomes { correct, ..window.outcomes.clone() });
    }
    all
}

/// The failures by class in words: `3 without an answer in time, 1 truncated`.
pub fn failures_in_words(outcomes: &Outcomes) -> String {
    let classes = [
        (outcomes.http_error, "with another status"),
        (outcomes.truncated, "truncated"),
        (outcomes.timeout, "without an answer in time"),
        (outcomes.connect_error, "without a connection"),
        (outcomes.closed_by_server, "closed by the server"),
    ];
    let seen: Vec<String> =
        classes.iter().filter(|(n, _)| *n > 0).map(|(n, class)| format!("{n} {class}")).collect();
    seen.join(", ")
}
