//! The header blocks of answers whose length differs from one to the next.

use crate::limits::HEAD_LIMIT;

/// `:status: 200` and the type, followed by what stands for `content-length`, not to be inserted.
pub const TEXT: [u8; 16] = *b"\x88\x0f\x10\x0atext/plain\x0f\x0d";
pub const JSON: [u8; 22] = *b"\x88\x0f\x10\x10application/json\x0f\x0d";

/// More than the longest start, the length of a string and its digits.
const ROOM: usize = 32;
const MOST_DIGITS: u32 = 5;
/// No body is longer: what stands in an answer came in a head, and JSON's escapes make at most two bytes of one.
const MOST_BODY: usize = 2 * HEAD_LIMIT + 64;
const _: () = assert!(MOST_BODY < 10_usize.pow(MOST_DIGITS));

/// A header block.
pub struct Block {
    bytes: [u8; ROOM],
    length: usize,
}

impl Block {
    /// For a body of that length, at most [`MOST_BODY`].
    pub fn new(start: &[u8], body: usize) -> Block {
        let mut block = Block { bytes: [0; ROOM], length: start.len() };
        block.bytes[..start.len()].copy_from_slice(start);
        let digits = body.checked_ilog10().unwrap_or(0).min(MOST_DIGITS - 1) as usize + 1;
        block.bytes[block.length] = digits as u8;
        let mut rest = body;
        for at in (1..=digits).rev() {
            block.bytes[block.length + at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        block.length += 1 + digits;
        block
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        for (length, written) in [(0, &b"\x010"[..]), (9, b"\x019"), (10, b"\x0210"), (12_345, b"\x0512345")]
        {
            for start in [&TEXT[..], &JSON] {
                assert_eq!(Block::new(start, length).bytes(), [start, written].concat());
            }
        }
    }
}
