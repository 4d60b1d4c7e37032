//! One connection: bytes between its socket and its protocol.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags, Shutdown};
use rustls::ServerConfig;

use crate::http1;
use crate::http2;
use crate::protocol::Protocol;
use crate::sources::Sources;
use crate::tls::{self, Tls};

pub const READ_SIZE: usize = 64 * 1024;
/// What is still read from a client that was refused: an early reset could take its answer with it.
const DRAIN_LIMIT: usize = 1024 * 1024;

const ENDING: EventFlags = EventFlags::RDHUP.union(EventFlags::HUP).union(EventFlags::ERR);

/// What a worker's connections take turns with.
pub struct Shared {
    pub input: Box<[u8]>,
    /// What records carried.
    pub plain: Vec<u8>,
    pub output: Vec<u8>,
    pub sources: Sources,
    /// When answers are due, the first on top. Those of connections that ended stay until then.
    pub timers: BinaryHeap<Reverse<Timer>>,
    pub tls: Option<Arc<ServerConfig>>,
}

/// An answer that is due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timer {
    pub due: Instant,
    /// The connection's file descriptor, and its number, which no other one of the worker has.
    pub key: usize,
    pub number: u64,
    /// Over HTTP/2 the stream; over HTTP/1.1 0.
    stream: u32,
}

pub struct Connection {
    socket: OwnedFd,
    number: u64,
    protocol: Protocol,
    tls: Option<Box<Tls>>,
    /// The start of a request or a frame whose rest has not come yet.
    input: Vec<u8>,
    /// Answers that the socket did not take yet. Nothing is read until they are gone.
    output: Vec<u8>,
    /// Bytes that may still be thrown away, once the connection was shut down.
    drain: Option<usize>,
    /// Over HTTP/1.1, when the answer is due that is waited for. Nothing is read until then.
    due: Option<Instant>,
    /// Whether something came meanwhile.
    missed: bool,
}

/// What a connection's turn leads to.
pub enum Next {
    Wait,
    /// There may be more to do now: ask for a fresh event, behind those of the other connections.
    Again,
    Close,
}

impl Connection {
    pub fn new(socket: OwnedFd, number: u64) -> Connection {
        Connection {
            socket,
            number,
            protocol: Protocol::Unknown,
            tls: None,
            input: Vec::new(),
            output: Vec::new(),
            drain: None,
            due: None,
            missed: false,
        }
    }

    pub fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    pub fn drive(&mut self, flags: EventFlags, shared: &mut Shared) -> Next {
        if !self.output.is_empty() {
            return self.flush(shared);
        }
        if !flags.intersects(EventFlags::IN | ENDING) {
            return self.send_more(shared);
        }
        if self.due.is_some() {
            // A client that is gone waits for nothing; one that only says no more does.
            if flags.intersects(EventFlags::HUP | EventFlags::ERR) {
                return Next::Close;
            }
            self.missed = true;
            return Next::Wait;
        }
        let received = match net::recv(&self.socket, &mut *shared.input, RecvFlags::empty()) {
            Ok((0, _)) => return Next::Close,
            Ok((received, _)) => received,
            Err(Errno::AGAIN) => return self.send_more(shared),
            Err(Errno::INTR) => return Next::Again,
            Err(_) => return Next::Close,
        };
        // A short read has emptied the socket, unless its end was already on the way.
        let next = if received == READ_SIZE || flags.intersects(ENDING) { Next::Again } else { Next::Wait };
        if let Some(left) = &mut self.drain {
            return match left.checked_sub(received) {
                Some(less) => {
                    *left = less;
                    next
                }
                None => Next::Close,
            };
        }

        shared.output.clear();
        if let Protocol::Unknown = self.protocol {
            if self.begin_tls(received, shared).is_err() {
                return Next::Close;
            }
        }
        if self.tls.is_some() {
            return self.answer_sealed(received, next, shared);
        }
        let Shared { input, output, sources, .. } = shared;
        self.answer(&input[..received], sources, output);
        self.begin_waits(shared);
        self.send(next, shared)
    }

