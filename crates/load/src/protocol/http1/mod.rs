//! HTTP/1.0 and 1.1 (RFC 9112).

mod chunked;
mod head;
mod reader;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use head::parse_head;
pub(crate) use head::{Head, HeadCache};
pub use reader::Limits;
pub(crate) use reader::{Answer, AtEnd, Reader};
