//! The border between the loop and a protocol: one connection's state, without its socket.

use std::rc::Rc;

use super::Head;
use crate::mix::{Drawn, Mix};

/// A request on one connection, from when it is rendered until it ends; another may have its id afterwards. Those in flight at
/// once are to be numbered close together: there is a place for each number between them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RequestId(pub(crate) u32);

/// The status with which a server may announce that it closes a connection for having been idle. A request that is under way then
/// was not looked at, and may be sent again (RFC 9110, 15.5.9).
pub(crate) const REQUEST_TIMEOUT: u16 = 408;

/// The longest that parts of an answer may be; what is longer is malformed, so that no server can fill the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Status line and headers, in bytes.
    pub head_bytes: usize,
    /// The body, in bytes.
    pub body_bytes: usize,
    /// Interim (1xx) answers before the answer.
    pub interim: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head_bytes: 64 * 1024, body_bytes: 1024 * 1024, interim: 8 }
    }
}

/// Why an answer over [`Limits::head_bytes`] is not read.
pub(crate) const HEAD_OVER_LIMIT: &str = "a head over the limit, which velo load's --limit-head sets";
/// Why one over [`Limits::body_bytes`] is not.
pub(crate) const BODY_OVER_LIMIT: &str = "a body over the limit, which velo load's --limit-body sets";

/// The protocol's state of one connection: requests by their ids in, bytes out; bytes in, events by id out.
pub(crate) trait Session: Default {
    /// What the sessions of one worker share.
    type Shared: From<Limits>;

    /// Requests in flight on a connection are filled up when half of them are answered, and not as soon as one is.
    const FILLS_UP_LATE: bool = true;

    /// Forgets everything: the connection gets another socket.
    fn reset(&mut self);

    /// The connection is ready: appends what goes out before any request.
    fn open(&mut self, out: &mut Vec<u8>);

    /// How many more requests it takes now, when at most so many are to be in flight.
    fn takes_more(&self, most: usize) -> usize;

    /// The bytes of a request, which is in flight from now on; `room` holds them when they have to be written anew.
    fn bytes<'a>(&mut self, mix: &'a Mix, drawn: &Drawn, room: &'a mut Vec<u8>) -> (RequestId, &'a [u8]);

    /// Appends the bytes of a request, which is in flight from now on.
    fn append(&mut self, mix: &Mix, drawn: &Drawn, out: &mut Vec<u8>) -> RequestId;

    /// Takes all of the bytes, tells what they amount to, and appends what the protocol itself says to them. `is_followed`:
    /// something came behind them that cannot be read.
    fn receive(
        &mut self,
        bytes: &[u8],
        is_followed: bool,
        shared: &mut Self::Shared,
        out: &mut Vec<u8>,
        events: &mut impl Events,
    ) -> Then;

    /// The request that has been in flight for longest.
    fn oldest(&self) -> Option<RequestId>;

    /// Whether a part of the answer to a request in flight has come.
    fn has_begun(&self, id: RequestId) -> bool;

    /// Gives up one request in flight and appends what the server must be told. Says whether it could; where it cannot, the
    /// connection is of no use any more.
    fn cancel(&mut self, id: RequestId, out: &mut Vec<u8>) -> bool;

    /// Gives up the request that has been in flight for longest, on a connection that is of no use any more.
    fn forget_oldest(&mut self) -> Option<RequestId>;

    /// The connection has ended: what that means for the request that has been in flight for longest, which no longer is.
    fn end_oldest(&mut self) -> Option<(RequestId, AtEnd<'_>)>;

    /// The fewest requests at once on a connection that a server has said to take.
    fn fewest_streams(_: &Self::Shared) -> Option<u32> {
        None
    }
}

/// Takes what a session tells of its requests.
pub(crate) trait Events {
    /// Answers are those of calls: a head, a message and trailers.
    const TAKES_CALLS: bool = false;
    /// Bodies are handed over as they come, to [`Self::part`].
    const TAKES_PARTS: bool = false;
    /// What is left of a body when parts were taken may be this much longer than the limit of bodies, in bytes.
    const MOST_BEFORE_PART: usize = 0;

    /// Whether the bytes of whole bodies are wanted. Else a body that comes in pieces is only
    /// counted, and what is handed over as its bytes means nothing.
    fn keeps_bodies(&self) -> bool {
        true
    }

    /// More of the body of an answer has come: what is taken of it is removed.
    ///
    /// # Errors
    /// When it is no answer; why. Then the request fails.
    fn part(&mut self, _: RequestId, _: &Head, _: &mut Vec<u8>) -> Result<(), &'static str> {
        Ok(())
    }

    /// A whole message of a stream of them has come. Says whether it is as expected; else the request fails.
    fn message(&mut self, _: RequestId, _: &Head, _: &[u8]) -> bool {
        true
    }

    /// A stream of messages has ended with its fields whole; the request is not in flight any more.
    fn end_of_messages(&mut self, id: RequestId, head: &Rc<Head>) {
        self.end(id, head, &[]);
    }

    /// The first byte of the answer to a request has come, and the rest of it has not: one that comes whole has its end only.
    fn first_byte(&mut self, id: RequestId);

    /// The answer to a request is whole; the request is not in flight any more.
    fn end(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]);

    /// The same, but behind it come these bytes, or what cannot be read, that no request asked for.
    fn spoilt(&mut self, id: RequestId, head: &Rc<Head>, behind: &[u8]);

    /// What came for a request is no answer: why, and in which bytes. The request is not in flight any more.
    fn failed(&mut self, id: RequestId, why: &'static str, bytes: &[u8]);

    /// The server has said that it has not looked at a request and will not; the request is not in flight any more.
    fn refused(&mut self, id: RequestId);

    /// The server has said that the connection ends with the answer to a request before this one, which is not in flight any
    /// more. Whether it has looked at it is not known.
    fn left_out(&mut self, id: RequestId);

    /// The server has ended one request, of whose answer a part had come or not, and nothing else on the connection; how it said
    /// so. The request is not in flight any more.
    fn reset(&mut self, id: RequestId, has_begun: bool, how: &'static str);

    /// Bytes came that no request asked for; what they are.
    fn unasked(&mut self, what: &'static str, bytes: &[u8]);

    /// Whether an answer of 408 to a request in flight, with which its connection ends, is the farewell of an idle timer that crossed
    /// with the request, and says nothing of it ([`REQUEST_TIMEOUT`]).
    fn crossed_farewell(&self, _: RequestId) -> bool {
        false
    }
}

/// What becomes of a connection whose bytes were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    Goes,
    /// It takes no more requests, and the server is to close it once those in flight are answered.
    Ends,
    /// It takes no more requests, and all are answered: it is to be closed.
    IsOver,
    /// It is of no use any more, by what the server sent: nothing in flight is answered.
    Breaks,
    /// The same, by a limit of this side's own.
    IsGivenUp,
    /// The server has said that it closes it for having been idle, which is its end.
    TimedOut,
}

/// What the end of the connection means for a request in flight.
#[derive(Debug)]
pub(crate) enum AtEnd<'a> {
    /// No byte of its answer had come.
    Nothing,
    /// An answer that lasts until the connection ends is whole.
    Whole { head: Rc<Head>, body: &'a [u8] },
    /// Its answer was cut short.
    Truncated,
}
