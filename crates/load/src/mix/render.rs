//! From a request's definition to bytes with gaps for what is drawn.

use std::sync::{Arc, OnceLock};

use super::drawn::{Drawn, LiveValue, Source, live_values};
use super::error::RequestProblem;
use super::limits::MOST_LIVE;
use super::validate::validate;
use crate::request::{BodyExpect, Expect, Part, RequestSpec, Slot, Table, Template};

/// A piece of a request: bytes, or what is written anew each time.
#[derive(Debug)]
enum Piece {
    Bytes(Vec<u8>),
    /// The drawn value at this index, in decimal.
    Number(usize),
    /// A cell; the drawn value at this index is the row.
    Cell {
        table: Arc<Table>,
        column: usize,
        row: usize,
    },
    BodyLength,
}

/// Pieces of which no two neighbours are bytes.
#[derive(Debug, Default)]
struct Pieces(Vec<Piece>);

/// A request with its choices made.
#[derive(Debug)]
pub(super) struct Variant {
    /// For each slot, the index of its choice.
    pub(super) choices: Box<[u64]>,
    request: Pieces,
    /// Where among the pieces the body starts, when its length changes; else behind them.
    body_from: usize,
    /// The body of the answer, for [`BodyExpect::Exact`].
    expected: Pieces,
}

/// A rendered request of a mix.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(super) name: String,
    /// The answer.
    pub(crate) expect: Expect,
    pub(super) is_head: bool,
    pub(super) variants: Vec<Variant>,
    pub(super) live: Vec<LiveValue>,
    pub(super) sources: Vec<Source>,
    /// The body of the first correct answer, for [`BodyExpect::Same`]; all workers share it.
    pub(crate) first_body: OnceLock<Box<[u8]>>,
}

impl Rendered {
    pub(super) fn new(spec: RequestSpec, host: &str) -> Result<Self, RequestProblem> {
        let variants = validate(&spec)?;
        let (live, sources) = live_values(&spec);
        if live.len() > MOST_LIVE {
            return Err(RequestProblem::TooManyLive(live.len()));
        }
        let variants = (0..variants).map(|index| Variant::new(&spec, &sources, host, index)).collect();
        Ok(Self {
            name: spec.name,
            expect: spec.expect,
            is_head: spec.method == "HEAD",
            variants,
            live,
            sources,
            first_body: OnceLock::new(),
        })
    }

    #[inline]
    pub(super) fn variant(&self, drawn: &Drawn) -> &Variant {
        &self.variants[usize::from(drawn.variant)]
    }

    /// How many variants its choices make.
    pub(crate) fn variant_count(&self) -> usize {
        self.variants.len()
    }

    /// Whether nothing but the variant tells one such request from another.
    pub(crate) fn is_fixed(&self) -> bool {
        self.live.is_empty()
    }
}

impl Variant {
    /// The variant with this index, counted as a number whose digits are the choices.
    fn new(spec: &RequestSpec, sources: &[Source], host: &str, index: usize) -> Self {
        let mut rest = index;
        let choices: Box<[u64]> = spec
            .slots
            .iter()
            .map(|slot| {
                let Slot::Choice(values) = slot else { return 0 };
                let choice = rest % values.len();
                rest /= values.len();
                choice as u64
            })
            .collect();
        let fill = |template: &Template| Pieces::of(template, spec, sources, &choices);

        let mut request = Pieces::default();
        request.text(&spec.method);
        request.text(" ");
        request.extend(fill(&spec.path));
        request.text(" HTTP/1.1\r\n");
        let mut field = |name: &str, value: Pieces| {
            request.text(name);
            request.text(": ");
            request.extend(value);
            request.text("\r\n");
        };
        let (hosts, others): (Vec<_>, Vec<_>) =
            spec.headers.iter().partition(|(name, _)| name.eq_ignore_ascii_case("host"));
        if hosts.is_empty() {
            field("Host", Pieces(vec![Piece::Bytes(host.as_bytes().to_vec())]));
        }
        for (name, value) in hosts.into_iter().chain(others) {
            field(name, fill(value));
        }

        let body = spec.body.as_ref().map(fill).unwrap_or_default();
        let fixed_length = body.fixed_length();
        // A method that usually carries a body says so even when it is empty (RFC 9110, 8.6).
        if spec.body.is_some() || matches!(spec.method.as_str(), "POST" | "PUT" | "PATCH") {
            let length = fixed_length.map(|bytes| Piece::Bytes(bytes.to_string().into_bytes()));
            field("Content-Length", Pieces(vec![length.unwrap_or(Piece::BodyLength)]));
        }
        request.text("\r\n");
        let body_from = if fixed_length.is_some() {
            request.extend(body);
            request.0.len()
        } else {
            let start = request.0.len();
            request.0.extend(body.0);
            start
        };
        let expected = match &spec.expect.body {
            BodyExpect::Exact(template) => fill(template),
            _ => Pieces::default(),
        };
        Self { choices, request, body_from, expected }
    }

