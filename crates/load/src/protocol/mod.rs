//! Bytes in, answers out; no sockets.

pub(crate) mod chunked;
pub(crate) mod http1;
