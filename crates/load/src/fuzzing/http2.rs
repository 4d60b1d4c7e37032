use std::rc::Rc;

use crate::mix::{Drawn, Mix};
use crate::protocol::http2::{Http2, Shared};
use crate::protocol::{AtEnd, Events, Head, Limits, RequestId, Session, Then};
use crate::request::{BodyExpect, Expect, Order, Part, Protocol, RequestSpec, Template};

const LIMITS: Limits = Limits { head_bytes: 512, body_bytes: 600, interim: 2 };
/// What may be kept of a server's bytes: a frame, fields, and a body of each request, in buffers that grow by doubling.
const MOST_HELD: usize = 2 * (16_384 + 16) + 2 * 17_000 + 8 * 2 * 600;
/// What may be said to each byte that came, beside requests: an acknowledgement of 17 bytes to a frame of 17, a reset of 13 to one
/// of 9.
const MOST_SAID_EACH: usize = 2;

/// What was told, and when.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    ends: Vec<(u32, String, Vec<u8>)>,
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

    fn end(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        assert!(body.len() <= LIMITS.body_bytes && (200..1000).contains(&head.status));
        self.ended(id, format!("{} {:?}", head.status, head.content_type), body);
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
        assert!(self.in_flight.is_empty(), "else a request would fail");
        self.ends.push((u32::MAX, what.to_owned(), Vec::new()));
    }
}

fn mix(body_bytes: usize, method: &str) -> Mix {
    let text = |bytes: Vec<u8>| Template(vec![Part::Bytes(bytes)]);
    let expect = Expect {
        status: 200.into(),
        content_type: None,
        headers: vec![],
        body: BodyExpect::Any,
        not_before_ms: None,
    };
    let spec = RequestSpec {
        name: "it".into(),
        weight: 1,
        method: method.into(),
        path: text(b"/path".to_vec()),
        headers: vec![("x".into(), text(b"y".to_vec()))],
        body: (body_bytes > 0).then(|| text(vec![b'b'; body_bytes])),
        slots: vec![],
        expect,
    };
    Mix::for_protocol(vec![spec], Order::InOrder, "h", Protocol::Http2 { is_https: false })
        .expect("a request that can be sent")
}

/// A server's bytes, read whole and in pieces.
///
/// The first byte says how many requests are in flight, whether they are `HEAD` and how long their bodies are; the second whether
/// SETTINGS come before the rest; the rest is the stream.
pub fn http2_session(data: &[u8]) {
    let [first, second, stream @ ..] = data else { return };
    let body_bytes = [0, 10, 70_000, 200_000][usize::from(first >> 4 & 3)];
    let mix = mix(body_bytes, if first & 0x40 != 0 { "HEAD" } else { "POST" });
    let requests = usize::from(first & 7) + 1;
    let stream = if second & 1 == 0 { [&SETTINGS[..], stream].concat() } else { stream.to_vec() };
    let whole = read(&mix, requests, &stream, usize::MAX);
    for length in [1, 7, usize::from(*second) + 1] {
        assert_eq!(read(&mix, requests, &stream, length), whole, "in pieces of {length}");
    }
}

/// SETTINGS, empty.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];

/// Reads a stream in pieces; what was told, what was said beside requests, and how it ended.
fn read(mix: &Mix, requests: usize, stream: &[u8], length: usize) -> (Told, Vec<u8>, Option<Then>) {
    let mut session = Http2::default();
    let mut shared = Shared::from(LIMITS);
    let (mut told, mut said, mut asked) = (Told::default(), Vec::new(), Vec::new());
    session.open(&mut asked);
    for _ in 0..requests {
        told.in_flight.push(session.append(mix, &Drawn::default(), &mut asked).0);
    }
    let mut last = None;
    for piece in stream.chunks(length) {
        let then = session.receive(piece, false, &mut shared, &mut said, &mut told);
        assert!(session.held_bytes() <= MOST_HELD, "{} bytes are held", session.held_bytes());
        match then {
            Then::Goes => {}
            Then::Ends => assert_ne!(session.takes_more(10), 10),
            Then::IsOver => assert!(told.in_flight.is_empty() && session.oldest().is_none()),
            Then::Breaks => {}
        }
        if matches!(then, Then::Breaks | Then::IsOver) {
            last = Some(then);
            break;
        }
    }
    assert!(
        said.len() <= MOST_SAID_EACH * stream.len() + requests * 220_000,
        "{} bytes said to {}",
        said.len(),
        stream.len()
    );
    while let Some((id, end)) = session.end_oldest() {
        let how = if matches!(end, AtEnd::Truncated) { "truncated" } else { "nothing" };
        told.ended(id, how.to_owned(), &[]);
    }
    assert!(told.in_flight.is_empty(), "each request has an end");
    (told, said, last)
}
