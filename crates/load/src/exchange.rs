//! A single connection used by hand: for readiness and conformance, where each byte and pause matters and speed
//! does not.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::call::{Deadline, ExchangeError, Reading, Spoken, Wire};
use crate::example::Example;
use crate::mix::Mix;
use crate::protocol::{Limits, Then};
use crate::request::Protocol;
use crate::response::Response;
use crate::tls::TlsSettings;

/// One connection.
#[derive(Debug)]
pub struct Exchange {
    wire: Wire,
    spoken: Spoken,
    keep_alive: bool,
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
        let wire = Wire::connect(address, true, Deadline::after(timeout))?;
        Self::begin(wire, protocol, tls, Limits::default(), timeout)
    }

    /// The same on a connection that is open already, as from another network namespace, with limits on its answers.
    ///
    /// # Errors
    /// When the server cannot be agreed with in time.
    pub fn over(
        stream: TcpStream,
        protocol: Protocol,
        tls: Option<&TlsSettings>,
        limits: Limits,
        timeout: Duration,
    ) -> Result<Self, ExchangeError> {
        Self::begin(Wire::over(stream, true, timeout)?, protocol, tls, limits, timeout)
    }

    fn begin(
        mut wire: Wire,
        protocol: Protocol,
        tls: Option<&TlsSettings>,
        limits: Limits,
        timeout: Duration,
    ) -> Result<Self, ExchangeError> {
        let deadline = Deadline::after(timeout);
        if let Some(settings) = tls {
            wire.agree(settings, deadline)?;
        }
        let (spoken, opening) = Spoken::new(protocol, limits);
        wire.ask(&opening)?;
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
        let answer = self.exchange(mix, example, pieces, timeout);
        self.keep_alive = answer.as_ref().is_ok_and(|answer| answer.keep_alive);
        answer
    }

    fn exchange(
        &mut self,
        mix: &Mix,
        example: &Example,
        pieces: Pieces,
        timeout: Duration,
    ) -> Result<Response, ExchangeError> {
        let bytes = self.spoken.request(mix, example)?;
        match pieces {
            Pieces::Whole => self.wire.ask(&bytes)?,
            Pieces::Cut { by, pause } => {
                for (index, piece) in by(&bytes).into_iter().enumerate() {
                    if index > 0 {
                        std::thread::sleep(pause);
                    }
                    self.wire.ask(piece)?;
                }
            }
        }
        let deadline = Deadline::after(timeout);
        let mut buffer = [0u8; 16 * 1024];
        loop {
            let received = self.wire.read(&mut buffer, deadline)?;
            if received == 0 {
                return self.spoken.end();
            }
            let (mut said, mut reading) = (Vec::new(), Reading::default());
            let then = self.spoken.receive(&buffer[..received], &mut said, &mut reading);
            // A server that has closed its side already need not hear what the protocol says to its answer.
            let heard = self.wire.say(&said);
            if let Some(answer) = reading.answer {
                return answer
                    .map(|answer| Response { keep_alive: then == Then::Goes && heard.is_ok(), ..answer });
            }
            heard?;
            match then {
                Then::Goes | Then::Ends => {}
                Then::IsOver | Then::Breaks | Then::IsGivenUp | Then::TimedOut => {
                    return Err(ExchangeError::Closed);
                }
            }
        }
    }
}
