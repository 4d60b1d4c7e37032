//! An answer's frames, made when the program is compiled: at run time only the stream's id is put in.

use super::frame::{self, END_HEADERS, END_STREAM};

/// More than the largest of the fixed answers takes.
const ROOM: usize = 96;
const MOST_FRAMES: usize = 2;

/// HEADERS, and DATA where there is a body.
pub struct Frames {
    bytes: [u8; ROOM],
    length: usize,
    /// Where each frame begins.
    starts: [usize; MOST_FRAMES],
    frames: usize,
    body: usize,
}

impl Frames {
    /// The block must not need a table of the client's: whoever gets it twice gets the same bytes.
    pub const fn new(block: &[u8], body: &[u8]) -> Frames {
        let mut frames =
            Frames { bytes: [0; ROOM], length: 0, starts: [0; MOST_FRAMES], frames: 0, body: body.len() };
        let end = if body.is_empty() { END_STREAM } else { 0 };
        frames.push(frame::HEADERS, END_HEADERS | end, block);
        if !body.is_empty() {
            frames.push(frame::DATA, END_STREAM, body);
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

    /// The header block and the body, for a client whose windows do not take the body at once.
    pub fn parts(&self) -> (&[u8], &[u8]) {
        let bytes = &self.bytes[..self.length];
        match self.frames {
            1 => (&bytes[frame::HEADER..], b""),
            _ => (&bytes[frame::HEADER..self.starts[1]], &bytes[self.starts[1] + frame::HEADER..]),
        }
    }

    /// Appends the frames, the body's last byte at the end.
    pub fn write(&self, output: &mut Vec<u8>, stream: u32) {
        const ID: usize = 5;
        let at = output.len();
        output.extend_from_slice(&self.bytes[..self.length]);
        for start in &self.starts[..self.frames] {
            output[at + start + ID..at + start + frame::HEADER].copy_from_slice(&stream.to_be_bytes());
        }
    }
}
