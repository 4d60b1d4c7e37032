//! Bytes with gaps for what is drawn.

use std::sync::Arc;

use super::drawn::Source;
use super::limits::MOST_LIVE;
use crate::request::{Part, RequestSpec, Slot, Table, Template};

/// A piece of a request: bytes, or what is written anew each time.
#[derive(Debug, Clone)]
pub(super) enum Piece {
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
        self.0.iter().map(|piece| piece.text(values, body_bytes, &mut digits).len()).sum()
    }

    pub(super) fn write(&self, values: &[u64; MOST_LIVE], body_bytes: usize, out: &mut Vec<u8>) {
        let mut digits = [0; 20];
        for piece in &self.0 {
            out.extend_from_slice(piece.text(values, body_bytes, &mut digits));
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
