//! HTTP/1.0 and 1.1 responses (RFC 9112).

use std::rc::Rc;

use super::chunked::{Chunked, ChunkedError};

/// The longest that parts of an answer may be; what is longer is malformed, so that no server can fill the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Status line and headers, in bytes.
    pub head_bytes: usize,
    /// The body, in bytes.
    pub body_bytes: usize,
    /// Interim (1xx) answers before the answer.
    pub interim: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head_bytes: 64 * 1024, body_bytes: 1024 * 1024, interim: 8 }
    }
}

/// What the head of an answer says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Media type, lower case, without parameters.
    pub(crate) content_type: Option<String>,
    pub(crate) keep_alive: bool,
    framing: Framing,
    /// The head as it came, well-formed.
    bytes: Box<[u8]>,
}

impl Head {
    /// The values of the fields with this name, which must be a token, in order and without blanks at their ends.
    pub(crate) fn header(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        // A line's own blanks and colons cannot be mistaken: no token holds one, and the parser takes no folded line.
        self.bytes.split(|&b| b == b'\n').skip(1).filter_map(move |line| {
            let colon = memchr::memchr(b':', line)?;
            line[..colon].eq_ignore_ascii_case(name.as_bytes()).then(|| line[colon + 1..].trim_ascii())
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
    /// A transfer coding that nobody asked for, since requests have no `TE`, and that is not taken apart here.
    Coded,
}

/// What the bytes so far amount to.
#[derive(Debug)]
pub(crate) enum Answer<'a> {
    /// Nothing whole yet.
    Incomplete,
    /// A whole answer.
    Whole { head: Rc<Head>, body: &'a [u8] },
    /// Not HTTP, or over a limit.
    Malformed(&'static str),
}

/// What the end of the connection means.
#[derive(Debug)]
pub(crate) enum AtEnd<'a> {
    /// No byte of an answer had come.
    Nothing,
    /// An answer that lasts until the connection ends is whole.
    Whole { head: Rc<Head>, body: &'a [u8] },
    /// An answer was cut short.
    Truncated,
}

/// Reads the answers of one connection, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    state: State,
    /// What came of the head, or of the body.
    buffer: Vec<u8>,
    interim: u32,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Start,
    Head {
        searched: usize,
    },
    Body {
        head: Rc<Head>,
        left: BodyLeft,
    },
    /// The buffer holds a body that was handed out.
    HandedOut,
}

#[derive(Debug)]
enum BodyLeft {
    Length(usize),
    Chunked(Chunked),
    UntilClose,
}

/// Heads seen lately: a server repeats them to the byte (its `Date` changes once a second), and comparing is
/// cheaper than parsing. A head ends with an empty line, so equal bytes are an equal head.
#[derive(Debug, Default)]
pub(crate) struct HeadCache {
    heads: Vec<(Box<[u8]>, Rc<Head>)>,
    next: usize,
}

const CACHED_HEADS: usize = 8;
const LONGEST_CACHED_HEAD: usize = 1024;
const MOST_HEADERS: usize = 128;

impl HeadCache {
    fn find(&self, input: &[u8]) -> Option<(usize, Rc<Head>)> {
        let (bytes, head) = self.heads.iter().find(|(bytes, _)| input.starts_with(bytes))?;
        Some((bytes.len(), Rc::clone(head)))
    }

    fn insert(&mut self, bytes: &[u8], head: &Rc<Head>) {
        if bytes.len() > LONGEST_CACHED_HEAD {
            return;
        }
        let entry = (bytes.into(), Rc::clone(head));
        if self.heads.len() < CACHED_HEADS {
            self.heads.push(entry);
        } else {
            self.heads[self.next] = entry;
            self.next = (self.next + 1) % CACHED_HEADS;
        }
    }
}

impl Reader {
    /// Takes bytes for the answer under way and says how many it took; the rest belongs to what comes after.
    pub(crate) fn feed<'a>(
        &'a mut self,
        input: &'a [u8],
        answers_head: bool,
        cache: &mut HeadCache,
        limits: &Limits,
    ) -> (usize, Answer<'a>) {
        if matches!(self.state, State::HandedOut) {
            self.buffer.clear();
            self.state = State::Start;
        }
        let mut taken = 0;
        loop {
            if let State::Body { .. } = self.state {
                let (more, answer) = self.feed_body(&input[taken..], limits);
                return (taken + more, answer);
            }
            let rest = &input[taken..];
            if rest.is_empty() {
                return (taken, Answer::Incomplete);
            }
            let (head_bytes, head) = match self.feed_head(rest, cache, limits) {
                Ok(Some(found)) => found,
                Ok(None) => return (input.len(), Answer::Incomplete),
                Err(why) => return (input.len(), Answer::Malformed(why)),
            };
            taken += head_bytes;
            if (100..200).contains(&head.status) && head.status != 101 {
                self.interim += 1;
                if self.interim > limits.interim {
                    return (input.len(), Answer::Malformed("interim answers without end"));
                }
                self.state = State::Start;
                continue;
            }
            let bodiless = answers_head || matches!(head.status, 101 | 204 | 304);
            let left = match head.framing {
                _ if bodiless => BodyLeft::Length(0),
                Framing::Length(bytes) if bytes > limits.body_bytes => {
                    return (input.len(), Answer::Malformed("a body over the limit"));
                }
                Framing::Length(bytes) => {
                    // The usual case: the whole answer came in one piece and is never copied.
                    if input.len() - taken >= bytes {
                        self.state = State::HandedOut;
                        self.interim = 0;
                        return (taken + bytes, Answer::Whole { head, body: &input[taken..taken + bytes] });
                    }
                    BodyLeft::Length(bytes)
                }
                Framing::Chunked => BodyLeft::Chunked(Chunked::default()),
                Framing::UntilClose => BodyLeft::UntilClose,
                Framing::Coded => {
                    return (input.len(), Answer::Malformed("a transfer coding other than chunked"));
                }
            };
            self.buffer.clear();
            self.state = State::Body { head, left };
        }
    }

    /// Finds the end of the head: how many of these bytes belong to it, and what it says.
    fn feed_head(
        &mut self,
        rest: &[u8],
        cache: &mut HeadCache,
        limits: &Limits,
    ) -> Result<Option<(usize, Rc<Head>)>, &'static str> {
        let searched = match self.state {
            State::Head { searched } => searched,
            _ => {
                if let Some(found) = cache.find(rest) {
                    return Ok(Some(found));
                }
                self.buffer.clear();
                0
            }
        };
        let before = self.buffer.len();
        let room = (limits.head_bytes + 1).saturating_sub(before);
        self.buffer.extend_from_slice(&rest[..rest.len().min(room)]);
        let start = b"HTTP/1.";
        let shown = self.buffer.len().min(start.len());
        if self.buffer[..shown] != start[..shown] {
            return Err("no HTTP/1 status line");
        }
        match head_end(&self.buffer, searched)? {
            Some(end) => {
                let head = Rc::new(parse_head(&self.buffer[..end])?);
                cache.insert(&self.buffer[..end], &head);
                Ok(Some((end - before, head)))
            }
            None if self.buffer.len() > limits.head_bytes => Err("a head over the limit"),
            None => {
                self.state = State::Head { searched: self.buffer.len() };
                Ok(None)
            }
        }
    }

    fn feed_body<'a>(&'a mut self, input: &'a [u8], limits: &Limits) -> (usize, Answer<'a>) {
        let State::Body { head, left } = &mut self.state else {
            return (0, Answer::Incomplete);
        };
        let (taken, done) = match left {
            BodyLeft::Length(bytes) => {
                let take = input.len().min(*bytes - self.buffer.len());
                self.buffer.extend_from_slice(&input[..take]);
                (take, self.buffer.len() == *bytes)
            }
            BodyLeft::Chunked(chunked) => {
                match chunked.feed(input, &mut self.buffer, limits.body_bytes, limits.head_bytes as u64) {
                    Ok(taken) => (taken, chunked.is_done()),
                    Err(ChunkedError::Malformed) => {
                        return (input.len(), Answer::Malformed("a malformed chunk"));
                    }
                    Err(ChunkedError::TooLong) => {
                        return (input.len(), Answer::Malformed("a chunked body over the limit"));
                    }
                }
            }
            BodyLeft::UntilClose => {
                if self.buffer.len() + input.len() > limits.body_bytes {
                    return (input.len(), Answer::Malformed("a body over the limit"));
                }
                self.buffer.extend_from_slice(input);
                (input.len(), false)
            }
        };
        if !done {
            return (taken, Answer::Incomplete);
        }
        let head = Rc::clone(head);
        self.state = State::HandedOut;
        self.interim = 0;
        (taken, Answer::Whole { head, body: &self.buffer })
    }

