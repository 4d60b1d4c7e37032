//! HTTP/2 without sockets (RFC 9113): bytes in, answers out.

mod block;
pub mod frame;
mod grpc;
mod head;
mod hpack;
pub mod rendered;
mod requests;
mod sender;
mod session;
mod streams;
#[cfg(test)]
mod tests;

pub use session::{Session, Status};
