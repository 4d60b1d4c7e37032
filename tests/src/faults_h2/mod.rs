//! Ground truth for faults over HTTP/2 and gRPC: a server that misbehaves in one way at a time, down to the bytes of its
//! frames, and knows exactly what it did.

mod connection;
mod fault;
mod grpc;
mod http2;
mod outcome;
mod reader;
mod reply;
mod server;
mod table;
#[cfg(test)]
mod tests;
mod truth;
mod windows;
#[expect(missing_docs, reason = "the names are those of RFC 9113")]
pub mod wire;

pub use fault::Fault;
pub use grpc::{GRPC_STATUS, PROTO};
pub use outcome::{Class, Count};
pub use server::Server;
pub use table::{ALL, Row, named};
pub use truth::Truth;
