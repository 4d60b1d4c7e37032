//! What a server did.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a server did, as it knows itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// Connections accepted.
    pub connections: u64,
    /// Requests read whole.
    pub requests: u64,
    /// Of these, those that were HTTP/1.0.
    pub http10_requests: u64,
    /// Requests answered whole and as asked.
    pub correct: u64,
    /// Answered whole with the wrong body.
    pub wrong_bodies: u64,
    /// Answered whole with another status than asked for.
    pub other_statuses: u64,
    /// Answered in part, before the connection ended or was reset.
    pub truncated: u64,
    /// Answered with bytes that are not HTTP.
    pub garbage: u64,
    /// Answered without end.
    pub endless: u64,
    /// Never answered, on a connection that stayed.
    pub unanswered: u64,
    /// Never answered: the connection ended instead.
    pub lost: u64,
    /// Read after the server had ended its side of the connection, so never answered.
    pub after_close: u64,
    /// The answer could not be sent, because the connection was gone.
    pub undelivered: u64,
    /// Bytes sent after an answer that no request asked for, counted by occasion.
    pub unasked: u64,
    /// Interim answers (1xx).
    pub interim: u64,
    /// Final answers that reached the end of their head, by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Connections that the server ended in order.
    pub closes: u64,
    /// Of these, those that ended after a whole answer without a word of it.
    pub unannounced: u64,
    /// Connections that the server reset.
    pub resets: u64,
    /// Times that the server died.
    pub outages: u64,
    /// Connections accepted since it was back.
    pub connections_since: u64,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Correct,
    WrongBody,
    OtherStatus,
    Truncated,
    Garbage,
    Endless,
    Unanswered,
    Lost,
    AfterClose,
    Undelivered,
}

impl Truth {
    pub(super) fn count(&mut self, fate: Fate) {
        *match fate {
            Fate::Correct => &mut self.correct,
            Fate::WrongBody => &mut self.wrong_bodies,
            Fate::OtherStatus => &mut self.other_statuses,
            Fate::Truncated => &mut self.truncated,
            Fate::Garbage => &mut self.garbage,
            Fate::Endless => &mut self.endless,
            Fate::Unanswered => &mut self.unanswered,
            Fate::Lost => &mut self.lost,
            Fate::AfterClose => &mut self.after_close,
            Fate::Undelivered => &mut self.undelivered,
        } += 1;
    }

    /// Requests whose fate is known: all that were read, once every connection has ended.
    pub fn accounted(&self) -> u64 {
        self.correct
            + self.wrong_bodies
            + self.other_statuses
            + self.truncated
            + self.garbage
            + self.endless
            + self.unanswered
            + self.lost
            + self.after_close
            + self.undelivered
    }

    /// Answers with a status in a range of codes.
    pub fn answers_with(&self, codes: std::ops::Range<u16>) -> u64 {
        self.statuses.range(codes).map(|(_, count)| count).sum()
    }
}
