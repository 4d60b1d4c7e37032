//! What a server knows, in one form for all protocols.

use std::collections::BTreeMap;
use std::ops::Range;

/// What a server knows of the requests that it met, as far as reports are held against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The fault cannot be in the version of the protocol that all requests were in.
    pub is_not_applicable: bool,
    /// Connections accepted.
    pub connections: u64,
    /// Requests read whole.
    pub requests: u64,
    /// Answered as asked. Reports may call these successes, and no others.
    pub correct: u64,
    /// Failures that have to be told of: answers that were wrong, broken or cut, requests that were lost.
    pub broken: u64,
    /// Requests without an end of their answer, on a connection that stayed: failures that may be called timeouts.
    pub unanswered: u64,
    /// Of the broken answers, those that a client may not take for its answer, so that it waits in vain.
    pub overlooked: u64,
    /// Of the unanswered, those that were answered without end.
    pub endless: u64,
    /// The server stopped reading connections that went on: what it never read may have been sent, and waited in vain.
    pub is_deaf: bool,
    /// Times that more came than was asked for, which has to be told of somehow.
    pub unasked: u64,
    /// Requests that may be told of as failures, or not at all.
    pub unsure: u64,
    /// Answers with another status than asked for.
    pub other_statuses: u64,
    /// Answers that were sent whole, by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Answers whose status may have been seen, though it does not stand in [`Facts::statuses`].
    pub heads: u64,
    /// The statuses of successes.
    pub successes: Range<u16>,
    /// The statuses of errors; what is neither is a redirect.
    pub errors: Range<u16>,
    /// Something ended connections that clients had not asked to end.
    pub is_restless: bool,
    /// Times that the server died.
    pub outages: u64,
    /// Requests that may be under way at once.
    pub at_once: u64,
}

impl Facts {
    /// Answers with a status in a range of codes.
    pub fn answers_with(&self, codes: Range<u16>) -> u64 {
        self.statuses.range(codes).map(|(_, count)| count).sum()
    }

    /// Answers with statuses that are no successes, by status.
    pub fn other_answers(&self) -> impl Iterator<Item = (u16, u64)> {
        let others = self.statuses.iter().filter(|(status, _)| !self.successes.contains(status));
        others.map(|(&status, &count)| (status, count))
    }
}
