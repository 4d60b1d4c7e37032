//! Header compression of HTTP/2 (RFC 7541): decoding only. What the server sends is never compressed with a table.

mod decoder;
mod huffman;
mod integer;
mod name;
mod table;
#[cfg(test)]
mod tests;

pub use decoder::{Decoder, Malformed};
pub use name::Name;
pub use table::Field;
