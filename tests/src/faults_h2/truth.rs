//! What a server did.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a server did, as it knows itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// Connections accepted.
    pub connections: u64,
    /// Of these, those that did not begin with the preface of HTTP/2.
    pub other_protocols: u64,
    /// Requests whose head was read.
    pub begun: u64,
    /// Of these, those that were read whole.
    pub requests: u64,
    /// Requests answered whole and as asked.
    pub correct: u64,
    /// Answered whole with the wrong body, or in gRPC with the wrong message.
    pub wrong_bodies: u64,
    /// Answered whole with another status than asked for, that of HTTP or that of gRPC.
    pub other_statuses: u64,
    /// Answered with bytes that break the rules.
    pub malformed: u64,
    /// Answered as asked, and with something beside it that breaks the rules: whether that spoils the answer is the
    /// client's to say.
    pub doubtful: u64,
    /// Answered in part, before the stream or the connection ended.
    pub truncated: u64,
    /// Answered without end.
    pub endless: u64,
    /// Read whole and never answered, or not to the end, on a connection that stayed.
    pub unanswered: u64,
    /// Never answered: the connection ended instead.
    pub lost: u64,
    /// Never answered: the stream was reset instead.
    pub reset: u64,
    /// Never answered: the server said that it had not looked at it.
    pub refused: u64,
    /// Read after the server had ended its side of the connection, so never answered.
    pub after_close: u64,
    /// The answer could not be sent, because the connection was gone.
    pub undelivered: u64,
    /// Final statuses of HTTP that were sent whole, by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Bytes of bodies that were read, padding included.
    pub body_bytes: u64,
    /// Interim answers (1xx).
    pub interim: u64,
    /// Connections that the server ended.
    pub closes: u64,
    /// Requests that came while the client knew that it had too many.
    pub over_limit: u64,
    /// Frames of bodies that the client's windows did not allow.
    pub window_violations: u64,
    /// Settings that the client confirmed.
    pub settings_acks: u64,
    /// Pings that the client answered.
    pub pongs: u64,
    /// GOAWAY that clients sent, by error code.
    pub client_go_aways: BTreeMap<u32, u64>,
    /// RST_STREAM that clients sent, by error code.
    pub client_resets: BTreeMap<u32, u64>,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Correct,
    WrongBody,
    OtherStatus,
    Malformed,
    Doubtful,
    Truncated,
    Endless,
    Unanswered,
    Lost,
    Reset,
    Refused,
    AfterClose,
    Undelivered,
}

impl Truth {
    pub(super) fn count(&mut self, fate: Fate) {
        *match fate {
            Fate::Correct => &mut self.correct,
            Fate::WrongBody => &mut self.wrong_bodies,
            Fate::OtherStatus => &mut self.other_statuses,
            Fate::Malformed => &mut self.malformed,
            Fate::Doubtful => &mut self.doubtful,
            Fate::Truncated => &mut self.truncated,
            Fate::Endless => &mut self.endless,
            Fate::Unanswered => &mut self.unanswered,
            Fate::Lost => &mut self.lost,
            Fate::Reset => &mut self.reset,
            Fate::Refused => &mut self.refused,
            Fate::AfterClose => &mut self.after_close,
            Fate::Undelivered => &mut self.undelivered,
        } += 1;
    }

    /// Requests whose fate is known: all that were read whole, once every connection has ended.
    pub fn accounted(&self) -> u64 {
        self.correct
            + self.wrong_bodies
            + self.other_statuses
            + self.malformed
            + self.doubtful
            + self.truncated
            + self.endless
            + self.unanswered
            + self.lost
            + self.reset
            + self.refused
            + self.after_close
            + self.undelivered
    }

    /// Requests whose body never came to its end.
    pub fn unfinished(&self) -> u64 {
        self.begun - self.requests
    }
}
