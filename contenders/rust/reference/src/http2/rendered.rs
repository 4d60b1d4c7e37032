//! An answer's frames, made when the program is compiled: at run time only the stream's id is put in.

use super::frame::{self, END_HEADERS, END_STREAM};

/// More than the largest of the fixed answers takes.
const ROOM: usize = 96;
const MOST_FRAMES: usize = 3;

/// HEADERS, DATA where there is a body, and HEADERS again where there are trailers.
pub struct Frames {
    bytes: [u8; ROOM],
    length: usize,
    /// Where each frame begins.
    starts: [usize; MOST_FRAMES],
    frames: usize,
    body: usize,
    has_trailers: bool,
}

/// What an answer consists of.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    pub block: &'a [u8],
    /// Sent so many times, one after the other.
    pub body: &'a [u8],
    pub times: usize,
    /// The block of the trailers; empty where there are none.
    pub trailers: &'static [u8],
}

impl<'a> Parts<'a> {
    /// Without trailers.
    pub fn new(block: &'a [u8], body: &'a [u8]) -> Parts<'a> {
        Parts { block, body, times: 1, trailers: b"" }
    }
}

impl Frames {
    /// The block must not need a table of the client's: whoever gets it twice gets the same bytes.
    pub const fn new(block: &[u8], body: &[u8]) -> Frames {
        Frames::with_trailers(block, body, b"")
    }

    /// The same for the block of the trailers.
    pub const fn with_trailers(block: &[u8], body: &[u8], trailers: &[u8]) -> Frames {
        let mut frames = Frames {
            bytes: [0; ROOM],
            length: 0,
            starts: [0; MOST_FRAMES],
            frames: 0,
            body: body.len(),
            has_trailers: !trailers.is_empty(),
        };
        frames.push(frame::HEADERS, END_HEADERS | end_if(body.is_empty() && trailers.is_empty()), block);
        if !body.is_empty() {
            frames.push(frame::DATA, end_if(trailers.is_empty()), body);
        }
        if !trailers.is_empty() {
            frames.push(frame::HEADERS, END_HEADERS | END_STREAM, trailers);
        }
        frames
    }

    const fn push(&mut self, kind: u8, flags: u8, payload: &[u8]) {
        self.starts[self.frames] = self.length;
        self.frames += 1;
        self.push_bytes(&frame::header(payload.len(), kind, flags, 0));
        self.push_bytes(payload);
    }

    const fn push_bytes(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            self.bytes[self.length] = bytes[at];
            self.length += 1;
            at += 1;
        }
    }

    /// Bytes that count against the client's windows.
    pub fn body_length(&self) -> usize {
        self.body
    }

    /// For a client whose windows do not take the body at once.
    pub fn parts(&'static self) -> Parts<'static> {
        let payload = |place: usize| {
            let end = if place + 1 < self.frames { self.starts[place + 1] } else { self.length };
            &self.bytes[self.starts[place] + frame::HEADER..end]
        };
        Parts {
            block: payload(0),
            body: if self.body > 0 { payload(1) } else { b"" },
            times: 1,
            trailers: if self.has_trailers { payload(self.frames - 1) } else { b"" },
        }
    }

    /// Whether the body's last byte is the last one of all.
    #[cfg(feature = "wrong-answers")]
    pub fn ends_with_body(&self) -> bool {
        self.body > 0 && !self.has_trailers
    }

    /// Appends the frames.
    pub fn write(&self, output: &mut Vec<u8>, stream: u32) {
        const ID: usize = 5;
        let at = output.len();
        output.extend_from_slice(&self.bytes[..self.length]);
        for start in &self.starts[..self.frames] {
            output[at + start + ID..at + start + frame::HEADER].copy_from_slice(&stream.to_be_bytes());
        }
    }
}

const fn end_if(is_end: bool) -> u8 {
    if is_end { END_STREAM } else { 0 }
}
