//! TLS between the protocol and the driver: ciphertext in, plaintext out, no sockets.

/// How connections to a target are encrypted.
#[derive(Debug)]
pub struct TlsSettings {}
