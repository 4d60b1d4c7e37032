//! Frames as they stand on the wire (RFC 9113, 4 and 6).

/// What a client sends before all else (3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
pub(super) const HEADER_BYTES: usize = 9;
/// What PRIORITY has, and HEADERS with that flag (6.2, 6.3).
pub(super) const PRIORITY_BYTES: usize = 5;
/// The largest payload that is always allowed, and the largest that there is.
pub(super) const USUAL_FRAME_BYTES: usize = 1 << 14;
pub(super) const LARGEST_FRAME_BYTES: usize = (1 << 24) - 1;
/// The largest window, and the one that everything begins with.
pub(super) const LARGEST_WINDOW: i64 = (1 << 31) - 1;
pub(super) const USUAL_WINDOW: i64 = 65_535;
/// The last number that a stream may have.
pub(super) const LAST_STREAM: u32 = (1 << 31) - 1;

pub(super) mod kind {
    pub(in crate::protocol::http2) const DATA: u8 = 0;
    pub(in crate::protocol::http2) const HEADERS: u8 = 1;
    pub(in crate::protocol::http2) const PRIORITY: u8 = 2;
    pub(in crate::protocol::http2) const RST_STREAM: u8 = 3;
    pub(in crate::protocol::http2) const SETTINGS: u8 = 4;
    pub(in crate::protocol::http2) const PUSH_PROMISE: u8 = 5;
    pub(in crate::protocol::http2) const PING: u8 = 6;
    pub(in crate::protocol::http2) const GOAWAY: u8 = 7;
    pub(in crate::protocol::http2) const WINDOW_UPDATE: u8 = 8;
    pub(in crate::protocol::http2) const CONTINUATION: u8 = 9;
}

pub(super) mod flag {
    pub(in crate::protocol::http2) const END_STREAM: u8 = 0x1;
    pub(in crate::protocol::http2) const ACK: u8 = 0x1;
    pub(in crate::protocol::http2) const END_HEADERS: u8 = 0x4;
    pub(in crate::protocol::http2) const PADDED: u8 = 0x8;
    pub(in crate::protocol::http2) const PRIORITY: u8 = 0x20;
}

pub(super) mod setting {
    pub(in crate::protocol::http2) const HEADER_TABLE_SIZE: u16 = 1;
    pub(in crate::protocol::http2) const ENABLE_PUSH: u16 = 2;
    pub(in crate::protocol::http2) const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub(in crate::protocol::http2) const INITIAL_WINDOW_SIZE: u16 = 4;
    pub(in crate::protocol::http2) const MAX_FRAME_SIZE: u16 = 5;
}

/// Why a stream or a connection ends.
pub(super) mod code {
    pub(in crate::protocol::http2) const PROTOCOL_ERROR: u32 = 1;
    pub(in crate::protocol::http2) const FLOW_CONTROL_ERROR: u32 = 3;
    pub(in crate::protocol::http2) const FRAME_SIZE_ERROR: u32 = 6;
    pub(in crate::protocol::http2) const REFUSED_STREAM: u32 = 7;
    pub(in crate::protocol::http2) const CANCEL: u32 = 8;
    pub(in crate::protocol::http2) const COMPRESSION_ERROR: u32 = 9;
    pub(in crate::protocol::http2) const ENHANCE_YOUR_CALM: u32 = 11;
}

/// What a server's reset of a stream says.
pub(super) fn reset_in_words(code: u32) -> &'static str {
    match code {
        0 => "the server reset the stream: NO_ERROR",
        1 => "the server reset the stream: PROTOCOL_ERROR",
        2 => "the server reset the stream: INTERNAL_ERROR",
        3 => "the server reset the stream: FLOW_CONTROL_ERROR",
        4 => "the server reset the stream: SETTINGS_TIMEOUT",
        5 => "the server reset the stream: STREAM_CLOSED",
        6 => "the server reset the stream: FRAME_SIZE_ERROR",
        7 => "the server reset the stream: REFUSED_STREAM",
        8 => "the server reset the stream: CANCEL",
        9 => "the server reset the stream: COMPRESSION_ERROR",
        10 => "the server reset the stream: CONNECT_ERROR",
        11 => "the server reset the stream: ENHANCE_YOUR_CALM",
        12 => "the server reset the stream: INADEQUATE_SECURITY",
        13 => "the server reset the stream: HTTP_1_1_REQUIRED",
        _ => "the server reset the stream with an unknown code",
    }
}

/// The first bytes of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) length: usize,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
}

impl Header {
    #[inline]
    pub(super) fn read(bytes: &[u8; HEADER_BYTES]) -> Self {
        let [a, b, c, kind, flags, stream @ ..] = *bytes;
        Self {
            length: u32::from_be_bytes([0, a, b, c]) as usize,
            kind,
            flags,
            // The first bit is reserved and ignored (4.1).
            stream: u32::from_be_bytes(stream) & LAST_STREAM,
        }
    }

    #[inline]
    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Appends the first bytes of a frame.
#[inline]
pub(super) fn header(length: usize, kind: u8, flags: u8, stream: u32, out: &mut Vec<u8>) {
    let [_, a, b, c] = (length as u32).to_be_bytes();
    let [d, e, f, g] = stream.to_be_bytes();
    out.extend_from_slice(&[a, b, c, kind, flags, d, e, f, g]);
}

pub(super) fn settings(settings: &[(u16, u32)], out: &mut Vec<u8>) {
    header(settings.len() * 6, kind::SETTINGS, 0, 0, out);
    for (name, value) in settings {
        out.extend_from_slice(&name.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
}

pub(super) fn settings_ack(out: &mut Vec<u8>) {
    header(0, kind::SETTINGS, flag::ACK, 0, out);
}

pub(super) fn ping_ack(payload: &[u8], out: &mut Vec<u8>) {
    header(payload.len(), kind::PING, flag::ACK, 0, out);
    out.extend_from_slice(payload);
}

pub(super) fn window_update(stream: u32, more: u32, out: &mut Vec<u8>) {
    header(4, kind::WINDOW_UPDATE, 0, stream, out);
    out.extend_from_slice(&more.to_be_bytes());
}

pub(super) fn rst_stream(stream: u32, code: u32, out: &mut Vec<u8>) {
    header(4, kind::RST_STREAM, 0, stream, out);
    out.extend_from_slice(&code.to_be_bytes());
}

pub(super) fn goaway(code: u32, out: &mut Vec<u8>) {
    header(8, kind::GOAWAY, 0, 0, out);
    // The last of the server's own streams: there is none.
    out.extend_from_slice(&0u32.to_be_bytes());
    out.extend_from_slice(&code.to_be_bytes());
}
