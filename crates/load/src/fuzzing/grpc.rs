use std::rc::Rc;

use crate::mix::{Drawn, Mix};
use crate::protocol::grpc::Grpc;
use crate::protocol::http2::Shared;
use crate::protocol::{AtEnd, Events, GrpcStatus, Head, Limits, RequestId, Session, Then};
use crate::request::{BodyExpect, Calls, Expect, Order, Part, Protocol, RequestSpec, Template};

const LIMITS: Limits = Limits { head_bytes: 512, body_bytes: 600, interim: 2 };
/// What may be kept of a server's bytes, as for HTTP/2.
const MOST_HELD: usize = 2 * (16_384 + 16) + 2 * 17_000 + 8 * 2 * 600;
/// SETTINGS, empty.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const UNWANTED: &[u8] = b"unwanted";

/// What was told.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    ends: Vec<(u32, String, Vec<u8>)>,
    messages: Vec<(u32, Vec<u8>)>,
    in_flight: Vec<u32>,
}

impl Told {
    fn ended(&mut self, id: RequestId, how: String, body: &[u8]) {
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
        self.ended(id, format!("over {:?}", GrpcStatus::of(head)), &[]);
    }

    fn end(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        assert!(body.len() <= LIMITS.body_bytes, "{} bytes", body.len());
        self.ended(id, format!("{:?}", GrpcStatus::of(head)), body);
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

    fn reset(&mut self, id: RequestId, _: bool, how: &'static str) {
        self.ended(id, how.to_owned(), &[]);
    }

    fn unasked(&mut self, what: &'static str, _: &[u8], _: bool) {
        assert!(self.in_flight.is_empty(), "else a call would fail");
        self.ends.push((u32::MAX, what.to_owned(), Vec::new()));
    }
}

fn mix(calls: Calls) -> Mix {
    let text = |text: &str| Template(vec![Part::Bytes(text.as_bytes().to_vec())]);
    let expect = Expect {
        status: 0.into(),
        content_type: None,
        headers: vec![],
        body: BodyExpect::Any,
        not_before_ms: None,
    };
    let spec = RequestSpec {
        name: "it".into(),
        weight: 1,
        method: "POST".into(),
        path: text("/s/m"),
        headers: vec![],
        body: Some(text("\0\0\0\0\0")),
        slots: vec![],
        expect,
    };
    Mix::for_protocol(vec![spec], Order::InOrder, "h", Protocol::Grpc(calls))
        .expect("a call that can be sent")
}

/// A server's bytes behind its SETTINGS, read whole and in pieces.
///
/// The first byte says how many calls are in flight, whether answers are streams and whether they may be packed; the rest is the
/// stream.
pub fn grpc_session(data: &[u8]) {
    let [first, stream @ ..] = data else { return };
    let calls =
        Calls { is_https: false, streams: first & 0x10 != 0, messages: None, takes_gzip: first & 0x20 != 0 };
    let (mix, requests) = (mix(calls), usize::from(first & 7) + 1);
    let stream = [&SETTINGS[..], stream].concat();
    let read = |length| match calls.streams {
        true => read::<true>(&mix, requests, &stream, length),
        false => read::<false>(&mix, requests, &stream, length),
    };
    let whole = read(usize::MAX);
    for length in [1, 7, usize::from(*first) + 1] {
        assert_eq!(read(length), whole, "in pieces of {length}");
    }
}

fn read<const STREAMS: bool>(
    mix: &Mix,
    requests: usize,
    stream: &[u8],
    length: usize,
) -> (Told, Option<Then>) {
    let mut session = Grpc::<STREAMS>::default();
    let mut shared = Shared::from(LIMITS);
    let (mut told, mut said) = (Told::default(), Vec::new());
    session.open(&mut said);
    for _ in 0..requests {
        told.in_flight.push(session.append(mix, &Drawn::default(), &mut said).0);
    }
    let mut last = None;
    for piece in stream.chunks(length) {
        let then = session.receive(piece, false, &mut shared, &mut said, &mut told);
        assert!(session.held_bytes() <= MOST_HELD, "{} bytes are held", session.held_bytes());
        if matches!(then, Then::Breaks | Then::IsOver) {
            last = Some(then);
            break;
        }
    }
    while let Some((id, end)) = session.end_oldest() {
        let how = if matches!(end, AtEnd::Truncated) { "truncated" } else { "nothing" };
        told.ended(id, how.to_owned(), &[]);
    }
    assert!(told.in_flight.is_empty(), "each call has an end");
    (told, last)
}
