//! What a reply is.

use super::truth::Fate;

/// What to do about a request.
#[derive(Debug)]
pub(super) enum Reply {
    /// Bytes with an end, possibly none.
    Whole {
        bytes: Vec<u8>,
        fate: Fate,
        /// The status of a head that is sent whole.
        status: Option<u16>,
        then: Then,
    },
    /// Bytes, and then the same block over and over.
    Endless { start: Vec<u8>, block: Vec<u8> },
}

/// What becomes of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Stays,
    Ends,
}
