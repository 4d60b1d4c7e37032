//! A request's head, gathered field by field.

use crate::answers::{Answer, BAD_REQUEST, BODY_TOO_LARGE, EXPECTATION_FAILED, HEAD_TOO_LARGE};
use crate::limits::{BODY_LIMIT, HEAD_LIMIT};
use crate::routes::{Route, route};

use super::grpc::{self, Method};
use super::hpack::{Field, Name};

/// What a request asks for.
#[derive(Clone, Copy)]
pub enum Asks {
    Route(Route),
    /// A call of gRPC.
    Call(Method),
}

/// A request's head.
#[derive(Clone, Copy)]
pub struct Head {
    pub asks: Asks,
    /// Bytes of its body, as it says.
    pub length: Option<usize>,
    pub expects_continue: bool,
    /// It is answered without its body.
    pub is_refused: bool,
}

/// A request that breaks the rules of HTTP/2, so that its stream is reset.
#[derive(Debug, PartialEq)]
pub struct Broken;

const METHOD: u8 = 1;
const SCHEME: u8 = 2;
const PATH: u8 = 4;
const AUTHORITY: u8 = 8;

/// What has come of a block.
#[derive(Default)]
pub struct Fields {
    method: Vec<u8>,
    path: Vec<u8>,
    /// Fields with a colon.
    pseudo: u8,
    /// Whether another field has come.
    is_regular: bool,
    is_broken: bool,
    size: usize,
    length: Option<usize>,
    expects_continue: bool,
    expects_more: bool,
    is_grpc: bool,
}

impl Fields {
    pub fn clear(&mut self) {
        let (mut method, mut path) = (std::mem::take(&mut self.method), std::mem::take(&mut self.path));
        method.clear();
        path.clear();
        *self = Fields { method, path, ..Fields::default() };
    }

    /// The last head's path.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    pub fn take(&mut self, field: Field<'_>) {
        self.size = self.size.saturating_add(field.size());
        if self.size > HEAD_LIMIT {
            return;
        }
        self.is_broken |= !field.is_sound;
        match field.kind {
            Name::Method => {
                self.pseudo(METHOD);
                self.method.clear();
                self.method.extend_from_slice(field.value);
            }
            Name::Path => {
                self.pseudo(PATH);
                self.path.clear();
                self.path.extend_from_slice(field.value);
            }
            Name::Scheme => self.pseudo(SCHEME),
            Name::Authority => self.pseudo(AUTHORITY),
            Name::Forbidden => self.is_broken = true,
            Name::Te => {
                self.is_regular = true;
                self.is_broken |= field.value != b"trailers";
            }
            Name::ContentLength => {
                self.is_regular = true;
                let length = number(field.value);
                self.is_broken |= length.is_none() || self.length.is_some_and(|other| Some(other) != length);
                self.length = length;
            }
            Name::Expect => {
                self.is_regular = true;
                let is_continue = field.value.eq_ignore_ascii_case(b"100-continue");
                self.expects_continue |= is_continue;
                self.expects_more |= !is_continue;
            }
            Name::ContentType => {
                self.is_regular = true;
                self.is_grpc |= grpc::is_type(field.value);
            }
            Name::Other => self.is_regular = true,
        }
    }

    fn pseudo(&mut self, which: u8) {
        self.is_broken |= self.is_regular || self.pseudo & which != 0;
        self.pseudo |= which;
    }

    /// Once all fields of a request's head have come.
    pub fn head(&self) -> Result<Head, Broken> {
        if self.size > HEAD_LIMIT {
            return Ok(self.refused(&HEAD_TOO_LARGE));
        }
        if self.method == b"CONNECT" && self.pseudo == METHOD | AUTHORITY && !self.is_broken {
            return Ok(self.refused(&BAD_REQUEST));
        }
        if self.is_broken
            || self.pseudo | AUTHORITY != METHOD | SCHEME | PATH | AUTHORITY
            || self.path.is_empty()
        {
            return Err(Broken);
        }
        if self.length.is_some_and(|length| length > BODY_LIMIT) {
            return Ok(self.refused(&BODY_TOO_LARGE));
        }
        if self.expects_more {
            return Ok(self.refused(&EXPECTATION_FAILED));
        }
        // Only a proxy is asked in another form.
        let is_path = self.path.starts_with(b"/") || self.path == b"*";
        if !is_path || !self.path.iter().all(u8::is_ascii_graphic) {
            return Ok(self.refused(&BAD_REQUEST));
        }
        let asks = if self.is_grpc && self.method == b"POST" {
            Asks::Call(Method::of(&self.path))
        } else {
            match route(&self.method, &self.path, 0) {
                Ok(route) => Asks::Route(route),
                Err(answer) => return Ok(self.refused(answer)),
            }
        };
        Ok(Head { asks, length: self.length, expects_continue: self.expects_continue, is_refused: false })
    }

    fn refused(&self, answer: &'static Answer) -> Head {
        Head {
            asks: Asks::Route(Route::Fixed(answer)),
            length: self.length,
            expects_continue: false,
            is_refused: true,
        }
    }

    /// Whether all fields may follow a body.
    pub fn are_trailers(&self) -> bool {
        !self.is_broken && self.pseudo == 0 && self.size <= HEAD_LIMIT
    }
}

fn number(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let more = |sum: usize, digit: &u8| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
    Some(digits.iter().fold(0, more))
}
