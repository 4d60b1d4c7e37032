//! The protocol of a connection that is used by hand.

use std::rc::Rc;

use super::error::ExchangeError;
use crate::example::Example;
use crate::mix::Mix;
use crate::protocol::grpc::Grpc;
use crate::protocol::http1::Http1;
use crate::protocol::http2::Http2;
use crate::protocol::{AtEnd, Events, Head, Limits, RequestId, Session, Then};
use crate::request::Protocol;
use crate::response::Response;

/// The session of the protocol, with what the sessions of a worker would share.
#[derive(Debug)]
pub(crate) enum Spoken {
    Http1(Box<(Http1, <Http1 as Session>::Shared)>),
    Http2(Box<(Http2, <Http2 as Session>::Shared)>),
    Grpc(Box<(Grpc<false>, <Grpc<false> as Session>::Shared)>),
}

/// Takes what the session tells of its one request.
#[derive(Default)]
pub(crate) struct Reading {
    /// A byte of the answer is there.
    pub(crate) has_begun: bool,
    /// The answer, or why there is none.
    pub(crate) answer: Option<Result<Response, ExchangeError>>,
}

/// The same of each protocol.
macro_rules! with {
    ($spoken:expr, ($session:ident, $shared:ident) => $act:expr) => {
        match $spoken {
            Spoken::Http1(spoken) => {
                let ($session, $shared) = &mut **spoken;
                $act
            }
            Spoken::Http2(spoken) => {
                let ($session, $shared) = &mut **spoken;
                $act
            }
            Spoken::Grpc(spoken) => {
                let ($session, $shared) = &mut **spoken;
                $act
            }
        }
    };
}

impl Spoken {
    /// A session on a connection that is new, and what goes out before any request.
    pub(crate) fn new(protocol: Protocol, limits: Limits) -> (Self, Vec<u8>) {
        let mut spoken = match protocol {
            Protocol::Http1 => Self::Http1(Box::new((Http1::default(), limits.into()))),
            Protocol::Http2 { .. } => Self::Http2(Box::new((Http2::default(), limits.into()))),
            // One answer is asked for, so one message is what a stream brings as well.
            Protocol::Grpc(_) => Self::Grpc(Box::new((Grpc::default(), limits.into()))),
        };
        let mut opening = Vec::new();
        with!(&mut spoken, (session, _shared) => session.open(&mut opening));
        (spoken, opening)
    }

    /// The bytes of a request, which is in flight from now on.
    pub(crate) fn request(&mut self, mix: &Mix, example: &Example) -> Result<Vec<u8>, ExchangeError> {
        let mut bytes = Vec::new();
        with!(self, (session, _shared) => {
            if session.takes_more(1) == 0 {
                return Err(ExchangeError::TakesNone);
            }
            session.append(mix, example.drawn(), &mut bytes);
        });
        Ok(bytes)
    }

    /// Takes what has come; `said` gets what the protocol itself says to it.
    pub(crate) fn receive(&mut self, bytes: &[u8], said: &mut Vec<u8>, reading: &mut Reading) -> Then {
        with!(self, (session, shared) => session.receive(bytes, false, shared, said, reading))
    }

    /// The connection has ended: what that means for the request in flight.
    pub(crate) fn end(&mut self) -> Result<Response, ExchangeError> {
        with!(self, (session, _shared) => match session.end_oldest() {
            None | Some((_, AtEnd::Nothing)) => Err(ExchangeError::Closed),
            Some((_, AtEnd::Truncated)) => Err(ExchangeError::Truncated),
            Some((_, AtEnd::Whole { head, body })) => Ok(Response::new(&head, body, false)),
        })
    }
}

impl Events for Reading {
    fn first_byte(&mut self, _: RequestId) {
        self.has_begun = true;
    }

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

    fn left_out(&mut self, _: RequestId) {
        self.answer = Some(Err(ExchangeError::Closed));
    }

    fn reset(&mut self, _: RequestId, has_begun: bool, _: &'static str) {
        self.answer = Some(Err(if has_begun { ExchangeError::Truncated } else { ExchangeError::Closed }));
    }

    fn unasked(&mut self, _: &'static str, _: &[u8]) {
        self.answer = Some(Err(ExchangeError::Unasked));
    }
}
