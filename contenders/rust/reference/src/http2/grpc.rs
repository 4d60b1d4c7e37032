//! gRPC: calls without a library, as `reference.proto` says. Messages are looked at no further than an answer needs.

use std::borrow::Cow;

use crate::limits::BODY_LIMIT;

use super::rendered::Frames;

const SERVICE: &[u8] = b"/velo.reference.v1.Reference/";
const TYPE: &[u8] = b"application/grpc";
/// Messages that a client may ask for in one call.
const MOST_MESSAGES: u64 = 10_000_000;
/// Bytes before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;

/// The block that an answer with messages begins with: `:status: 200` and the type, as everywhere not to be inserted.
pub const HEAD: &[u8] = b"\x88\x0f\x10\x10application/grpc";
/// `grpc-status: 0`.
pub const TRAILERS: &[u8] = b"\x00\x0bgrpc-status\x010";

/// An answer with an empty message.
static EMPTY: Frames = Frames::with_trailers(HEAD, &[0; PREFIX], TRAILERS);
// Refused in a head without anything behind it.
static INVALID_ARGUMENT: Frames =
    Frames::new(b"\x88\x0f\x10\x10application/grpc\x00\x0bgrpc-status\x013", b"");
static RESOURCE_EXHAUSTED: Frames =
    Frames::new(b"\x88\x0f\x10\x10application/grpc\x00\x0bgrpc-status\x018", b"");
static UNIMPLEMENTED: Frames = Frames::new(b"\x88\x0f\x10\x10application/grpc\x00\x0bgrpc-status\x0212", b"");
static INTERNAL: Frames = Frames::new(b"\x88\x0f\x10\x10application/grpc\x00\x0bgrpc-status\x0213", b"");

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    Empty,
    Echo,
    Stream,
    Unknown,
}

impl Method {
    /// The method that a path names.
    pub fn of(path: &[u8]) -> Method {
        match path.strip_prefix(SERVICE) {
            Some(b"Empty") => Method::Empty,
            Some(b"Echo") => Method::Echo,
            Some(b"Stream") => Method::Stream,
            _ => Method::Unknown,
        }
    }
}

/// What is answered.
pub enum Reply<'a> {
    Fixed(&'static Frames),
    /// A message with its prefix, so many times, and status 0.
    Messages {
        message: Cow<'a, [u8]>,
        times: usize,
    },
}

/// Whether a media type is one of gRPC.
pub fn is_type(value: &[u8]) -> bool {
    let rest = value.strip_prefix(TYPE);
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'+' | b';')))
}

/// The answer to a call with that body.
pub fn answer(method: Method, body: &[u8]) -> Reply<'_> {
    if method == Method::Unknown {
        return Reply::Fixed(&UNIMPLEMENTED);
    }
    let message = match message(body) {
        Ok(message) => message,
        Err(refusal) => return Reply::Fixed(refusal),
    };
    match method {
        Method::Echo => Reply::Messages { message: Cow::Borrowed(body), times: 1 },
        Method::Stream => match stream(message) {
            Some((messages, bytes)) if messages <= MOST_MESSAGES && bytes <= BODY_LIMIT as u64 => {
                Reply::Messages { message: Cow::Owned(payload(bytes as usize)), times: messages as usize }
            }
            Some(_) => Reply::Fixed(&RESOURCE_EXHAUSTED),
            None => Reply::Fixed(&INVALID_ARGUMENT),
        },
        Method::Empty | Method::Unknown => Reply::Fixed(&EMPTY),
    }
}

/// The one message of a body.
fn message(body: &[u8]) -> Result<&[u8], &'static Frames> {
    let Some(([is_compressed, length @ ..], message)) = body.split_first_chunk::<PREFIX>() else {
        return Err(&INTERNAL);
    };
    match is_compressed {
        0 if u32::from_be_bytes(*length) as usize == message.len() => Ok(message),
        1 => Err(&UNIMPLEMENTED),
        _ => Err(&INTERNAL),
    }
}

/// How many messages a `StreamRequest` asks for, and of how many bytes.
fn stream(message: &[u8]) -> Option<(u64, u64)> {
    let (mut messages, mut bytes) = (0, 0);
    let mut rest = message;
    while !rest.is_empty() {
        let (key, tail) = varint(rest)?;
        let (value, tail) = match key & 7 {
            0 => varint(tail)?,
            1 => (0, tail.get(8..)?),
            2 => {
                let (length, tail) = varint(tail)?;
                (0, tail.get(usize::try_from(length).ok()?..)?)
            }
            5 => (0, tail.get(4..)?),
            _ => return None,
        };
        match key {
            0x08 => messages = value,
            0x10 => bytes = value,
            // The other fields are unknown, and no field has the number 0.
            _ if key >> 3 == 0 => return None,
            _ => {}
        }
        rest = tail;
    }
    Some((messages, bytes))
}

/// A number and what follows it.
fn varint(input: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (place, byte) in input.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f).checked_shl(7 * place as u32)?;
        if byte & 0x80 == 0 {
            return Some((value, &input[place + 1..]));
        }
    }
    None
}

/// A `Payload` of so many bytes, with its prefix.
fn payload(bytes: usize) -> Vec<u8> {
    let mut message = Vec::with_capacity(PREFIX + 4 + bytes);
    message.extend_from_slice(&[0; PREFIX]);
    if bytes > 0 {
        message.push(0x0a);
        let mut rest = bytes;
        while rest >= 0x80 {
            message.push(0x80 | (rest & 0x7f) as u8);
            rest >>= 7;
        }
        message.push(rest as u8);
        message.resize(message.len() + bytes, b'x');
    }
    let length = (message.len() - PREFIX) as u32;
    message[1..PREFIX].copy_from_slice(&length.to_be_bytes());
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_methods() {
        for value in ["application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8"] {
            assert!(is_type(value.as_bytes()), "{value}");
        }
        for value in ["application/grpc-web", "application/json", "", "application/grp"] {
            assert!(!is_type(value.as_bytes()), "{value}");
        }
        assert_eq!(Method::of(b"/velo.reference.v1.Reference/Echo"), Method::Echo);
        assert_eq!(Method::of(b"/velo.reference.v1.Reference/echo"), Method::Unknown);
        assert_eq!(Method::of(b"/Echo"), Method::Unknown);
    }

    #[test]
    fn stream_requests() {
        assert_eq!(stream(&[0x08, 0xac, 0x02, 0x10, 7]), Some((300, 7)));
        assert_eq!(stream(&[]), Some((0, 0)));
        assert_eq!(
            stream(&[0x10, 1, 0x1a, 2, 9, 9, 0x25, 1, 2, 3, 4, 0x31, 1, 2, 3, 4, 5, 6, 7, 8, 0x08, 2]),
            Some((2, 1))
        );
        for message in
            [&[0x08][..], &[0x08, 0x80], &[0x1a, 5, 1], &[0x25, 1], &[0x0b], &[0x00, 1], &[0x08; 0]]
        {
            assert_eq!(stream(message).is_none(), !message.is_empty(), "{message:?}");
        }
        assert_eq!(stream(&[&[0x08][..], &[0xff; 10]].concat()), None);
    }

    #[test]
    fn payloads() {
        assert_eq!(payload(0), [0; 5]);
        assert_eq!(payload(2), [0, 0, 0, 0, 4, 0x0a, 2, b'x', b'x']);
        let long = payload(300);
        assert_eq!(long[..8], [0, 0, 0, 1, 47, 0x0a, 0xac, 2]);
        assert_eq!(long.len(), 5 + 3 + 300);
    }
}
