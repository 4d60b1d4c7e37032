//! A single connection used by hand: for readiness and conformance, where each byte and pause matters and speed
//! does not.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::protocol::http1::{Answer, AtEnd, Head, HeadCache, Limits, Reader};

/// One connection.
#[derive(Debug)]
pub struct Exchange {
    stream: TcpStream,
    reader: Reader,
    received: Vec<u8>,
    limits: Limits,
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
        Ok(Self {
            stream,
            reader: Reader::default(),
            received: Vec::new(),
            limits: Limits::default(),
            keep_alive: true,
        })
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
        let mut cache = HeadCache::default();
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
                return match self.reader.at_end() {
                    AtEnd::Nothing => Err(ExchangeError::Closed),
                    AtEnd::Truncated => Err(ExchangeError::Truncated),
                    AtEnd::Whole { head, body } => Ok(Response {
                        status: head.status,
                        content_type: head.content_type.clone(),
                        body: body.to_vec(),
                        keep_alive: false,
                        head,
                    }),
                };
            }
            self.received.clear();
            self.received.extend_from_slice(&buffer[..received]);
            let (taken, answer) = self.reader.feed(&self.received, is_head, &mut cache, &self.limits);
            match answer {
                Answer::Incomplete => {}
                Answer::Malformed(why) => return Err(ExchangeError::Malformed(why)),
                Answer::Whole { .. } if taken < received => return Err(ExchangeError::Unasked),
                Answer::Whole { head, body } => {
                    self.keep_alive = head.keep_alive;
                    return Ok(Response {
                        status: head.status,
                        content_type: head.content_type.clone(),
                        body: body.to_vec(),
                        keep_alive: head.keep_alive,
                        head,
                    });
                }
            }
        }
    }
}
