//! Sockets: bytes are moved, and what happened to a connection is told as an [`Event`].
//!
//! The border is one of completions, so that readiness (epoll) and completion (io_uring) serve the same loop. The clock
//! belongs to it as well: a driver without sockets runs in a time of its own.

mod epoll;
#[cfg(test)]
pub(crate) mod scripted;
mod socket;
mod uring;

use std::io;
use std::net::IpAddr;

use rustix::io::Errno;

use crate::target::Endpoint;

pub(crate) use epoll::Epoll;
pub(crate) use uring::Uring;

/// Moves the bytes of numbered connections, which have at most one socket at a time.
pub(crate) trait Driver {
    /// The name in results.
    const NAME: &'static str;

    /// Nanoseconds on a clock that never goes back.
    fn now_ns(&self) -> u64;

    /// Makes room for connections numbered from 0.
    fn reserve(&mut self, connections: usize) -> io::Result<()>;

    /// Opens a socket for a connection that has none. [`Event::Connected`] tells of success and [`Event::Failed`] of failure,
    /// unless the error is known at once.
    fn connect(
        &mut self,
        connection: usize,
        endpoint: &Endpoint,
        source: Option<IpAddr>,
    ) -> Result<(), Errno>;

    /// Sends all of the bytes, in order, now or as the socket takes them.
    fn send(&mut self, connection: usize, bytes: &[u8]);

    /// Closes the socket; nothing more is told of it. With `reset` the other side is told to forget the connection, which
    /// leaves no port waiting.
    fn close(&mut self, connection: usize, reset: bool);

    /// Sends what has been gathered and waits until something has happened, `until_ns` at the latest.
    fn wait(&mut self, until_ns: u64) -> io::Result<()>;

    /// What has happened, one at a time; the chunk of a reception must be released before the next is asked for.
    fn next(&mut self) -> Option<Event>;

    /// The bytes of a chunk.
    fn bytes(&self, chunk: Chunk) -> &[u8];

    /// Gives a chunk's memory back.
    fn release(&mut self, chunk: Chunk);
}

/// What happened to a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    /// It is open.
    Connected(usize),
    /// It could not be opened and has no socket any more.
    Failed(usize, Errno),
    /// Bytes have come.
    Received(usize, Chunk),
    /// No more has come after a chunk that promised it.
    Quiet(usize),
    /// The other side has ended it, or it broke; it is still to be closed.
    Ended(usize),
}

/// Received bytes, wherever the driver keeps them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk {
    pub(crate) place: u32,
    pub(crate) length: u32,
    /// Another event of this connection is there already: more bytes, its end, or [`Event::Quiet`].
    pub(crate) more: bool,
}

pub(crate) fn monotonic_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
