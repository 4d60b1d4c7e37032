//! Bytes in, answers out; no sockets.

pub(crate) mod http1;
