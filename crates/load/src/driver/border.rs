//! The border between the loop and what moves bytes.

use std::io;
use std::net::IpAddr;

use rustix::io::Errno;

use crate::target::Endpoint;

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

    /// Lets the kernel note when bytes come ([`Chunk::came_ns`]), or not, on all sockets from now on.
    fn note_arrivals(&mut self, on: bool);

    /// Sends what has been gathered and sleeps until then, whatever happens: what comes meanwhile costs no wake-up and is told of
    /// after the next wait. Says `false` and does not sleep while bytes are left that a socket would not take yet.
    fn sleep(&mut self, until_ns: u64) -> io::Result<bool>;

    /// Lets the time pass until then without sleeping.
    fn spin(&mut self, until_ns: u64) {
        while self.now_ns() < until_ns {
            std::hint::spin_loop();
        }
    }

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
    pub(crate) start: u32,
    pub(crate) length: u32,
    /// When its last bytes came, where the kernel noted it: on the driver's clock.
    pub(crate) came_ns: Option<u64>,
    /// Another event of this connection is there already: more bytes, its end, or [`Event::Quiet`].
    pub(crate) more: bool,
}
