//! What is to be sent, by connection and by parcel.

/// What a connection has to send.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub(super) outbox: Vec<u8>,
    /// The hand-over that the outbox is for; what is in it for an earlier one is gone.
    pub(super) hand_over: u64,
    /// The parcel that is on its way.
    pub(super) parcel: Option<usize>,
    /// What goes after it.
    pub(super) line: Vec<u8>,
}

/// The sends of all connections.
#[derive(Debug)]
pub(super) struct Sends {
    /// Counts hand-overs, from 1.
    pub(super) hand_over: u64,
    /// The connections with something in their outbox for it.
    pub(super) gathered: Vec<u32>,
    pub(super) parcels: Vec<Option<Parcel>>,
    /// Free places among the parcels.
    pub(super) free: Vec<usize>,
}

/// Bytes on their way, which the kernel reads until it says so.
#[derive(Debug)]
pub(super) struct Parcel {
    pub(super) bytes: Vec<u8>,
    pub(super) sent: usize,
    pub(super) connection: usize,
}

impl Default for Sends {
    fn default() -> Self {
        Self { hand_over: 1, gathered: Vec::new(), parcels: Vec::new(), free: Vec::new() }
    }
}

impl Sends {
    /// Whether some socket has still to take bytes that were handed over.
    pub(super) fn are_under_way(&self) -> bool {
        self.free.len() < self.parcels.len()
    }
}

impl Outgoing {
    /// Forgets what belongs to a socket; the parcel that is on its way.
    pub(super) fn end(&mut self) -> Option<usize> {
        self.hand_over = 0;
        self.line = Vec::new();
        self.parcel.take()
    }
}
