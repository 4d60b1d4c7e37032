//! Bytes in, frames out.

use super::broken::Broken;
use super::{Around, Http2, WINDOW_STEP, has_no_body};
use crate::protocol::http2::frame::{
    self, HEADER_BYTES, Header, PRIORITY_BYTES, USUAL_FRAME_BYTES, code, flag, kind,
};
use crate::protocol::http2::streams::{Found, request};
use crate::protocol::session::Events;

/// So many frames in a row may bring no request on.
const MOST_USELESS: u32 = 10_000;

impl Http2 {
    /// Reads what has come and keeps what is not whole.
    pub(super) fn read<E: Events>(
        &mut self,
        mut input: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        loop {
            if let Some(data) = self.data.take() {
                input = self.data(data, input, around)?;
            }
            // Behind the end nothing is looked at, so that it does not matter what was read together.
            if input.is_empty() || self.is_over() {
                return Ok(());
            }
            if !self.held.is_empty() {
                let needed = self.needed(&self.held)?;
                let more = input.len().min(needed - self.held.len());
                self.held.extend_from_slice(&input[..more]);
                input = &input[more..];
                if self.held.len() < self.needed(&self.held)? {
                    self.held_begins(around);
                    continue;
                }
                let held = std::mem::take(&mut self.held);
                self.held_frame(&held, around)?;
                self.held = held;
                self.held.clear();
                continue;
            }
            if E::TAKES_CALLS {
                if let Some(rest) = self.usual_call(input, around) {
                    input = rest;
                    continue;
                }
            } else if let Some(rest) = self.usual_body(input, around) {
                input = rest;
                continue;
            }
            let needed = self.needed(input)?;
            if input.len() < needed {
                self.hold(input, around);
                return Ok(());
            }
            self.frame(&input[..needed], around)?;
            input = &input[needed..];
        }
    }

    /// Takes a whole body in one frame, which most bodies are; `None` where it is anything else. What is behind it.
    #[inline]
    fn usual_body<'a, E: Events>(&mut self, input: &'a [u8], around: &mut Around<'_, E>) -> Option<&'a [u8]> {
        if E::TAKES_PARTS {
            return None;
        }
        let (first, rest) = input.split_first_chunk::<HEADER_BYTES>()?;
        let header = Header::read(first);
        if (header.kind, header.flags) != (kind::DATA, flag::END_STREAM)
            || header.length > around.shared.limits.body_bytes.min(USUAL_FRAME_BYTES)
            || self.block.is_some()
            || self.received >= WINDOW_STEP - USUAL_FRAME_BYTES
        {
            return None;
        }
        let (bytes, rest) = rest.split_at_checked(header.length)?;
        let Found::Open(at) = self.streams.find(header.stream) else { return None };
        let stream = self.streams.get(at)?;
        let head = stream.head.as_ref()?;
        if stream.body.len() > 0
            || head.length.is_some_and(|length| length != bytes.len())
            || has_no_body(stream.is_head, head.head.status)
        {
            return None;
        }
        self.received += bytes.len();
        self.finish(at, bytes, around);
        Some(rest)
    }

    /// How many bytes of a frame have to be there before it is looked at: of DATA those before its payload.
    #[inline]
    fn needed(&self, frame: &[u8]) -> Result<usize, Broken> {
        let Some(first) = frame.first_chunk::<HEADER_BYTES>() else { return Ok(HEADER_BYTES) };
        let header = Header::read(first);
        if !self.has_settings {
            check_preface(first, &header)?;
        }
        if header.length > USUAL_FRAME_BYTES {
            return Err(Broken::new(code::FRAME_SIZE_ERROR, "a frame larger than was allowed"));
        }
        let rest = match header.kind {
            kind::DATA => usize::from(header.has(flag::PADDED) && header.length > 0),
            _ => header.length,
        };
        Ok(HEADER_BYTES + rest)
    }

    #[cold]
    fn hold<E: Events>(&mut self, input: &[u8], around: &mut Around<'_, E>) {
        self.held.extend_from_slice(input);
        self.held_begins(around);
    }

    /// A part of an answer has come, if only a part of a frame.
    #[cold]
    fn held_begins<E: Events>(&mut self, around: &mut Around<'_, E>) {
        let Some(first) = self.held.first_chunk::<HEADER_BYTES>() else { return };
        let header = Header::read(first);
        if header.kind == kind::HEADERS
            && self.block.is_none()
            && let Found::Open(at) = self.streams.find(header.stream)
        {
            self.begins(at, around);
        }
    }

