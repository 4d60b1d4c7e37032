//! HTTP/2 (RFC 9113), the client's side.

mod frame;
mod head;
mod sender;
mod session;
mod streams;
#[cfg(test)]
mod tests;

pub(crate) use session::{Http2, Shared};
