//! What is sent on a connection: header blocks that no table is needed for, and bodies as far as the client's windows go.

#[cfg(feature = "wrong-answers")]
use crate::wrong;

use super::frame::{self, END_HEADERS, END_STREAM, MOST_PAYLOAD, MOST_WINDOW};
use super::rendered::{Frames, Parts};

/// What a client's window is until it says otherwise.
const DEFAULT_WINDOW: i64 = 65_535;
const DEFAULT_TABLE: u32 = 4096;
/// The size of the table, from here on: 0.
const NO_TABLE: u8 = 0x20;

/// What the client takes.
pub struct Sender {
    window: i64,
    /// Of a new stream.
    initial: i64,
    table: u32,
    /// The next block must say that the table is smaller than before.
    tells_table: bool,
}

/// A body of which the windows did not take all.
pub struct Outgoing {
    body: Vec<u8>,
    /// Bytes in all, which may be the body's several times.
    length: usize,
    sent: usize,
    trailers: &'static [u8],
}

/// A window became larger than windows may be.
#[derive(Debug)]
pub struct Overflow;

impl Sender {
    pub fn new() -> Sender {
        Sender { window: DEFAULT_WINDOW, initial: DEFAULT_WINDOW, table: DEFAULT_TABLE, tells_table: false }
    }

    /// The window of a stream that begins.
    pub fn initial(&self) -> i64 {
        self.initial
    }

    /// Streams that are there change by the difference, which is the result.
    pub fn set_initial(&mut self, initial: i64) -> i64 {
        let more = initial - self.initial;
        self.initial = initial;
        more
    }

    pub fn widen(&mut self, more: u32) -> Result<(), Overflow> {
        widen(&mut self.window, more.into())
    }

    /// The client's limit for the table with which blocks for it are made. None is used, but a smaller one has to be
    /// confirmed.
    pub fn set_table(&mut self, size: u32) {
        if size < self.table {
            self.table = 0;
            self.tells_table = true;
        }
    }

    /// Answers, all of it where the windows take that; else the result is what is left.
    pub fn send_fixed(
        &mut self,
        id: u32,
        window: i64,
        frames: &'static Frames,
        output: &mut Vec<u8>,
    ) -> Option<Outgoing> {
        let length = frames.body_length() as i64;
        if self.tells_table || (length > 0 && length > window.min(self.window)) {
            return self.send(id, window, &frames.parts(), output);
        }
        self.window -= length;
        frames.write(output, id);
        #[cfg(feature = "wrong-answers")]
        wrong::answered(if frames.ends_with_body() { output.last_mut() } else { None });
        None
    }

    /// The same for an answer of which nothing was rendered before.
    pub fn send(
        &mut self,
        id: u32,
        window: i64,
        parts: &Parts<'_>,
        output: &mut Vec<u8>,
    ) -> Option<Outgoing> {
        let Parts { block, body, times, trailers } = *parts;
        let length = body.len() * times;
        self.head(id, block, if length == 0 && trailers.is_empty() { END_STREAM } else { 0 }, output);
        let fits = times == 1 && length <= MOST_PAYLOAD && length as i64 <= window.min(self.window);
        if length > 0 && !fits {
            #[cfg_attr(not(feature = "wrong-answers"), allow(unused_mut, reason = "it may be spoilt"))]
            let mut body = body.to_vec();
            #[cfg(feature = "wrong-answers")]
            wrong::answered(if times == 1 { body.last_mut() } else { None });
            return Some(Outgoing { body, length, sent: 0, trailers });
        }
        if length > 0 {
            self.window -= length as i64;
            frame::write(output, frame::DATA, if trailers.is_empty() { END_STREAM } else { 0 }, id, body);
        }
        #[cfg(feature = "wrong-answers")]
        wrong::answered(if length > 0 { output.last_mut() } else { None });
        self.trailers(id, trailers, output);
        None
    }

    fn trailers(&mut self, id: u32, block: &[u8], output: &mut Vec<u8>) {
        if !block.is_empty() {
            self.head(id, block, END_STREAM, output);
        }
    }

    /// A head that an answer follows, or that is one without a body.
    pub fn head(&mut self, id: u32, block: &[u8], flags: u8, output: &mut Vec<u8>) {
        let told = usize::from(self.tells_table);
        let header = frame::header(block.len() + told, frame::HEADERS, END_HEADERS | flags, id);
        output.extend_from_slice(&header);
        if std::mem::take(&mut self.tells_table) {
            output.push(NO_TABLE);
        }
        output.extend_from_slice(block);
    }

    /// Sends what the windows take meanwhile, until the output has `most` bytes, and says whether that was all.
    pub fn resume(
        &mut self,
        id: u32,
        window: &mut i64,
        outgoing: &mut Outgoing,
        most: usize,
        output: &mut Vec<u8>,
    ) -> bool {
        while output.len() < most {
            let left = outgoing.length - outgoing.sent;
            let length = self.room(*window).min(left);
            if length == 0 {
                return false;
            }
            let is_last = length == left;
            let flags = if is_last && outgoing.trailers.is_empty() { END_STREAM } else { 0 };
            output.extend_from_slice(&frame::header(length, frame::DATA, flags, id));
            outgoing.copy(length, output);
            *window -= length as i64;
            self.window -= length as i64;
            if is_last {
                self.trailers(id, outgoing.trailers, output);
                return true;
            }
        }
        false
    }

    /// Bytes that the next frame of a stream may have.
    pub fn room(&self, window: i64) -> usize {
        usize::try_from(window.min(self.window)).unwrap_or(0).min(MOST_PAYLOAD)
    }
}

impl Outgoing {
    /// Appends the next bytes, from the body's start again wherever it ends.
    fn copy(&mut self, length: usize, output: &mut Vec<u8>) {
        let mut left = length;
        while left > 0 {
            let rest = &self.body[self.sent % self.body.len()..];
            let piece = &rest[..rest.len().min(left)];
            output.extend_from_slice(piece);
            left -= piece.len();
            self.sent += piece.len();
        }
    }
}

/// Makes a window wider, or narrower, as its owner says.
pub fn widen(window: &mut i64, more: i64) -> Result<(), Overflow> {
    *window += more;
    if *window > MOST_WINDOW { Err(Overflow) } else { Ok(()) }
}
