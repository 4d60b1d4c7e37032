//! What the server takes from a client, the same over HTTP/1.1 and HTTP/2.

/// Bytes of a request's head; over HTTP/2 as the protocol counts a list of headers.
pub const HEAD_LIMIT: usize = 8 * 1024;
/// Bytes of a request's body.
pub const BODY_LIMIT: usize = 64 * 1024;
/// Milliseconds that a client may ask to wait.
pub const LONGEST_WAIT: u64 = 60_000;
