//! A single connection used by hand: for readiness and conformance, where each byte and pause matters and speed
//! does not.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustls::ClientConnection;

use crate::example::Example;
use crate::mix::Mix;
use crate::protocol::http1::Http1;
use crate::protocol::http2::Http2;
use crate::protocol::{AtEnd, Events, Head, Limits, RequestId, Session, Then};
use crate::request::Protocol;
use crate::response::Response;
use crate::tls::{TlsError, TlsSettings};

/// One connection.
#[derive(Debug)]
pub struct Exchange {
    wire: Wire,
    spoken: Spoken,
    keep_alive: bool,
}

/// The session of the protocol, with what the sessions of a worker would share.
#[derive(Debug)]
enum Spoken {
    Http1(Box<(Http1, <Http1 as Session>::Shared)>),
    Http2(Box<(Http2, <Http2 as Session>::Shared)>),
}

/// The socket, and TLS on it.
#[derive(Debug)]
struct Wire {
    stream: TcpStream,
    tls: Option<Box<ClientConnection>>,
}

/// How the bytes of a request are delivered.
#[derive(Debug, Clone, Copy)]
pub enum Pieces {
    /// In one piece.
    Whole,
    /// In pieces with a pause between them.
    Cut {
        /// Cuts the bytes; nothing is lost, and no piece is empty.
        by: fn(&[u8]) -> Vec<&[u8]>,
        /// The pause.
        pause: Duration,
    },
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The connection could not be made or used.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// TLS could not be agreed on.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// No whole answer in time.
    #[error("no whole answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The connection ended inside the answer.
    #[error("the connection ended inside the answer")]
    Truncated,
    /// The connection ended before the answer.
    #[error("the connection was closed without an answer")]
    Closed,
    /// The server takes no request on the connection.
    #[error("the server takes no more requests on the connection")]
    TakesNone,
    /// Not the protocol that is spoken.
    #[error("malformed answer: {0}")]
    Malformed(&'static str),
    /// More than the answer came.
    #[error("bytes that no request asked for")]
    Unasked,
}

impl Exchange {
    /// Connects, agrees on TLS where there are settings for it, and begins to speak the protocol.
    ///
    /// # Errors
    /// When the server does not accept in time, or cannot be agreed with.
    pub fn connect(
        address: SocketAddr,
        protocol: Protocol,
        tls: Option<&TlsSettings>,
        timeout: Duration,
    ) -> Result<Self, ExchangeError> {
        Self::over(TcpStream::connect_timeout(&address, timeout)?, protocol, tls, timeout)
    }

    /// The same on a connection that is open already, as from another network namespace.
    ///
    /// # Errors
    /// When the server cannot be agreed with in time.
    pub fn over(
        stream: TcpStream,
        protocol: Protocol,
        tls: Option<&TlsSettings>,
        timeout: Duration,
    ) -> Result<Self, ExchangeError> {
        let deadline = Instant::now() + timeout;
        stream.set_nodelay(true)?;
        let mut wire = Wire { stream, tls: None };
        if let Some(settings) = tls {
            wire.agree(settings, deadline, timeout)?;
        }
        let limits = Limits::default();
        let mut opening = Vec::new();
        let spoken = match protocol {
            Protocol::Http1 => Spoken::Http1(Box::new((Http1::default(), limits.into()))),
            Protocol::Http2 { .. } => {
                let mut session = Http2::default();
                session.open(&mut opening);
                Spoken::Http2(Box::new((session, limits.into())))
            }
        };
        wire.write(&opening)?;
        Ok(Self { wire, spoken, keep_alive: true })
    }

    /// Whether the server keeps the connection open.
    pub fn is_open(&self) -> bool {
        self.keep_alive
    }

