//! One connection without a socket, against frames made by hand.

mod bounds;
mod requests;

use std::rc::Rc;

use super::frame::{self, Header, LARGEST_WINDOW, PREFACE, flag, kind, setting};
use super::session::{Http2, Shared};
use crate::hpack::read::Reader;
use crate::hpack::write;
use crate::mix::testing::{drawn, get, post};
use crate::mix::{Drawn, Mix};
use crate::protocol::{AtEnd, Events, Head, Limits, RequestId, Session, Then};
use crate::request::{Order, Protocol, RequestSpec};

const LIMITS: Limits = Limits { head_bytes: 4096, body_bytes: 1000, interim: 3 };

/// A client, what it was told, and what it says.
struct Client {
    session: Http2,
    shared: Shared,
    mix: Mix,
    told: Told,
    said: Vec<u8>,
}

/// What was told, and whether bodies are only counted.
#[derive(Default)]
struct Told(Vec<String>, bool);

impl Events for Told {
    fn keeps_bodies(&self) -> bool {
        !self.1
    }

    fn first_byte(&mut self, id: RequestId) {
        self.0.push(format!("{} begins", id.0));
    }

    fn end(&mut self, id: RequestId, head: &Rc<Head>, body: &[u8]) {
        self.0.push(format!("{} ends: {} {:?}", id.0, head.status, String::from_utf8_lossy(body)));
    }

    fn spoilt(&mut self, id: RequestId, _: &Rc<Head>, _: &[u8]) {
        self.0.push(format!("{} spoilt", id.0));
    }

    fn failed(&mut self, id: RequestId, why: &'static str, _: &[u8]) {
        self.0.push(format!("{} failed: {why}", id.0));
    }

    fn refused(&mut self, id: RequestId) {
        self.0.push(format!("{} refused", id.0));
    }

    fn left_out(&mut self, id: RequestId) {
        self.0.push(format!("{} left out", id.0));
    }

    fn reset(&mut self, id: RequestId, has_begun: bool, how: &'static str) {
        self.0.push(format!("{} reset{}: {how}", id.0, if has_begun { " late" } else { "" }));
    }

    fn unasked(&mut self, what: &'static str, _: &[u8]) {
        self.0.push(format!("unasked: {what}"));
    }
}

fn mix_of(specs: Vec<RequestSpec>) -> Mix {
    Mix::for_protocol(specs, Order::InOrder, "h:1", Protocol::Http2 { is_https: false }).unwrap()
}

impl Client {
    /// One that has sent its preface and has got nothing yet.
    fn silent(spec: RequestSpec) -> Self {
        let mut client = Self {
            session: Http2::default(),
            shared: LIMITS.into(),
            mix: mix_of(vec![spec]),
            told: Told::default(),
            said: Vec::new(),
        };
        client.session.open(&mut client.said);
        client
    }

    /// One that has got the server's settings.
    fn new() -> Self {
        Self::of(get("/", vec![]))
    }

    fn of(spec: RequestSpec) -> Self {
        let mut client = Self::silent(spec);
        assert_eq!(client.gets(&settings(&[])), Then::Goes);
        client.said.clear();
        client
    }

    /// One with so many requests in flight.
    fn with(requests: usize) -> Self {
        let mut client = Self::new();
        (0..requests).for_each(|_| client.asks());
        client.said.clear();
        client
    }

    fn asks(&mut self) {
        self.asks_for(&drawn(0, &[]));
    }

    fn asks_for(&mut self, drawn: &Drawn) {
        self.session.append(&self.mix, drawn, &mut self.said);
    }

    fn gets(&mut self, bytes: &[u8]) -> Then {
        self.session.receive(bytes, false, &mut self.shared, &mut self.said, &mut self.told)
    }

    fn told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told.0)
    }

    /// The frames said since this was asked last.
    fn frames(&mut self) -> Vec<(Header, Vec<u8>)> {
        let said = std::mem::take(&mut self.said);
        frames(said.strip_prefix(PREFACE).unwrap_or(&said))
    }

    /// The same in short: kind, flags, stream, length.
    fn said(&mut self) -> Vec<(u8, u8, u32, usize)> {
        self.frames()
            .iter()
            .map(|(header, _)| (header.kind, header.flags, header.stream, header.length))
            .collect()
    }
}

