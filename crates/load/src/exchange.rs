//! A single connection used by hand: for readiness and conformance, where each byte and pause matters and speed
//! does not.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::protocol::http1::{Http1, Shared};
use crate::protocol::{AtEnd, Events, Head, RequestId, Session, Then};

/// One connection.
#[derive(Debug)]
pub struct Exchange {
    stream: TcpStream,
    session: Http1,
    shared: Shared,
    keep_alive: bool,
}

/// A whole answer.
#[derive(Debug, Clone)]
pub struct Response {
    pub(crate) head: Rc<Head>,
    /// The status code.
    pub status: u16,
    /// The media type, lower case, without parameters.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether the connection lasts.
    pub keep_alive: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The connection could not be made or used.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// No whole answer in time.
    #[error("no whole answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The connection ended inside the answer.
    #[error("the connection ended inside the answer")]
    Truncated,
    /// The connection ended before the answer.
    #[error("the connection was closed without an answer")]
    Closed,
    /// Not HTTP.
    #[error("malformed answer: {0}")]
    Malformed(&'static str),
    /// More than the answer came.
    #[error("bytes that no request asked for")]
    Unasked,
}

impl Exchange {
    /// Connects.
    ///
    /// # Errors
    /// When the server does not accept in time.
    pub fn connect(address: SocketAddr, timeout: Duration) -> Result<Self, ExchangeError> {
        let stream = TcpStream::connect_timeout(&address, timeout)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, session: Http1::default(), shared: Shared::default(), keep_alive: true })
    }

    /// Whether the server keeps the connection open.
    pub fn is_open(&self) -> bool {
        self.keep_alive
    }

    /// Sends pieces with a pause between them and waits for one answer.
    ///
    /// # Errors
    /// When no whole answer comes in time.
    pub fn send(
        &mut self,
        pieces: &[&[u8]],
        pause: Duration,
        is_head: bool,
        timeout: Duration,
    ) -> Result<Response, ExchangeError> {
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 {
                std::thread::sleep(pause);
            }
            self.stream.write_all(piece)?;
        }
        let deadline = Instant::now() + timeout;
        // One that was not answered in time is not waited for any more.
        while self.session.forget_oldest().is_some() {}
        self.session.expect(is_head);
        let mut buffer = [0u8; 16 * 1024];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ExchangeError::Timeout(timeout));
            }
            self.stream.set_read_timeout(Some(left))?;
            let received = match self.stream.read(&mut buffer) {
                Ok(received) => received,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if received == 0 {
                self.keep_alive = false;
                return match self.session.end_oldest() {
                    None | Some((_, AtEnd::Nothing)) => Err(ExchangeError::Closed),
                    Some((_, AtEnd::Truncated)) => Err(ExchangeError::Truncated),
                    Some((_, AtEnd::Whole { head, body })) => Ok(Response::new(&head, body)),
                };
            }
            let (mut said, mut reading) = (Vec::new(), Reading::default());
            let then =
                self.session.receive(&buffer[..received], false, &mut self.shared, &mut said, &mut reading);
            if let Some(answer) = reading.answer {
                let answer = answer?;
                self.keep_alive = then == Then::Goes;
                return Ok(Response { keep_alive: self.keep_alive, ..answer });
            }
        }
    }
}

impl Response {
    fn new(head: &Rc<Head>, body: &[u8]) -> Self {
        Self {
            status: head.status,
            content_type: head.content_type.clone(),
            body: body.to_vec(),
            keep_alive: false,
            head: Rc::clone(head),
        }
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
        self.answer = Some(Ok(Response::new(head, body)));
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
