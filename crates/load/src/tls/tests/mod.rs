//! Sessions against a rustls server in memory.

mod data;
mod handshake;
pub(crate) mod pair;
mod trust;
