//! HTTP/1.1 without sockets: bytes in, answers out. A `Session` is one connection's place in its stream of
//! requests.

use crate::answers::{
    Answer, BAD_REQUEST, BODY_TOO_LARGE, EXPECTATION_FAILED, HEAD_TOO_LARGE, NOT_IMPLEMENTED,
    VERSION_NOT_SUPPORTED,
};
use crate::limits::{BODY_LIMIT, HEAD_LIMIT};
use crate::routes::{Route, percent_decode, route};
use crate::sources::{Made, Sources};
use crate::text;
use crate::users::HASH_LENGTH;
#[cfg(feature = "wrong-answers")]
use crate::wrong;

/// What a chunked body may take on the wire, so that a body of tiny chunks stays bounded too.
const CHUNKED_LIMIT: usize = 2 * BODY_LIMIT;
const CHUNK_LINE_LIMIT: usize = 256;

/// A request after which the rest of the stream cannot be trusted: it is answered, and the connection ends.
type Fault = &'static Answer;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Status {
    Open,
    /// The next answer is owed after so many milliseconds; what comes behind its request waits too.
    Waits(u16),
    /// The client asked for the end of the connection: it sends no more.
    Done,
    /// The server ends the connection; the client may still be sending.
    Broken,
}

pub struct Session {
    status: Status,
    /// Of the answer that is owed.
    owed: Persistence,
    /// How much of an unfinished head is known to hold no end.
    scanned: usize,
    /// A request whose head is complete and whose body is not.
    unfinished: Option<Request>,
}

impl Session {
    pub fn new() -> Session {
        Session { status: Status::Open, owed: Persistence::Stays, scanned: 0, unfinished: None }
    }

    pub fn status(&self) -> Status {
        self.status
    }

    /// Answers every complete request in `input`, up to one that has to wait, and returns how many bytes are
    /// dealt with. The next call's input must begin with the bytes that are not.
    pub fn serve(&mut self, input: &[u8], sources: &mut Sources, output: &mut Vec<u8>) -> usize {
        let mut used = 0;
        while self.status == Status::Open {
            match self.serve_one(&input[used..], sources, output) {
                Ok(Some(length)) => used += length,
                Ok(None) => return used,
                Err(fault) => {
                    write(output, fault, Persistence::Ends);
                    self.status = Status::Broken;
                }
            }
        }
        match self.status {
            Status::Waits(_) => used,
            _ => input.len(),
        }
    }

    /// Gives the answer that was waited for.
    pub fn end_wait(&mut self, output: &mut Vec<u8>) {
        let Status::Waits(milliseconds) = self.status else { return };
        #[cfg(feature = "wrong-answers")]
        let before = output.len();
        write_waited(output, milliseconds, self.owed);
        #[cfg(feature = "wrong-answers")]
        wrong::answered(wrong::end_of_body(&mut output[before..]));
        self.status = if self.owed == Persistence::Ends { Status::Done } else { Status::Open };
    }

