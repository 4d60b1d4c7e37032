//! What became of requests.

use velo_record::{Outcomes, Window};

use super::finding::{Finding, StatedRate};
use super::verdict::{Check, Kind, Verdict};

/// Failures other than wrong answers above this share of all requests make a row unfit for ranking.
pub(crate) const FAILURES: f64 = 0.001;

/// Over windows of every kind, settling and draining included.
pub(crate) fn of(windows: &[&Window]) -> Outcomes {
    let mut all = Outcomes::default();
    for window in windows {
        all.add(&window.all());
    }
    all
}

/// That answers were wrong, of so many requests.
pub(crate) fn wrong(answers: &Outcomes, requests: u64) -> Option<Verdict> {
    let wrong = answers.wrong_answer;
    let share = share(wrong, requests)?;
    let finding = Finding::WrongAnswers { answers: wrong, share };
    Some(Verdict::new(Kind::Error, Check::Correctness, finding).of(share, 0.0))
}

/// That some of so many requests failed otherwise; at a stated rate that may be too high they are no more than a warning.
pub(crate) fn failures(answers: Outcomes, requests: u64, at: Option<StatedRate>) -> Option<Verdict> {
    let share = share(answers.failures(), requests)?;
    let (kind, finding) = match at {
        Some(at) => (Kind::Warning, Finding::FailuresAtRate { at, share, answers }),
        None if share > FAILURES => (Kind::Error, Finding::Failures { share, answers }),
        None => (Kind::Warning, Finding::Failures { share, answers }),
    };
    Some(Verdict::new(kind, Check::Failures, finding).of(share, FAILURES))
}

/// `None` where there is nothing to be told.
fn share(part: u64, requests: u64) -> Option<f64> {
    (part > 0 && requests > 0).then(|| part as f64 / requests as f64)
}
