use std::collections::VecDeque;

use super::head::HeadCache;
use super::reader::{Answer, Reader};
use crate::mix::{Drawn, Mix};
use crate::protocol::session::{AtEnd, Events, Limits, REQUEST_TIMEOUT, RequestId, Session, Then};

/// HTTP/1.1 on one connection: answers come in the order of their requests.
#[derive(Debug, Default)]
pub(crate) struct Http1 {
    reader: Reader,
    pipeline: Pipeline,
    /// The first byte of the answer under way has been told of.
    has_begun: bool,
}

/// Requests in flight, whose ids count up.
#[derive(Debug, Default)]
struct Pipeline {
    /// The request whose answer is under way or next.
    oldest: u32,
    /// The request that will be sent next.
    next: u32,
    /// Those in flight that are answered without a body (RFC 9110, 9.3.2), the oldest first.
    heads: VecDeque<u32>,
}

impl Pipeline {
    #[inline]
    fn push(&mut self, is_head: bool) -> RequestId {
        let id = self.next;
        if is_head {
            self.heads.push_back(id);
        }
        self.next = id.wrapping_add(1);
        RequestId(id)
    }

    /// The oldest, and whether it is answered without a body.
    #[inline]
    fn oldest(&self) -> Option<(RequestId, bool)> {
        (!self.is_empty()).then(|| (RequestId(self.oldest), self.heads.front() == Some(&self.oldest)))
    }

    #[inline]
    fn pop(&mut self, is_head: bool) {
        if is_head {
            self.heads.pop_front();
        }
        self.oldest = self.oldest.wrapping_add(1);
    }

    #[inline]
    fn len(&self) -> usize {
        self.next.wrapping_sub(self.oldest) as usize
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.oldest == self.next
    }
}

/// Whether bytes that no request asked for are the farewell of an idle timer ([`REQUEST_TIMEOUT`]). Some say it in HTTP/1.0.
#[cold]
#[inline(never)]
fn is_farewell(bytes: &[u8]) -> bool {
    let is_408 = bytes.starts_with(b"HTTP/1.1 408") || bytes.starts_with(b"HTTP/1.0 408");
    is_408 && matches!(bytes.get(12), None | Some(b' ' | b'\r'))
}

/// What stands behind no request's answer.
const UNASKED: &str = "bytes that no request asked for";

/// What the connections of one worker share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    heads: HeadCache,
    limits: Limits,
}

impl From<Limits> for Shared {
    fn from(limits: Limits) -> Self {
        Self { heads: HeadCache::default(), limits }
    }
}

impl Http1 {
    /// A request whose bytes are sent by the caller is in flight from now on.
    #[inline]
    pub(crate) fn expect(&mut self, is_head: bool) -> RequestId {
        self.pipeline.push(is_head)
    }
}

impl Session for Http1 {
    type Shared = Shared;

    fn reset(&mut self) {
        self.reader = Reader::default();
        self.pipeline.oldest = self.pipeline.next;
        self.pipeline.heads.clear();
        self.has_begun = false;
    }

    fn open(&mut self, _: &mut Vec<u8>) {}

    #[inline]
    fn takes_more(&self, most: usize) -> usize {
        most.saturating_sub(self.pipeline.len())
    }

    #[inline]
    fn bytes<'a>(&mut self, mix: &'a Mix, drawn: &Drawn, room: &'a mut Vec<u8>) -> (RequestId, &'a [u8]) {
        (self.expect(mix.is_head(drawn)), mix.bytes(drawn, room))
    }

    #[inline]
    fn append(&mut self, mix: &Mix, drawn: &Drawn, out: &mut Vec<u8>) -> RequestId {
        mix.append(drawn, out);
        self.expect(mix.is_head(drawn))
    }

    fn receive(
        &mut self,
        bytes: &[u8],
        is_followed: bool,
        shared: &mut Shared,
        _: &mut Vec<u8>,
        events: &mut impl Events,
    ) -> Then {
        let mut at = 0;
        while at < bytes.len() {
            let Some((id, is_head)) = self.pipeline.oldest() else {
                if is_farewell(&bytes[at..]) {
                    return Then::TimedOut;
                }
                events.unasked(UNASKED, &bytes[at..]);
                return Then::Breaks;
            };
            let (taken, answer) = self.reader.feed(
                &bytes[at..],
                is_head,
                events.keeps_bodies(),
                &mut shared.heads,
                &shared.limits,
            );
            at += taken;
            let (head, body, keeps_alive) = match answer {
                Answer::Incomplete => {
                    if !self.has_begun {
                        self.has_begun = true;
                        events.first_byte(id);
                    }
                    return Then::Goes;
                }
                Answer::Malformed(why) => {
                    self.pipeline.pop(is_head);
                    events.failed(id, why, bytes);
                    return Then::Breaks;
                }
                Answer::Whole { head, body, keeps_alive } => (head, body, keeps_alive),
            };
            if !keeps_alive && head.status == REQUEST_TIMEOUT && events.crossed_farewell(id) {
                return Then::TimedOut;
            }
            self.has_begun = false;
            self.pipeline.pop(is_head);
            if (at < bytes.len() || is_followed) && self.pipeline.is_empty() {
                let behind = &bytes[at..];
                if !is_farewell(behind) {
                    events.spoilt(id, &head, behind);
                    return Then::Breaks;
                }
            }
            events.end(id, &head, body);
            if !keeps_alive {
                while let Some(id) = self.forget_oldest() {
                    events.left_out(id);
                }
                return Then::Ends;
            }
        }
        Then::Goes
    }

    fn oldest(&self) -> Option<RequestId> {
        self.pipeline.oldest().map(|(id, _)| id)
    }

    fn has_begun(&self, id: RequestId) -> bool {
        self.oldest() == Some(id) && self.reader.has_begun()
    }

    /// What is asked is answered, in its turn.
    fn cancel(&mut self, _: RequestId, _: &mut Vec<u8>) -> bool {
        false
    }

    fn forget_oldest(&mut self) -> Option<RequestId> {
        let (id, is_head) = self.pipeline.oldest()?;
        self.pipeline.pop(is_head);
        Some(id)
    }

    fn end_oldest(&mut self) -> Option<(RequestId, AtEnd<'_>)> {
        let id = self.forget_oldest()?;
        Some((id, self.reader.at_end()))
    }
}
