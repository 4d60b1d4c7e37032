use serde::{Deserialize, Serialize};

/// Outcomes by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcomes {
    /// Everything as expected.
    pub correct: u64,
    /// The expected status, but another header or body; also bytes that nobody asked for, a malformed or an over-long
    /// answer.
    pub wrong_answer: u64,
    /// Another status than expected.
    pub http_error: u64,
    /// The connection ended inside an answer.
    pub truncated: u64,
    /// No whole answer in time.
    pub timeout: u64,
    /// No connection.
    pub connect_error: u64,
    /// The connection ended after the request was sent and before any byte of its answer.
    pub closed_by_server: u64,
    /// The server said before any byte of an answer that it had not looked at the request and would not: in HTTP/2 and gRPC
    /// REFUSED_STREAM, or GOAWAY with a smaller number. A connection that is refused is a `connect_error`.
    // Files of before have no such class: what was refused then is under `closed_by_server`.
    #[serde(default)]
    pub refused: u64,
    /// Due, but never sent: dropped by the generator.
    pub dropped: u64,
}

// All sums saturate, because the counts may come from a file that somebody made up.
impl Outcomes {
    /// Everything but correct.
    pub fn failed(&self) -> u64 {
        self.failures().saturating_add(self.wrong_answer).saturating_add(self.dropped)
    }

    /// Requests that were sent and failed otherwise than by a wrong answer.
    pub fn failures(&self) -> u64 {
        let classes = [
            self.http_error,
            self.truncated,
            self.timeout,
            self.connect_error,
            self.closed_by_server,
            self.refused,
        ];
        classes.into_iter().fold(0, u64::saturating_add)
    }

    /// Answers that arrived whole: each was checked.
    pub fn checked(&self) -> u64 {
        self.correct.saturating_add(self.wrong_answer).saturating_add(self.http_error)
    }

    /// All requests that were sent.
    pub fn requests(&self) -> u64 {
        self.correct.saturating_add(self.wrong_answer).saturating_add(self.failures())
    }

    /// A part of the requests that were sent; `None` when there were none.
    pub fn share(&self, part: u64) -> Option<f64> {
        let all = self.requests();
        (all > 0).then(|| part as f64 / all as f64)
    }

    /// Adds those of other requests.
    pub fn add(&mut self, other: &Self) {
        for (total, more) in [
            (&mut self.correct, other.correct),
            (&mut self.wrong_answer, other.wrong_answer),
            (&mut self.http_error, other.http_error),
            (&mut self.truncated, other.truncated),
            (&mut self.timeout, other.timeout),
            (&mut self.connect_error, other.connect_error),
            (&mut self.closed_by_server, other.closed_by_server),
            (&mut self.refused, other.refused),
            (&mut self.dropped, other.dropped),
        ] {
            *total = total.saturating_add(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_has_failed_but_was_not_sent() {
        let mut all = Outcomes { correct: 5, wrong_answer: 1, timeout: 2, dropped: 3, ..Outcomes::default() };
        assert_eq!((all.failed(), all.failures(), all.requests(), all.checked()), (6, 2, 8, 6));
        assert_eq!(all.share(all.failures()), Some(0.25));
        assert_eq!(Outcomes { refused: 2, ..Outcomes::default() }.failures(), 2, "no answer came");
        assert_eq!(Outcomes { dropped: 3, ..Outcomes::default() }.share(0), None);
        all.add(&Outcomes { timeout: u64::MAX, refused: 7, dropped: 1, ..Outcomes::default() });
        assert_eq!((all.timeout, all.refused, all.dropped, all.failed()), (u64::MAX, 7, 4, u64::MAX));
    }
}
