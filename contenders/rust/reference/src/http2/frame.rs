//! Frames (RFC 9113, 4 and 6), without their contents.

/// What a connection of HTTP/2 begins with.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Bytes before each frame's payload.
pub const HEADER: usize = 9;
/// The largest payload that either side must take, and the largest that this server does.
pub const MOST_PAYLOAD: usize = 16_384;
/// The largest window, and the largest id of a stream.
pub const MOST_WINDOW: i64 = 0x7fff_ffff;

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const ACK: u8 = 0x1;
pub const END_STREAM: u8 = 0x1;
pub const END_HEADERS: u8 = 0x4;
pub const PADDED: u8 = 0x8;
pub const WITH_PRIORITY: u8 = 0x20;

/// Why a stream or a connection ends (RFC 9113, 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    NoError = 0x0,
    ProtocolError = 0x1,
    FlowControlError = 0x3,
    StreamClosed = 0x5,
    FrameSizeError = 0x6,
    RefusedStream = 0x7,
    CompressionError = 0x9,
    EnhanceYourCalm = 0xb,
}

/// What stands before a frame's payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    pub length: usize,
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
}

impl Header {
    pub fn parse(bytes: &[u8; HEADER]) -> Header {
        let [l2, l1, l0, kind, flags, s3, s2, s1, s0] = *bytes;
        Header {
            length: u32::from_be_bytes([0, l2, l1, l0]) as usize,
            kind,
            flags,
            // The highest bit is reserved and ignored.
            stream: u32::from_be_bytes([s3 & 0x7f, s2, s1, s0]),
        }
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The header of a frame. A payload of more than 24 bits has no frame.
pub const fn header(length: usize, kind: u8, flags: u8, stream: u32) -> [u8; HEADER] {
    let length = (length as u32).to_be_bytes();
    let id = stream.to_be_bytes();
    [length[1], length[2], length[3], kind, flags, id[0], id[1], id[2], id[3]]
}

/// Appends a frame.
pub fn write(output: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    output.extend_from_slice(&header(payload.len(), kind, flags, stream));
    output.extend_from_slice(payload);
}

pub fn write_reset(output: &mut Vec<u8>, stream: u32, code: Code) {
    write(output, RST_STREAM, 0, stream, &(code as u32).to_be_bytes());
}

pub fn write_window_update(output: &mut Vec<u8>, stream: u32, more: u32) {
    write(output, WINDOW_UPDATE, 0, stream, &more.to_be_bytes());
}

pub fn write_go_away(output: &mut Vec<u8>, last: u32, code: Code) {
    let mut payload = [0; 8];
    payload[..4].copy_from_slice(&last.to_be_bytes());
    payload[4..].copy_from_slice(&(code as u32).to_be_bytes());
    write(output, GOAWAY, 0, 0, &payload);
}

/// A number of four bytes at the start of a payload, without its reserved bit.
pub fn number(payload: &[u8]) -> Option<u32> {
    let (bytes, _) = payload.split_first_chunk()?;
    Some(u32::from_be_bytes(*bytes) & 0x7fff_ffff)
}

/// A payload without its padding. `None` when there is more padding than payload.
pub fn unpadded<'a>(header: &Header, payload: &'a [u8]) -> Option<&'a [u8]> {
    if !header.has(PADDED) {
        return Some(payload);
    }
    let (padding, rest) = payload.split_first()?;
    rest.len().checked_sub(usize::from(*padding)).map(|length| &rest[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let written = header(0x01_02_03, HEADERS, END_HEADERS | PADDED, 0x7654_3210);
        let read = Header::parse(&written);
        assert_eq!(read, Header { length: 0x01_02_03, kind: 1, flags: 0xc, stream: 0x7654_3210 });
        assert!(read.has(PADDED) && !read.has(END_STREAM));
        let mut reserved = written;
        reserved[5] |= 0x80;
        assert_eq!(Header::parse(&reserved), read);
    }

    #[test]
    fn padding() {
        let padded = |payload| unpadded(&Header { length: 0, kind: DATA, flags: PADDED, stream: 1 }, payload);
        assert_eq!(padded(b"\x02abcd"), Some(&b"ab"[..]));
        assert_eq!(padded(b"\x04abcd"), Some(&b""[..]));
        assert_eq!(padded(b"\x05abcd"), None);
        assert_eq!(padded(b""), None);
    }
}
