//! Calls on one connection: HTTP/2 below, and what it tells of bodies and trailers read as messages and a status.

use std::rc::Rc;

use super::framing::{Accepts, PREFIX_BYTES, first};
use super::status::{GrpcStatus, STATUS_FIRST, is_grpc};
use crate::mix::{Drawn, Mix};
use crate::protocol::http2::{Http2, Shared};
use crate::protocol::{AtEnd, Events, Head, RequestId, Session, Then};
use crate::request::Protocol;

/// gRPC on one connection; `STREAMS`: an answer is a stream of messages, each of which is told of as it comes.
#[derive(Debug, Default)]
pub(crate) struct Grpc<const STREAMS: bool> {
    http2: Http2,
    takes_gzip: bool,
    /// How many messages a stream must have.
    wanted: Option<u64>,
    /// Of each request in flight, by its id: the messages of its answer so far.
    counts: Vec<u64>,
}

impl<const STREAMS: bool> Grpc<STREAMS> {
    #[inline]
    fn begin(&mut self, mix: &Mix, id: RequestId) {
        if let Protocol::Grpc(calls) = mix.protocol() {
            (self.takes_gzip, self.wanted) = (calls.takes_gzip, calls.messages);
        }
        if STREAMS {
            let at = id.0 as usize;
            if self.counts.len() <= at {
                self.counts.resize(at + 1, 0);
            }
            self.counts[at] = 0;
        }
    }

    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn held_bytes(&self) -> usize {
        self.http2.held_bytes()
    }
}

impl<const STREAMS: bool> Session for Grpc<STREAMS> {
    type Shared = Shared;

    const FILLS_UP_LATE: bool = Http2::FILLS_UP_LATE;

    fn reset(&mut self) {
        self.http2.reset();
    }

    fn open(&mut self, out: &mut Vec<u8>) {
        self.http2.open(out);
    }

    #[inline]
    fn takes_more(&self, most: usize) -> usize {
        self.http2.takes_more(most)
    }

    #[inline]
    fn bytes<'a>(&mut self, mix: &'a Mix, drawn: &Drawn, room: &'a mut Vec<u8>) -> (RequestId, &'a [u8]) {
        room.clear();
        (self.append(mix, drawn, room), room)
    }

    #[inline]
    fn append(&mut self, mix: &Mix, drawn: &Drawn, out: &mut Vec<u8>) -> RequestId {
        let id = self.http2.append(mix, drawn, out);
        self.begin(mix, id);
        id
    }

    fn receive(
        &mut self,
        bytes: &[u8],
        is_followed: bool,
        shared: &mut Shared,
        out: &mut Vec<u8>,
        events: &mut impl Events,
    ) -> Then {
        let accepts = Accepts { gzip: self.takes_gzip, message_bytes: shared.limits().body_bytes };
        let mut reading =
            Reading::<_, STREAMS> { events, accepts, wanted: self.wanted, counts: &mut self.counts };
        self.http2.receive(bytes, is_followed, shared, out, &mut reading)
    }

    fn oldest(&self) -> Option<RequestId> {
        self.http2.oldest()
    }

    fn has_begun(&self, id: RequestId) -> bool {
        self.http2.has_begun(id)
    }

    fn cancel(&mut self, id: RequestId, out: &mut Vec<u8>) -> bool {
        self.http2.cancel(id, out)
    }

    fn forget_oldest(&mut self) -> Option<RequestId> {
        self.http2.forget_oldest()
    }

    fn end_oldest(&mut self) -> Option<(RequestId, AtEnd<'_>)> {
        self.http2.end_oldest()
    }

    fn fewest_streams(shared: &Shared) -> Option<u32> {
        Http2::fewest_streams(shared)
    }
}

/// Takes what HTTP/2 tells of its streams, and tells of calls.
struct Reading<'a, E, const STREAMS: bool> {
    events: &'a mut E,
    accepts: Accepts,
    wanted: Option<u64>,
    counts: &'a mut [u64],
}

