//! Bytes with gaps for what is drawn.

use std::sync::Arc;

use velo_model::Table;

use super::drawn::Source;
use super::limits::MOST_LIVE;
use super::numbers;
use crate::request::{Binary, LengthForm, NumberForm, Part, RequestSpec, Slot, Template};

/// A piece of a request: bytes, or what is written anew each time.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    Bytes(Vec<u8>),
    /// The drawn value at this index, in decimal.
    Number(usize),
    /// The same of a value in two's complement, with its sign.
    Signed(usize),
    /// A cell; the drawn value at this index is the row.
    Cell {
        table: Arc<Table>,
        column: usize,
        row: usize,
    },
    BodyLength,
    /// A part of a message.
    Binary(Box<BinaryPiece>),
}

/// A piece of a message that is written anew each time.
#[derive(Debug, Clone)]
pub(super) enum BinaryPiece {
    /// The drawn value at this index.
    Number {
        tag: Vec<u8>,
        at: usize,
        form: NumberForm,
        omits_zero: bool,
    },
    /// One of these; the drawn value at this index says which.
    Row {
        values: Arc<Vec<Vec<u8>>>,
        row: usize,
    },
    Delimited {
        tag: Vec<u8>,
        length: LengthForm,
        omits_empty: bool,
        content: Pieces,
    },
}

/// Pieces of which no two neighbours are bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pieces(pub(super) Vec<Piece>);

impl Pieces {
    pub(super) fn of(template: &Template, spec: &RequestSpec, sources: &[Source], choices: &[u64]) -> Self {
        let mut pieces = Self::default();
        for part in &template.0 {
            let slot = match part {
                Part::Bytes(bytes) => {
                    pieces.bytes(bytes);
                    continue;
                }
                Part::Slot(slot) => *slot,
                Part::Binary(binary) => {
                    pieces.binary(binary, spec, sources, choices);
                    continue;
                }
            };
            match (&spec.slots[slot], sources[slot]) {
                (Slot::Choice(values), _) => pieces.bytes(&values[choices[slot] as usize]),
                (Slot::Cell { table, column }, Source::Live(row)) => {
                    pieces.0.push(Piece::Cell { table: Arc::clone(table), column: *column, row });
                }
                (Slot::Signed { .. }, Source::Live(at)) => pieces.0.push(Piece::Signed(at)),
                (_, Source::Live(at)) => pieces.0.push(Piece::Number(at)),
                (_, Source::Choice) => {}
            }
        }
        pieces
    }

