//! What each fault puts on the wire.

use super::fault::{BODY, Fault, WRONG_BODY};
use super::reader::Request;
use super::truth::Fate;

/// What to do about a request.
#[derive(Debug)]
pub(super) enum Reply {
    /// Bytes with an end.
    Whole(Whole),
    /// Bytes, and then the same block over and over.
    Endless { start: Vec<u8>, block: Vec<u8>, status: Option<u16> },
    /// Nothing, now and later.
    Silence,
}

/// An answer with an end.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) bytes: Vec<u8>,
    pub(super) fate: Fate,
    /// The status of its final head.
    pub(super) status: Option<u16>,
    pub(super) interim: u64,
    pub(super) unasked: u64,
    pub(super) pace: Pace,
    pub(super) then: Then,
}

/// How bytes are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    AtOnce,
    Bytewise,
    Limited,
}

/// What becomes of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Stays,
    Ends,
    Resets,
}

/// Where status 302 points to.
const ELSEWHERE: &str = "/elsewhere";
/// How many answers a connection gets before it gets no more.
const ANSWERS_BEFORE_STOP: u64 = 5;
const STOPPING_CONNECTIONS: u64 = 4;
/// The body where the bandwidth is limited.
const LONG_BODY_BYTES: usize = 64 * 1024;
const GARBAGE_BYTES: u64 = 28;

/// The reply to a request: the `number`th of all, the `on_connection`th of the connection with the number `connection`;
/// all from 0.
pub(super) fn reply(
    fault: Fault,
    request: &Request,
    number: u64,
    connection: u64,
    on_connection: u64,
) -> Reply {
    let strikes = fault.strikes(number);
    let plain = || Whole::plain(request, 200, BODY);
    let whole = match fault {
        Fault::WrongBody if strikes => {
            Whole { fate: Fate::WrongBody, ..Whole::plain(request, 200, WRONG_BODY) }
        }
        Fault::Status500 if strikes => Whole::other_status(request, 500),
        Fault::Unauthorized => Whole::other_status(request, 401),
        Fault::Found if request.path != ELSEWHERE => Whole::other_status(request, 302),
        Fault::Truncated => plain().cut(Then::Ends),
        Fault::ResetInBody if strikes => plain().cut(Then::Resets),
        Fault::ExtraBytes => plain().followed_by(b"extra\r\n"),
        Fault::TwoAnswers => {
            let again = plain().bytes;
            plain().followed_by(&again)
        }
        Fault::EndlessHeader => return endless(b"HTTP/1.1 200 OK\r\nX-Endless: ", b"a", None),
        Fault::EndlessHead => return endless(b"HTTP/1.1 200 OK\r\n", b"X-Endless: a\r\n", None),
        Fault::EndlessInterim => return endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", None),
        Fault::EndlessChunks => {
            let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            return endless(head, b"10\r\n0123456789abcdef\r\n", Some(200));
        }
        Fault::NeverAnswers => return Reply::Silence,
        Fault::StopsAnswering
            if connection < STOPPING_CONNECTIONS && on_connection >= ANSWERS_BEFORE_STOP =>
        {
            return Reply::Silence;
        }
        Fault::IdleClose if strikes => Whole { then: Then::Ends, ..plain() },
        Fault::RequestLost if strikes => {
            Whole { bytes: Vec::new(), fate: Fate::Lost, status: None, then: Then::Ends, ..plain() }
        }
        Fault::ConnectionClose => Whole::plain(&Request { keep_alive: false, ..request.clone() }, 200, BODY),
        Fault::Http10 => {
            let body = if request.is_head { "" } else { BODY };
            let bytes = format!("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{body}");
            Whole { bytes: bytes.into_bytes(), then: Then::Ends, ..plain() }
        }
        Fault::InterimAnswers => plain().after(&["HTTP/1.1 100 Continue\r\n\r\n", HINTS]),
        Fault::EarlyHints => plain().after(&[HINTS, HINTS, HINTS]),
        Fault::ByteByByte => Whole { pace: Pace::Bytewise, ..plain() },
        Fault::Garbage => Whole { bytes: garbage(number), fate: Fate::Garbage, status: None, ..plain() },
        Fault::ChunkExtensions => chunked(request, ["", ";plain=1;flag", ";quoted=\"a;b\\\"\\r\\nc\""]),
        Fault::BlankInChunkSize => chunked(request, [" ;plain=1", "\t; flag", " ; quoted = \"a\""]),
        Fault::NoContent => Whole::headed(request, 204, "", ""),
        Fault::NotModified => {
            let length = format!("Content-Length: {}\r\nETag: \"1\"\r\n", BODY.len());
            Whole::headed(request, 304, &length, "")
        }
        Fault::Bandwidth => {
            let body = "x".repeat(LONG_BODY_BYTES);
            Whole { pace: Pace::Limited, ..Whole::plain(request, 200, &body) }
        }
        _ => plain(),
    };
    Reply::Whole(whole)
}

