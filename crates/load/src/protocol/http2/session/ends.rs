//! What ends streams and connections before their time.

use super::broken::Broken;
use super::{Around, Http2};
use crate::protocol::http2::frame::{self, Header, code};
use crate::protocol::http2::streams::{Found, request};
use crate::protocol::session::Events;

impl Http2 {
    /// What came on a stream is no answer, and the server is told to send no more of it.
    #[cold]
    pub(super) fn fail<E: Events>(
        &mut self,
        at: usize,
        code: u32,
        why: &'static str,
        bytes: &[u8],
        around: &mut Around<'_, E>,
    ) {
        self.fail_with(at, Some(code), why, bytes, around);
    }

    /// The same; without a code the server has nothing more to send.
    #[cold]
    pub(super) fn fail_with<E: Events>(
        &mut self,
        at: usize,
        code: Option<u32>,
        why: &'static str,
        bytes: &[u8],
        around: &mut Around<'_, E>,
    ) {
        let Some(stream) = self.streams.get(at) else { return };
        if let Some(code) = code.or(stream.unsent.is_some().then_some(code::CANCEL)) {
            frame::rst_stream(stream.id, code, around.out);
        }
        self.give_up(at);
        around.events.failed(request(at), why, bytes);
    }

    pub(super) fn rst_stream<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let Ok(code) = payload.try_into().map(u32::from_be_bytes) else {
            return Err(Broken::new(code::FRAME_SIZE_ERROR, "RST_STREAM that has not 4 bytes"));
        };
        match self.streams.find(header.stream) {
            Found::Open(at) => {
                let begun = self.streams.get(at).is_some_and(|stream| stream.has_begun);
                self.streams.close(at);
                self.useless = 0;
                match code {
                    // A part of an answer is none that nobody looked at (RFC 9113, 8.7).
                    code::REFUSED_STREAM if !begun => around.events.refused(request(at)),
                    _ => around.events.reset(request(at), begun, frame::reset_in_words(code)),
                }
                Ok(())
            }
            // The server may not have known that it had ended.
            Found::Closed => self.counts_as_useless("RST_STREAM without end"),
            Found::NeverOpened => Err(Broken::protocol("RST_STREAM on a stream that was never opened")),
        }
    }

    pub(super) fn goaway<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let Some((last, _)) = payload.split_first_chunk::<4>().filter(|_| payload.len() >= 8) else {
            return Err(Broken::new(code::FRAME_SIZE_ERROR, "GOAWAY with fewer than 8 bytes"));
        };
        if header.stream != 0 {
            return Err(Broken::protocol("GOAWAY on a stream"));
        }
        self.counts_as_useless("GOAWAY without end")?;
        self.is_ending = true;
        let last = u32::from_be_bytes(*last) & frame::LAST_STREAM;
        for at in self.streams.above(last) {
            let begun = self.streams.get(at).is_some_and(|stream| stream.has_begun);
            self.give_up(at);
            if begun {
                let how = "GOAWAY leaves out a request that it was answering";
                around.events.reset(request(at), true, how);
            } else {
                around.events.refused(request(at));
            }
        }
        Ok(())
    }

    /// Tells whose answer it was that broke the connection, if any was under way.
    #[cold]
    pub(super) fn broken<E: Events>(&mut self, broken: &Broken, bytes: &[u8], around: &mut Around<'_, E>) {
        frame::goaway(broken.code, around.out);
        if broken.was_counted {
            return;
        }
        let at = broken.at.filter(|&at| self.streams.get(at).is_some());
        match at.or_else(|| self.streams.oldest()) {
            Some(at) => {
                self.streams.close(at);
                around.events.failed(request(at), broken.why, bytes);
            }
            None => around.events.unasked(broken.why, bytes),
        }
    }
}
