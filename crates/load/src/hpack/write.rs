//! Writing fields.

use super::huffman;
use super::static_table::name_number;

/// The first byte of a literal that is kept in the table, of one that is not, and of a new size of the table, with the bits of the
/// number behind it.
const KEPT: (u8, u32) = (0x40, 6);
const NOT_KEPT: (u8, u32) = (0x00, 4);
const TABLE_SIZE: (u8, u32) = (0x20, 5);
const INDEXED: (u8, u32) = (0x80, 7);
const HUFFMAN: (u8, u32) = (0x80, 7);
const PLAIN: (u8, u32) = (0x00, 7);

/// Appends a number in the lowest bits of a byte and those behind it (RFC 7541, 5.1).
#[inline]
fn number((first, bits): (u8, u32), number: usize, out: &mut Vec<u8>) {
    let most = (1 << bits) - 1;
    if number < most {
        return out.push(first | number as u8);
    }
    out.push(first | most as u8);
    let mut rest = number - most;
    while rest >= 128 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Appends a text, as short as it can be.
fn text(text: &[u8], out: &mut Vec<u8>) {
    let length = huffman::length(text);
    if length < text.len() {
        number(HUFFMAN, length, out);
        huffman::write(text, out);
    } else {
        plain_text_length(text.len(), out);
        out.extend_from_slice(text);
    }
}

/// Appends how long a text is that follows as it is.
#[inline]
pub(crate) fn plain_text_length(bytes: usize, out: &mut Vec<u8>) {
    number(PLAIN, bytes, out);
}

/// Appends a field that is in one of the tables.
#[inline]
pub(crate) fn indexed(at: usize, out: &mut Vec<u8>) {
    number(INDEXED, at, out);
}

/// Appends a field that both sides keep from now on.
pub(crate) fn kept(name: &str, value: &[u8], out: &mut Vec<u8>) {
    literal(KEPT, name, out);
    text(value, out);
}

/// Appends a field that nobody keeps.
pub(crate) fn not_kept(name: &str, value: &[u8], out: &mut Vec<u8>) {
    not_kept_name(name, out);
    text(value, out);
}

/// Appends the name of a field that nobody keeps; its value follows.
pub(crate) fn not_kept_name(name: &str, out: &mut Vec<u8>) {
    literal(NOT_KEPT, name, out);
}

fn literal(kind: (u8, u32), name: &str, out: &mut Vec<u8>) {
    let known = name_number(name);
    number(kind, known.unwrap_or(0), out);
    if known.is_none() {
        text(name.as_bytes(), out);
    }
}

/// Appends how large the table may be from now on.
pub(crate) fn table_size(bytes: usize, out: &mut Vec<u8>) {
    number(TABLE_SIZE, bytes, out);
}