    /// Whether a part of an answer has come.
    pub(crate) fn has_begun(&self) -> bool {
        matches!(self.state, State::Head { .. } | State::Body { .. }) || self.interim > 0
    }

    /// How many bytes it keeps room for.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn room_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// The connection has ended.
    pub(crate) fn at_end(&mut self) -> AtEnd<'_> {
        match std::mem::replace(&mut self.state, State::HandedOut) {
            State::Start | State::HandedOut if self.interim == 0 => AtEnd::Nothing,
            State::Body { head, left: BodyLeft::UntilClose } => AtEnd::Whole { head, body: &self.buffer },
            _ => AtEnd::Truncated,
        }
    }
}

/// Where the head ends, its empty line included; `None` when that has not come yet. What lies before `searched` was looked at
/// already. RFC 9112 (2.2) lets a recipient take a bare LF for the end of a line; here a line ends with CRLF and nothing else, so
/// that no two recipients see two heads in the same bytes.
#[inline]
fn head_end(buffer: &[u8], searched: usize) -> Result<Option<usize>, &'static str> {
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
pub(crate) fn parse_head(bytes: &[u8]) -> Result<Head, &'static str> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    match response.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length == bytes.len() => {}
        _ => return Err("a malformed head"),
    }
    let status = response.code.ok_or("a status line without a code")?;
    let http11 = response.version == Some(1);
    let mut length = None;
    // Codings, and how many of them are `chunked`.
    let (mut coded, mut codings, mut chunked) = (false, 0, 0);
    let (mut close, mut keep_alive) = (false, false);
    let mut content_type = None;
    for header in response.headers {
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
    Ok(Head { status, content_type, keep_alive, framing, bytes: bytes.into() })
}

fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&b| b == b',').map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Eq, Clone)]
    enum Got {
        Answer(u16, Option<String>, bool, Vec<u8>),
        Malformed,
    }

    /// Feeds a stream in pieces and collects all that comes out, the end of the connection included.
    fn read(stream: &[u8], pieces: usize, head: bool) -> (Vec<Got>, &'static str) {
        let limits = Limits { head_bytes: 300, body_bytes: 500, interim: 2 };
        let (mut reader, mut cache, mut got) = (Reader::default(), HeadCache::default(), Vec::new());
        for piece in stream.chunks(pieces.max(1)) {
            let mut at = 0;
            while at < piece.len() {
                let (taken, answer) = reader.feed(&piece[at..], head, &mut cache, &limits);
                match answer {
                    Answer::Incomplete => assert_eq!(taken, piece.len() - at, "takes all or answers"),
                    Answer::Whole { head, body } => got.push(Got::Answer(
                        head.status,
                        head.content_type.clone(),
                        head.keep_alive,
                        body.to_vec(),
                    )),
                    Answer::Malformed(_) => {
                        got.push(Got::Malformed);
                        return (got, "malformed");
                    }
                }
                at += taken;
            }
        }
        let end = match reader.at_end() {
            AtEnd::Nothing => "nothing",
            AtEnd::Truncated => "truncated",
            AtEnd::Whole { head, body } => {
                got.push(Got::Answer(head.status, head.content_type.clone(), head.keep_alive, body.to_vec()));
                "whole"
            }
        };
        (got, end)
    }

    fn ok(status: u16, keep_alive: bool, body: &str) -> Got {
        Got::Answer(status, None, keep_alive, body.as_bytes().to_vec())
    }

    #[test]
    fn every_framing_in_pieces_of_every_size() {
        let cases: &[(&str, bool, Vec<Got>, &str)] = &[
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\ncd",
                false,
                vec![ok(200, true, "ab"), ok(200, true, "cd")],
                "nothing",
            ),
            ("HTTP/1.1 204 No Content\r\n\r\n", false, vec![ok(204, true, "")], "nothing"),
            ("HTTP/1.1 304 x\r\nContent-Length: 9\r\n\r\n", false, vec![ok(304, true, "")], "nothing"),
            ("HTTP/1.1 200 x\r\nContent-Length: 9\r\n\r\n", true, vec![ok(200, true, "")], "nothing"),
            (
                "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: u\r\n\r\n",
                false,
                vec![ok(200, true, "abc")],
                "nothing",
            ),
            (
                "HTTP/1.1 200 x\r\nTransfer-Encoding: , Chunked ,\r\nContent-Length: 1\r\n\r\n1\r\na\r\n0\r\n\r\n",
                false,
                vec![ok(200, true, "a")],
                "nothing",
            ),
            (
                "HTTP/1.0 200 x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                false,
                vec![ok(200, false, "")],
                "nothing",
            ),
            ("HTTP/1.1 200 x\r\nTransfer-Encoding: gzip\r\n\r\n", true, vec![ok(200, true, "")], "nothing"),
            ("HTTP/1.0 200 x\r\n\r\nuntil the end", false, vec![ok(200, false, "until the end")], "whole"),
            (
                "HTTP/1.0 200 x\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx",
                false,
                vec![ok(200, true, "x")],
                "nothing",
            ),
            (
                "HTTP/1.1 200 x\r\nConnection: foo, close\r\nContent-Length: 0\r\n\r\n",
                false,
                vec![ok(200, false, "")],
                "nothing",
            ),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\ny",
                false,
                vec![ok(200, true, "y")],
                "nothing",
            ),
            ("HTTP/1.1 200 x\r\nContent-Length: 5\r\n\r\nabc", false, vec![], "truncated"),
            ("HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", false, vec![], "truncated"),
            ("HTTP/1.1 200 x\r\nConte", false, vec![], "truncated"),
            ("", false, vec![], "nothing"),
            ("HTTP/1.1 100 Continue\r\n\r\n", false, vec![], "truncated"),
            ("hello", false, vec![Got::Malformed], "malformed"),
            ("HTTP/1.1 abc\r\n\r\n", false, vec![Got::Malformed], "malformed"),
            ("HTTP/1.1 200 x\r\nContent-Length: -1\r\n\r\n", false, vec![Got::Malformed], "malformed"),
            (
                "HTTP/1.1 200 x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                false,
                vec![Got::Malformed],
                "malformed",
            ),
            ("HTTP/1.1 200 x\r\nContent-Length: 501\r\n\r\n", false, vec![Got::Malformed], "malformed"),
            ("HTTP/1.1 200 x\nContent-Length: 0\n\n", false, vec![Got::Malformed], "malformed"),
            ("HTTP/1.1 200 x\r\nContent-Length: 0\n\r\n", false, vec![Got::Malformed], "malformed"),
            ("HTTP/1.1 200 x\r\nContent-Length: 0\r\n\n", false, vec![Got::Malformed], "malformed"),
            ("HTTP/1.1 200 x\rContent-Length: 0\r\r", false, vec![Got::Malformed], "malformed"),
            ("HTTP/1.1 200 x\r\nTransfer-Encoding: gzip\r\n\r\n", false, vec![Got::Malformed], "malformed"),
            (
                "HTTP/1.1 200 x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                false,
                vec![Got::Malformed],
                "malformed",
            ),
            (
                "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                false,
                vec![Got::Malformed],
                "malformed",
            ),
            ("HTTP/1.1 200 x\r\nTransfer-Encoding:\r\n\r\n", false, vec![Got::Malformed], "malformed"),
            (
                "HTTP/1.1 200 x\r\nTransfer-Encoding: identity\r\n\r\n",
                false,
                vec![Got::Malformed],
                "malformed",
            ),
            (
                "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: u\n\r\n",
                false,
                vec![Got::Malformed],
                "malformed",
            ),
            (
                "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\n",
                false,
                vec![Got::Malformed],
                "malformed",
            ),
        ];
        for (stream, head, answers, end) in cases {
            for pieces in 1..=stream.len().max(1) {
                assert_eq!(
                    read(stream.as_bytes(), pieces, *head),
                    (answers.clone(), *end),
                    "{stream:?} in pieces of {pieces}"
                );
            }
        }
    }

    #[test]
    fn nothing_grows_without_end() {
        let endless_head = [b"HTTP/1.1 200 OK\r\nX: ".as_slice(), &[b'a'; 1000]].concat();
        let endless_body = [b"HTTP/1.0 200 OK\r\n\r\n".as_slice(), &[b'a'; 1000]].concat();
        let hints = b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(4);
        for stream in [endless_head, endless_body, hints] {
            for pieces in [1, 7, 5000] {
                assert_eq!(read(&stream, pieces, false).1, "malformed");
            }
        }
    }

    #[test]
    fn content_types_are_compared_without_parameters() {
        let (got, _) = read(
            b"HTTP/1.1 200 x\r\ncontent-type: Application/JSON; charset=utf-8\r\ncontent-length: 0\r\n\r\n",
            9,
            false,
        );
        assert_eq!(got, [Got::Answer(200, Some("application/json".into()), true, vec![])]);
    }

    #[test]
    fn fields_are_found_by_name_in_any_case() {
        let head =
            parse_head(b"HTTP/1.1 200 a: b\r\nA:1\r\nB-a: x\r\na: \t2:3 \nAb: 4\r\nB:\r\n\r\n").unwrap();
        let values = |name| head.header(name).collect::<Vec<_>>();
        assert_eq!(values("a"), [b"1".as_slice(), b"2:3"]);
        assert_eq!(values("b"), [b"".as_slice()]);
        assert_eq!(values("AB"), [b"4"]);
        assert!(values("HTTP/1.1 200 a").is_empty() && values("c").is_empty() && values("").is_empty());
    }

    proptest! {
        #[test]
        fn fields_are_those_that_the_parser_found(lines in proptest::collection::vec(
            ("[aB]{1,2}", "[ -~\t\u{80}-\u{ff}]{0,8}"), 0..6,
        )) {
            let mut text = "HTTP/1.1 200 OK: a\r\n".to_owned();
            for (name, value) in &lines {
                text.push_str(&format!("{name}:{value}\r\n"));
            }
            text.push_str("\r\n");
            let head = parse_head(text.as_bytes()).unwrap();
            let mut fields = [httparse::EMPTY_HEADER; 8];
            let mut response = httparse::Response::new(&mut fields);
            prop_assert!(response.parse(text.as_bytes()).unwrap().is_complete());
            for name in ["a", "b", "AA", "Ab", "Ba", "bb"] {
                let found: Vec<&[u8]> = response
                    .headers
                    .iter()
                    .filter(|field| field.name.eq_ignore_ascii_case(name))
                    .map(|field| field.value)
                    .collect();
                prop_assert_eq!(head.header(name).collect::<Vec<_>>(), found);
            }
        }

        #[test]
        fn a_head_ends_where_a_plain_search_finds_its_empty_line(
            lines in proptest::collection::vec(("[a-z\r\n]{0,4}", "(\r\n|\r\n|\r\n|\n|\r)"), 0..8),
            searched in 0usize..40,
        ) {
            let text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
            let whole = text.replace("\r\n", "  ");
            let end = text.find("\r\n\r\n").map(|at| at + 4);
            let bare = whole.find(['\r', '\n']).filter(|&at| {
                // The last byte may be a CR whose LF is still to come; what is behind the head is not looked at.
                end.is_none_or(|end| at < end) && (text.as_bytes()[at] == b'\n' || at + 1 < text.len())
            });
            let wanted = if bare.is_some() { None } else { Some(end) };
            let found = head_end(text.as_bytes(), 0);
            prop_assert_eq!(found.ok(), wanted);
            // In two pieces it is the same.
            let searched = searched.min(text.len());
            if let Ok(None) = head_end(&text.as_bytes()[..searched], 0) {
                prop_assert_eq!(head_end(text.as_bytes(), searched).ok(), wanted);
            }
        }

        #[test]
        fn any_bytes_are_read_alike_in_pieces_of_any_size(
            mut stream in proptest::collection::vec(any::<u8>(), 0..200),
            pieces in 1usize..50,
            prefix in 0usize..4,
        ) {
            let starts: [&[u8]; 4] = [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"];
            stream.splice(0..0, starts[prefix].iter().copied());
            prop_assert_eq!(read(&stream, pieces, false), read(&stream, stream.len(), false));
        }
    }
}
