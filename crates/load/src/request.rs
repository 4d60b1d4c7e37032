//! A request and the answer that it must get, before it is rendered.

use std::fmt;
use std::sync::Arc;

use velo_model::Table;

/// A request and the answer that it must get.
#[derive(Debug, Clone)]
pub struct RequestSpec {
    /// Its name in the counts.
    pub name: String,
    /// Its share of a mix in [`Order::Weighted`].
    pub weight: u32,
    /// The method.
    pub method: String,
    /// The path with its query.
    pub path: Template,
    /// Headers beside `Host` and `Content-Length`. A `Host` among them replaces the own one; what frames the body
    /// (`Content-Length`, `Transfer-Encoding`) is refused.
    pub headers: Vec<(String, Template)>,
    /// The body.
    pub body: Option<Template>,
    /// What the templates' slots may hold; at most 16, of which at most 4 are numbers, counters or rows of a table.
    /// Choices may multiply to at most 4096.
    pub slots: Vec<Slot>,
    /// The answer.
    pub expect: Expect,
}

/// Which request of a mix comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// At random, by weight.
    #[default]
    Weighted,
    /// One after the other on each connection, from the first.
    InOrder,
}

/// How requests are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// HTTP/1.1.
    #[default]
    Http1,
    /// HTTP/2: over TLS by ALPN, else by prior knowledge.
    Http2 {
        /// The requests' scheme is `https` and not `http`.
        is_https: bool,
    },
    /// gRPC, over HTTP/2. The statuses that are expected are those of `grpc-status`, and bodies are messages.
    Grpc(Calls),
}

/// How calls of gRPC are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// The calls' scheme is `https` and not `http`.
    pub is_https: bool,
    /// The answer is a stream of messages, each of which is checked, and not one message.
    pub streams: bool,
    /// How many messages an answer that is a stream must have; `None`: any number.
    pub messages: Option<u64>,
    /// Messages of answers may be compressed with gzip.
    pub takes_gzip: bool,
    /// How long a call may take, in nanoseconds, as its `grpc-timeout` tells the server; `None`: the server is told of no end.
    pub deadline_ns: Option<u64>,
}

/// Bytes with slots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template(pub Vec<Part>);

/// A part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// The slot with this index.
    Slot(usize),
    /// A part of a message in binary; only in bodies.
    Binary(Box<Binary>),
}

/// A part of a message as Protocol Buffers and gRPC write it, with a slot in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binary {
    /// A slot that is a [`Slot::Int`] or [`Slot::Counter`], in binary.
    Number {
        /// What stands before it.
        tag: Vec<u8>,
        /// The slot.
        slot: usize,
        /// How it is written.
        form: NumberForm,
        /// Nothing is written for 0, the tag included.
        omits_zero: bool,
    },
    /// One of these, by the choice or the row of a slot that is a [`Slot::Choice`] or a [`Slot::Cell`].
    Chosen {
        /// The slot.
        slot: usize,
        /// As many as the slot has choices or rows.
        values: Arc<Vec<Vec<u8>>>,
    },
    /// A content behind its length.
    Delimited {
        /// What stands before the length.
        tag: Vec<u8>,
        /// How the length is written.
        length: LengthForm,
        /// Nothing is written for no content, the tag included.
        omits_empty: bool,
        /// The content.
        content: Template,
    },
}

/// How a drawn number is written in binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberForm {
    /// Seven bits a byte, the lowest first.
    Varint,
    /// The same of twice the number: what may be negative is written so.
    ZigZag,
    /// Four bytes, the lowest first.
    Fixed32,
    /// Eight bytes, the lowest first.
    Fixed64,
    /// A floating-point number of four bytes.
    Float,
    /// A floating-point number of eight bytes.
    Double,
}

/// How a length is written in binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthForm {
    /// As [`NumberForm::Varint`].
    Varint,
    /// Four bytes, the highest first, as in the prefix of a gRPC message.
    Four,
}

