//! The heads of answers: blocks of fields in, what they say out.

use std::rc::Rc;

use crate::hpack::USUAL_TABLE_BYTES;
use crate::hpack::read::{ReadError, Reader};
use crate::protocol::{Head, Limits};

/// A head, and what it says of the body behind it.
#[derive(Debug)]
pub(super) struct FramedHead {
    pub(super) head: Rc<Head>,
    /// How long the body says to be.
    pub(super) length: Option<usize>,
}

/// Heads seen lately by all connections of a worker, so that the same fields are the same head.
#[derive(Debug, Default)]
pub(super) struct HeadCache {
    heads: Vec<Kept>,
    next: usize,
}

/// A head that may come again. That it is held here as well tells so to whoever gets it.
#[derive(Debug)]
struct Kept {
    head: Rc<Head>,
    framed: Rc<FramedHead>,
}

/// Reads the blocks of one connection. A block seen before is compared and not read again: a server repeats them to the byte. What its
/// bytes mean depends on the table, so those seen before are forgotten when that changes; a block that changes it is not among them.
#[derive(Debug)]
pub(super) struct Heads {
    reader: Reader,
    seen: Vec<(Box<[u8]>, Rc<FramedHead>)>,
    next: usize,
    seen_behind: Vec<SeenBehind>,
    next_behind: usize,
    /// The table's state that those seen belong to.
    changes: u64,
    lines: Vec<u8>,
}

/// Trailers that were seen behind a head.
#[derive(Debug)]
struct SeenBehind {
    block: Box<[u8]>,
    head: Rc<Head>,
    /// The head with them.
    both: Rc<FramedHead>,
}

/// What is wrong with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadError {
    /// No later block of the connection can be read.
    Unreadable(&'static str),
    TooLong,
    /// It can be read, and is no head.
    Malformed(&'static str),
}

const CACHED_HEADS: usize = 16;
const SEEN_BLOCKS: usize = 8;
const LONGEST_SEEN: usize = 1024;

impl HeadCache {
    fn same(
        &mut self,
        status: u16,
        fields: &[u8],
        trailers: Option<&[u8]>,
        make: impl FnOnce() -> FramedHead,
    ) -> Rc<FramedHead> {
        let known = self.heads.iter().find(|known| {
            known.head.status == status
                && *known.head.fields == *fields
                && known.head.trailers.as_deref() == trailers
        });
        if let Some(known) = known {
            return Rc::clone(&known.framed);
        }
        let made = Rc::new(make());
        let kept = Kept { head: Rc::clone(&made.head), framed: Rc::clone(&made) };
        if self.heads.len() < CACHED_HEADS {
            self.heads.push(kept);
        } else {
            self.heads[self.next] = kept;
            self.next = (self.next + 1) % CACHED_HEADS;
        }
        made
    }
}

impl Default for Heads {
    fn default() -> Self {
        Self {
            reader: Reader::new(USUAL_TABLE_BYTES),
            seen: Vec::new(),
            next: 0,
            seen_behind: Vec::new(),
            next_behind: 0,
            changes: 0,
            lines: Vec::new(),
        }
    }
}

impl From<ReadError> for HeadError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Malformed(why) => Self::Unreadable(why),
            ReadError::TooLong => Self::TooLong,
        }
    }
}

