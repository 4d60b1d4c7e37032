use schemars::JsonSchema;
use serde::Serialize;
use velo_record::Window;

/// Failures other than wrong answers above this share of all requests make a row unfit for ranking.
pub(crate) const FAILURES: f64 = 0.001;

/// What became of requests, over windows of every kind, settling and draining included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answers {
    /// Checked and as expected.
    pub correct: u64,
    /// The expected status with another content type or body, or bytes that nobody asked for.
    pub wrong_answer: u64,
    /// Another status.
    pub http_error: u64,
    /// The connection ended inside an answer.
    pub truncated: u64,
    /// No whole answer in time.
    pub timeout: u64,
    /// No connection.
    pub connect_error: u64,
    /// The connection ended before any byte of the answer.
    pub closed_by_server: u64,
}

impl Answers {
    pub(crate) fn of(windows: &[&Window]) -> Self {
        let mut all = Self::default();
        for window in windows {
            let outcomes = &window.outcomes;
            all.add(&Self {
                correct: outcomes.correct.saturating_add(window.correct_outside),
                wrong_answer: outcomes.wrong_answer,
                http_error: outcomes.http_error,
                truncated: outcomes.truncated,
                timeout: outcomes.timeout,
                connect_error: outcomes.connect_error,
                closed_by_server: outcomes.closed_by_server,
            });
        }
        all
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (total, more) in [
            (&mut self.correct, other.correct),
            (&mut self.wrong_answer, other.wrong_answer),
            (&mut self.http_error, other.http_error),
            (&mut self.truncated, other.truncated),
            (&mut self.timeout, other.timeout),
            (&mut self.connect_error, other.connect_error),
            (&mut self.closed_by_server, other.closed_by_server),
        ] {
            *total = total.saturating_add(more);
        }
    }

    /// Answers that arrived whole: each was checked.
    pub fn checked(&self) -> u64 {
        self.correct.saturating_add(self.wrong_answer).saturating_add(self.http_error)
    }

    /// Requests that failed otherwise than by a wrong answer.
    pub fn failures(&self) -> u64 {
        let classes =
            [self.http_error, self.truncated, self.timeout, self.connect_error, self.closed_by_server];
        classes.into_iter().fold(0, u64::saturating_add)
    }

    /// All requests.
    pub fn requests(&self) -> u64 {
        self.correct.saturating_add(self.wrong_answer).saturating_add(self.failures())
    }

    pub(crate) fn share(&self, part: u64) -> Option<f64> {
        let all = self.requests();
        (all > 0).then(|| part as f64 / all as f64)
    }

    /// The failures by class in words: `3 timeout, 1 truncated`.
    pub fn failures_in_words(&self) -> String {
        let classes = [
            (self.http_error, "with another status"),
            (self.truncated, "truncated"),
            (self.timeout, "without an answer in time"),
            (self.connect_error, "without a connection"),
            (self.closed_by_server, "closed by the server"),
        ];
        let seen: Vec<String> =
            classes.iter().filter(|(n, _)| *n > 0).map(|(n, class)| format!("{n} {class}")).collect();
        seen.join(", ")
    }
}