/// What a slot may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// One of these, each equally likely; rendered once.
    Choice(Vec<Vec<u8>>),
    /// A number from `min` to `max`, both included, in decimal, each equally likely.
    Int {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// A number from `min` to `max`, both included, in decimal with its sign, each equally likely; its value is the number
    /// in two's complement.
    Signed {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// `first`, `first + 1`, ...: each number once over all workers of a window, which take them in turn.
    Counter {
        /// The first.
        first: u64,
    },
    /// A column of a table. All cells of one table (the same [`Arc`]) in one request are of the same row.
    Cell {
        /// The table.
        table: Arc<Table>,
        /// The column, from 0.
        column: usize,
    },
}

/// The answer that is correct.
#[derive(Debug, Clone)]
pub struct Expect {
    /// The status codes; of gRPC those of `grpc-status`, and beside them status 200 and `application/grpc` are expected.
    pub status: StatusSet,
    /// The media type, lower case, without parameters; `None`: not looked at.
    pub content_type: Option<String>,
    /// Headers that must be there.
    pub headers: Vec<HeaderExpect>,
    /// The body.
    pub body: BodyExpect,
    /// The slot, a [`Slot::Int`], of the milliseconds that must pass from the send to the answer; one that comes more than a
    /// millisecond before is wrong. (Timers of whole milliseconds, such as Node's, are up to one too early by a finer clock.)
    pub not_before_ms: Option<usize>,
}

/// A header that must be there. Where an answer has several of the name, one of them must have the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderExpect {
    /// Its name, in any case.
    pub name: String,
    /// Its value, byte for byte but for blanks at its ends; `None`: any.
    pub value: Option<String>,
}

/// The body that is correct.
#[derive(Debug, Clone)]
pub enum BodyExpect {
    /// Any: only its framing is checked.
    Any,
    /// No byte.
    Empty,
    /// These bytes, with the request's own slots.
    Exact(Template),
    /// Between so many bytes, both included.
    Length {
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
    /// The same bytes as the first correct answer to this request had, whichever worker got it, since its
    /// [`crate::Mix`] was made. A first body above 8 MiB is wrong, because later ones cannot be compared with it.
    Same,
    /// What the [`crate::BodyChecker`] accepts.
    Checked,
    /// The same of a checker whose verdict on a body is the same whatever the request's slots hold.
    CheckedAlike,
}

/// A set of status codes below 960.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusSet([u64; 15]);

impl From<u16> for StatusSet {
    fn from(code: u16) -> Self {
        Self::range(code, code)
    }
}

/// As `--expect-status` has them: `2xx`, `200, 404`, `200-204`.
impl fmt::Display for StatusSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut code, mut between) = (0, "");
        while code < 960 {
            if !self.contains(code) {
                code += 1;
                continue;
            }
            let last = (code..960).take_while(|&code| self.contains(code)).last().unwrap_or(code);
            let class = code / 100;
            let end = if code % 100 == 0 && last >= code + 99 { code + 99 } else { last };
            match end - code {
                0 => write!(f, "{between}{code}")?,
                99 if code % 100 == 0 => write!(f, "{between}{class}xx")?,
                _ => write!(f, "{between}{code}-{end}")?,
            }
            (code, between) = (end + 1, ", ");
        }
        Ok(())
    }
}

impl StatusSet {
    /// None.
    pub const EMPTY: Self = Self([0; 15]);

    /// The codes from `first` to `last`, both included.
    pub fn range(first: u16, last: u16) -> Self {
        let mut set = Self::EMPTY;
        for code in first..=last.min(959) {
            set.0[usize::from(code) / 64] |= 1 << (code % 64);
        }
        set
    }

    /// The codes of either.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (own, more) in self.0.iter_mut().zip(other.0) {
            *own |= more;
        }
        self
    }

    /// Whether a code is in it.
    pub fn contains(&self, code: u16) -> bool {
        self.0.get(usize::from(code) / 64).is_some_and(|word| word >> (code % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_written_as_they_are_typed() {
        let written = |set: StatusSet| set.to_string();
        assert_eq!(written(StatusSet::range(200, 299)), "2xx");
        assert_eq!(written(StatusSet::range(200, 399)), "2xx, 3xx");
        assert_eq!(written(StatusSet::from(404).and(StatusSet::range(200, 204))), "200-204, 404");
        assert_eq!(written(StatusSet::range(250, 310)), "250-310");
        assert_eq!(written(StatusSet::EMPTY), "");
    }
}
