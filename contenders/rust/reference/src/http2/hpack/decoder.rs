//! Header blocks to fields.

use super::huffman;
use super::integer;
use super::name::Name;
use super::table::{Entry, Field, SIZE_LIMIT, Table};

/// A block that cannot be decoded: what follows on the connection could not be either.
#[derive(Debug, PartialEq)]
pub struct Malformed;

/// One direction of a connection.
pub struct Decoder {
    table: Table,
    /// Strings that came in Huffman's code.
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    pub fn new() -> Decoder {
        Decoder { table: Table::new(), name: Vec::new(), value: Vec::new() }
    }

    /// A number that changes when the same block could come to mean something else.
    pub fn changes(&self) -> u64 {
        self.table.changes()
    }

    /// Hands on each field of a block, in order.
    pub fn decode(&mut self, block: &[u8], mut each: impl FnMut(Field<'_>)) -> Result<(), Malformed> {
        let mut rest = block;
        // The table's size may be changed before the first field only.
        while let [0x20..=0x3f, ..] = rest {
            let (size, tail) = integer::read(rest, 5).ok_or(Malformed)?;
            if size > SIZE_LIMIT {
                return Err(Malformed);
            }
            self.table.set_limit(size);
            rest = tail;
        }
        while let Some(first) = rest.first() {
            rest = match first {
                0x80.. => {
                    let (index, tail) = integer::read(rest, 7).ok_or(Malformed)?;
                    each(self.table.get(index).ok_or(Malformed)?);
                    tail
                }
                0x40..=0x7f => self.literal(rest, 6, true, &mut each)?,
                0x20..=0x3f => return Err(Malformed),
                _ => self.literal(rest, 4, false, &mut each)?,
            };
        }
        Ok(())
    }

    fn literal<'a>(
        &mut self,
        input: &'a [u8],
        bits: u32,
        is_kept: bool,
        each: &mut impl FnMut(Field<'_>),
    ) -> Result<&'a [u8], Malformed> {
        let (index, rest) = integer::read(input, bits).ok_or(Malformed)?;
        let (name, kind, rest) = if index == 0 {
            let (name, rest) = string(rest, &mut self.name)?;
            (name, Name::of(name), rest)
        } else {
            let field = self.table.get(index).ok_or(Malformed)?;
            (field.name, field.kind, rest)
        };
        let (value, rest) = string(rest, &mut self.value)?;
        let field = Field::new(name, value, kind);
        each(field);
        if is_kept {
            let entry = Entry::new(field);
            self.table.insert(entry);
        }
        Ok(rest)
    }

    #[cfg(test)]
    pub fn table(&self) -> &Table {
        &self.table
    }
}

/// A string and what follows it; its bytes are in the input, or in the buffer.
fn string<'a: 'b, 'b>(input: &'a [u8], buffer: &'b mut Vec<u8>) -> Result<(&'b [u8], &'a [u8]), Malformed> {
    let is_coded = input.first().is_some_and(|first| first & 0x80 != 0);
    let (length, rest) = integer::read(input, 7).ok_or(Malformed)?;
    let (bytes, rest) = rest.split_at_checked(length).ok_or(Malformed)?;
    if !is_coded {
        return Ok((bytes, rest));
    }
    buffer.clear();
    huffman::decode(bytes, buffer).ok_or(Malformed)?;
    Ok((buffer, rest))
}
