//! What became of requests, and how well their times are known.

use velo_judge::failures_in_words;
use velo_record::Outcomes;
use velo_stats::number::percent;

use super::plural::plural;

pub(super) fn wrong_answers(answers: u64, share: f64) -> String {
    format!("{} ({} of all)", plural(answers, "wrong answer", "wrong answers"), percent(share))
}

pub(super) fn failures(share: f64, answers: &Outcomes) -> String {
    format!("{} of the requests failed: {}", percent(share), failures_in_words(answers))
}

pub(super) fn samples(percentiles: &[String]) -> String {
    format!("not enough samples for {} of service time", percentiles.join(", "))
}

pub(super) fn unreadable(windows: u32) -> String {
    let windows = plural(windows.into(), "window", "windows");
    format!("the service times of {windows} cannot be read and are missing from the percentiles")
}
