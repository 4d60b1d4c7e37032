use std::rc::Rc;

use crate::protocol::Head;

/// A head, and what HTTP/1 says in it of the bytes behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FramedHead {
    pub(crate) head: Rc<Head>,
    pub(crate) keep_alive: bool,
    pub(super) framing: Framing,
}

/// How the end of the body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
    /// A transfer coding that nobody asked for, since requests have no `TE`, and that is not taken apart here.
    Coded,
}

/// Heads seen lately: a server repeats them to the byte (its `Date` changes once a second), and comparing is
/// cheaper than parsing. A head ends with an empty line, so equal bytes are an equal head.
#[derive(Debug, Default)]
pub(crate) struct HeadCache {
    heads: Vec<(Box<[u8]>, FramedHead)>,
    next: usize,
}

const CACHED_HEADS: usize = 8;
const LONGEST_CACHED_HEAD: usize = 1024;
/// Fields of an answer for which there is room at once; an answer may have more.
const USUAL_FIELDS: usize = 128;

impl HeadCache {
    pub(super) fn find(&self, input: &[u8]) -> Option<(usize, FramedHead)> {
        let (bytes, head) = self.heads.iter().find(|(bytes, _)| input.starts_with(bytes))?;
        Some((bytes.len(), head.clone()))
    }

    pub(super) fn insert(&mut self, bytes: &[u8], head: &FramedHead) {
        if bytes.len() > LONGEST_CACHED_HEAD {
            return;
        }
        let entry = (bytes.into(), head.clone());
        if self.heads.len() < CACHED_HEADS {
            self.heads.push(entry);
        } else {
            self.heads[self.next] = entry;
            self.next = (self.next + 1) % CACHED_HEADS;
        }
    }
}

/// Where the head ends, its empty line included; `None` when that has not come yet. What lies before `searched` was looked at
/// already. RFC 9112 (2.2) lets a recipient take a bare LF for the end of a line; here a line ends with CRLF and nothing else, so
/// that no two recipients see two heads in the same bytes.
#[inline]
pub(super) fn head_end(buffer: &[u8], searched: usize) -> Result<Option<usize>, &'static str> {
    // A CR at the end of the last piece waits for its LF.
    let from = searched.saturating_sub(1);
    // Most heads are known by their bytes and never come here.
    for (at, &byte) in buffer.iter().enumerate().skip(from) {
        if byte > b'\r' {
            continue;
        }
        let before = at.checked_sub(1).map(|before| buffer[before]);
        if byte == b'\r' {
            if buffer.get(at + 1).is_some_and(|&next| next != b'\n') {
                return Err("a bare CR in the head: lines end with CRLF");
            }
        } else if byte == b'\n' {
            if before != Some(b'\r') {
                return Err("a bare LF in the head: lines end with CRLF");
            }
            if at >= 3 && buffer[at - 2] == b'\n' {
                return Ok(Some(at + 1));
            }
        }
    }
    Ok(None)
}

/// Reads a whole head, its empty line included.
pub(crate) fn parse_head(bytes: &[u8]) -> Result<FramedHead, &'static str> {
    let parsed = match parse_fields(bytes, &mut [httparse::EMPTY_HEADER; USUAL_FIELDS]) {
        Err(httparse::Error::TooManyHeaders) => {
            let lines = memchr::memchr_iter(b'\n', bytes).count();
            parse_fields(bytes, &mut vec![httparse::EMPTY_HEADER; lines])
        }
        parsed => parsed,
    };
    match parsed {
        // So it calls a line that begins with a blank.
        Err(error @ httparse::Error::HeaderName) => match unfolded(bytes) {
            Some(unfolded) => parse_head(&unfolded),
            None => Err(why_malformed(error)),
        },
        Err(error) => Err(why_malformed(error)),
        Ok(head) => head,
    }
}

