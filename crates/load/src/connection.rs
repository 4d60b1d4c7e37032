use std::collections::VecDeque;

use crate::draws::Draws;
use crate::mix::Drawn;
use crate::protocol::http1::Reader;
use crate::recorder::CountedAnswer;
use crate::tls::TlsSession;

/// One connection and the requests on it.
#[derive(Default)]
pub(crate) struct Connection {
    pub(crate) state: State,
    /// Requests that were sent and are not answered, the oldest first.
    pub(crate) in_flight: VecDeque<InFlight>,
    /// Intended starts of requests that wait for this connection to open.
    pub(crate) assigned: VecDeque<u64>,
    /// Requests of a closed loop whose pause is not over.
    pub(crate) thinking: usize,
    pub(crate) reader: Reader,
    pub(crate) tls: Option<Box<TlsSession>>,
    /// When the first byte of the answer under way came; 0 before it did.
    pub(crate) first_byte_ns: u64,
    /// Requests sent on this socket.
    pub(crate) sent: u32,
    /// Requests sent by this connection in the window, which decides what comes next in order.
    pub(crate) turn: u32,
    /// No answer has come since the server was resumed: a close is its idle timer's.
    pub(crate) fresh: bool,
    /// It is in the list of those that can take a request.
    pub(crate) listed: bool,
    /// What the last answers drew.
    pub(crate) draws: Draws,
    /// What became of its last request on this socket that was answered whole.
    pub(crate) last: LastAnswer,
    /// Its last socket was closed because the server had said that it would.
    pub(crate) was_announced: bool,
    pub(crate) completions: u32,
    /// Failed attempts to connect in a row.
    attempts: u32,
}

/// What an answer was counted as, in case more comes behind it that nobody asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum LastAnswer {
    /// There was none in this window.
    #[default]
    None,
    Correct(CountedAnswer),
    Failed,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// No socket.
    #[default]
    Closed,
    /// No socket until then.
    Waiting { until_ns: u64 },
    /// A socket that is not connected yet.
    Connecting { since_ns: u64 },
    /// Connected; TLS is agreed upon.
    Handshaking { since_ns: u64 },
    /// Ready for requests, or with requests under way.
    Open,
    /// All that was to be sent was answered; the server is to close.
    Closing { since_ns: u64 },
}

/// A request on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InFlight {
    pub(crate) drawn: Drawn,
    /// The target's plan that it was drawn from.
    pub(crate) plan: u32,
    /// The request was sent in an earlier window.
    pub(crate) carried: bool,
    pub(crate) intended_ns: u64,
    pub(crate) sent_ns: u64,
}

/// A pause before a failed connection is tried again: the first is short, a dead server costs 20 tries a second.
const FIRST_PAUSE_NS: u64 = 1_000_000;
const LONGEST_PAUSE_NS: u64 = 50_000_000;

impl Connection {
    /// Forgets what belongs to a socket.
    pub(crate) fn reset(&mut self) {
        self.state = State::Closed;
        self.reader = Reader::default();
        self.tls = None;
        self.first_byte_ns = 0;
        self.sent = 0;
        self.draws = Draws::default();
        self.last = LastAnswer::None;
    }

    /// How long to leave a dead server alone, longer each time.
    pub(crate) fn pause(&mut self, now_ns: u64) {
        let pause_ns = (FIRST_PAUSE_NS << self.attempts.min(10)).min(LONGEST_PAUSE_NS);
        self.attempts = self.attempts.saturating_add(1);
        self.state = State::Waiting { until_ns: now_ns + pause_ns };
    }

    /// It works: the next failure is a first one.
    pub(crate) fn works(&mut self) {
        self.attempts = 0;
    }

    /// How many requests it has.
    pub(crate) fn under_way(&self) -> usize {
        self.in_flight.len() + self.assigned.len() + self.thinking
    }

    /// Its key can seal no further requests, so that the next ones need another connection.
    #[inline]
    pub(crate) fn is_worn_out(&self) -> bool {
        self.tls.as_ref().is_some_and(|session| session.is_worn_out())
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state == State::Open
    }
}
