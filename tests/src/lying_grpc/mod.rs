//! A service of gRPC for the workloads void, coin and users that answers as it should, until it lies. What it lies about are messages,
//! their prefixes, heads and trailers; HTTP/2 below is in order.

mod framing;
mod lie;
mod server;
mod services;

pub use lie::Lie;
pub use server::serve;