    #[inline(always)]
    pub(super) fn begins<E: Events>(&mut self, at: usize, around: &mut Around<'_, E>) {
        if let Some(stream) = self.streams.get_mut(at)
            && !stream.has_begun
        {
            stream.has_begun = true;
            around.events.first_byte(request(at));
        }
    }

    /// Takes a frame; of DATA what stands before its payload.
    // Here and in what it calls: left to itself the compiler calls what stands in another file, which costs 60 instructions a request.
    #[inline(always)]
    fn frame<E: Events>(&mut self, frame: &[u8], around: &mut Around<'_, E>) -> Result<(), Broken> {
        let Some((first, payload)) = frame.split_first_chunk::<HEADER_BYTES>() else { return Ok(()) };
        let header = Header::read(first);
        if self.block.is_some() && header.kind != kind::CONTINUATION {
            return Err(Broken::protocol("another frame in the middle of fields"));
        }
        match header.kind {
            kind::DATA => self.begin_data(&header, payload, around),
            kind::HEADERS => self.headers(&header, payload, around),
            _ => self.other_frame(&header, payload, around),
        }
    }

    /// Takes a frame that came in pieces: out of the way of the others.
    #[inline(never)]
    fn held_frame<E: Events>(&mut self, frame: &[u8], around: &mut Around<'_, E>) -> Result<(), Broken> {
        self.frame(frame, around)
    }

    #[inline(never)]
    fn other_frame<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        match header.kind {
            kind::CONTINUATION => return self.continuation(header, payload, around),
            kind::SETTINGS => {
                self.settings(header, payload, around)?;
                self.counts_as_useless("SETTINGS without end")?;
            }
            kind::PING => {
                if header.stream != 0 {
                    return Err(Broken::protocol("PING on a stream"));
                }
                if payload.len() != 8 {
                    return Err(Broken::new(code::FRAME_SIZE_ERROR, "PING that has not 8 bytes"));
                }
                self.counts_as_useless("PING without end")?;
                if !header.has(flag::ACK) {
                    frame::ping_ack(payload, around.out);
                }
            }
            kind::WINDOW_UPDATE => self.window_update(header, payload, around)?,
            kind::RST_STREAM => self.rst_stream(header, payload, around)?,
            kind::GOAWAY => self.goaway(header, payload, around)?,
            kind::PUSH_PROMISE => return Err(Broken::protocol("PUSH_PROMISE, which was forbidden")),
            kind::PRIORITY => self.priority(header, payload, around)?,
            _ => self.counts_as_useless("frames of unknown types without end")?,
        }
        Ok(())
    }

    /// What it says is not heeded (RFC 9113, 5.3.2); its length is (6.3).
    fn priority<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        const WRONG_LENGTH: &str = "PRIORITY that has not 5 bytes";
        if header.stream == 0 {
            return Err(Broken::protocol("PRIORITY on no stream"));
        }
        self.counts_as_useless("PRIORITY without end")?;
        if payload.len() != PRIORITY_BYTES {
            match self.streams.find(header.stream) {
                Found::Open(at) => self.fail(at, code::FRAME_SIZE_ERROR, WRONG_LENGTH, payload, around),
                Found::Closed => {}
                Found::NeverOpened => return Err(Broken::new(code::FRAME_SIZE_ERROR, WRONG_LENGTH)),
            }
        }
        Ok(())
    }

    pub(super) fn counts_as_useless(&mut self, why: &'static str) -> Result<(), Broken> {
        self.useless += 1;
        if self.useless > MOST_USELESS {
            return Err(Broken::new(code::ENHANCE_YOUR_CALM, why));
        }
        Ok(())
    }
}

/// The first frame of a server (RFC 9113, 3.4).
#[cold]
fn check_preface(first: &[u8; HEADER_BYTES], header: &Header) -> Result<(), Broken> {
    if first.starts_with(b"HTTP/") {
        return Err(Broken::protocol("the server answers with HTTP/1 and does not speak HTTP/2 here"));
    }
    if header.kind != kind::SETTINGS || header.has(flag::ACK) {
        return Err(Broken::protocol("the server does not begin with SETTINGS, as HTTP/2 does"));
    }
    Ok(())
}
