//! What became of requests, and how well their times are known.

use velo_judge::samples_needed_by;
use velo_judge::words::failure_classes;
use velo_record::Outcomes;
use velo_stats::number::percent;

use super::plural::plural;
use crate::number::count;

pub(super) fn wrong_answers(answers: u64, share: f64) -> String {
    format!("{} ({} of all)", plural(answers, "wrong answer", "wrong answers"), percent(share))
}

pub(super) fn failures(share: f64, answers: &Outcomes) -> String {
    format!("{} of the requests failed and are in no percentile: {}", percent(share), classes(answers))
}

/// Failures by class, without wrong answers and what was dropped: `3 without an answer in time, 1 truncated`.
pub(super) fn classes(answers: &Outcomes) -> String {
    let seen = failure_classes(answers).into_iter().filter(|(n, _)| *n > 0);
    seen.map(|(n, class)| format!("{} {class}", count(n))).collect::<Vec<_>>().join(", ")
}

/// `time` is what the percentiles are of.
pub(super) fn samples(time: &str, percentiles: &[String]) -> String {
    let needs = |name: &String| match samples_needed_by(name) {
        Some(needed) => format!("{name} (needs {})", count(needed)),
        None => name.clone(),
    };
    let percentiles: Vec<String> = percentiles.iter().map(needs).collect();
    format!("not enough samples of {time} for {}", percentiles.join(", "))
}

pub(super) fn unreadable(windows: u32) -> String {
    let windows = plural(windows.into(), "window", "windows");
    format!("the service times of {windows} cannot be read and are missing from the percentiles")
}
