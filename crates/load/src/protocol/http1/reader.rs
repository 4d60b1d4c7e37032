use std::rc::Rc;

use super::chunked::{Chunked, ChunkedError};
use super::head::{FramedHead, Framing, HeadCache, head_end, parse_head};
use crate::protocol::{AtEnd, BODY_OVER_LIMIT, HEAD_OVER_LIMIT, Head, Limits};

/// What the bytes so far amount to.
#[derive(Debug)]
pub(crate) enum Answer<'a> {
    /// Nothing whole yet.
    Incomplete,
    /// A whole answer, and whether the server keeps the connection open behind it.
    Whole { head: Rc<Head>, body: &'a [u8], keeps_alive: bool },
    /// Not HTTP, or over a limit.
    Malformed(&'static str),
}

/// Reads the answers of one connection, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    state: State,
    /// What came of the head, or of the body.
    buffer: Vec<u8>,
    /// How much of the body has come, kept or not.
    body_bytes: usize,
    interim: u32,
    /// The server keeps the connection open behind the last head.
    keep_alive: bool,
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

/// Appends to what is kept, if it is.
#[inline]
fn keep(room: Option<&mut Vec<u8>>, bytes: &[u8]) {
    if let Some(room) = room {
        room.extend_from_slice(bytes);
    }
}

impl Reader {
    /// Takes bytes for the answer under way and says how many it took; the rest belongs to what comes after. A body that comes in
    /// pieces and is not kept is only counted.
    // Here and below: most answers come in one piece, and a call of its own for each costs 30 instructions.
    #[inline(always)]
    pub(crate) fn feed<'a>(
        &'a mut self,
        input: &'a [u8],
        answers_head: bool,
        keeps_body: bool,
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
                let (more, answer) = self.feed_body(&input[taken..], keeps_body, limits);
                return (taken + more, answer);
            }
            let rest = &input[taken..];
            if rest.is_empty() {
                return (taken, Answer::Incomplete);
            }
            let (head_bytes, FramedHead { head, keep_alive, framing }) =
                match self.feed_head(rest, cache, limits) {
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
            self.keep_alive = keep_alive;
            let left = match framing {
                _ if bodiless => BodyLeft::Length(0),
                Framing::Length(bytes) if bytes > limits.body_bytes => {
                    return (input.len(), Answer::Malformed(BODY_OVER_LIMIT));
                }
                Framing::Length(bytes) => {
                    // The usual case: the whole answer came in one piece and is never copied.
                    if input.len() - taken >= bytes {
                        self.state = State::HandedOut;
                        self.interim = 0;
                        let body = &input[taken..taken + bytes];
                        return (taken + bytes, Answer::Whole { head, body, keeps_alive: keep_alive });
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
            self.body_bytes = 0;
            self.state = State::Body { head, left };
        }
    }

    /// Finds the end of the head: how many of these bytes belong to it, and what it says.
    fn feed_head(
        &mut self,
        rest: &[u8],
        cache: &mut HeadCache,
        limits: &Limits,
    ) -> Result<Option<(usize, FramedHead)>, &'static str> {
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
                let head = parse_head(&self.buffer[..end])?;
                cache.insert(&self.buffer[..end], &head);
                Ok(Some((end - before, head)))
            }
            None if self.buffer.len() > limits.head_bytes => Err(HEAD_OVER_LIMIT),
            None => {
                self.state = State::Head { searched: self.buffer.len() };
                Ok(None)
            }
        }
    }

    #[inline(never)]
    fn feed_body<'a>(
        &'a mut self,
        input: &'a [u8],
        keeps_body: bool,
        limits: &Limits,
    ) -> (usize, Answer<'a>) {
        let State::Body { head, left } = &mut self.state else {
            return (0, Answer::Incomplete);
        };
        let room = keeps_body.then_some(&mut self.buffer);
        let (taken, done) = match left {
            BodyLeft::Length(bytes) => {
                let take = input.len().min(*bytes - self.body_bytes);
                keep(room, &input[..take]);
                self.body_bytes += take;
                (take, self.body_bytes == *bytes)
            }
            BodyLeft::Chunked(chunked) => {
                match chunked.feed(input, room, limits.body_bytes, limits.head_bytes as u64) {
                    Ok(taken) => (taken, chunked.is_done()),
                    Err(ChunkedError::Malformed) => {
                        return (input.len(), Answer::Malformed("a malformed chunk"));
                    }
                    Err(ChunkedError::TooLong) => {
                        return (input.len(), Answer::Malformed(BODY_OVER_LIMIT));
                    }
                    Err(ChunkedError::TooMuchFraming) => {
                        let why = "chunk extensions or trailers over the limit, which velo load's --limit-head sets";
                        return (input.len(), Answer::Malformed(why));
                    }
                }
            }
            BodyLeft::UntilClose => {
                if self.body_bytes + input.len() > limits.body_bytes {
                    return (input.len(), Answer::Malformed(BODY_OVER_LIMIT));
                }
                keep(room, input);
                self.body_bytes += input.len();
                (input.len(), false)
            }
        };
        if !done {
            return (taken, Answer::Incomplete);
        }
        let head = Rc::clone(head);
        self.state = State::HandedOut;
        self.interim = 0;
        (taken, Answer::Whole { head, body: &self.buffer, keeps_alive: self.keep_alive })
    }

    /// Whether the connection lasts behind the answer that was read last.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn keeps_alive(&self) -> bool {
        self.keep_alive
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
        let interim = std::mem::take(&mut self.interim);
        match std::mem::replace(&mut self.state, State::HandedOut) {
            State::Start | State::HandedOut if interim == 0 => AtEnd::Nothing,
            State::Body { head, left: BodyLeft::UntilClose } => AtEnd::Whole { head, body: &self.buffer },
            _ => AtEnd::Truncated,
        }
    }
}
