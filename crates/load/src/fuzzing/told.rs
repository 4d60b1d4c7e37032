//! What a session over HTTP/2 tells of its requests, and that it tells so of each once.

use std::rc::Rc;

use crate::mix::Mix;
use crate::protocol::{Events, Head, Limits, RequestId};
use crate::request::{BodyExpect, Expect, Order, Part, Protocol, RequestSpec, Template};

pub(super) const LIMITS: Limits = Limits { head_bytes: 512, body_bytes: 600, interim: 2 };
/// What may be kept of a server's bytes: a frame, fields, and a body of each request, in buffers that grow by doubling.
pub(super) const MOST_HELD: usize = 2 * (16_384 + 16) + 2 * 17_000 + 8 * 2 * 600;
/// SETTINGS, empty.
pub(super) const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
/// A message of a stream that is not as expected.
const UNWANTED: &[u8] = b"unwanted";

/// An end of a request: which, how, and with which body.
pub(super) type End = (u32, String, Vec<u8>);

/// A message of a stream: of which request, and its bytes.
pub(super) type Message = (u32, Vec<u8>);

/// What was told.
pub(super) struct Told {
    pub(super) ends: Vec<End>,
    pub(super) messages: Vec<Message>,
    pub(super) in_flight: Vec<u32>,
    /// An answer's head in words.
    words: fn(&Head) -> String,
}

impl Told {
    pub(super) fn new(words: fn(&Head) -> String) -> Self {
        Self { ends: Vec::new(), messages: Vec::new(), in_flight: Vec::new(), words }
    }

    pub(super) fn ended(&mut self, id: RequestId, how: String, body: &[u8]) {
        let at = self.in_flight.iter().position(|other| *other == id.0);
        self.in_flight.remove(at.expect("what ends was in flight"));
        self.ends.push((id.0, how, body.to_vec()));
    }
}

impl Events for Told {
    fn first_byte(&mut self, id: RequestId) {
        assert!(self.in_flight.contains(&id.0), "what begins is in flight");
    }

    fn message(&mut self, id: RequestId, _: &Head, message: &[u8]) -> bool {
        assert!(self.in_flight.contains(&id.0) && message.len() <= LIMITS.body_bytes);
        self.messages.push((id.0, message.to_vec()));
        message != UNWANTED
    }

    fn end_of_messages(&mut self, id: RequestId, head: &Rc<Head>) {
        self.ended(id, format!("over {}", (self.words)(head)), &[]);
    }

    fn end(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        assert!(body.len() <= LIMITS.body_bytes && (200..1000).contains(&head.status));
        self.ended(id, (self.words)(head), body);
    }

    fn spoilt(&mut self, _: RequestId, _: &Rc<Head>, _: &[u8]) {
        panic!("an answer ends by itself");
    }

    fn failed(&mut self, id: RequestId, why: &'static str, _: &[u8]) {
        self.ended(id, why.to_owned(), &[]);
    }

    fn refused(&mut self, id: RequestId) {
        self.ended(id, "refused".to_owned(), &[]);
    }

    fn left_out(&mut self, _: RequestId) {
        panic!("streams have no order");
    }

    fn reset(&mut self, id: RequestId, _: bool, how: &'static str) {
        self.ended(id, how.to_owned(), &[]);
    }

    fn unasked(&mut self, what: &'static str, _: &[u8]) {
        assert!(self.in_flight.is_empty(), "else a request would fail");
        self.ends.push((u32::MAX, what.to_owned(), Vec::new()));
    }
}

/// A mix of one request.
pub(super) fn mix(protocol: Protocol, method: &str, path: &str, body: Option<Vec<u8>>) -> Mix {
    let text = |bytes: Vec<u8>| Template(vec![Part::Bytes(bytes)]);
    let expect = Expect {
        // Of gRPC it is the status of a call.
        status: if matches!(protocol, Protocol::Grpc(_)) { 0 } else { 200 }.into(),
        content_type: None,
        headers: vec![],
        body: BodyExpect::Any,
        not_before_ms: None,
    };
    let spec = RequestSpec {
        name: "it".into(),
        weight: 1,
        method: method.into(),
        path: text(path.into()),
        headers: vec![("x".into(), text(b"y".to_vec()))],
        body: body.map(text),
        slots: vec![],
        expect,
    };
    Mix::for_protocol(vec![spec], Order::InOrder, "h", protocol).expect("a request that can be sent")
}