    fn serve_one(
        &mut self,
        input: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<Option<usize>, Fault> {
        let mut request = match self.unfinished.take() {
            Some(request) => request,
            None => {
                // Some old clients send an empty line after a body; RFC 9112 asks servers to skip it.
                if input.starts_with(b"\r\n") {
                    self.scanned = 0;
                    return Ok(Some(2));
                }
                let Some(length) = head_length(input, self.scanned)? else {
                    self.scanned = input.len();
                    return Ok(None);
                };
                self.scanned = 0;
                Request::parse(&input[..length])?
            }
        };

        let raw = &input[request.head_length..];
        let length = match &mut request.body {
            Body::Sized(length) => (raw.len() >= *length).then_some(*length),
            Body::Chunked(chunks) => chunks.decode(raw)?,
        };
        let Some(length) = length else {
            if request.expects_continue {
                output.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
                request.expects_continue = false;
            }
            self.unfinished = Some(request);
            return Ok(None);
        };

        let persistence = request.persistence;
        #[cfg(feature = "wrong-answers")]
        let before = output.len();
        let body = match &request.body {
            Body::Sized(_) => &raw[..length],
            Body::Chunked(chunks) => &chunks.body,
        };
        match request.route {
            Route::Fixed(answer) => write(output, answer, persistence),
            Route::User { start, end } => write_user(output, &input[start..end], persistence),
            Route::Echo { start, end } => match sources.echo_body(&input[start..end]) {
                Some(body) => write_json(output, body, persistence),
                None => write(output, &BAD_REQUEST, persistence),
            },
            Route::Coin => write(output, sources.coin_answer(body), persistence),
            Route::Wait(0) => write_waited(output, 0, persistence),
            Route::Wait(milliseconds) => {
                self.status = Status::Waits(milliseconds);
                self.owed = persistence;
                return Ok(Some(request.head_length + length));
            }
            Route::Password(id) => match sources.hash_answer(id, body) {
                Made::Hash(hash) => write_hash(output, &hash, persistence),
                Made::Fixed(answer) => write(output, answer, persistence),
            },
        }
        #[cfg(feature = "wrong-answers")]
        wrong::answered(wrong::end_of_body(&mut output[before..]));
        if persistence == Persistence::Ends {
            self.status = Status::Done;
        }
        Ok(Some(request.head_length + length))
    }
}

struct Request {
    route: Route,
    persistence: Persistence,
    expects_continue: bool,
    head_length: usize,
    body: Body,
}

enum Body {
    Sized(usize),
    Chunked(Chunks),
}

#[derive(Clone, Copy, PartialEq)]
enum Persistence {
    /// HTTP/1.1 says so by default.
    Stays,
    /// HTTP/1.0 has to be told.
    StaysAsAsked,
    Ends,
}

impl Request {
    fn parse(head: &[u8]) -> Result<Request, Fault> {
        let mut lines =
            head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let request_line = lines.next().unwrap_or_default();
        let mut words = request_line.split(|byte| *byte == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(&BAD_REQUEST);
        };
        if !is_token(method) || !target.iter().all(u8::is_ascii_graphic) {
            return Err(&BAD_REQUEST);
        }
        let is_1_0 = match version {
            b"HTTP/1.1" => false,
            b"HTTP/1.0" => true,
            [b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9'] => {
                return Err(&VERSION_NOT_SUPPORTED);
            }
            _ => return Err(&BAD_REQUEST),
        };

        let mut hosts = 0;
        let mut length = None;
        let mut is_chunked = false;
        let mut expects_continue = false;
        let (mut close, mut keep_alive) = (false, false);
        for line in lines.take_while(|line| !line.is_empty()) {
            let colon = line.iter().position(|byte| *byte == b':').ok_or(&BAD_REQUEST)?;
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if !is_token(name) {
                return Err(&BAD_REQUEST);
            }
            if name.eq_ignore_ascii_case(b"host") {
                hosts += 1;
            } else if name.eq_ignore_ascii_case(b"content-length") {
                if length.replace(content_length(value)?).is_some() {
                    return Err(&BAD_REQUEST);
                }
            } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                if is_chunked || is_1_0 {
                    return Err(&BAD_REQUEST);
                }
                if !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(&NOT_IMPLEMENTED);
                }
                is_chunked = true;
            } else if name.eq_ignore_ascii_case(b"connection") {
                for option in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    close |= option.eq_ignore_ascii_case(b"close");
                    keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            } else if name.eq_ignore_ascii_case(b"expect") && !is_1_0 {
                if !value.eq_ignore_ascii_case(b"100-continue") {
                    return Err(&EXPECTATION_FAILED);
                }
                expects_continue = true;
            }
        }
        // Two lengths for one body are how requests are smuggled past a proxy.
        if hosts > 1 || (hosts == 0 && !is_1_0) || (is_chunked && length.is_some()) {
            return Err(&BAD_REQUEST);
        }

        Ok(Request {
            route: route(method, target, method.len() + 1)?,
            persistence: match (close, is_1_0, keep_alive) {
                (false, false, _) => Persistence::Stays,
                (false, true, true) => Persistence::StaysAsAsked,
                _ => Persistence::Ends,
            },
            expects_continue,
            head_length: head.len(),
            body: if is_chunked {
                Body::Chunked(Chunks::default())
            } else {
                Body::Sized(length.unwrap_or(0))
            },
        })
    }
}

/// The length of the head at the start of `input`, of which `scanned` bytes have been looked at before.
fn head_length(input: &[u8], scanned: usize) -> Result<Option<usize>, Fault> {
    let window = &input[..input.len().min(HEAD_LIMIT)];
    let mut previous = if scanned == 0 { 0 } else { window[scanned - 1] };
    for (at, &byte) in window.iter().enumerate().skip(scanned) {
        let is_line_feed = byte == b'\n';
        // Lines end with both characters or not at all, and no other control character is part of HTTP.
        if (previous == b'\r') != is_line_feed
            || (byte < b' ' && !matches!(byte, b'\r' | b'\n' | b'\t'))
            || byte == 0x7f
        {
            return Err(&BAD_REQUEST);
        }
        if is_line_feed && window[..=at].ends_with(b"\r\n\r\n") {
            return Ok(Some(at + 1));
        }
        previous = byte;
    }
    if input.len() >= HEAD_LIMIT { Err(&HEAD_TOO_LARGE) } else { Ok(None) }
}

