//! What the driver knows of its ring and of each connection.

use std::os::fd::{OwnedFd, RawFd};

use super::buffers::Buffers;
use super::outgoing::{Outgoing, Sends};
use super::ring::Ring;
use super::tags::GENERATIONS;
use crate::driver::arrival::Clocks;

/// Completions: one reception serves a socket for life (multishot) and takes its memory from a common ring, sends are
/// gathered and handed over with the wait, and what a send returns is only told when the socket did not take all of it.
pub(crate) struct Uring {
    // The ring goes first: with it the kernel forgets the memory below.
    pub(super) ring: Ring,
    pub(super) slots: Vec<Slot>,
    pub(super) buffers: Buffers,
    pub(super) sends: Sends,
    /// How many connections may have their socket in the kernel's table, once that is there; the others, and sockets that
    /// have sent only once, are named by their descriptors. It is made once: to change it, kernels before 6.13 wait until
    /// no reception is under way.
    pub(super) table: Option<usize>,
    /// While the kernel notes when bytes come.
    pub(super) clocks: Option<Clocks>,
    /// What such receptions are asked with; the kernel reads it whenever one is begun.
    pub(super) header: Box<libc::msghdr>,
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) socket: Option<OwnedFd>,
    pub(super) file: File,
    pub(super) state: State,
    /// The kind of reception that is under way in the kernel.
    pub(super) receiving: Option<u64>,
    pub(super) generation: u32,
    pub(super) outgoing: Outgoing,
}

impl Slot {
    /// Whether the socket is open, and the one that an entry was for.
    pub(super) fn is_open(&self, generation: u32) -> bool {
        self.state == State::Open && self.generation & GENERATIONS == generation
    }
}

/// How entries name a socket.
#[derive(Debug, Clone, Copy)]
pub(super) enum File {
    Table(u32),
    Own(RawFd),
}

impl Default for File {
    fn default() -> Self {
        Self::Own(-1)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Closed,
    Connecting,
    Open,
}