impl Heads {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.reader.reset();
        self.forget_seen();
    }

    fn forget_seen(&mut self) {
        self.seen.clear();
        self.seen_behind.clear();
        (self.next, self.next_behind) = (0, 0);
        self.changes = self.reader.changes();
    }

    /// Reads the head of an answer, interim or not.
    #[inline]
    pub(super) fn head(
        &mut self,
        block: &[u8],
        cache: &mut HeadCache,
        limits: &Limits,
    ) -> Result<Rc<FramedHead>, HeadError> {
        match self.seen.iter().find(|(bytes, _)| **bytes == *block) {
            Some((_, head)) => Ok(Rc::clone(head)),
            None => self.read(block, cache, limits),
        }
    }

    #[inline(never)]
    fn read(
        &mut self,
        block: &[u8],
        cache: &mut HeadCache,
        limits: &Limits,
    ) -> Result<Rc<FramedHead>, HeadError> {
        let mut parsed = Parsed::new(&mut self.lines);
        let read = self.reader.read(block, limits.head_bytes, |name, value| parsed.field(name, value));
        let Parsed { status, content_type, length, problem, .. } = parsed;
        let had_changed = self.changes != self.reader.changes();
        if had_changed {
            self.forget_seen();
        }
        read?;
        if let Some(why) = problem {
            return Err(HeadError::Malformed(why));
        }
        let status = status.ok_or(HeadError::Malformed("a head without a status"))?;
        let fields = self.lines.as_slice();
        let head = cache.same(status, fields, None, || FramedHead {
            head: Rc::new(Head { status, content_type, fields: fields.into(), trailers: None }),
            length,
        });
        if !had_changed && block.len() <= LONGEST_SEEN {
            let seen = (block.into(), Rc::clone(&head));
            if self.seen.len() < SEEN_BLOCKS {
                self.seen.push(seen);
            } else {
                self.seen[self.next] = seen;
                self.next = (self.next + 1) % SEEN_BLOCKS;
            }
        }
        Ok(head)
    }

    /// A head with this block that was seen before.
    #[inline]
    pub(super) fn seen(&self, block: &[u8]) -> Option<&Rc<FramedHead>> {
        self.seen.iter().find(|(bytes, _)| **bytes == *block).map(|(_, head)| head)
    }

    /// A head with these trailers behind it that both were seen before.
    #[inline]
    pub(super) fn seen_behind(&self, block: &[u8], head: &FramedHead) -> Option<&Rc<FramedHead>> {
        let is_same = |seen: &&SeenBehind| *seen.block == *block && Rc::ptr_eq(&seen.head, &head.head);
        self.seen_behind.iter().find(is_same).map(|seen| &seen.both)
    }

    /// Reads the fields behind a body; the head of the answer with them.
    #[inline]
    pub(super) fn trailers(
        &mut self,
        block: &[u8],
        head: &FramedHead,
        cache: &mut HeadCache,
        limits: &Limits,
    ) -> Result<Rc<FramedHead>, HeadError> {
        match self.seen_behind(block, head) {
            Some(both) => Ok(Rc::clone(both)),
            None => self.read_trailers(block, head, cache, limits),
        }
    }

    #[inline(never)]
    fn read_trailers(
        &mut self,
        block: &[u8],
        framed: &FramedHead,
        cache: &mut HeadCache,
        limits: &Limits,
    ) -> Result<Rc<FramedHead>, HeadError> {
        let mut parsed = Parsed::new(&mut self.lines);
        parsed.behind_pseudo = true;
        let read = self.reader.read(block, limits.head_bytes, |name, value| parsed.field(name, value));
        let problem = parsed.problem;
        let had_changed = self.changes != self.reader.changes();
        if had_changed {
            self.forget_seen();
        }
        read?;
        if let Some(why) = problem {
            return Err(HeadError::Malformed(why));
        }
        let (head, trailers) = (&framed.head, self.lines.as_slice());
        let both = cache.same(head.status, &head.fields, Some(trailers), || FramedHead {
            head: Rc::new(Head {
                status: head.status,
                content_type: head.content_type.clone(),
                fields: head.fields.clone(),
                trailers: Some(trailers.into()),
            }),
            length: framed.length,
        });
        if !had_changed && block.len() <= LONGEST_SEEN {
            let seen = SeenBehind { block: block.into(), head: Rc::clone(head), both: Rc::clone(&both) };
            if self.seen_behind.len() < SEEN_BLOCKS {
                self.seen_behind.push(seen);
            } else {
                self.seen_behind[self.next_behind] = seen;
                self.next_behind = (self.next_behind + 1) % SEEN_BLOCKS;
            }
        }
        Ok(both)
    }
}

/// A block being read.
struct Parsed<'a> {
    status: Option<u16>,
    content_type: Option<String>,
    length: Option<usize>,
    /// A field that is not the protocol's own has come: none of those may follow.
    behind_pseudo: bool,
    problem: Option<&'static str>,
    lines: &'a mut Vec<u8>,
}

impl<'a> Parsed<'a> {
    fn new(lines: &'a mut Vec<u8>) -> Self {
        lines.clear();
        Self { status: None, content_type: None, length: None, behind_pseudo: false, problem: None, lines }
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        if let Err(why) = self.try_field(name, value) {
            self.problem.get_or_insert(why);
        }
    }

    /// RFC 9113, 8.2 and 8.3.
    fn try_field(&mut self, name: &[u8], value: &[u8]) -> Result<(), &'static str> {
        if value.iter().any(|b| matches!(b, b'\r' | b'\n' | 0)) {
            return Err("a line break or NUL in a field's value");
        }
        if value.trim_ascii().len() != value.len() {
            return Err("a blank at an end of a field's value");
        }
        if let [b':', ..] = name {
            return self.pseudo(name, value);
        }
        self.behind_pseudo = true;
        if name.iter().any(u8::is_ascii_uppercase) {
            return Err("a field's name with a capital letter");
        }
        if name.is_empty() || !name.iter().all(|&b| is_token(b)) {
            return Err("a field's name that is no token");
        }
        match name {
            b"connection" | b"proxy-connection" | b"keep-alive" | b"transfer-encoding" | b"upgrade" => {
                return Err("a field of HTTP/1.1's connections");
            }
            b"content-length" => {
                if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
                    return Err("a malformed content-length");
                }
                let text = str::from_utf8(value).map_err(|_| "a malformed content-length")?;
                let length = text.parse().map_err(|_| "a malformed content-length")?;
                if self.length.is_some_and(|earlier| earlier != length) {
                    return Err("two different content-length");
                }
                self.length = Some(length);
            }
            b"content-type" => {
                let media = value.split(|&b| b == b';').next().unwrap_or_default();
                self.content_type = Some(String::from_utf8_lossy(media).trim().to_ascii_lowercase());
            }
            _ => {}
        }
        self.lines.extend_from_slice(name);
        self.lines.extend_from_slice(b": ");
        self.lines.extend_from_slice(value);
        self.lines.push(b'\n');
        Ok(())
    }

    fn pseudo(&mut self, name: &[u8], value: &[u8]) -> Result<(), &'static str> {
        if self.behind_pseudo {
            return Err("a pseudo-field behind other fields or in trailers");
        }
        if name != b":status" {
            return Err("a pseudo-field that no answer has");
        }
        if self.status.is_some() {
            return Err("two statuses");
        }
        match value {
            [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
                let digit = |byte: &u8| u16::from(byte - b'0');
                self.status = Some(digit(a) * 100 + digit(b) * 10 + digit(c));
                Ok(())
            }
            _ => Err("a status that is not three digits"),
        }
    }
}

/// RFC 9110, 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
