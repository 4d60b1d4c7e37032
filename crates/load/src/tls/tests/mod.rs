//! Sessions against a rustls server in memory.

mod data;
mod handshake;
mod pair;
mod trust;
