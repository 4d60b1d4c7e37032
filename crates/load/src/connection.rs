use std::collections::VecDeque;

use crate::draws::Draws;
use crate::in_flight::InFlightTable;
use crate::protocol::Session;
use crate::recorder::CountedAnswer;
use crate::tls::TlsSession;

/// One connection and the requests on it.
#[derive(Default)]
pub(crate) struct Connection<S> {
    pub(crate) state: State,
    pub(crate) session: S,
    pub(crate) in_flight: InFlightTable,
    pub(crate) answered: Answered,
    /// Intended starts of requests that wait for this connection to open.
    pub(crate) assigned: VecDeque<u64>,
    /// Requests of a closed loop whose pause is not over.
    pub(crate) thinking: usize,
    pub(crate) tls: Option<Box<TlsSession>>,
    /// Requests sent on this socket.
    pub(crate) sent: u32,
    /// Requests sent by this connection in the window, which decides what comes next in order.
    pub(crate) turn: u32,
    /// It is in the list of those that can take a request.
    pub(crate) listed: bool,
    /// It has had a socket that was connected.
    pub(crate) was_connected: bool,
    /// Its last socket was closed because the server had said that it would.
    pub(crate) was_announced: bool,
    /// Failed attempts to connect in a row.
    attempts: u32,
}

/// What the answers on a connection told.
#[derive(Default)]
pub(crate) struct Answered {
    /// No answer has come since the server was resumed: a close is its idle timer's.
    pub(crate) fresh: bool,
    /// When its last request ended; before one did, when it was opened.
    pub(crate) quiet_since_ns: u64,
    /// What the last answers drew.
    pub(crate) draws: Draws,
    /// What became of its last request on this socket that was answered whole.
    pub(crate) last: LastAnswer,
    /// Correct answers within the window.
    pub(crate) completions: u32,
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

/// A pause before a failed connection is tried again: the first is short, a dead server costs 20 tries a second.
const FIRST_PAUSE_NS: u64 = 1_000_000;
const LONGEST_PAUSE_NS: u64 = 50_000_000;

impl<S: Session> Connection<S> {
    /// Forgets what belongs to a socket.
    pub(crate) fn reset(&mut self) {
        debug_assert!(self.in_flight.is_empty(), "what is in flight ends before its connection does");
        self.state = State::Closed;
        self.session.reset();
        self.tls = None;
        self.sent = 0;
        self.answered.draws = Draws::default();
        self.answered.last = LastAnswer::None;
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
