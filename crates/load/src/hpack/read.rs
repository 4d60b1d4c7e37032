//! Reading fields.

use super::table::Table;
use super::{field_bytes, huffman};

/// Reads the blocks of one direction of a connection, in order.
#[derive(Debug)]
pub(crate) struct Reader {
    table: Table,
    /// The largest table that was allowed to the writer.
    allowed_bytes: usize,
    /// Blocks that changed the table, so that the bytes of one mean something else after it.
    changes: u64,
    name: Vec<u8>,
    value: Vec<u8>,
}

/// Why a block cannot be read: what comes behind it cannot be either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// It is not HPACK, for this reason.
    Malformed(&'static str),
    /// It has more than was allowed.
    TooLong,
}

/// A number above is no length or place in any table.
const MOST_NUMBER: usize = 1 << 28;

impl Reader {
    pub(crate) fn new(allowed_bytes: usize) -> Self {
        let table = Table::new(allowed_bytes);
        Self { table, allowed_bytes, changes: 0, name: Vec::new(), value: Vec::new() }
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.table.reset(self.allowed_bytes);
        self.changes = 0;
    }

    /// Changes with the table: what a block of bytes means is the same as long as this is.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// Reads a block, whose fields may take `most_bytes` together as [`field_bytes`] counts.
    pub(crate) fn read(
        &mut self,
        block: &[u8],
        most_bytes: usize,
        mut field: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), ReadError> {
        let mut input = Input(block);
        let (mut bytes, mut sizes) = (0usize, 0);
        let misplaced = ReadError::Malformed("a table size that is not at the start of a block");
        while let Some(&first) = input.0.first() {
            if first & 0xe0 == 0x20 {
                let size = input.number(5)?;
                sizes += 1;
                if bytes > 0 || sizes > 2 {
                    return Err(misplaced);
                }
                if size > self.allowed_bytes {
                    return Err(ReadError::Malformed("a table larger than was allowed"));
                }
                self.table.resize(size);
                self.changes += 1;
                continue;
            }
            let (is_kept, known) = if first & 0x80 != 0 {
                let number = input.number(7)?;
                let (name, value) = self.table.get(number).ok_or(NO_FIELD)?;
                bytes = bytes.saturating_add(field_bytes(name.len(), value.len()));
                if bytes > most_bytes {
                    return Err(ReadError::TooLong);
                }
                field(name, value);
                continue;
            } else if first & 0x40 != 0 {
                (true, input.number(6)?)
            } else {
                (false, input.number(4)?)
            };
            self.name.clear();
            self.value.clear();
            if known == 0 {
                input.text(&mut self.name)?;
            } else {
                let (name, _) = self.table.get(known).ok_or(NO_FIELD)?;
                self.name.extend_from_slice(name);
            }
            input.text(&mut self.value)?;
            bytes = bytes.saturating_add(field_bytes(self.name.len(), self.value.len()));
            if bytes > most_bytes {
                return Err(ReadError::TooLong);
            }
            field(&self.name, &self.value);
            if is_kept {
                self.table.insert(&self.name, &self.value);
                self.changes += 1;
            }
        }
        if sizes > 0 && bytes == 0 { Err(misplaced) } else { Ok(()) }
    }

    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn kept_bytes(&self) -> usize {
        self.table.kept_bytes()
    }
}

const NO_FIELD: ReadError = ReadError::Malformed("a field that is in no table");
const CUT: ReadError = ReadError::Malformed("a block that ends in the middle of a field");

/// What is left of a block.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn number(&mut self, bits: u32) -> Result<usize, ReadError> {
        let most = (1usize << bits) - 1;
        let (&first, rest) = self.0.split_first().ok_or(CUT)?;
        self.0 = rest;
        let mut number = usize::from(first) & most;
        if number < most {
            return Ok(number);
        }
        for shift in (0..).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(CUT)?;
            self.0 = rest;
            if shift > 28 {
                break;
            }
            number += usize::from(byte & 0x7f) << shift;
            if number > MOST_NUMBER {
                break;
            }
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(ReadError::Malformed("a number that is too large"))
    }

    /// Appends a text.
    fn text(&mut self, out: &mut Vec<u8>) -> Result<(), ReadError> {
        let is_coded = self.0.first().is_some_and(|first| first & 0x80 != 0);
        let length = self.number(7)?;
        let (text, rest): (&'a [u8], _) = self.0.split_at_checked(length).ok_or(CUT)?;
        self.0 = rest;
        if is_coded {
            return huffman::read(text, out).ok_or(ReadError::Malformed("a text with a broken Huffman code"));
        }
        out.extend_from_slice(text);
        Ok(())
    }
}
