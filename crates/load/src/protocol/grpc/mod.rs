//! gRPC over HTTP/2, the client's side: messages with a prefix, and a status behind them.

mod framing;
mod session;
mod status;
#[cfg(test)]
mod tests;

pub(crate) use session::Grpc;
pub(crate) use status::GrpcStatus;
