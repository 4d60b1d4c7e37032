use std::io;
use std::time::Duration;

use crate::tls::TlsError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The connection could not be made or used.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// TLS could not be agreed on.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// No whole answer in time.
    #[error("no whole answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The connection ended inside the answer.
    #[error("the connection ended inside the answer")]
    Truncated,
    /// The connection ended before the answer.
    #[error("the connection was closed without an answer")]
    Closed,
    /// The server takes no request on the connection.
    #[error("the server takes no more requests on the connection")]
    TakesNone,
    /// Not the protocol that is spoken.
    #[error("malformed answer: {0}")]
    Malformed(&'static str),
    /// More than the answer came.
    #[error("bytes that no request asked for")]
    Unasked,
}
