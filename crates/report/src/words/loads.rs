//! A load alone: how far it came, and who sent it.

use velo_record::Outcomes;
use velo_stats::number::{decimals, percent, time_in_digits as time_ns};

use super::plural::plural;
use super::requests::classes;
use crate::number::count;

pub(super) fn interrupted(after_ns: u64, asked_ns: Option<u64>) -> String {
    let of = asked_ns.map_or_else(String::new, |asked| format!(" of {}", time_ns(asked as f64, 3)));
    format!("interrupted after {}{of}", time_ns(after_ns as f64, 3))
}

pub(super) fn gave_up(after_ns: u64, tried: u64, of: Option<u64>) -> String {
    let tried = match of {
        Some(most) => format!("{} of {}", count(tried), plural(most, "request", "requests")),
        None => plural(tried, "request", "requests"),
    };
    let lasted = time_ns(after_ns as f64, 3);
    format!("given up after {lasted}: no connection could be opened; {tried} tried")
}

pub(super) fn nothing_worked(answers: &Outcomes, outside: &Outcomes) -> String {
    if answers.failed() == 0 && outside.correct > 0 {
        return format!(
            "no correct answer came within the stretch, so it has no figures; {} came in warm-up or draining",
            count(outside.correct)
        );
    }
    let why = match (failed(answers), failed(outside)) {
        (failed, _) if !failed.is_empty() => failed,
        _ if answers.dropped > 0 => "every request was dropped".to_owned(),
        (_, outside) if !outside.is_empty() => {
            format!("no request of the counted stretch had an outcome; outside of it: {outside}")
        }
        _ => "no request had an outcome".to_owned(),
    };
    format!("no correct answer: {why}")
}

pub(super) fn warm_up(answers: &Outcomes) -> String {
    let failures = plural(answers.failed(), "failure", "failures");
    format!("the warm-up had {failures}, which are not counted: {}", failed_or_dropped(answers))
}

pub(super) fn drained(answers: &Outcomes) -> String {
    format!(
        "of the requests in flight at the end {} failed afterwards; a closed loop counts none of them: {}",
        count(answers.failed()),
        failed_or_dropped(answers)
    )
}

/// Wrong answers and failures by class.
fn failed(answers: &Outcomes) -> String {
    let wrong = (answers.wrong_answer > 0).then(|| format!("{} wrong", count(answers.wrong_answer)));
    let classes = Some(classes(answers)).filter(|classes| !classes.is_empty());
    wrong.into_iter().chain(classes).collect::<Vec<_>>().join(", ")
}

fn failed_or_dropped(answers: &Outcomes) -> String {
    Some(failed(answers))
        .filter(|failed| !failed.is_empty())
        .unwrap_or_else(|| format!("{} dropped", count(answers.dropped)))
}

pub(super) fn paused(longest_ns: u64, closed_loop: bool) -> String {
    let means = match closed_loop {
        false => "response times include that",
        true => "service times include that, and nothing was sent meanwhile",
    };
    format!("the generator was paused for {}; {means}", time_ns(longest_ns as f64, 3))
}

pub(super) fn throttled(cpus: f64, throttled: u64, periods: u64, held_ns: u64) -> String {
    format!(
        "the limit of {} CPUs on its control group held the generator back in {} of {} periods, {} in all: its pauses stand in the times as the server's",
        decimals(cpus, 2),
        count(throttled),
        count(periods),
        time_ns(held_ns as f64, 3)
    )
}

pub(super) fn generator_busy(share: f64, closed_loop: bool) -> String {
    let means = match closed_loop {
        false => "response times include its own delays",
        true => "the server may serve more",
    };
    format!("the generator was the limit: busy {}; {means}", percent(share))
}
