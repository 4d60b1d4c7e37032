//! Counts, rates, lists and settings inside sentences.

pub(crate) mod as_json;
pub(crate) mod load;
pub(crate) mod typed;

pub use load::schedule_words;

use velo_record::Outcomes;
use velo_stats::number::digits;
pub(crate) use velo_stats::number::{percent, percent_1};

/// `1 launch`, `5 launches`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// A rate: `5,001/s`.
pub fn rate(per_s: f64, precision: usize) -> String {
    format!("{}/s", digits(per_s, precision))
}

/// Names in a list that does not grow without bound: `1, 2, 3 and 61 more`.
pub fn list<T: std::fmt::Display>(items: &[T], at_most: usize) -> String {
    let shown: Vec<String> = items.iter().take(at_most).map(ToString::to_string).collect();
    match items.len().saturating_sub(at_most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The classes of failures that are no wrong answers, in words.
pub fn failure_classes(outcomes: &Outcomes) -> [(u64, &'static str); 6] {
    [
        (outcomes.http_error, "with an unexpected status"),
        (outcomes.truncated, "truncated"),
        (outcomes.timeout, "without an answer in time"),
        (outcomes.connect_error, "without a connection"),
        (outcomes.closed_by_server, "closed by the server"),
        (outcomes.refused, "refused by the server"),
    ]
}

/// The failures by class in words: `3 without an answer in time, 1 truncated`.
pub fn failures_in_words(outcomes: &Outcomes) -> String {
    let seen = failure_classes(outcomes).into_iter().filter(|(n, _)| *n > 0);
    seen.map(|(n, class)| format!("{n} {class}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end() {
        assert_eq!(list(&[1, 2], 3), "1, 2");
        assert_eq!(list(&[1, 2, 3, 4], 2), "1, 2 and 2 more");
        assert_eq!(count(1, "launch", "launches"), "1 launch");
        assert_eq!(count(0, "launch", "launches"), "0 launches");
    }
}
