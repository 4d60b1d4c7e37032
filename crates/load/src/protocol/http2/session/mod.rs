mod broken;
mod calls;
mod data;
mod ends;
mod fields;
mod reading;
mod wishes;

use super::frame::{self, LARGEST_WINDOW, PREFACE, USUAL_WINDOW, code, setting};
use super::head::{HeadCache, Heads};
use super::sender::Sender;
use super::streams::{Streams, request};
use crate::mix::{Drawn, Mix};
use crate::protocol::session::{AtEnd, Events, Limits, RequestId, Session, Then};

/// HTTP/2 on one connection: a stream for each request, answers in any order.
#[derive(Debug, Default)]
pub(crate) struct Http2 {
    streams: Streams,
    sender: Sender,
    heads: Heads,
    /// What came of a frame that is not whole.
    held: Vec<u8>,
    /// The payload of DATA under way.
    data: Option<Data>,
    /// Fields under way, in more frames than one.
    block: Option<Block>,
    /// Bytes of DATA since the server's window was last opened.
    received: usize,
    /// The server has said how it wants to be talked to, as it must at first.
    has_settings: bool,
    /// How many streams it takes at once.
    most_streams: u32,
    /// It takes no more streams.
    is_ending: bool,
    /// Frames since the last that brought a request on.
    useless: u32,
    /// Bytes of DATA of closed streams since the last answer, less what may be on its way of those given up; below 0, more may come.
    unwanted: i64,
}

/// Payload of DATA that has not come yet.
#[derive(Debug)]
struct Data {
    /// The place of the stream; `None` where it is not looked at.
    at: Option<usize>,
    id: u32,
    left: usize,
    padding: usize,
    is_last: bool,
}

/// Fields whose last frame has not come yet.
#[derive(Debug)]
struct Block {
    stream: u32,
    is_last: bool,
    bytes: Vec<u8>,
    frames: u32,
}

/// What the connections of one worker share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    heads: HeadCache,
    limits: Limits,
    /// The fewest streams at once that a server has said to take.
    fewest_streams: Option<u32>,
}

impl Shared {
    /// How long answers may be.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }
}

impl From<Limits> for Shared {
    fn from(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }
}

/// What the server is told when so many bytes have come: windows are opened seldom, and are never near their end.
const WINDOW_STEP: usize = 1 << 30;

/// What is shared and spoken to while bytes are read.
struct Around<'a, E> {
    shared: &'a mut Shared,
    out: &'a mut Vec<u8>,
    events: &'a mut E,
}

impl Http2 {
    /// It takes no more streams, and none is open.
    #[inline]
    fn is_over(&self) -> bool {
        self.streams.len() == 0 && (self.is_ending || !self.streams.has_number())
    }

    /// How many streams may be open at once, as far as the server has said.
    #[inline]
    fn most_streams(&self, most: usize) -> usize {
        // The first request does not wait for the server to say so; others might be refused.
        let theirs = if self.has_settings { self.most_streams as usize } else { 1 };
        most.min(theirs)
    }

    #[cfg(test)]
    pub(in crate::protocol::http2) fn set_next_stream(&mut self, id: u32) {
        self.streams.set_next_id(id);
    }

    /// The bodies so far are dropped, so that a test can send more than memory holds.
    #[cfg(test)]
    pub(in crate::protocol::http2) fn forget_body(&mut self) {
        self.streams.iter_mut().for_each(|stream| stream.body.clear());
    }

    /// How many bytes it keeps of what the server has sent.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn held_bytes(&self) -> usize {
        let block = self.block.as_ref().map_or(0, |block| block.bytes.capacity());
        self.held.capacity() + block + self.streams.held_bytes()
    }
}

/// An answer to `HEAD`, or with a status that has no body (RFC 9110, 6.4.1).
#[inline]
fn has_no_body(is_head: bool, status: u16) -> bool {
    is_head || matches!(status, 204 | 304)
}

impl Session for Http2 {
    type Shared = Shared;

    const FILLS_UP_LATE: bool = false;

    fn reset(&mut self) {
        self.streams.reset();
        self.sender.reset();
        self.heads.reset();
        self.held.clear();
        (self.data, self.block) = (None, None);
        (self.received, self.useless, self.unwanted) = (0, 0, 0);
        (self.has_settings, self.is_ending) = (false, false);
    }

    fn open(&mut self, out: &mut Vec<u8>) {
        self.most_streams = u32::MAX;
        out.extend_from_slice(PREFACE);
        let settings = [(setting::ENABLE_PUSH, 0), (setting::INITIAL_WINDOW_SIZE, LARGEST_WINDOW as u32)];
        frame::settings(&settings, out);
        frame::window_update(0, (LARGEST_WINDOW - USUAL_WINDOW) as u32, out);
    }

    #[inline]
    fn takes_more(&self, most: usize) -> usize {
        if self.is_ending || !self.streams.has_number() {
            return 0;
        }
        self.most_streams(most).saturating_sub(self.streams.len())
    }

    #[inline]
    fn bytes<'a>(&mut self, mix: &'a Mix, drawn: &Drawn, room: &'a mut Vec<u8>) -> (RequestId, &'a [u8]) {
        room.clear();
        (self.append(mix, drawn, room), room)
    }

    #[inline]
    fn append(&mut self, mix: &Mix, drawn: &Drawn, out: &mut Vec<u8>) -> RequestId {
        request(self.sender.request(mix, drawn, &mut self.streams, out))
    }

    fn receive(
        &mut self,
        bytes: &[u8],
        _: bool,
        shared: &mut Shared,
        out: &mut Vec<u8>,
        events: &mut impl Events,
    ) -> Then {
        let was_ending = self.is_ending;
        let mut around = Around { shared, out, events };
        if let Err(broken) = self.read(bytes, &mut around) {
            self.broken(&broken, bytes, &mut around);
            return if broken.is_own_choice() { Then::IsGivenUp } else { Then::Breaks };
        }
        if self.is_over() {
            return Then::IsOver;
        }
        if self.is_ending && !was_ending { Then::Ends } else { Then::Goes }
    }

    fn oldest(&self) -> Option<RequestId> {
        self.streams.oldest().map(request)
    }

    fn has_begun(&self, id: RequestId) -> bool {
        self.streams.get(id.0 as usize).is_some_and(|stream| stream.has_begun)
    }

    fn cancel(&mut self, id: RequestId, out: &mut Vec<u8>) -> bool {
        let at = id.0 as usize;
        if let Some(stream) = self.streams.get(at) {
            frame::rst_stream(stream.id, code::CANCEL, out);
            self.give_up(at);
        }
        true
    }

    fn forget_oldest(&mut self) -> Option<RequestId> {
        let at = self.streams.oldest()?;
        self.streams.close(at);
        Some(request(at))
    }

    fn end_oldest(&mut self) -> Option<(RequestId, AtEnd<'_>)> {
        let at = self.streams.oldest()?;
        let has_begun = self.streams.get(at).is_some_and(|stream| stream.has_begun);
        self.streams.close(at);
        Some((request(at), if has_begun { AtEnd::Truncated } else { AtEnd::Nothing }))
    }

    fn fewest_streams(shared: &Shared) -> Option<u32> {
        shared.fewest_streams
    }
}