const HINTS: &str = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";

impl Whole {
    /// A status with a body of known length.
    fn plain(request: &Request, status: u16, body: &str) -> Self {
        let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        Self::headed(request, status, &headers, body)
    }

    /// A status with headers, on a connection that stays if the client wants that.
    fn headed(request: &Request, status: u16, headers: &str, body: &str) -> Self {
        let reason = match status {
            200 => "OK",
            204 => "No Content",
            302 => "Found",
            304 => "Not Modified",
            401 => "Unauthorized",
            _ => "Internal Server Error",
        };
        let connection = match (request.keep_alive, request.is_http10) {
            (true, true) => "Connection: keep-alive\r\n",
            (false, _) => "Connection: close\r\n",
            (true, false) => "",
        };
        let body = if request.is_head { "" } else { body };
        Self {
            bytes: format!("HTTP/1.1 {status} {reason}\r\n{headers}{connection}\r\n{body}").into_bytes(),
            fate: Fate::Correct,
            status: Some(status),
            interim: 0,
            unasked: 0,
            pace: Pace::AtOnce,
            then: if request.keep_alive { Then::Stays } else { Then::Ends },
        }
    }

    fn other_status(request: &Request, status: u16) -> Self {
        let mut whole = Self::plain(request, status, BODY);
        if status == 302 {
            let head_end = whole.bytes.windows(2).position(|window| window == b"\r\n").unwrap_or(0);
            let location = format!("\r\nLocation: {ELSEWHERE}");
            whole.bytes.splice(head_end..head_end, location.into_bytes());
        }
        Self { fate: Fate::OtherStatus, ..whole }
    }

    fn cut(mut self, then: Then) -> Self {
        self.bytes.truncate(self.bytes.len() - BODY.len() / 2);
        Self { fate: Fate::Truncated, then, ..self }
    }

    fn followed_by(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        Self { unasked: 1, ..self }
    }

    fn after(self, interim: &[&str]) -> Self {
        let bytes = [interim.concat().as_bytes(), &self.bytes].concat();
        Self { bytes, interim: interim.len() as u64, ..self }
    }
}

/// Block sizes that make a system call worth its while.
const BLOCK_BYTES: usize = 16 * 1024;

fn endless(start: &[u8], unit: &[u8], status: Option<u16>) -> Reply {
    Reply::Endless { start: start.to_vec(), block: unit.repeat(BLOCK_BYTES / unit.len()), status }
}

/// The body in three chunks, the size of each followed by one of these; with trailers.
fn chunked(request: &Request, extensions: [&str; 3]) -> Whole {
    let mut body = String::new();
    for (part, extension) in [&BODY[..1], &BODY[1..5], &BODY[5..]].into_iter().zip(extensions) {
        body.push_str(&format!("{:X}{extension}\r\n{part}\r\n", part.len()));
    }
    body.push_str("0;last\r\nX-Trailer: a\r\nServer-Timing: b;dur=1\r\n\r\n");
    let headers = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n";
    Whole::headed(request, 200, headers, &body)
}

/// A line that is no HTTP, another for each request and the same in each run.
fn garbage(number: u64) -> Vec<u8> {
    // SplitMix64; no byte is ASCII before the end of the line, so that none of it can be a status line.
    let mut state = number;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ mixed >> 27).to_le_bytes()[3] | 0x80
    };
    (0..GARBAGE_BYTES).map(|_| next()).chain(*b"\r\n\r\n").collect()
}
