//! Which protocol a connection speaks: its first bytes tell.

use crate::http1;
use crate::http2::{self, frame::PREFACE};
use crate::sources::Sources;

/// What a connection speaks.
pub enum Protocol {
    /// Nothing yet, or the same in both.
    Unknown,
    Http1(http1::Session),
    Http2(Box<http2::Session>),
}

impl Protocol {
    /// Answers what has come. The result is how many bytes are dealt with; the next call's input must begin with the rest.
    pub fn serve(&mut self, input: &[u8], sources: &mut Sources, output: &mut Vec<u8>) -> usize {
        if let Protocol::Unknown = self {
            if input.len() < PREFACE.len() && PREFACE.starts_with(input) {
                return 0;
            }
            *self = if input.starts_with(PREFACE) {
                Protocol::http2()
            } else {
                Protocol::Http1(http1::Session::new())
            };
        }
        match self {
            Protocol::Http1(session) => session.serve(input, sources, output),
            Protocol::Http2(session) => session.serve(input, sources, output),
            Protocol::Unknown => 0,
        }
    }

    pub fn http2() -> Protocol {
        Protocol::Http2(Box::new(http2::Session::new()))
    }

    /// Whether the server sends no more after what it has written.
    pub fn is_over(&self) -> bool {
        match self {
            Protocol::Unknown => false,
            Protocol::Http1(session) => {
                matches!(session.status(), http1::Status::Done | http1::Status::Broken)
            }
            Protocol::Http2(session) => session.status() == http2::Status::Ended,
        }
    }
}