/// The same with the lines of each field joined into one: a recipient takes what folds a field for blanks (RFC 9112, 5.2). `None`
/// when no field is folded.
fn unfolded(head: &[u8]) -> Option<Vec<u8>> {
    let mut unfolded = None;
    // What stands behind the status line belongs to no field (RFC 9112, 2.2).
    for end in memchr::memchr_iter(b'\n', head).skip(1) {
        if matches!(head.get(end + 1), Some(b' ' | b'\t')) {
            unfolded.get_or_insert_with(|| head.to_vec())[end - 1..=end].fill(b' ');
        }
    }
    unfolded
}

fn why_malformed(error: httparse::Error) -> &'static str {
    match error {
        httparse::Error::Status => "a malformed status line",
        httparse::Error::Version => "a version other than HTTP/1.0 and HTTP/1.1",
        httparse::Error::HeaderName => "a header field without a well-formed name and a colon",
        httparse::Error::HeaderValue => "a header field with a control character in its value",
        httparse::Error::NewLine | httparse::Error::Token | httparse::Error::TooManyHeaders => {
            "a malformed head"
        }
    }
}

/// Reads a head where there is room for its fields. The outer error is the parser's own.
#[inline]
fn parse_fields<'a>(
    bytes: &'a [u8],
    room: &mut [httparse::Header<'a>],
) -> Result<Result<FramedHead, &'static str>, httparse::Error> {
    let mut response = httparse::Response::new(room);
    if response.parse(bytes)? != httparse::Status::Complete(bytes.len()) {
        return Ok(Err("a malformed head"));
    }
    Ok(framed(&response, bytes))
}

fn framed(response: &httparse::Response<'_, '_>, bytes: &[u8]) -> Result<FramedHead, &'static str> {
    let status = response.code.ok_or("a status line without a code")?;
    let http11 = response.version == Some(1);
    let mut length = None;
    // Codings, and how many of them are `chunked`.
    let (mut coded, mut codings, mut chunked) = (false, 0, 0);
    let (mut close, mut keep_alive) = (false, false);
    let mut content_type = None;
    for header in response.headers.iter() {
        let value = header.value;
        if header.name.eq_ignore_ascii_case("content-length") {
            let text = std::str::from_utf8(value).map_err(|_| "a malformed Content-Length")?.trim();
            if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
                return Err("a malformed Content-Length");
            }
            let parsed: usize = text.parse().map_err(|_| "a malformed Content-Length")?;
            if length.is_some_and(|earlier| earlier != parsed) {
                return Err("two different Content-Length");
            }
            length = Some(parsed);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            coded = true;
            // Several fields of this name are one list; an element of a list may be empty (RFC 9110, 5.6.1).
            for token in tokens(value).filter(|token| !token.is_empty()) {
                codings += 1;
                chunked += usize::from(token.eq_ignore_ascii_case(b"chunked"));
            }
        } else if header.name.eq_ignore_ascii_case("connection") {
            close |= tokens(value).any(|token| token.eq_ignore_ascii_case(b"close"));
            keep_alive |= tokens(value).any(|token| token.eq_ignore_ascii_case(b"keep-alive"));
        } else if header.name.eq_ignore_ascii_case("content-type") {
            let media = value.split(|&b| b == b';').next().unwrap_or_default();
            content_type = Some(String::from_utf8_lossy(media).trim().to_ascii_lowercase());
        }
    }
    // A message with both fields is framed by the coding (RFC 9112, 6.3).
    let framing = match length {
        _ if coded && (codings, chunked) == (1, 1) => Framing::Chunked,
        _ if coded => Framing::Coded,
        Some(bytes) => Framing::Length(bytes),
        None => Framing::UntilClose,
    };
    // HTTP/1.0 has no codings, so what is behind such an answer cannot be trusted (RFC 9112, 6.1).
    let keep_alive = !close && (http11 || keep_alive) && (http11 || !coded);
    // Behind the status line.
    let fields = memchr::memchr(b'\n', bytes).map_or(&[][..], |end| &bytes[end + 1..]).into();
    Ok(FramedHead {
        head: Rc::new(Head { status, content_type, fields, trailers: None }),
        keep_alive,
        framing,
    })
}

fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&b| b == b',').map(<[u8]>::trim_ascii)
}
