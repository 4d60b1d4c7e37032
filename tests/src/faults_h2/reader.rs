//! What a client sends, frame by frame.

use std::io::{self, Read};

use super::wire::{
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADER_BYTES, HEADERS, PING, PREFACE,
    RST_STREAM, SETTINGS, WINDOW_UPDATE,
};

/// No client of this server sends more in a frame: the settings do not allow it.
const MOST_PAYLOAD_BYTES: usize = 16_384;

/// What a client said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// A request's head; whether that was all.
    Head {
        stream: u32,
        is_end: bool,
    },
    /// A part of its body, with the bytes that count against windows; whether it was the last.
    Data {
        stream: u32,
        bytes: usize,
        is_end: bool,
    },
    /// Its settings, by number.
    Settings(Vec<(u16, u32)>),
    SettingsAck,
    Ping([u8; 8]),
    Pong,
    WindowUpdate {
        stream: u32,
        more: u32,
    },
    Reset {
        stream: u32,
        code: u32,
    },
    GoAway {
        code: u32,
    },
    /// Something that means nothing to the server.
    Other,
}

/// Bytes that came and were not read yet.
#[derive(Debug, Default)]
pub(super) struct Reader {
    received: Vec<u8>,
    read: usize,
    /// Whether the head that continues ends its stream.
    open_head: Option<bool>,
}

impl Reader {
    /// Whether the client begins as HTTP/2 does. One that ends before it has is an error.
    pub(super) fn preface(&mut self, stream: &mut impl Read) -> io::Result<bool> {
        while self.received.len() < PREFACE.len() && PREFACE.starts_with(&self.received) {
            if !self.receive(stream)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let is_http2 = self.received.starts_with(PREFACE);
        self.read = if is_http2 { PREFACE.len() } else { 0 };
        Ok(is_http2)
    }

    /// The next frame; `None` at the end of the stream.
    pub(super) fn next(&mut self, stream: &mut impl Read) -> io::Result<Option<Event>> {
        loop {
            if let Some(event) = self.parse()? {
                return Ok(Some(event));
            }
            if !self.receive(stream)? {
                return Ok(None);
            }
        }
    }

    /// Whether something more came; `false` at the end of the stream.
    fn receive(&mut self, stream: &mut impl Read) -> io::Result<bool> {
        self.received.drain(..self.read);
        self.read = 0;
        let mut buffer = [0; 16 * 1024];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return Ok(false),
                Ok(got) => {
                    self.received.extend_from_slice(&buffer[..got]);
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn parse(&mut self) -> io::Result<Option<Event>> {
        let rest = &self.received[self.read..];
        let Some((header, rest)) = rest.split_first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let [high, middle, low, kind, flags, id @ ..] = *header;
        let length = u32::from_be_bytes([0, high, middle, low]) as usize;
        if length > MOST_PAYLOAD_BYTES {
            return Err(io::Error::other(format!("a frame of {length} bytes")));
        }
        let Some(payload) = rest.get(..length) else { return Ok(None) };
        let stream = u32::from_be_bytes(id) & 0x7fff_ffff;
        let event = event(kind, flags, stream, payload, &mut self.open_head)
            .ok_or_else(|| io::Error::other(format!("a malformed frame of kind {kind}")))?;
        self.read += HEADER_BYTES + length;
        Ok(Some(event))
    }
}

fn event(kind: u8, flags: u8, stream: u32, payload: &[u8], open_head: &mut Option<bool>) -> Option<Event> {
    let is_end = flags & END_STREAM != 0;
    let is_head_whole = flags & END_HEADERS != 0;
    let number = |at: usize| Some(u32::from_be_bytes(payload.get(at..at + 4)?.try_into().ok()?));
    Some(match kind {
        HEADERS if is_head_whole => Event::Head { stream, is_end },
        HEADERS => {
            *open_head = Some(is_end);
            Event::Other
        }
        CONTINUATION if is_head_whole => Event::Head { stream, is_end: open_head.take()? },
        DATA => Event::Data { stream, bytes: payload.len(), is_end },
        SETTINGS if flags & ACK != 0 => Event::SettingsAck,
        SETTINGS => {
            let value = |setting: &[u8]| {
                let id = u16::from_be_bytes([setting[0], setting[1]]);
                (id, u32::from_be_bytes([setting[2], setting[3], setting[4], setting[5]]))
            };
            Event::Settings(payload.chunks_exact(6).map(value).collect())
        }
        PING if flags & ACK != 0 => Event::Pong,
        PING => Event::Ping(payload.try_into().ok()?),
        WINDOW_UPDATE => Event::WindowUpdate { stream, more: number(0)? & 0x7fff_ffff },
        RST_STREAM => Event::Reset { stream, code: number(0)? },
        GOAWAY => Event::GoAway { code: number(4)? },
        _ => Event::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::super::wire::{frame, go_away, reset, settings, window_update};
    use super::*;

    #[test]
    fn frames_come_one_by_one_however_they_are_cut() {
        let bytes = [
            PREFACE,
            &settings(&[(4, 5)]),
            &frame(SETTINGS, ACK, 0, b""),
            &frame(HEADERS, END_STREAM, 1, b"a"),
            &frame(CONTINUATION, END_HEADERS, 1, b"b"),
            &frame(HEADERS, END_HEADERS, 3, b"c"),
            &frame(DATA, END_STREAM, 3, b"body"),
            &frame(PING, 0, 0, &[7; 8]),
            &frame(PING, ACK, 0, &[7; 8]),
            &window_update(3, 9),
            &reset(3, 8),
            &go_away(0, 11),
            &frame(0xee, 0, 0, b"unknown"),
        ]
        .concat();
        let events = [
            Event::Settings(vec![(4, 5)]),
            Event::SettingsAck,
            Event::Other,
            Event::Head { stream: 1, is_end: true },
            Event::Head { stream: 3, is_end: false },
            Event::Data { stream: 3, bytes: 4, is_end: true },
            Event::Ping([7; 8]),
            Event::Pong,
            Event::WindowUpdate { stream: 3, more: 9 },
            Event::Reset { stream: 3, code: 8 },
            Event::GoAway { code: 11 },
            Event::Other,
        ];
        for length in [1, 2, 7, 1_000] {
            let mut stream = Pieces(bytes.chunks(length));
            let mut reader = Reader::default();
            assert!(reader.preface(&mut stream).unwrap());
            for event in &events {
                assert_eq!(reader.next(&mut stream).unwrap().as_ref(), Some(event));
            }
            assert_eq!(reader.next(&mut stream).unwrap(), None);
        }
    }

    #[test]
    fn what_is_no_http2() {
        assert!(!Reader::default().preface(&mut &b"GET / HTTP/1.1\r\n\r\n"[..]).unwrap());
        assert!(Reader::default().preface(&mut &b"PRI * HTTP/2.0\r\n"[..]).is_err());
        let too_long = super::super::wire::header(16_385, DATA, 0, 1);
        for bytes in
            [&too_long[..], &frame(WINDOW_UPDATE, 0, 0, b"x"), &frame(CONTINUATION, END_HEADERS, 1, b"")]
        {
            assert!(Reader::default().next(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
    }

    struct Pieces<'a>(std::slice::Chunks<'a, u8>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let piece = self.0.next().unwrap_or_default();
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }
}