fn frames(mut bytes: &[u8]) -> Vec<(Header, Vec<u8>)> {
    let mut frames = Vec::new();
    while let Some((first, rest)) = bytes.split_first_chunk() {
        let header = Header::read(first);
        let (payload, rest) = rest.split_at(header.length);
        frames.push((header, payload.to_vec()));
        bytes = rest;
    }
    assert!(bytes.is_empty(), "whole frames");
    frames
}

fn framed(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::header(payload.len(), kind, flags, stream, &mut bytes);
    bytes.extend_from_slice(payload);
    bytes
}

fn settings(settings: &[(u16, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::settings(settings, &mut bytes);
    bytes
}

fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    fields.iter().for_each(|(name, value)| write::not_kept(name, value.as_bytes(), &mut block));
    block
}

const END: u8 = flag::END_STREAM;

/// A head in one frame.
fn head(stream: u32, flags: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    framed(kind::HEADERS, flag::END_HEADERS | flags, stream, &block(fields))
}

fn ok(stream: u32, flags: u8) -> Vec<u8> {
    head(stream, flags, &[(":status", "200")])
}

fn data(stream: u32, flags: u8, bytes: &[u8]) -> Vec<u8> {
    framed(kind::DATA, flags, stream, bytes)
}

fn answer(stream: u32, body: &str) -> Vec<u8> {
    [ok(stream, 0), data(stream, END, body.as_bytes())].concat()
}

fn goaway(last: u32) -> Vec<u8> {
    framed(kind::GOAWAY, 0, 0, &[last.to_be_bytes(), [0; 4]].concat())
}

#[test]
fn a_connection_begins_with_preface_settings_and_a_wide_window() {
    let mut client = Client::silent(get("/", vec![]));
    assert!(client.said.starts_with(PREFACE));
    let frames = client.frames();
    let kinds: Vec<u8> = frames.iter().map(|(header, _)| header.kind).collect();
    assert_eq!(kinds, [kind::SETTINGS, kind::WINDOW_UPDATE]);
    let window = (LARGEST_WINDOW as u32).to_be_bytes();
    assert_eq!(frames[0].1, [&[0, 2, 0, 0, 0, 0, 0, 4][..], &window].concat());
    assert_eq!(frames[1].1, (LARGEST_WINDOW as u32 - 65_535).to_be_bytes());
    assert_eq!(client.gets(&settings(&[])), Then::Goes);
    assert_eq!(client.said(), [(kind::SETTINGS, flag::ACK, 0, 0)]);
}

#[test]
fn answers_come_in_any_order() {
    let mut client = Client::with(3);
    assert_eq!(client.gets(&answer(3, "b")), Then::Goes);
    assert_eq!(client.gets(&[ok(1, 0), ok(5, END)].concat()), Then::Goes);
    assert_eq!(client.gets(&data(1, END, b"a")), Then::Goes);
    let told = client.told();
    assert_eq!(told, ["1 begins", "1 ends: 200 \"b\"", "0 begins", "2 ends: 200 \"\"", "0 ends: 200 \"a\""]);
    assert!(client.said.is_empty() && client.session.oldest().is_none());
}

#[test]
fn an_answer_is_the_same_however_it_is_cut() {
    let fields = [(":status", "200"), ("content-length", "10"), ("x-long", "abcdefghijklmnopqrstuvwxyz")];
    let block = block(&fields);
    let (first, second) = block.split_at(9);
    let stream = [
        framed(kind::HEADERS, 0, 1, first),
        framed(kind::CONTINUATION, 0, 1, &[]),
        framed(kind::CONTINUATION, flag::END_HEADERS, 1, second),
        framed(kind::DATA, flag::PADDED, 1, b"\x03hello\0\0\0"),
        data(1, 0, b""),
        framed(kind::DATA, flag::PADDED, 1, b"\0 wor"),
        framed(kind::PRIORITY, 0, 1, &[0; 5]),
        framed(77, 0xff, 99, b"unknown"),
        framed(kind::DATA, flag::PADDED | END, 1, b"\x02d\0\0"),
    ]
    .concat();
    for length in [1, 2, 3, 5, 8, 13, 40, stream.len()] {
        let mut client = Client::with(1);
        for piece in stream.chunks(length) {
            assert_eq!(client.gets(piece), Then::Goes);
        }
        assert_eq!(client.told(), ["0 begins", "0 ends: 200 \"hello word\""], "{length}");
        assert!(client.said.is_empty());
    }
}

#[test]
fn trailers_end_an_answer() {
    let mut client = Client::with(1);
    client.gets(&[ok(1, 0), data(1, 0, b"ab"), head(1, END, &[("grpc-status", "0")])].concat());
    assert_eq!(client.told(), ["0 begins", "0 ends: 200 \"ab\""]);
}

#[test]
fn interim_answers_come_before_the_answer() {
    let mut client = Client::with(1);
    client.gets(&[head(1, 0, &[(":status", "103"), ("link", "x")]), answer(1, "a")].concat());
    assert_eq!(client.told(), ["0 begins", "0 ends: 200 \"a\""]);
}

#[test]
fn answers_without_a_body_may_tell_the_length_of_one() {
    let long = [(":status", "200"), ("content-length", "5000")];
    let mut client = Client::of(RequestSpec { method: "HEAD".into(), ..get("/", vec![]) });
    client.asks();
    client.asks();
    client.gets(&[head(1, END, &long), head(3, 0, &long), data(3, END, b"")].concat());
    assert_eq!(client.told(), ["0 ends: 200 \"\"", "1 begins", "1 ends: 200 \"\""]);
    for status in ["204", "304"] {
        let mut client = Client::with(1);
        client.gets(&head(1, END, &[(":status", status), ("content-length", "7")]));
        assert_eq!(client.told(), [format!("0 ends: {status} \"\"")]);
        let mut client = Client::with(1);
        client.gets(&[head(1, 0, &[(":status", status)]), data(1, END, b"x")].concat());
        assert_eq!(client.told(), ["0 begins", "0 failed: a body where none may be"]);
    }
}

#[test]
fn ping_is_answered_and_settings_are_acknowledged() {
    let mut client = Client::with(1);
    let ping = framed(kind::PING, 0, 0, b"12345678");
    client.gets(&[ping, framed(kind::PING, flag::ACK, 0, b"12345678"), settings(&[(99, 1)])].concat());
    let said = client.frames();
    assert_eq!(said.len(), 2);
    assert_eq!((said[0].0.kind, said[0].0.flags, &said[0].1[..]), (kind::PING, flag::ACK, &b"12345678"[..]));
    assert_eq!((said[1].0.kind, said[1].0.flags), (kind::SETTINGS, flag::ACK));
}

#[test]
fn the_servers_window_is_opened_in_large_steps() {
    let mut client = Client::of(get("/", vec![]));
    client.shared = Limits { body_bytes: usize::MAX, ..LIMITS }.into();
    client.asks();
    client.said.clear();
    client.gets(&ok(1, 0));
    let step = 1 << 30;
    // Padding counts as well: a frame of 16,384 bytes of which one is of the body.
    let mut padded = vec![255; 16_384];
    padded[0] = 255;
    let frame = framed(kind::DATA, flag::PADDED, 1, &padded);
    for _ in 0..step / 16_384 - 1 {
        client.gets(&frame);
        client.session.forget_body();
    }
    assert!(client.said.is_empty());
    client.gets(&frame);
    assert_eq!(client.said(), [(kind::WINDOW_UPDATE, 0, 0, 4), (kind::WINDOW_UPDATE, 0, 1, 4)]);
}

#[test]
fn no_more_streams_are_opened_than_the_server_takes() {
    let mut client = Client::silent(get("/", vec![]));
    assert_eq!(client.session.takes_more(32), 1, "before it has said how many");
    client.asks();
    assert_eq!(client.session.takes_more(32), 0);
    client.gets(&settings(&[(setting::MAX_CONCURRENT_STREAMS, 10)]));
    assert_eq!(client.session.takes_more(32), 9);
    assert_eq!(client.session.takes_more(4), 3);
    client.gets(&settings(&[(setting::MAX_CONCURRENT_STREAMS, 0)]));
    assert_eq!(client.session.takes_more(32), 0);
    client.gets(&settings(&[(setting::MAX_CONCURRENT_STREAMS, 100)]));
    assert_eq!(client.session.takes_more(32), 31);
    assert_eq!(Http2::fewest_streams(&client.shared), Some(0));
}

#[test]
fn goaway_refuses_what_it_does_not_name_and_lets_the_rest_go_on() {
    let mut client = Client::with(3);
    assert_eq!(client.gets(&[ok(1, 0), goaway(3)].concat()), Then::Ends);
    assert_eq!(client.told(), ["0 begins", "2 refused"]);
    assert_eq!(client.session.takes_more(32), 0);
    assert_eq!(client.gets(&goaway(3)), Then::Goes);
    assert_eq!(client.gets(&answer(3, "b")), Then::Goes);
    assert_eq!(client.gets(&data(1, END, b"a")), Then::IsOver);
    assert_eq!(client.told(), ["1 begins", "1 ends: 200 \"b\"", "0 ends: 200 \"a\""]);
    assert_eq!(Client::with(0).gets(&goaway(0)), Then::IsOver);
}

#[test]
fn a_stream_may_be_refused_or_reset_alone() {
    let mut client = Client::with(4);
    let reset = |stream, code: u32| framed(kind::RST_STREAM, 0, stream, &code.to_be_bytes());
    assert_eq!(client.gets(&[reset(3, 7), ok(5, 0), reset(5, 2), reset(1, 8)].concat()), Then::Goes);
    assert_eq!(
        client.told(),
        [
            "1 refused",
            "2 begins",
            "2 reset late: the server reset the stream: INTERNAL_ERROR",
            "0 reset: the server reset the stream: CANCEL",
        ]
    );
    client.gets(&answer(7, "a"));
    // A stream that has ended may be reset all the same.
    assert_eq!(client.gets(&[reset(7, 0), reset(3, 8)].concat()), Then::Goes);
    assert_eq!(client.told(), ["3 begins", "3 ends: 200 \"a\""]);
}

#[test]
fn what_is_being_answered_is_not_refused_whatever_the_server_says() {
    let mut client = Client::with(3);
    let refused = framed(kind::RST_STREAM, 0, 1, &7_u32.to_be_bytes());
    assert_eq!(client.gets(&[ok(1, 0), refused, ok(3, 0), goaway(1)].concat()), Then::IsOver);
    assert_eq!(
        client.told(),
        [
            "0 begins",
            "0 reset late: the server reset the stream: REFUSED_STREAM",
            "1 begins",
            "1 reset late: GOAWAY leaves out a request that it was answering",
            "2 refused",
        ]
    );
}

#[test]
fn a_request_that_is_given_up_is_cancelled_and_what_still_comes_of_it_is_ignored() {
    let mut client = Client::with(2);
    assert_eq!(client.session.oldest(), Some(RequestId(0)));
    assert!(client.session.cancel(RequestId(0), &mut client.said));
    let said = client.frames();
    assert_eq!((said[0].0.kind, said[0].0.stream, &said[0].1[..]), (kind::RST_STREAM, 1, &[0, 0, 0, 8][..]));
    // What its head keeps is needed for the next one.
    let mut kept = Vec::new();
    write::indexed(8, &mut kept);
    write::kept("server", b"x", &mut kept);
    let late = framed(kind::HEADERS, flag::END_HEADERS, 1, &kept);
    let next = framed(kind::HEADERS, flag::END_HEADERS | END, 3, &[0x88, 0xbe]);
    assert_eq!(client.gets(&[late, data(1, END, b"late"), next].concat()), Then::Goes);
    assert_eq!(client.told(), ["1 ends: 200 \"\""]);
}

#[test]
fn an_early_answer_stops_the_request() {
    let mut client = Client::of(post(&"x".repeat(100_000), vec![]));
    client.asks();
    let sent: usize = client.said().iter().filter(|frame| frame.0 == kind::DATA).map(|frame| frame.3).sum();
    assert_eq!(sent, 65_535);
    client.gets(&head(1, END, &[(":status", "413")]));
    assert_eq!(client.told(), ["0 ends: 413 \"\""]);
    assert_eq!(client.said(), [(kind::RST_STREAM, 0, 1, 4)]);
    let reset = framed(kind::RST_STREAM, 0, 1, &[0; 4]);
    let window = framed(kind::WINDOW_UPDATE, 0, 0, &[0, 1, 0, 0]);
    assert_eq!(client.gets(&[reset, window].concat()), Then::Goes);
    assert!(client.said.is_empty() && client.told().is_empty());
}

#[test]
fn a_connection_whose_numbers_are_used_up_is_over_when_all_is_answered() {
    let mut client = Client::new();
    client.session.set_next_stream((1 << 31) - 3);
    client.asks();
    client.asks();
    assert_eq!(client.session.takes_more(32), 0);
    assert_eq!(client.gets(&answer((1 << 31) - 3, "a")), Then::Goes);
    assert_eq!(client.gets(&answer((1 << 31) - 1, "b")), Then::IsOver);
}

#[test]
fn the_end_of_the_connection_says_what_had_come() {
    let mut client = Client::with(2);
    client.gets(&ok(3, 0));
    let mut ends = Vec::new();
    while let Some((id, end)) = client.session.end_oldest() {
        ends.push((id.0, matches!(end, AtEnd::Truncated)));
    }
    assert_eq!(ends, [(0, false), (1, true)]);
    client.session.reset();
    client.session.open(&mut client.said);
    client.gets(&settings(&[]));
    client.asks();
    assert_eq!(client.gets(&answer(1, "again")), Then::Goes);
}

#[test]
fn a_slow_stream_is_found_behind_many_others() {
    let mut client = Client::with(1);
    for number in 1..5000 {
        client.asks();
        assert_eq!(client.gets(&answer(2 * number + 1, "")), Then::Goes);
    }
    client.told();
    client.gets(&answer(1, "slow"));
    assert_eq!(client.told(), ["0 begins", "0 ends: 200 \"slow\""]);
}

#[test]
fn blocks_seen_before_are_not_mistaken_when_the_table_has_changed() {
    let mut client = Client::with(5);
    let keep = |value: &[u8]| {
        let mut block = vec![0x88];
        write::kept("x", value, &mut block);
        block
    };
    let answer = |stream, block: &[u8]| framed(kind::HEADERS, flag::END_HEADERS | END, stream, block);
    let value = |client: &mut Client, bytes: &[u8]| {
        struct Value(Option<String>);
        impl Events for Value {
            fn first_byte(&mut self, _: RequestId) {}
            fn end(&mut self, _: RequestId, head: &Rc<Head>, _: &[u8]) {
                self.0 = head.header("x").next().map(|value| String::from_utf8_lossy(value).into_owned());
            }
            fn spoilt(&mut self, _: RequestId, _: &Rc<Head>, _: &[u8]) {}
            fn failed(&mut self, _: RequestId, _: &'static str, _: &[u8]) {}
            fn refused(&mut self, _: RequestId) {}
            fn left_out(&mut self, _: RequestId) {}
            fn reset(&mut self, _: RequestId, _: bool, _: &'static str) {}
            fn unasked(&mut self, _: &'static str, _: &[u8]) {}
        }
        let mut last = Value(None);
        client.session.receive(bytes, false, &mut client.shared, &mut client.said, &mut last);
        last.0.unwrap()
    };
    assert_eq!(value(&mut client, &answer(1, &keep(b"a"))), "a");
    assert_eq!(value(&mut client, &answer(3, &[0x88, 0xbe])), "a");
    assert_eq!(value(&mut client, &answer(5, &[0x88, 0xbe])), "a");
    assert_eq!(value(&mut client, &answer(7, &keep(b"b"))), "b");
    assert_eq!(value(&mut client, &answer(9, &[0x88, 0xbe])), "b");
}