    /// The whole request, when nothing in it is drawn.
    #[inline]
    pub(super) fn fixed(&self) -> Option<&[u8]> {
        if let [Piece::Bytes(bytes)] = self.request.0.as_slice() { Some(bytes) } else { None }
    }

    pub(super) fn write(&self, values: &[u64; MOST_LIVE], out: &mut Vec<u8>) {
        let mut digits = [0; 20];
        let body = &self.request.0[self.body_from..];
        let body_bytes = body.iter().map(|piece| piece.text(values, 0, &mut digits).len()).sum::<usize>();
        for piece in &self.request.0 {
            out.extend_from_slice(piece.text(values, body_bytes, &mut digits));
        }
    }

    pub(super) fn write_expected(&self, values: &[u64; MOST_LIVE], out: &mut Vec<u8>) {
        let mut digits = [0; 20];
        for piece in &self.expected.0 {
            out.extend_from_slice(piece.text(values, 0, &mut digits));
        }
    }

    #[inline]
    pub(super) fn is_expected(&self, values: &[u64; MOST_LIVE], mut body: &[u8]) -> bool {
        let mut digits = [0; 20];
        for piece in &self.expected.0 {
            match body.strip_prefix(piece.text(values, 0, &mut digits)) {
                Some(rest) => body = rest,
                None => return false,
            }
        }
        body.is_empty()
    }
}

impl Pieces {
    fn of(template: &Template, spec: &RequestSpec, sources: &[Source], choices: &[u64]) -> Self {
        let mut pieces = Self::default();
        for part in &template.0 {
            let slot = match part {
                Part::Bytes(bytes) => {
                    pieces.bytes(bytes);
                    continue;
                }
                Part::Slot(slot) => *slot,
            };
            match (&spec.slots[slot], sources[slot]) {
                (Slot::Choice(values), _) => pieces.bytes(&values[choices[slot] as usize]),
                (Slot::Cell { table, column }, Source::Live(row)) => {
                    pieces.0.push(Piece::Cell { table: Arc::clone(table), column: *column, row });
                }
                (_, Source::Live(at)) => pieces.0.push(Piece::Number(at)),
                (_, Source::Choice) => {}
            }
        }
        pieces
    }

    fn bytes(&mut self, bytes: &[u8]) {
        match self.0.last_mut() {
            Some(Piece::Bytes(before)) => before.extend_from_slice(bytes),
            _ if bytes.is_empty() => {}
            _ => self.0.push(Piece::Bytes(bytes.to_vec())),
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn extend(&mut self, more: Self) {
        for piece in more.0 {
            match piece {
                Piece::Bytes(bytes) => self.bytes(&bytes),
                other => self.0.push(other),
            }
        }
    }

    /// How many bytes they are, when none is drawn.
    fn fixed_length(&self) -> Option<usize> {
        match self.0.as_slice() {
            [] => Some(0),
            [Piece::Bytes(bytes)] => Some(bytes.len()),
            _ => None,
        }
    }
}

impl Piece {
    #[inline]
    fn text<'a>(
        &'a self,
        values: &[u64; MOST_LIVE],
        body_bytes: usize,
        digits: &'a mut [u8; 20],
    ) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(at) => decimal(values[*at], digits),
            Self::Cell { table, column, row } => &table.rows[values[*row] as usize][*column],
            Self::BodyLength => decimal(body_bytes as u64, digits),
        }
    }
}

fn decimal(mut value: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return &digits[at..];
        }
    }
}
