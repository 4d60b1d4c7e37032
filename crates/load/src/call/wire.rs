//! A socket that blocks until a deadline, and TLS on it.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustls::{ClientConnection, HandshakeKind, ProtocolVersion};

use super::counted::Counted;
use super::error::ExchangeError;
use super::packets;
use super::times::{Agreed, Packets};
use crate::tls::{TlsSettings, version_name};

/// When it is too late, and how much time there was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    timeout: Duration,
}

/// The socket, and TLS on it.
#[derive(Debug)]
pub(crate) struct Wire {
    socket: Counted,
    tls: Option<Box<ClientConnection>>,
}

impl Deadline {
    /// So long from now.
    pub(crate) fn after(timeout: Duration) -> Self {
        Self { at: Instant::now() + timeout, timeout }
    }

    fn left(self) -> Result<Duration, ExchangeError> {
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ExchangeError::Timeout(self.timeout)) } else { Ok(left) }
    }
}

impl Wire {
    /// Opens a TCP connection. `no_delay`: what is written is sent at once, though what was sent before is not acknowledged.
    pub(crate) fn connect(
        address: SocketAddr,
        no_delay: bool,
        deadline: Deadline,
    ) -> Result<Self, ExchangeError> {
        let stream =
            TcpStream::connect_timeout(&address, deadline.left()?).map_err(|error| match error.kind() {
                io::ErrorKind::TimedOut => ExchangeError::Timeout(deadline.timeout),
                _ => error.into(),
            })?;
        Self::over(stream, no_delay, deadline.timeout)
    }

    /// The same on a connection that was opened elsewhere. `timeout`: of a write.
    pub(crate) fn over(stream: TcpStream, no_delay: bool, timeout: Duration) -> Result<Self, ExchangeError> {
        stream.set_nodelay(no_delay)?;
        stream.set_write_timeout(Some(timeout))?;
        Ok(Self { socket: Counted::new(stream), tls: None })
    }

    /// The handshake of TLS.
    pub(crate) fn agree(
        &mut self,
        settings: &TlsSettings,
        deadline: Deadline,
    ) -> Result<Agreed, ExchangeError> {
        let mut tls = settings.blocking()?;
        while tls.is_handshaking() {
            self.wait_until(deadline)?;
            match tls.complete_io(&mut self.socket) {
                Ok(_) => {}
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(tls_error(error)),
            }
        }
        settings.check_alpn(tls.alpn_protocol())?;
        let agreed = Agreed {
            version: version_name(tls.protocol_version().unwrap_or(ProtocolVersion::Unknown(0))),
            is_resumed: tls.handshake_kind() == Some(HandshakeKind::Resumed),
            alpn: tls.alpn_protocol().map(<[u8]>::to_vec),
        };
        self.tls = Some(Box::new(tls));
        Ok(agreed)
    }

    /// Writes what the server must hear before it goes on.
    pub(crate) fn ask(&mut self, bytes: &[u8]) -> Result<(), ExchangeError> {
        if bytes.is_empty() {
            return Ok(());
        }
        match &mut self.tls {
            None => self.socket.write_all(bytes)?,
            Some(tls) => {
                let mut stream = rustls::Stream::new(tls.as_mut(), &mut self.socket);
                stream.write_all(bytes).and_then(|()| stream.flush()).map_err(tls_error)?;
            }
        }
        Ok(())
    }

    /// Writes what nobody waits for, such as an acknowledgement of HTTP/2's settings.
    pub(crate) fn say(&mut self, bytes: &[u8]) -> Result<(), ExchangeError> {
        self.socket.only_says = true;
        let said = self.ask(bytes);
        self.socket.only_says = false;
        said
    }

    /// What has come; nothing when the connection has ended.
    pub(crate) fn read(&mut self, buffer: &mut [u8], deadline: Deadline) -> Result<usize, ExchangeError> {
        loop {
            self.wait_until(deadline)?;
            let received = match &mut self.tls {
                None => self.socket.read(buffer),
                Some(tls) => rustls::Stream::new(tls.as_mut(), &mut self.socket).read(buffer),
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

    /// Ends the connection as a client does that is done with it.
    pub(crate) fn close(mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            // The connection ends in any case; that the server is told is a courtesy.
            let _ = tls.write_tls(&mut self.socket);
        }
    }

    /// Bytes sent and received so far, and round trips.
    pub(crate) fn counts(&self) -> (u64, u64, u32) {
        (self.socket.sent, self.socket.received, self.socket.round_trips)
    }

    /// The packets so far.
    pub(crate) fn packets(&self) -> Option<Packets> {
        packets::of(&self.socket.stream)
    }

    /// The next read ends by the deadline, which has not passed.
    fn wait_until(&self, deadline: Deadline) -> Result<(), ExchangeError> {
        Ok(self.socket.stream.set_read_timeout(Some(deadline.left()?))?)
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
