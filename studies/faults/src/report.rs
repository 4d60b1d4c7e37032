//! What a load generator says at its end.

use std::ops::Range;

/// Answers that a report lists by their status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The status codes that are counted together.
    pub codes: Range<u16>,
    /// How many.
    pub count: u64,
}

/// What a load generator says at its end, in one form for all of them. No request is in two of these counts, except
/// that [`Report::listed`] may tell of the successes too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Requests that it calls successes, or shows as 2xx without any word of failure.
    pub succeeded: u64,
    /// Answers with other statuses, that it shows as such.
    pub other_statuses: u64,
    /// Failures that it calls timeouts.
    pub timeouts: u64,
    /// Failures to connect.
    pub connect_errors: u64,
    /// Failures of any other kind that it names.
    pub broken: u64,
    /// Failures whose kind it does not name.
    pub unnamed: u64,
    /// Its answers by status, as far as it lists them.
    pub listed: Vec<Listed>,
}

impl Report {
    /// Failures other than by status.
    pub fn failed(&self) -> u64 {
        self.timeouts + self.connect_errors + self.broken + self.unnamed
    }

    /// All requests that it speaks of.
    pub fn total(&self) -> u64 {
        self.succeeded + self.other_statuses + self.failed()
    }

    /// Sorts a failure by the words of its message.
    pub(super) fn add_error(&mut self, words: &str, count: u64) {
        let words = words.to_ascii_lowercase();
        let says = |any: &[&str]| any.iter().any(|word| words.contains(word));
        if says(&["connection refused", "tcp connect"]) {
            self.connect_errors += count;
        } else if says(&["timeout", "timed out", "deadline"]) {
            self.timeouts += count;
        } else {
            self.broken += count;
        }
    }
}
