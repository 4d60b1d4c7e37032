//! Calls on one connection without a socket, against frames made by hand.

use std::io::Write as _;
use std::rc::Rc;

use proptest::prelude::*;

use super::{Grpc, GrpcStatus};
use crate::hpack::write;
use crate::mix::Mix;
use crate::mix::testing::{drawn, post};
use crate::protocol::http2::Shared;
use crate::protocol::{Events, Head, Limits, RequestId, Session, Then};
use crate::request::{Calls, Order, Protocol};

const LIMITS: Limits = Limits { head_bytes: 4096, body_bytes: 1000, interim: 3 };
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const OK: &[(&str, &str)] = &[("grpc-status", "0")];

#[derive(Default)]
struct Told {
    lines: Vec<String>,
    /// The message that is not as expected.
    unwanted: Option<Vec<u8>>,
}

impl Events for Told {
    fn first_byte(&mut self, id: RequestId) {
        self.lines.push(format!("{} begins", id.0));
    }

    fn message(&mut self, id: RequestId, _: &Head, message: &[u8]) -> bool {
        self.lines.push(format!("{} has {message:?}", id.0));
        self.unwanted.as_deref() != Some(message)
    }

    fn end_of_messages(&mut self, id: RequestId, head: &Rc<Head>) {
        self.lines.push(format!("{} is over: {:?}", id.0, GrpcStatus::of(head)));
    }

    fn end(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        let status = match GrpcStatus::of(head) {
            GrpcStatus::Code { code, message } => format!("{code} {message}"),
            GrpcStatus::HttpError => format!("HTTP {}", head.status),
            GrpcStatus::Wrong(why) => why,
        };
        self.lines.push(format!("{} ends: {status} {body:?}", id.0));
    }

    fn spoilt(&mut self, id: RequestId, _: &Rc<Head>, _: &[u8]) {
        self.lines.push(format!("{} spoilt", id.0));
    }

    fn failed(&mut self, id: RequestId, why: &'static str, _: &[u8]) {
        self.lines.push(format!("{} failed: {why}", id.0));
    }

    fn refused(&mut self, id: RequestId) {
        self.lines.push(format!("{} refused", id.0));
    }

    fn left_out(&mut self, id: RequestId) {
        self.lines.push(format!("{} left out", id.0));
    }

    fn reset(&mut self, id: RequestId, _: bool, how: &'static str) {
        self.lines.push(format!("{} reset: {how}", id.0));
    }

    fn unasked(&mut self, what: &'static str, _: &[u8]) {
        self.lines.push(format!("unasked: {what}"));
    }
}

struct Client<const STREAMS: bool> {
    session: Grpc<STREAMS>,
    shared: Shared,
    mix: Mix,
    told: Told,
    said: Vec<u8>,
}

impl<const STREAMS: bool> Client<STREAMS> {
    /// One with so many calls in flight.
    fn with(calls: usize, takes_gzip: bool) -> Self {
        let calls_are = Calls { streams: STREAMS, takes_gzip, ..Calls::default() };
        let spec = post("body", vec![]);
        let mix = Mix::for_protocol(vec![spec], Order::InOrder, "h:1", Protocol::Grpc(calls_are)).unwrap();
        let mut client = Self {
            session: Grpc::default(),
            shared: LIMITS.into(),
            mix,
            told: Told::default(),
            said: Vec::new(),
        };
        client.session.open(&mut client.said);
        assert_eq!(client.gets(&SETTINGS), Then::Goes);
        (0..calls).for_each(|_| client.asks());
        client
    }

    fn asks(&mut self) {
        self.session.append(&self.mix, &drawn(0, &[]), &mut self.said);
    }

    fn gets(&mut self, bytes: &[u8]) -> Then {
        self.session.receive(bytes, false, &mut self.shared, &mut self.said, &mut self.told)
    }

    fn told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told.lines)
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn fields(flags: u8, stream: u32, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    fields.iter().for_each(|(name, value)| write::not_kept(name, value.as_bytes(), &mut block));
    frame(HEADERS, END_HEADERS | flags, stream, &block)
}

fn head(stream: u32) -> Vec<u8> {
    fields(0, stream, &[(":status", "200"), ("content-type", "application/grpc+proto")])
}

