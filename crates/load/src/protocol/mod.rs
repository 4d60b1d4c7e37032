//! Requests in, bytes out; bytes in, events by request out; no sockets.

pub(crate) mod grpc;
mod head;
pub(crate) mod http1;
pub(crate) mod http2;
#[cfg(test)]
pub(crate) mod scripted;
mod session;

pub(crate) use grpc::GrpcStatus;
pub(crate) use head::Head;
pub use session::Limits;
pub(crate) use session::{
    AtEnd, BODY_OVER_LIMIT, Events, HEAD_OVER_LIMIT, REQUEST_TIMEOUT, RequestId, Session, Then,
};
