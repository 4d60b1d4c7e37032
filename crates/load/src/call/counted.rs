//! A socket that counts what goes through it.

use std::io::{self, Read, Write};
use std::net::TcpStream;

/// A socket with its counts.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) stream: TcpStream,
    pub(super) sent: u64,
    pub(super) received: u64,
    /// How often something came after something was asked.
    pub(super) round_trips: u32,
    /// Something was sent that the other side must hear before it goes on, and nothing has come since.
    asked: bool,
    /// What is sent now is only said, and nobody waits for it.
    pub(super) only_says: bool,
}

impl Counted {
    /// A connection that was just opened, which is the first round trip.
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, sent: 0, received: 0, round_trips: 1, asked: false, only_says: false }
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let received = self.stream.read(buffer)?;
        self.received += received as u64;
        if received > 0 && std::mem::take(&mut self.asked) {
            self.round_trips += 1;
        }
        Ok(received)
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.stream.write(bytes)?;
        self.sent += sent as u64;
        self.asked |= !self.only_says;
        Ok(sent)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
