//! Compressed lists of fields (HPACK, RFC 7541): what HTTP/2 carries instead of a head's lines. No sockets, no streams.

mod huffman;
pub(crate) mod read;
mod static_table;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod write;

pub(crate) use static_table::{FIRST_DYNAMIC, number};

/// How large the table of a connection may be until its peer says otherwise (RFC 9113, 6.5.2), in the bytes of [`field_bytes`].
pub(crate) const USUAL_TABLE_BYTES: usize = 4096;

/// What a field takes in a table, and of a limit for a list (RFC 7541, 4.1).
pub(crate) const fn field_bytes(name: usize, value: usize) -> usize {
    name + value + 32
}