    /// Sends a request of a mix that was rendered for the connection's protocol, and waits for its answer.
    ///
    /// # Errors
    /// When no whole answer comes in time; then the connection is of no use any more.
    pub fn send(
        &mut self,
        mix: &Mix,
        example: &Example,
        pieces: Pieces,
        timeout: Duration,
    ) -> Result<Response, ExchangeError> {
        if !self.keep_alive {
            return Err(ExchangeError::Closed);
        }
        let wire = &mut self.wire;
        let answer = match &mut self.spoken {
            Spoken::Http1(spoken) => {
                exchange(wire, &mut spoken.0, &mut spoken.1, mix, example, pieces, timeout)
            }
            Spoken::Http2(spoken) => {
                exchange(wire, &mut spoken.0, &mut spoken.1, mix, example, pieces, timeout)
            }
        };
        self.keep_alive = answer.as_ref().is_ok_and(|answer| answer.keep_alive);
        answer
    }
}

fn exchange<S: Session>(
    wire: &mut Wire,
    session: &mut S,
    shared: &mut S::Shared,
    mix: &Mix,
    example: &Example,
    pieces: Pieces,
    timeout: Duration,
) -> Result<Response, ExchangeError> {
    if session.takes_more(1) == 0 {
        return Err(ExchangeError::TakesNone);
    }
    let mut bytes = Vec::new();
    session.append(mix, example.drawn(), &mut bytes);
    match pieces {
        Pieces::Whole => wire.write(&bytes)?,
        Pieces::Cut { by, pause } => {
            for (index, piece) in by(&bytes).into_iter().enumerate() {
                if index > 0 {
                    std::thread::sleep(pause);
                }
                wire.write(piece)?;
            }
        }
    }
    let deadline = Instant::now() + timeout;
    let mut buffer = [0u8; 16 * 1024];
    loop {
        let received = wire.read(&mut buffer, deadline, timeout)?;
        if received == 0 {
            return match session.end_oldest() {
                None | Some((_, AtEnd::Nothing)) => Err(ExchangeError::Closed),
                Some((_, AtEnd::Truncated)) => Err(ExchangeError::Truncated),
                Some((_, AtEnd::Whole { head, body })) => Ok(Response::new(&head, body, false)),
            };
        }
        let (mut said, mut reading) = (Vec::new(), Reading::default());
        let then = session.receive(&buffer[..received], false, shared, &mut said, &mut reading);
        // A server that has closed its side already need not hear what the protocol says to its answer.
        let heard = wire.write(&said);
        if let Some(answer) = reading.answer {
            return answer
                .map(|answer| Response { keep_alive: then == Then::Goes && heard.is_ok(), ..answer });
        }
        heard?;
        match then {
            Then::Goes | Then::Ends => {}
            Then::IsOver | Then::Breaks => return Err(ExchangeError::Closed),
        }
    }
}

impl Wire {
    /// The handshake of TLS.
    fn agree(
        &mut self,
        settings: &TlsSettings,
        deadline: Instant,
        timeout: Duration,
    ) -> Result<(), ExchangeError> {
        let mut tls = settings.blocking()?;
        while tls.is_handshaking() {
            self.wait_until(deadline, timeout)?;
            match tls.complete_io(&mut self.stream) {
                Ok(_) => {}
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(tls_error(error)),
            }
        }
        settings.check_alpn(tls.alpn_protocol())?;
        self.tls = Some(Box::new(tls));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ExchangeError> {
        if bytes.is_empty() {
            return Ok(());
        }
        match &mut self.tls {
            None => self.stream.write_all(bytes)?,
            Some(tls) => {
                let mut stream = rustls::Stream::new(tls.as_mut(), &mut self.stream);
                stream.write_all(bytes).and_then(|()| stream.flush()).map_err(tls_error)?;
            }
        }
        Ok(())
    }

    /// What has come; nothing when the connection has ended.
    fn read(
        &mut self,
        buffer: &mut [u8],
        deadline: Instant,
        timeout: Duration,
    ) -> Result<usize, ExchangeError> {
        loop {
            self.wait_until(deadline, timeout)?;
            let received = match &mut self.tls {
                None => self.stream.read(buffer),
                Some(tls) => rustls::Stream::new(tls.as_mut(), &mut self.stream).read(buffer),
            };
            match received {
                Ok(received) => return Ok(received),
                Err(error) if is_passing(&error) => {}
                // Ended without the closing alert of TLS: what came before is whole or not by the protocol's own framing.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                Err(error) => return Err(tls_error(error)),
            }
        }
    }

    /// The next read ends by the deadline, which has not passed.
    fn wait_until(&self, deadline: Instant, timeout: Duration) -> Result<(), ExchangeError> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ExchangeError::Timeout(timeout));
        }
        Ok(self.stream.set_read_timeout(Some(left))?)
    }
}

/// The socket only has nothing yet.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// What rustls found wrong in its own words, which it hands through the error of a socket.
fn tls_error(error: io::Error) -> ExchangeError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(inner) => ExchangeError::Tls(inner.clone().into()),
        None => ExchangeError::Io(error),
    }
}

/// Takes what the session tells of it.
#[derive(Default)]
struct Reading {
    answer: Option<Result<Response, ExchangeError>>,
}

impl Events for Reading {
    fn first_byte(&mut self, _: RequestId) {}

    fn end(&mut self, _: RequestId, head: &Rc<Head>, body: &[u8]) {
        self.answer = Some(Ok(Response::new(head, body, true)));
    }

    fn spoilt(&mut self, _: RequestId, _: &Rc<Head>, _: &[u8]) {
        self.answer = Some(Err(ExchangeError::Unasked));
    }

    fn failed(&mut self, _: RequestId, why: &'static str, _: &[u8]) {
        self.answer = Some(Err(ExchangeError::Malformed(why)));
    }

    fn refused(&mut self, _: RequestId) {
        self.answer = Some(Err(ExchangeError::Closed));
    }

    fn reset(&mut self, _: RequestId, has_begun: bool, _: &'static str) {
        self.answer = Some(Err(if has_begun { ExchangeError::Truncated } else { ExchangeError::Closed }));
    }

    fn unasked(&mut self, _: &'static str, _: &[u8], _: bool) {
        self.answer = Some(Err(ExchangeError::Unasked));
    }
}
