use std::rc::Rc;

use super::chunked::{Chunked, ChunkedError};
use super::head::{Framing, Head, HeadCache, head_end, parse_head};

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
