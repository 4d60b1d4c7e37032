//! What a call took, part by part.

/// What a call took. All times are on the monotonic clock, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTimes {
    /// What it took to open the connection; `None`: it was open.
    pub opening: Option<Opening>,
    /// From when the connection was ready to the first byte of the answer: the request is written in it.
    pub first_byte_ns: u64,
    /// From the first byte of the answer to its last; 0 when they came together.
    pub rest_ns: u64,
    /// Bytes given to the socket: what TCP carried, TLS and its handshake included.
    pub sent_bytes: u64,
    /// Bytes taken from the socket.
    pub received_bytes: u64,
    /// How often it had to wait until the server had heard something and answered: opening the connection is the first time of a
    /// new one, each flight of a handshake one, the request one. What only acknowledges is none.
    pub round_trips: u32,
    /// What the kernel counted on the connection meanwhile; `None`: it does not tell.
    pub packets: Option<Packets>,
}

/// What it took to open a connection, and what was agreed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// From the first attempt until TCP was open.
    pub connect_ns: u64,
    /// The handshake of TLS, where there is one.
    pub tls: Option<(u64, Agreed)>,
}

/// What client and server agreed on in a handshake of TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    /// As in `TLSv1.3`.
    pub version: &'static str,
    /// An earlier session was resumed.
    pub is_resumed: bool,
    /// The protocol that ALPN chose, where it chose one.
    pub alpn: Option<Vec<u8>>,
}

/// TCP segments of one connection, acknowledgements included (`TCP_INFO`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Packets {
    /// Sent.
    pub sent: u32,
    /// Received.
    pub received: u32,
    /// Of those sent, for the second time or more.
    pub sent_again: u32,
}

impl CallTimes {
    /// The whole call: the sum of its parts.
    pub fn whole_ns(&self) -> u64 {
        let opening = self.opening.as_ref().map_or(0, |opening| {
            opening.connect_ns.saturating_add(opening.tls.as_ref().map_or(0, |(ns, _)| *ns))
        });
        opening.saturating_add(self.first_byte_ns).saturating_add(self.rest_ns)
    }
}

impl Packets {
    /// What was added since an earlier reading of the same connection.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            sent: self.sent.saturating_sub(earlier.sent),
            received: self.received.saturating_sub(earlier.received),
            sent_again: self.sent_again.saturating_sub(earlier.sent_again),
        }
    }
}