    /// The first byte of a connection tells whether it is one of TLS.
    fn begin_tls(&mut self, received: usize, shared: &Shared) -> Result<(), rustls::Error> {
        if let (None, true, Some(config)) = (&self.tls, self.input.is_empty(), &shared.tls) {
            if received > 0 && shared.input[0] == tls::HANDSHAKE {
                self.tls = Some(Box::new(Tls::new(Arc::clone(config))?));
            }
        }
        Ok(())
    }

    fn answer_sealed(&mut self, received: usize, next: Next, shared: &mut Shared) -> Next {
        let Some(tls) = &mut self.tls else { return Next::Close };
        let Shared { input, plain, output, sources, .. } = shared;
        plain.clear();
        let is_broken = tls.open(&input[..received], plain).is_err();
        if matches!(self.protocol, Protocol::Unknown) && tls.is_http2() {
            self.protocol = Protocol::http2();
        }
        if !plain.is_empty() {
            self.answer(plain, sources, output);
        }
        if is_broken {
            return self.end_broken(shared);
        }
        self.begin_waits(shared);
        self.send(next, shared)
    }

    /// Sends the alert that says what was wrong, and what was to be sent before.
    fn end_broken(&mut self, shared: &mut Shared) -> Next {
        if self.seal(shared).is_err() || shared.output.is_empty() {
            return Next::Close;
        }
        // What cannot be sent at once is not worth a wait.
        let _ = net::send(&self.socket, &shared.output, SendFlags::NOSIGNAL);
        self.shut_down()
    }

    /// Puts the answers to what has just been received into the output.
    fn answer(&mut self, new: &[u8], sources: &mut Sources, output: &mut Vec<u8>) {
        if self.input.is_empty() {
            let used = self.protocol.serve(new, sources, output);
            self.input.extend_from_slice(&new[used..]);
        } else {
            self.input.extend_from_slice(new);
            self.answer_kept(sources, output);
        }
    }

    fn answer_kept(&mut self, sources: &mut Sources, output: &mut Vec<u8>) {
        let used = self.protocol.serve(&self.input, sources, output);
        self.input.drain(..used);
        if self.input.is_empty() {
            self.input = Vec::new();
        }
    }

    /// The time begins after the request was read, so no answer is early.
    fn begin_waits(&mut self, shared: &mut Shared) {
        let timer = |stream, milliseconds: u16, socket: &OwnedFd, number| Timer {
            due: Instant::now() + Duration::from_millis(milliseconds.into()),
            key: socket.as_raw_fd() as usize,
            number,
            stream,
        };
        match &mut self.protocol {
            Protocol::Unknown => {}
            Protocol::Http1(session) => {
                if let http1::Status::Waits(milliseconds) = session.status() {
                    let timer = timer(0, milliseconds, &self.socket, self.number);
                    self.due = Some(timer.due);
                    shared.timers.push(Reverse(timer));
                }
            }
            Protocol::Http2(session) => {
                for (stream, milliseconds) in session.new_waits() {
                    let timer = timer(stream, milliseconds, &self.socket, self.number);
                    shared.timers.push(Reverse(timer));
                }
            }
        }
    }

    /// Gives the answer that was due at that time, and those to what had come behind its request.
    pub fn end_wait(&mut self, timer: Timer, shared: &mut Shared) -> Next {
        // It may be one of a connection that had the same file descriptor.
        if timer.number != self.number {
            return Next::Wait;
        }
        shared.output.clear();
        match &mut self.protocol {
            Protocol::Unknown => return Next::Wait,
            Protocol::Http1(session) => {
                if self.due != Some(timer.due) {
                    return Next::Wait;
                }
                self.due = None;
                session.end_wait(&mut shared.output);
                if !self.input.is_empty() {
                    let Shared { output, sources, .. } = shared;
                    self.answer_kept(sources, output);
                    self.begin_waits(shared);
                }
            }
            Protocol::Http2(session) => {
                session.end_wait(timer.stream, &mut shared.output);
                if shared.output.is_empty() && session.status() == http2::Status::Open {
                    return Next::Wait;
                }
            }
        }
        self.send_behind(shared)
    }