impl<E: Events, const STREAMS: bool> Reading<'_, E, STREAMS> {
    /// An answer that is not one message behind its prefix, with trailers.
    #[cold]
    #[inline(never)]
    fn unusual(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        let code = match GrpcStatus::of(head) {
            GrpcStatus::Code { code, .. } => code,
            GrpcStatus::Wrong(_) if is_grpc(head) && head.trailers.is_none() && !body.is_empty() => {
                return self.events.failed(id, NO_TRAILERS, body);
            }
            // Whoever checks the head says why.
            GrpcStatus::HttpError | GrpcStatus::Wrong(_) => return self.events.end(id, head, body),
        };
        if body.is_empty() {
            return match code {
                0 => self.events.failed(id, "grpc-status 0 and no message", body),
                _ => self.events.end(id, head, body),
            };
        }
        if head.trailers.is_none() {
            return self.events.failed(id, STATUS_FIRST, body);
        }
        match first(body, head, self.accepts) {
            Err(why) => self.events.failed(id, why, body),
            Ok(None) => self.events.failed(id, "a message that is shorter than its prefix says", body),
            Ok(Some((message, bytes))) if bytes == body.len() => self.events.end(id, head, &message),
            Ok(Some((_, bytes))) => {
                let why = match first(&body[bytes..], head, self.accepts) {
                    Ok(Some(_)) => "more than one message for a unary call",
                    Ok(None) | Err(_) => "bytes behind the message that are no message",
                };
                self.events.failed(id, why, body);
            }
        }
    }

    /// The end of a stream of messages, of which these bytes are left.
    fn end_of_stream(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        let mut left = Vec::new();
        if !body.is_empty() && head.status == 200 && is_grpc(head) {
            left.extend_from_slice(body);
            if let Err(why) = self.messages(id, head, &mut left) {
                return self.events.failed(id, why, body);
            }
        }
        let has_messages = self.count(id) > 0 || !left.is_empty();
        let status = GrpcStatus::of(head);
        match status {
            GrpcStatus::Wrong(_) if is_grpc(head) && head.trailers.is_none() && has_messages => {
                return self.events.failed(id, NO_TRAILERS, body);
            }
            // Whoever checks the head says why.
            GrpcStatus::HttpError | GrpcStatus::Wrong(_) => return self.events.end_of_messages(id, head),
            GrpcStatus::Code { .. } if head.trailers.is_none() && has_messages => {
                return self.events.failed(id, STATUS_FIRST, body);
            }
            GrpcStatus::Code { .. } => {}
        }
        if !left.is_empty() {
            return self.events.failed(id, "a stream that ends within a message", &left);
        }
        // A call that fails need not have sent all.
        let wanted = self.wanted.filter(|_| matches!(status, GrpcStatus::Code { code: 0, .. }));
        if wanted.is_some_and(|wanted| wanted != self.count(id)) {
            return self.events.failed(id, "another number of messages than expected", body);
        }
        self.events.end_of_messages(id, head);
    }

    /// How many messages of the answer have come.
    fn count(&self, id: RequestId) -> u64 {
        self.counts.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// Takes the whole messages among some bytes.
    fn messages(&mut self, id: RequestId, head: &Head, body: &mut Vec<u8>) -> Result<(), &'static str> {
        let mut taken = 0;
        while let Some((message, bytes)) = first(&body[taken..], head, self.accepts)? {
            if let Some(count) = self.counts.get_mut(id.0 as usize) {
                *count += 1;
                if *count == 1 {
                    self.events.first_byte(id);
                }
            }
            if !self.events.message(id, head, &message) {
                return Err("a message of the stream is not as expected");
            }
            taken += bytes;
        }
        body.drain(..taken);
        Ok(())
    }
}

const NO_TRAILERS: &str = "a message and no trailers, so that there is no grpc-status";

impl<E: Events, const STREAMS: bool> Events for Reading<'_, E, STREAMS> {
    const TAKES_CALLS: bool = !STREAMS;
    const TAKES_PARTS: bool = STREAMS;
    const MOST_BEFORE_PART: usize = PREFIX_BYTES;

    fn part(&mut self, id: RequestId, head: &Head, body: &mut Vec<u8>) -> Result<(), &'static str> {
        if head.status != 200 || !is_grpc(head) {
            // It will fail for its head.
            return Ok(());
        }
        self.messages(id, head, body)
    }

    #[inline]
    fn first_byte(&mut self, id: RequestId) {
        // Of a stream it is the first message that counts.
        if !STREAMS {
            self.events.first_byte(id);
        }
    }

    #[inline(always)]
    fn end(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        if STREAMS {
            return self.end_of_stream(id, head, body);
        }
        if let Some((prefix, message)) = body.split_first_chunk::<PREFIX_BYTES>()
            && let [0, length @ ..] = *prefix
            && u32::from_be_bytes(length) as usize == message.len()
            && head.trailers.is_some()
        {
            self.events.end(id, head, message);
        } else {
            self.unusual(id, head, body);
        }
    }

    fn spoilt(&mut self, id: RequestId, head: &Rc<Head>, behind: &[u8]) {
        self.events.spoilt(id, head, behind);
    }

    fn failed(&mut self, id: RequestId, why: &'static str, bytes: &[u8]) {
        self.events.failed(id, why, bytes);
    }

    fn refused(&mut self, id: RequestId) {
        self.events.refused(id);
    }

    fn left_out(&mut self, id: RequestId) {
        self.events.left_out(id);
    }

    fn reset(&mut self, id: RequestId, has_begun: bool, how: &'static str) {
        self.events.reset(id, has_begun, how);
    }

    fn unasked(&mut self, what: &'static str, bytes: &[u8]) {
        self.events.unasked(what, bytes);
    }
}
