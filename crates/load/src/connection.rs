use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SendFlags, SocketFlags, SocketType, sockopt};

use crate::driver::Poller;
use crate::mix::Drawn;
use crate::protocol::http1::Reader;

/// One connection and the request on it.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub(crate) socket: Option<OwnedFd>,
    pub(crate) state: State,
    pub(crate) reader: Reader,
    pub(crate) drawn: Drawn,
    /// The target's plan that it was drawn from.
    pub(crate) plan: usize,
    pub(crate) sent_ns: u64,
    /// What the socket would not take yet.
    pub(crate) unsent: Vec<u8>,
    /// No answer has come since the contender was resumed: a close is its idle timer's.
    pub(crate) fresh: bool,
    /// The request was sent in an earlier window.
    pub(crate) carried: bool,
    /// The draw of the last answer.
    pub(crate) draw: Option<bool>,
    pub(crate) completions: u32,
    /// Failed attempts to connect in a row.
    attempts: u32,
    /// Tells the events of this socket from those of the ones before it.
    generation: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// No socket.
    #[default]
    Closed,
    /// No socket until then.
    Waiting {
        until_ns: u64,
    },
    Connecting {
        since_ns: u64,
    },
    /// Open, nothing asked.
    Idle,
    /// Open, a request under way.
    InFlight,
}

/// A pause before a failed connection is tried again: the first is short, a dead server costs 20 tries a second.
const FIRST_PAUSE_NS: u64 = 1_000_000;
const LONGEST_PAUSE_NS: u64 = 50_000_000;

impl Connection {
    pub(crate) fn token(&self, index: usize) -> u64 {
        u64::from(self.generation) << 32 | index as u64
    }

    /// The connection that a token names, unless the token is of an earlier socket.
    pub(crate) fn index_of(token: u64) -> (usize, u32) {
        ((token & 0xffff_ffff) as usize, (token >> 32) as u32)
    }

    pub(crate) fn is_generation(&self, generation: u32) -> bool {
        self.generation == generation
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Idle | State::InFlight)
    }

    pub(crate) fn close(&mut self) {
        self.socket = None;
        self.state = State::Closed;
        self.reader = Reader::default();
        self.unsent.clear();
        self.carried = false;
        self.draw = None;
        self.generation = self.generation.wrapping_add(1);
    }

    /// Begins to connect; the poller tells when it is done.
    pub(crate) fn connect(
        &mut self,
        address: SocketAddr,
        index: usize,
        poller: &Poller,
        now_ns: u64,
    ) -> Result<(), Errno> {
        self.close();
        let result = self.try_connect(address, index, poller, now_ns);
        if result.is_err() {
            self.pause(now_ns);
        }
        result
    }

    fn try_connect(
        &mut self,
        address: SocketAddr,
        index: usize,
        poller: &Poller,
        now_ns: u64,
    ) -> Result<(), Errno> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        match net::connect(&socket, &address) {
            Ok(()) => {
                self.state = State::Idle;
                self.attempts = 0;
            }
            Err(Errno::INPROGRESS) => self.state = State::Connecting { since_ns: now_ns },
            Err(error) => return Err(error),
        }
        poller
            .add(&socket, self.token(index))
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        self.socket = Some(socket);
        Ok(())
    }

    /// The poller spoke of a connecting socket: is it open now?
    pub(crate) fn connected(&mut self, now_ns: u64) -> Result<bool, Errno> {
        let Some(socket) = &self.socket else { return Ok(false) };
        let error = match sockopt::socket_error(socket) {
            Ok(Ok(())) => None,
            Ok(Err(error)) | Err(error) => Some(error),
        };
        if let Some(error) = error {
            self.pause(now_ns);
            return Err(error);
        }
        if net::getpeername(socket).is_err() {
            return Ok(false);
        }
        self.state = State::Idle;
        self.attempts = 0;
        Ok(true)
    }

    /// Leaves a dead server alone for a while, longer each time.
    pub(crate) fn pause(&mut self, now_ns: u64) {
        self.close();
        let pause_ns = (FIRST_PAUSE_NS << self.attempts.min(10)).min(LONGEST_PAUSE_NS);
        self.attempts += 1;
        self.state = State::Waiting { until_ns: now_ns + pause_ns };
    }

    /// Sends, and keeps what the socket does not take.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        let Some(socket) = &self.socket else { return Err(Errno::NOTCONN) };
        match net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) if sent == bytes.len() => {}
            Ok(sent) => self.unsent.extend_from_slice(&bytes[sent..]),
            Err(Errno::AGAIN) => self.unsent.extend_from_slice(bytes),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Sends what the socket did not take before.
    pub(crate) fn send_rest(&mut self) -> Result<(), Errno> {
        let rest = std::mem::take(&mut self.unsent);
        self.send(&rest)
    }
}