    /// The server ends. Whoever has a connection of HTTP/1.1 is not told, as the protocol has no word for it.
    pub fn end(&mut self, shared: &mut Shared) -> Next {
        let Protocol::Http2(session) = &mut self.protocol else { return Next::Close };
        if self.drain.is_some() {
            return Next::Wait;
        }
        shared.output.clear();
        session.end(&mut shared.output);
        self.send_behind(shared)
    }

    /// Sends what is in the shared output, behind what the socket did not take of earlier answers.
    fn send_behind(&mut self, shared: &mut Shared) -> Next {
        if !self.output.is_empty() {
            // The socket tells when it takes more.
            if self.seal(shared).is_err() {
                return Next::Close;
            }
            self.output.extend_from_slice(&shared.output);
            return Next::Wait;
        }
        let next = if mem::take(&mut self.missed) { Next::Again } else { Next::Wait };
        self.send(next, shared)
    }

    /// What is sent only as the client takes it.
    fn send_more(&mut self, shared: &mut Shared) -> Next {
        match &mut self.protocol {
            Protocol::Http2(session) if session.has_more() => {
                shared.output.clear();
                session.send_more(&mut shared.output);
                self.send(Next::Wait, shared)
            }
            _ => Next::Wait,
        }
    }

    /// Sends what is in the shared output.
    fn send(&mut self, next: Next, shared: &mut Shared) -> Next {
        if self.tls.is_some() && self.seal(shared).is_err() {
            return Next::Close;
        }
        if shared.output.is_empty() {
            return self.finish(next);
        }
        let sent = match net::send(&self.socket, &shared.output, SendFlags::NOSIGNAL) {
            Ok(sent) => sent,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(_) => return Next::Close,
        };
        if sent < shared.output.len() {
            self.output.extend_from_slice(&shared.output[sent..]);
            return Next::Again;
        }
        self.finish(next)
    }

    fn seal(&mut self, shared: &mut Shared) -> std::io::Result<()> {
        match &mut self.tls {
            Some(tls) => tls.seal(&mut shared.output, self.protocol.is_over()),
            None => Ok(()),
        }
    }

    fn flush(&mut self, shared: &mut Shared) -> Next {
        match net::send(&self.socket, &self.output, SendFlags::NOSIGNAL) {
            Ok(sent) if sent == self.output.len() => {
                self.output = Vec::new();
                shared.output.clear();
                // What came in the meantime was announced before anyone listened.
                self.finish(Next::Again)
            }
            Ok(sent) => {
                self.output.drain(..sent);
                Next::Wait
            }
            Err(Errno::AGAIN) => Next::Wait,
            Err(Errno::INTR) => Next::Again,
            Err(_) => Next::Close,
        }
    }

    /// After all answers are sent.
    fn finish(&mut self, next: Next) -> Next {
        match &self.protocol {
            Protocol::Unknown => next,
            Protocol::Http1(session) => match session.status() {
                http1::Status::Open => next,
                http1::Status::Waits(_) => {
                    self.missed |= matches!(next, Next::Again);
                    Next::Wait
                }
                http1::Status::Done => Next::Close,
                http1::Status::Broken => self.shut_down(),
            },
            Protocol::Http2(session) => match session.status() {
                http2::Status::Open if session.has_more() => Next::Again,
                http2::Status::Open => next,
                http2::Status::Ended => self.shut_down(),
            },
        }
    }

    fn shut_down(&mut self) -> Next {
        // Closing with unread bytes would reset the connection and could take the answer with it.
        self.drain = Some(DRAIN_LIMIT);
        match net::shutdown(&self.socket, Shutdown::Write) {
            Ok(()) => Next::Again,
            Err(_) => Next::Close,
        }
    }
}