    fn binary(&mut self, binary: &Binary, spec: &RequestSpec, sources: &[Source], choices: &[u64]) {
        let piece = match binary {
            Binary::Chosen { slot, values } => match sources[*slot] {
                Source::Choice => {
                    return self.bytes(values.get(choices[*slot] as usize).map_or(&[], Vec::as_slice));
                }
                Source::Live(row) => BinaryPiece::Row { values: Arc::clone(values), row },
            },
            Binary::Number { tag, slot, form, omits_zero } => match sources[*slot] {
                // A choice is no number.
                Source::Choice => return,
                Source::Live(at) => {
                    BinaryPiece::Number { tag: tag.clone(), at, form: *form, omits_zero: *omits_zero }
                }
            },
            Binary::Delimited { tag, length, omits_empty, content } => {
                let content = Self::of(content, spec, sources, choices);
                let piece = BinaryPiece::Delimited {
                    tag: tag.clone(),
                    length: *length,
                    omits_empty: *omits_empty,
                    content,
                };
                // What the choices have decided needs not be written each time.
                if let BinaryPiece::Delimited { content, .. } = &piece
                    && content.fixed().is_some()
                {
                    let mut bytes = Vec::new();
                    piece.write(&[0; MOST_LIVE], &mut bytes);
                    return self.bytes(&bytes);
                }
                piece
            }
        };
        self.0.push(Piece::Binary(Box::new(piece)));
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        match self.0.last_mut() {
            Some(Piece::Bytes(before)) => before.extend_from_slice(bytes),
            _ if bytes.is_empty() => {}
            _ => self.0.push(Piece::Bytes(bytes.to_vec())),
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn extend(&mut self, more: Self) {
        for piece in more.0 {
            match piece {
                Piece::Bytes(bytes) => self.bytes(&bytes),
                other => self.0.push(other),
            }
        }
    }

    /// The bytes, when none of them is drawn.
    pub(super) fn fixed(&self) -> Option<&[u8]> {
        match self.0.as_slice() {
            [] => Some(&[]),
            [Piece::Bytes(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// How many bytes they are with these values.
    pub(super) fn length(&self, values: &[u64; MOST_LIVE], body_bytes: usize) -> usize {
        let mut digits = [0; 20];
        let length = |piece: &Piece| match piece {
            Piece::Binary(binary) => binary.length(values),
            _ => piece.text(values, body_bytes, &mut digits).len(),
        };
        self.0.iter().map(length).sum()
    }

    pub(super) fn write(&self, values: &[u64; MOST_LIVE], body_bytes: usize, out: &mut Vec<u8>) {
        let mut digits = [0; 20];
        for piece in &self.0 {
            match piece {
                Piece::Binary(binary) => binary.write(values, out),
                _ => out.extend_from_slice(piece.text(values, body_bytes, &mut digits)),
            }
        }
    }

    /// How many bytes they are, when none is drawn.
    pub(super) fn fixed_length(&self) -> Option<usize> {
        match self.0.as_slice() {
            [] => Some(0),
            [Piece::Bytes(bytes)] => Some(bytes.len()),
            _ => None,
        }
    }
}

impl Piece {
    #[inline]
    pub(super) fn text<'a>(
        &'a self,
        values: &[u64; MOST_LIVE],
        body_bytes: usize,
        digits: &'a mut [u8; 20],
    ) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(at) => decimal(values[*at], digits),
            Self::Signed(at) => signed(values[*at].cast_signed(), digits),
            Self::Cell { table, column, row } => &table.rows[values[*row] as usize][*column],
            Self::BodyLength => decimal(body_bytes as u64, digits),
            // It is no text, and stands in none.
            Self::Binary(_) => &[],
        }
    }
}

impl BinaryPiece {
    /// How many bytes it is with these values.
    fn length(&self, values: &[u64; MOST_LIVE]) -> usize {
        match self {
            Self::Number { at, omits_zero: true, .. } if values[*at] == 0 => 0,
            Self::Number { tag, at, form, .. } => tag.len() + numbers::length(values[*at], *form),
            Self::Row { values: rows, row } => rows.get(values[*row] as usize).map_or(0, Vec::len),
            Self::Delimited { tag, length, omits_empty, content } => match content.length(values, 0) {
                0 if *omits_empty => 0,
                bytes => tag.len() + numbers::prefix_length(bytes, *length) + bytes,
            },
        }
    }

    fn write(&self, values: &[u64; MOST_LIVE], out: &mut Vec<u8>) {
        match self {
            Self::Number { at, omits_zero: true, .. } if values[*at] == 0 => {}
            Self::Number { tag, at, form, .. } => {
                out.extend_from_slice(tag);
                numbers::write(values[*at], *form, out);
            }
            Self::Row { values: rows, row } => {
                out.extend_from_slice(rows.get(values[*row] as usize).map_or(&[], Vec::as_slice));
            }
            Self::Delimited { tag, length, omits_empty, content } => match content.length(values, 0) {
                0 if *omits_empty => {}
                bytes => {
                    out.extend_from_slice(tag);
                    numbers::write_prefix(bytes, *length, out);
                    content.write(values, 0, out);
                }
            },
        }
    }
}

fn decimal(value: u64, digits: &mut [u8; 20]) -> &[u8] {
    let from = write_decimal(value, digits);
    &digits[from..]
}

/// The least number has 19 digits, so that its sign finds room.
fn signed(value: i64, digits: &mut [u8; 20]) -> &[u8] {
    let mut from = write_decimal(value.unsigned_abs(), digits);
    if value < 0 {
        from -= 1;
        digits[from] = b'-';
    }
    &digits[from..]
}

/// Writes the number to the end; where it begins.
fn write_decimal(mut value: u64, digits: &mut [u8; 20]) -> usize {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return at;
        }
    }
}