fn is_token(name: &[u8]) -> bool {
    !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

fn content_length(value: &[u8]) -> Result<usize, Fault> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(&BAD_REQUEST);
    }
    let length = value
        .iter()
        .fold(0usize, |sum, digit| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
    if length > BODY_LIMIT { Err(&BODY_TOO_LARGE) } else { Ok(length) }
}

/// A chunked body, decoded as far as whole chunks have come in.
#[derive(Default)]
struct Chunks {
    body: Vec<u8>,
    decoded: usize,
    in_trailer: bool,
}

impl Chunks {
    /// `raw` is all that came after the head; the result is where the body ends in it.
    fn decode(&mut self, raw: &[u8]) -> Result<Option<usize>, Fault> {
        loop {
            if self.decoded > CHUNKED_LIMIT {
                return Err(&BODY_TOO_LARGE);
            }
            let rest = &raw[self.decoded..];
            let Some(line) = chunk_line(rest)? else { return Ok(None) };
            let line_length = line.len() + 2;
            if self.in_trailer {
                self.decoded += line_length;
                if line.is_empty() {
                    return Ok(Some(self.decoded));
                }
                continue;
            }
            let size = chunk_size(line)?;
            if size == 0 {
                self.in_trailer = true;
                self.decoded += line_length;
                continue;
            }
            if self.body.len() + size > BODY_LIMIT {
                return Err(&BODY_TOO_LARGE);
            }
            let Some(chunk) = rest.get(line_length..line_length + size + 2) else { return Ok(None) };
            let Some(data) = chunk.strip_suffix(b"\r\n") else { return Err(&BAD_REQUEST) };
            self.body.extend_from_slice(data);
            self.decoded += line_length + size + 2;
        }
    }
}

fn chunk_line(rest: &[u8]) -> Result<Option<&[u8]>, Fault> {
    let window = &rest[..rest.len().min(CHUNK_LINE_LIMIT)];
    match window.iter().position(|byte| *byte == b'\n') {
        Some(end) => match window[..end].strip_suffix(b"\r") {
            Some(line) if !line.contains(&b'\r') => Ok(Some(line)),
            _ => Err(&BAD_REQUEST),
        },
        None if window.len() == CHUNK_LINE_LIMIT => Err(&BAD_REQUEST),
        None => Ok(None),
    }
}

fn chunk_size(line: &[u8]) -> Result<usize, Fault> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    if digits.is_empty() || digits.len() > 8 {
        return Err(&BAD_REQUEST);
    }
    digits.iter().try_fold(0usize, |size, digit| {
        let value = char::from(*digit).to_digit(16).ok_or(&BAD_REQUEST)?;
        Ok(size * 16 + value as usize)
    })
}

fn write(output: &mut Vec<u8>, answer: &Answer, persistence: Persistence) {
    output.extend_from_slice(answer.line.as_bytes());
    write_persistence(output, persistence);
    output.extend_from_slice(answer.rest.as_bytes());
}

fn write_persistence(output: &mut Vec<u8>, persistence: Persistence) {
    match persistence {
        Persistence::Stays => {}
        Persistence::StaysAsAsked => output.extend_from_slice(b"Connection: keep-alive\r\n"),
        Persistence::Ends => output.extend_from_slice(b"Connection: close\r\n"),
    }
}

fn write_user(output: &mut Vec<u8>, id: &[u8], persistence: Persistence) {
    match percent_decode(id) {
        Some(id) => {
            write_text_head(output, id.len(), persistence);
            output.extend_from_slice(&id);
        }
        None => write(output, &BAD_REQUEST, persistence),
    }
}

fn write_waited(output: &mut Vec<u8>, milliseconds: u16, persistence: Persistence) {
    write_text_head(output, text::waited_length(milliseconds), persistence);
    text::write_waited(output, milliseconds);
}

fn write_text_head(output: &mut Vec<u8>, length: usize, persistence: Persistence) {
    output.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    write_persistence(output, persistence);
    output.extend_from_slice(b"Content-Type: text/plain\r\nContent-Length: ");
    text::write_number(output, length);
    output.extend_from_slice(b"\r\n\r\n");
}

fn write_json(output: &mut Vec<u8>, body: &[u8], persistence: Persistence) {
    output.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    write_persistence(output, persistence);
    output.extend_from_slice(b"Content-Type: application/json\r\nContent-Length: ");
    text::write_number(output, body.len());
    output.extend_from_slice(b"\r\n\r\n");
    output.extend_from_slice(body);
}

fn write_hash(output: &mut Vec<u8>, hash: &[u8; HASH_LENGTH], persistence: Persistence) {
    output.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    write_persistence(output, persistence);
    output.extend_from_slice(b"Content-Type: application/json\r\nContent-Length: 139\r\n\r\n");
    text::write_hash(output, hash);
}

#[cfg(test)]
#[path = "http1_tests.rs"]
mod tests;
