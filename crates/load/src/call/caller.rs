//! Makes calls on a server, one at a time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::ExchangeError;
use super::spoken::{Reading, Spoken};
use super::times::{CallTimes, Opening, Packets};
use super::wire::{Deadline, Wire};
use crate::example::Example;
use crate::mix::Mix;
use crate::protocol::{Limits, Then};
use crate::request::Protocol;
use crate::response::Response;
use crate::tls::TlsSettings;

/// How calls are made.
#[derive(Debug, Clone)]
pub struct CallSettings {
    /// Where the server listens.
    pub address: SocketAddr,
    /// What is spoken: what the requests are rendered for.
    pub protocol: Protocol,
    /// TLS on the connection. Settings that are made for these calls alone keep sessions apart from those of others.
    pub tls: Option<Arc<TlsSettings>>,
    /// One connection is kept for all calls, and opened anew only when the server has closed it; else each has a new one.
    pub keeps: bool,
    /// How a request is written.
    pub sending: Sending,
    /// A call without a whole answer after this long has failed.
    pub timeout: Duration,
    /// How long answers may be.
    pub limits: Limits,
}

/// How a request is written to its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sending {
    /// In one write, at once (`TCP_NODELAY`).
    #[default]
    Whole,
    /// Head and body in a write each, at once.
    Apart,
    /// Head and body in a write each, with Nagle's algorithm: the body waits until the head is acknowledged, which the server's
    /// kernel may delay.
    ApartWithNagle,
}

/// Makes calls on a server, one at a time.
#[derive(Debug)]
pub struct Caller {
    settings: CallSettings,
    open: Option<Open>,
}

/// A connection that is kept.
#[derive(Debug)]
struct Open {
    wire: Wire,
    spoken: Spoken,
}

impl Caller {
    /// One that has no connection yet.
    pub fn new(settings: CallSettings) -> Self {
        Self { settings, open: None }
    }

    /// Sends a request of a mix that was rendered for the protocol, and waits for its answer, which is not judged here.
    ///
    /// # Errors
    /// When no whole answer comes in time; the next call then opens a connection.
    pub fn call(&mut self, mix: &Mix, example: &Example) -> Result<(Response, CallTimes), ExchangeError> {
        match self.open.take() {
            Some(open) => self.call_on(open, mix, example),
            None => self.call_anew(mix, example),
        }
    }

    /// Ends the connection that is kept.
    pub fn close(&mut self) {
        if let Some(open) = self.open.take() {
            open.wire.close();
        }
    }

    fn call_on(
        &mut self,
        mut open: Open,
        mix: &Mix,
        example: &Example,
    ) -> Result<(Response, CallTimes), ExchangeError> {
        let request = open.spoken.request(mix, example)?;
        let before = Before { counts: open.wire.counts(), packets: open.wire.packets() };
        let deadline = Deadline::after(self.settings.timeout);
        let pieces = self.pieces(&[], &request);
        self.exchange(open, (Instant::now(), None), &pieces, before, deadline)
    }

    fn call_anew(&mut self, mix: &Mix, example: &Example) -> Result<(Response, CallTimes), ExchangeError> {
        let settings = &self.settings;
        let (mut spoken, opening) = Spoken::new(settings.protocol, settings.limits);
        let request = spoken.request(mix, example)?;
        let pieces = self.pieces(&opening, &request);
        let no_delay = settings.sending != Sending::ApartWithNagle;
        let deadline = Deadline::after(settings.timeout);
        let began = Instant::now();
        let mut wire = Wire::connect(settings.address, no_delay, deadline)?;
        let connected = Instant::now();
        let (ready, tls) = match &settings.tls {
            None => (connected, None),
            Some(tls) => {
                let agreed = wire.agree(tls, deadline)?;
                let ready = Instant::now();
                (ready, Some((nanoseconds(ready - connected), agreed)))
            }
        };
        let opening = Opening { connect_ns: nanoseconds(connected - began), tls };
        let before = Before { counts: (0, 0, 0), packets: wire.packets().map(|_| Packets::default()) };
        self.exchange(Open { wire, spoken }, (ready, Some(opening)), &pieces, before, deadline)
    }

    /// The writes of a request.
    fn pieces(&self, opening: &[u8], request: &[u8]) -> Vec<Vec<u8>> {
        match self.settings.sending {
            Sending::Whole => vec![[opening, request].concat()],
            Sending::Apart | Sending::ApartWithNagle => {
                let (head, body) = request.split_at(end_of_head(self.settings.protocol, request));
                vec![[opening, head].concat(), body.to_vec()]
            }
        }
    }

    fn exchange(
        &mut self,
        mut open: Open,
        (ready, opening): (Instant, Option<Opening>),
        pieces: &[Vec<u8>],
        before: Before,
        deadline: Deadline,
    ) -> Result<(Response, CallTimes), ExchangeError> {
        for piece in pieces {
            open.wire.ask(piece)?;
        }
        let mut buffer = [0u8; 16 * 1024];
        let mut first = None;
        let (response, lasts) = loop {
            let received = open.wire.read(&mut buffer, deadline)?;
            let now = Instant::now();
            if received == 0 {
                let response = open.spoken.end()?;
                break ((response, now), false);
            }
            let (mut said, mut reading) = (Vec::new(), Reading::default());
            let then = open.spoken.receive(&buffer[..received], &mut said, &mut reading);
            if reading.has_begun || reading.answer.is_some() {
                first.get_or_insert(now);
            }
            // A server that has closed its side already need not hear what the protocol says to its answer.
            let heard = open.wire.say(&said);
            if let Some(answer) = reading.answer {
                break ((answer?, now), then == Then::Goes && heard.is_ok());
            }
            heard?;
            if matches!(then, Then::IsOver | Then::Breaks | Then::IsGivenUp | Then::TimedOut) {
                return Err(ExchangeError::Closed);
            }
        };
        let (response, last) = response;
        let first = first.unwrap_or(last);
        let (sent, received, round_trips) = open.wire.counts();
        let times = CallTimes {
            opening,
            first_byte_ns: nanoseconds(first - ready),
            rest_ns: nanoseconds(last - first),
            sent_bytes: sent - before.counts.0,
            received_bytes: received - before.counts.1,
            round_trips: round_trips - before.counts.2,
            packets: open.wire.packets().zip(before.packets).map(|(now, then)| now.since(then)),
        };
        if self.settings.keeps && lasts {
            self.open = Some(open);
        } else {
            open.wire.close();
        }
        Ok((Response { keep_alive: lasts, ..response }, times))
    }
}

/// What had been counted before the call.
struct Before {
    counts: (u64, u64, u32),
    packets: Option<Packets>,
}

/// Where the head of a request ends and its body begins.
fn end_of_head(protocol: Protocol, request: &[u8]) -> usize {
    /// Of a frame's own head, which begins with the length of what follows it (RFC 9113, 4.1).
    const FRAME_HEAD: usize = 9;
    let end = match protocol {
        Protocol::Http1 => request.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4),
        Protocol::Http2 { .. } | Protocol::Grpc(_) => match request {
            [a, b, c, ..] => {
                Some(FRAME_HEAD + (usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c)))
            }
            _ => None,
        },
    };
    end.unwrap_or(request.len()).min(request.len())
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