fn message(bytes: &[u8]) -> Vec<u8> {
    [&[0][..], &(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

fn answer(stream: u32, body: &[u8], trailers: &[(&str, &str)]) -> Vec<u8> {
    [head(stream), frame(DATA, 0, stream, body), fields(END_STREAM, stream, trailers)].concat()
}

/// What becomes of the only call, whole and byte by byte.
fn outcome(bytes: &[u8], takes_gzip: bool) -> Vec<String> {
    let mut whole = Client::<false>::with(1, takes_gzip);
    whole.gets(bytes);
    let mut pieces = Client::<false>::with(1, takes_gzip);
    bytes.iter().for_each(|byte| {
        pieces.gets(&[*byte]);
    });
    let last =
        |told: Vec<String>| told.into_iter().filter(|line| !line.ends_with("begins")).collect::<Vec<_>>();
    let told = last(whole.told());
    assert_eq!(last(pieces.told()), told, "byte by byte");
    told
}

#[test]
fn an_answer_is_a_head_a_message_and_trailers() {
    let mut client = Client::<false>::with(3, false);
    client.gets(&answer(1, &message(b"a"), OK));
    // The fields were seen before: it is taken in one go, and so is one whose frames come apart.
    client.gets(&answer(3, &message(b""), OK));
    let last = answer(5, &message(b"cd"), OK);
    let (first, rest) = last.split_at(last.len() - 3);
    client.gets(first);
    client.gets(rest);
    let expected = ["0 begins", "0 ends: 0  [97]", "1 ends: 0  []", "2 begins", "2 ends: 0  [99, 100]"];
    assert_eq!(client.told(), expected);
}

#[test]
fn answers_whose_frames_are_mixed_end_each_for_itself() {
    let mut client = Client::<false>::with(2, false);
    let heads = [head(1), head(3)].concat();
    let bodies = [frame(DATA, 0, 3, &message(b"b")), frame(DATA, 0, 1, &message(b"a"))].concat();
    client.gets(&[heads, bodies, fields(END_STREAM, 1, OK), fields(END_STREAM, 3, OK)].concat());
    assert_eq!(client.told(), ["0 begins", "1 begins", "0 ends: 0  [97]", "1 ends: 0  [98]"]);
}

#[test]
fn a_status_comes_in_trailers_or_in_a_head_alone() {
    let alone = [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "5")];
    assert_eq!(outcome(&fields(END_STREAM, 1, &alone), false), ["0 ends: 5  []"]);
    let trailers = [("grpc-status", "14"), ("grpc-message", "later%20%e2%82%ac 50%")];
    assert_eq!(
        outcome(&answer(1, &message(b"x"), &trailers), false),
        ["0 ends: 14 later \u{20ac} 50% [120]"]
    );
    let none = [head(1), fields(END_STREAM, 1, &trailers)].concat();
    assert_eq!(outcome(&none, false), ["0 ends: 14 later \u{20ac} 50% []"]);
}

#[test]
fn what_is_no_answer_to_a_call_is_named() {
    let ends = |body: &[u8]| [head(1), frame(DATA, END_STREAM, 1, body)].concat();
    let cases: &[(Vec<u8>, &str)] = &[
        (ends(&message(b"x")), "0 failed: a message and no trailers, so that there is no grpc-status"),
        (answer(1, &message(b"x"), &[("a", "b")]), "0 ends: trailers without grpc-status [120]"),
        (
            answer(1, &message(b"x"), &[("grpc-status", "fine")]),
            "0 ends: a grpc-status that is no number: \"fine\" [120]",
        ),
        (
            answer(1, &message(b"x"), &[("grpc-status", "0"), ("grpc-status", "0")]),
            "0 ends: grpc-status 2 times [120]",
        ),
        (answer(1, &[0, 0, 0, 0, 9, 1], OK), "0 failed: a message that is shorter than its prefix says"),
        (answer(1, &[0, 0], OK), "0 failed: a message that is shorter than its prefix says"),
        (answer(1, &[7, 0, 0, 0, 0], OK), "0 failed: a message whose first byte is neither 0 nor 1"),
        (
            answer(1, &[0, 0, 1, 0, 0], OK),
            "0 failed: a message over the limit, which velo load's --limit-body sets",
        ),
        (
            answer(1, &[1, 0, 0, 0, 1, 9], OK),
            "0 failed: a message that says it is compressed, without grpc-encoding",
        ),
        (
            answer(1, &[message(b"x"), message(b"y")].concat(), OK),
            "0 failed: more than one message for a unary call",
        ),
        (
            answer(1, &[&message(b"x")[..], b"y"].concat(), OK),
            "0 failed: bytes behind the message that are no message",
        ),
        (answer(1, &[0, 0, 0, 0, 1, 1, 2], OK), "0 failed: bytes behind the message that are no message"),
        (answer(1, b"", OK), "0 failed: grpc-status 0 and no message"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(outcome(bytes, false), [*expected]);
    }
    let first = [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "0")];
    let bytes = [fields(0, 1, &first), frame(DATA, END_STREAM, 1, &message(b"x"))].concat();
    assert_eq!(outcome(&bytes, false), ["0 failed: grpc-status in the head, and more behind it"]);
    let more = "0 ends: grpc-status in the head, and more behind it";
    for (body, shown) in [(message(b"x"), "[120]"), (vec![], "[]")] {
        let bytes = [fields(0, 1, &first), frame(DATA, 0, 1, &body), fields(END_STREAM, 1, OK)].concat();
        assert_eq!(outcome(&bytes, false), [format!("{more} {shown}")]);
    }
    let page = [(":status", "503"), ("content-type", "text/html")];
    let bytes = [fields(0, 1, &page), frame(DATA, END_STREAM, 1, b"later")].concat();
    assert_eq!(outcome(&bytes, false), ["0 ends: HTTP 503 [108, 97, 116, 101, 114]"]);
    let page = [(":status", "200"), ("content-type", "text/html")];
    let bytes = [fields(0, 1, &page), frame(DATA, 0, 1, b"x"), fields(END_STREAM, 1, OK)].concat();
    assert_eq!(
        outcome(&bytes, false),
        ["0 ends: content type \"text/html\" instead of application/grpc [120]"]
    );
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    let packed = encoder.finish().unwrap();
    [&[1][..], &(packed.len() as u32).to_be_bytes(), &packed].concat()
}

#[test]
fn packed_messages_are_taken_where_they_were_asked_for() {
    let with = |encoding: &str, body: &[u8]| {
        let head = [(":status", "200"), ("content-type", "application/grpc"), ("grpc-encoding", encoding)];
        [fields(0, 1, &head), frame(DATA, 0, 1, body), fields(END_STREAM, 1, OK)].concat()
    };
    assert_eq!(outcome(&with("gzip", &packed(b"ab")), true), ["0 ends: 0  [97, 98]"]);
    assert_eq!(outcome(&with("gzip", &message(b"ab")), true), ["0 ends: 0  [97, 98]"], "it need not be");
    let failed = |bytes: &[u8], takes_gzip| outcome(bytes, takes_gzip)[0].clone();
    assert!(failed(&with("gzip", &packed(b"ab")), false).ends_with("which the call did not accept"));
    assert!(failed(&with("snappy", &packed(b"ab")), true).contains("otherwise than with gzip"));
    assert!(failed(&with("gzip", &[1, 0, 0, 0, 2, 5, 5]), true).ends_with("no gzip"));
    for behind in [b"x".to_vec(), packed(b"cd")[5..].to_vec()] {
        let all = [&packed(b"ab")[5..], &behind].concat();
        let body = [&[1][..], &(all.len() as u32).to_be_bytes(), &all].concat();
        assert_eq!(
            failed(&with("gzip", &body), true),
            "0 failed: bytes behind the gzip of a compressed message"
        );
    }
    assert!(
        failed(&with("gzip", &packed(&[0; 100_000])), true).contains("over the limit when it is unpacked")
    );
}

#[test]
fn messages_of_a_stream_are_told_of_as_they_come() {
    let mut client = Client::<true>::with(1, false);
    client.gets(&head(1));
    let two = [message(b"a"), message(b"b")].concat();
    client.gets(&frame(DATA, 0, 1, &two[..8]));
    assert_eq!(client.told(), ["0 begins", "0 has [97]"]);
    client.gets(&frame(DATA, 0, 1, &two[8..]));
    client.gets(&fields(END_STREAM, 1, OK));
    let over = r#"0 is over: Code { code: 0, message: "" }"#;
    assert_eq!(client.told(), ["0 has [98]", over]);
    client.asks();
    client.gets(&[head(3), fields(END_STREAM, 3, OK)].concat());
    assert_eq!(client.told(), [over], "a stream may be empty");
}

#[test]
fn a_stream_takes_more_than_memory_and_ends_where_a_message_is_wrong() {
    let mut client = Client::<true>::with(1, false);
    client.gets(&head(1));
    for _ in 0..100 {
        client.gets(&frame(DATA, 0, 1, &message(&[7; 600])));
    }
    assert!(client.session.held_bytes() < 4096, "{} bytes", client.session.held_bytes());
    assert_eq!(client.told().len(), 101);
    client.told.unwanted = Some(b"x".to_vec());
    client.said.clear();
    client.gets(&frame(DATA, 0, 1, &[message(b"x"), message(b"y")].concat()));
    assert_eq!(client.told(), ["0 has [120]", "0 failed: a message of the stream is not as expected"]);
    assert!(!client.said.is_empty(), "the server is told to send no more");

    let mut client = Client::<true>::with(1, false);
    client.gets(&answer(1, &[0, 0, 0, 0, 5, 1], OK));
    assert_eq!(client.told(), ["0 failed: a stream that ends within a message"]);
    let mut client = Client::<true>::with(1, false);
    client.gets(&[head(1), frame(DATA, END_STREAM, 1, &message(b"x"))].concat());
    let last = client.told().pop();
    assert_eq!(last.as_deref(), Some("0 failed: a message and no trailers, so that there is no grpc-status"));
}

#[test]
fn the_limit_of_a_stream_is_that_of_a_message_however_its_bytes_come() {
    let told = |bytes: &[u8], length: usize| {
        let mut client = Client::<true>::with(1, false);
        for piece in bytes.chunks(length) {
            client.gets(piece);
        }
        client.told()
    };
    let longest = message(&[7; LIMITS.body_bytes]);
    let many = [longest.clone(), message(b"a"), longest].concat();
    let too_long = [0, 0, 0, 3, 0xe9].repeat(300);
    let page = fields(0, 1, &[(":status", "200"), ("content-type", "text/html")]);
    for length in [1, 7, 10_000] {
        let lines = told(&[head(1), frame(DATA, 0, 1, &many), fields(END_STREAM, 1, OK)].concat(), length);
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert_eq!(lines[4], r#"0 is over: Code { code: 0, message: "" }"#);
        for flags in [0, END_STREAM] {
            let lines = told(&[head(1), frame(DATA, flags, 1, &too_long)].concat(), length);
            assert_eq!(lines, ["0 failed: a message over the limit, which velo load's --limit-body sets"]);
            let lines = told(&[page.clone(), frame(DATA, flags, 1, &[b'x'; 1200])].concat(), length);
            assert_eq!(lines, ["0 failed: a body over the limit, which velo load's --limit-body sets"]);
        }
    }
}

#[test]
fn a_stream_may_have_to_have_so_many_messages() {
    let told = |messages: usize, trailers: &[(&str, &str)]| {
        let mut client = Client::<true>::with(0, false);
        let calls = Calls { streams: true, messages: Some(2), ..Calls::default() };
        let spec = vec![post("body", vec![])];
        client.mix = Mix::for_protocol(spec, Order::InOrder, "h:1", Protocol::Grpc(calls)).unwrap();
        client.asks();
        client.gets(&answer(1, &message(b"a").repeat(messages), trailers));
        client.told().pop().unwrap()
    };
    assert!(told(2, OK).starts_with("0 is over: Code { code: 0"));
    assert_eq!(told(3, OK), "0 failed: another number of messages than expected");
    assert_eq!(told(1, OK), "0 failed: another number of messages than expected");
    assert!(told(1, &[("grpc-status", "13")]).starts_with("0 is over: Code { code: 13"));
}

#[test]
fn what_is_sent_is_a_call_without_a_content_length() {
    let client = Client::<false>::with(1, false);
    let said = String::from_utf8_lossy(&client.said).into_owned();
    assert!(said.ends_with("body") && !said.contains("content-length"), "{said:?}");
}

proptest! {
    /// Whatever comes is the same in one piece and in several, and nothing of it panics.
    #[test]
    fn answers_are_the_same_however_they_are_cut(
        bodies in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..30), 1..4),
        framed in any::<bool>(),
        cut in 1usize..40,
        takes_gzip in any::<bool>(),
    ) {
        let bytes: Vec<u8> = (0..).zip(&bodies).flat_map(|(at, body)| {
            let body = if framed { message(body) } else { body.clone() };
            answer(2 * at + 1, &body, OK)
        }).collect();
        let told = |length: usize| {
            let mut client = Client::<false>::with(bodies.len(), takes_gzip);
            bytes.chunks(length).for_each(|piece| { client.gets(piece); });
            client.told().into_iter().filter(|line| !line.ends_with("begins")).collect::<Vec<_>>()
        };
        prop_assert_eq!(told(cut), told(usize::MAX));
        let streamed = |length: usize| {
            let mut client = Client::<true>::with(bodies.len(), takes_gzip);
            bytes.chunks(length).for_each(|piece| { client.gets(piece); });
            client.told()
        };
        prop_assert_eq!(streamed(cut), streamed(usize::MAX));
    }
}
