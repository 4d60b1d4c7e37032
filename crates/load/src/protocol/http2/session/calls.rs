//! Calls of gRPC: answers that are a head, a message and trailers.

use std::rc::Rc;

use super::{Around, Http2, WINDOW_STEP};
use crate::protocol::http2::frame::{HEADER_BYTES, Header, USUAL_FRAME_BYTES, flag, kind};
use crate::protocol::http2::streams::Found;
use crate::protocol::session::Events;

impl Http2 {
    /// Takes a whole answer in three frames whose fields were seen before, which most answers to calls are; `None` where it is
    /// anything else. What is behind it.
    #[inline]
    pub(super) fn usual_call<'a, E: Events>(
        &mut self,
        input: &'a [u8],
        around: &mut Around<'_, E>,
    ) -> Option<&'a [u8]> {
        let (first, block, rest) = frame(input)?;
        if (first.kind, first.flags) != (kind::HEADERS, flag::END_HEADERS) || self.block.is_some() {
            return None;
        }
        let (data, bytes, rest) = frame(rest)?;
        let (last, behind, rest) = frame(rest)?;
        if (data.kind, data.flags) != (kind::DATA, 0)
            || (last.kind, last.flags) != (kind::HEADERS, flag::END_HEADERS | flag::END_STREAM)
            || data.stream != first.stream
            || last.stream != first.stream
            || data.length > around.shared.limits.body_bytes.min(USUAL_FRAME_BYTES)
            || data.length == 0
            || self.received >= WINDOW_STEP - USUAL_FRAME_BYTES
        {
            return None;
        }
        let Found::Open(at) = self.streams.find(first.stream) else { return None };
        let both = self.heads.seen_behind(behind, self.heads.seen(block)?)?;
        let stream = self.streams.get_mut(at)?;
        if stream.head.is_some() || both.length.is_some_and(|length| length != bytes.len()) {
            return None;
        }
        stream.head = Some(Rc::clone(both));
        self.received += bytes.len();
        self.finish(at, bytes, around);
        Some(rest)
    }
}

/// A whole frame that may be as long, and what is behind it.
#[inline]
fn frame(input: &[u8]) -> Option<(Header, &[u8], &[u8])> {
    let (first, rest) = input.split_first_chunk::<HEADER_BYTES>()?;
    let header = Header::read(first);
    if header.length > USUAL_FRAME_BYTES {
        return None;
    }
    let (payload, rest) = rest.split_at_checked(header.length)?;
    Some((header, payload, rest))
}
