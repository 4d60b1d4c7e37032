//! Seen by a client that only reads bytes.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use super::super::fault::Fault;
use super::super::server::Server;
use super::super::truth::Truth;
use super::super::wire::{
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADER_BYTES, HEADERS, PADDED, PING, PREFACE,
    PUSH_PROMISE, RST_STREAM, SETTINGS, WINDOW_UPDATE, block, frame, go_away, head, reset, settings,
    window_update,
};
use crate::faults::{BODY, WRONG_BODY};

/// A frame as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

struct Client {
    stream: TcpStream,
    next: u32,
}

impl Client {
    /// With its preface and its settings sent.
    fn of(server: &Server) -> Self {
        let mut client = Self { stream: TcpStream::connect(server.address()).unwrap(), next: 1 };
        client.stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        client.send(&[PREFACE, &settings(&[])].concat());
        client
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    fn get(&mut self) -> u32 {
        self.request(None)
    }

    /// A request with so many bytes to come, or without a body.
    fn request(&mut self, body: Option<usize>) -> u32 {
        let stream = self.next;
        self.next += 2;
        let fields = [(":method", "GET"), (":scheme", "http"), (":authority", "x"), (":path", "/")];
        let flags = if body.is_none() { END_STREAM } else { 0 };
        self.send(&head(stream, flags, &block(&fields)));
        stream
    }

    fn frame(&mut self) -> Frame {
        self.frame_or_end().expect("a frame before the end")
    }

    fn frame_or_end(&mut self) -> Option<Frame> {
        let mut header = [0; HEADER_BYTES];
        match self.stream.read_exact(&mut header) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return None,
            Err(error) => panic!("{error}"),
        }
        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize;
        let mut payload = vec![0; length];
        if let Err(error) = self.stream.read_exact(&mut payload) {
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
            return None;
        }
        let stream = u32::from_be_bytes(header[5..].try_into().unwrap());
        Some(Frame { kind: header[3], flags: header[4], stream, payload })
    }

    /// The server's settings, and that it has seen the client's.
    fn begin(&mut self) {
        let first = self.frame();
        assert_eq!((first.kind, first.flags), (SETTINGS, 0));
        assert_eq!(self.frame(), Frame { kind: SETTINGS, flags: ACK, stream: 0, payload: Vec::new() });
        self.send(&frame(SETTINGS, ACK, 0, b""));
    }

    /// Frames of a stream until it ends.
    fn answer(&mut self, stream: u32) -> Vec<Frame> {
        let mut frames = Vec::new();
        loop {
            let frame = self.frame();
            assert_eq!(frame.stream, stream, "{frame:?}");
            let is_end = frame.kind == RST_STREAM || frame.flags & END_STREAM != 0;
            frames.push(frame);
            if is_end {
                return frames;
            }
        }
    }

    fn assert_silent(&mut self) {
        self.stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let error = self.stream.read(&mut [0]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    }
}

/// Asks so many times on one connection and reads frames, so many for each request.
fn asked(fault: Fault, requests: usize, frames: usize) -> (Vec<Vec<Frame>>, Truth) {
    let server = Server::start(fault).unwrap();
    let mut client = Client::of(&server);
    client.begin();
    let mut answers = Vec::new();
    for _ in 0..requests {
        client.get();
        answers.push((0..frames).map(|_| client.frame()).collect());
    }
    drop(client);
    let truth = server.finish();
    assert_eq!(truth.accounted(), truth.requests, "{truth:?}");
    assert_eq!(truth.requests, requests as u64);
    (answers, truth)
}

/// The kinds, flags and streams of the frames that answer the first request.
fn shape(fault: Fault, frames: usize) -> (Vec<Shape>, Truth) {
    let (answers, truth) = asked(fault, 1, frames);
    (answers[0].iter().map(|frame| (frame.kind, frame.flags, frame.stream)).collect(), truth)
}

/// The fields of a block of literals.
fn fields(block: &[u8]) -> Vec<(String, String)> {
    let (mut fields, mut rest) = (Vec::new(), block);
    let string = |rest: &mut &[u8]| {
        let (length, tail) = rest.split_first().unwrap();
        let (text, tail) = tail.split_at(usize::from(*length));
        *rest = tail;
        String::from_utf8(text.to_vec()).unwrap()
    };
    while let [0, tail @ ..] = rest {
        rest = tail;
        fields.push((string(&mut rest), string(&mut rest)));
    }
    fields
}

/// Kind, flags and stream.
type Shape = (u8, u8, u32);

const HEAD: Shape = (HEADERS, END_HEADERS, 1);
const LAST: Shape = (DATA, END_STREAM, 1);

#[test]
fn without_a_fault_every_answer_is_right() {
    let (answers, truth) = asked(Fault::None, 3, 2);
    for (number, answer) in answers.iter().enumerate() {
        let stream = 2 * number as u32 + 1;
        assert_eq!((answer[0].stream, answer[1].stream), (stream, stream));
        let expected = [(":status", "200"), ("content-type", "application/json"), ("content-length", "13")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(fields(&answer[0].payload), expected);
        assert_eq!(answer[1].payload, BODY.as_bytes());
    }
    assert_eq!((truth.connections, truth.correct, truth.settings_acks), (1, 3, 1));
    assert_eq!(truth.statuses, [(200, 3)].into());
}

#[test]
fn what_a_client_says_is_known() {
    let server = Server::start(Fault::None).unwrap();
    let mut client = Client::of(&server);
    client.begin();
    client.send(&frame(PING, 0, 0, &[5; 8]));
    assert_eq!(client.frame(), Frame { kind: PING, flags: ACK, stream: 0, payload: vec![5; 8] });
    let stream = client.request(Some(7));
    client.send(&[frame(DATA, 0, stream, b"body"), frame(DATA, END_STREAM, stream, b"end")].concat());
    assert_eq!([client.frame(), client.frame(), client.frame()].map(|frame| frame.kind), [WINDOW_UPDATE; 3]);
    client.answer(stream);
    let unfinished = client.request(Some(1));
    client.send(&[reset(unfinished, 8), go_away(0, 0)].concat());
    client.stream.shutdown(Shutdown::Write).unwrap();
    while client.frame_or_end().is_some() {}
    let truth = server.finish();
    assert_eq!((truth.begun, truth.requests, truth.unfinished(), truth.body_bytes), (2, 1, 1, 7));
    assert_eq!((truth.client_resets, truth.client_go_aways), ([(8, 1)].into(), [(0, 1)].into()));

    let server = Server::start(Fault::None).unwrap();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    assert_eq!(server.finish().other_protocols, 1);
}

#[test]
fn every_so_manieth_answer() {
    let (answers, truth) = asked(Fault::WrongBody, 200, 2);
    for (number, answer) in answers.iter().enumerate() {
        let body = if number % 100 == 99 { WRONG_BODY } else { BODY };
        assert_eq!(answer[1].payload, body.as_bytes(), "{number}");
    }
    assert_eq!((truth.correct, truth.wrong_bodies), (198, 2));
    let (answers, truth) = asked(Fault::Status500, 100, 2);
    assert_eq!(fields(&answers[99][0].payload)[0].1, "500");
    assert_eq!((truth.correct, truth.other_statuses), (99, 1));
    assert_eq!(truth.statuses, [(200, 99), (500, 1)].into());

    for (fault, every, code) in
        [(Fault::RefusesStreams, 10, 7), (Fault::ResetsEveryStream, 1, 2), (Fault::ResetsInBody, 50, 2)]
    {
        let server = Server::start(fault).unwrap();
        let mut client = Client::of(&server);
        client.begin();
        for number in 1..=every {
            let stream = client.get();
            let last = client.answer(stream).pop().unwrap();
            assert_eq!(last.kind == RST_STREAM, number == every, "{fault:?} {number}");
            assert!(last.kind != RST_STREAM || last.payload == [0, 0, 0, code]);
        }
        drop(client);
        let truth = server.finish();
        assert_eq!(truth.refused + truth.reset + truth.truncated, 1, "{truth:?}");
        assert_eq!(truth.correct, every - 1);
    }
}

#[test]
fn floods_and_blocks_without_end() {
    for (fault, first, then) in [
        (Fault::EndlessContinuation, Some((HEADERS, 0, 1)), (CONTINUATION, 0, 1)),
        (Fault::EmptyContinuations, Some((HEADERS, 0, 1)), (CONTINUATION, 0, 1)),
        (Fault::SettingsFlood, None, (SETTINGS, 0, 0)),
        (Fault::PingFlood, None, (PING, 0, 0)),
        (Fault::EmptyDataFlood, Some(HEAD), (DATA, 0, 1)),
        (Fault::PaddingFlood, Some(HEAD), (DATA, PADDED, 1)),
        (Fault::EndlessInterim, None, HEAD),
        (Fault::EndlessBody, Some(HEAD), (DATA, 0, 1)),
    ] {
        let (shape, truth) = shape(fault, 3_000);
        let rest = match first {
            Some(first) => {
                assert_eq!(shape[0], first, "{fault:?}");
                &shape[1..]
            }
            None => &shape[..],
        };
        assert!(rest.iter().all(|frame| *frame == then), "{fault:?}");
        assert_eq!((truth.endless, truth.connections), (1, 1), "{fault:?}");
    }
}

#[test]
fn what_breaks_the_rules() {
    let cases: &[(Fault, &[Shape])] = &[
        (Fault::FrameTooLarge, &[HEAD, LAST]),
        (Fault::ConnectionWindowOverflow, &[(WINDOW_UPDATE, 0, 0); 2]),
        (Fault::InitialWindowOverflow, &[(SETTINGS, 0, 0)]),
        (Fault::DataBeyondLength, &[HEAD, LAST]),
        (Fault::DataShortOfLength, &[HEAD, LAST]),
        (Fault::DataWithoutHead, &[LAST]),
        (Fault::DataOnUnopenedStream, &[(DATA, END_STREAM, 1_001)]),
        (Fault::HeadersOnEvenStream, &[(HEADERS, END_HEADERS, 2), (DATA, END_STREAM, 2)]),
        (Fault::PushPromise, &[(PUSH_PROMISE, END_HEADERS, 1), HEAD, LAST]),
        (
            Fault::InterleavedContinuation,
            &[(HEADERS, 0, 1), (PING, 0, 0), (CONTINUATION, END_HEADERS, 1), LAST],
        ),
        (Fault::HpackBomb, &[(HEADERS, END_HEADERS | END_STREAM, 1)]),
        (Fault::IllegalIndex, &[(HEADERS, END_HEADERS | END_STREAM, 1)]),
        (Fault::TableTooLarge, &[(HEADERS, END_HEADERS | END_STREAM, 1)]),
        (Fault::BadPadding, &[(HEADERS, END_HEADERS | END_STREAM, 1)]),
        (Fault::NoStatus, &[HEAD, LAST]),
        (Fault::TwoStatuses, &[HEAD, LAST]),
        (Fault::UpperCaseName, &[HEAD, LAST]),
        (Fault::ConnectionHeader, &[HEAD, LAST]),
        (Fault::SwitchingProtocols, &[HEAD, HEAD, LAST]),
        (Fault::SettingsOfWrongLength, &[(SETTINGS, 0, 0)]),
        (Fault::BadFrameSizeSetting, &[(SETTINGS, 0, 0)]),
        (Fault::GrpcNoTrailers, &[HEAD, LAST]),
        (Fault::GrpcTwoMessages, &[HEAD, (DATA, 0, 1), (HEADERS, END_HEADERS | END_STREAM, 1)]),
        (Fault::GrpcNoMessage, &[HEAD, (HEADERS, END_HEADERS | END_STREAM, 1)]),
    ];
    for (fault, expected) in cases {
        let (shape, truth) = shape(*fault, expected.len());
        assert_eq!(shape, *expected, "{fault:?}");
        assert_eq!((truth.malformed, truth.statuses.len()), (1, usize::from(fault.is_grpc())), "{fault:?}");
    }
    for (fault, frames) in
        [(Fault::StreamWindowOverflow, 4), (Fault::DataAfterEnd, 3), (Fault::TwoAnswers, 4)]
    {
        assert_eq!(shape(fault, frames).1.doubtful, 1, "{fault:?}");
    }
    let (answers, _) = asked(Fault::FrameTooLarge, 1, 2);
    assert_eq!(answers[0][1].payload.len(), 16_385);
    let (answers, _) = asked(Fault::DataBeyondLength, 1, 2);
    assert_eq!(answers[0][1].payload.len(), BODY.len() + 10);
    let (answers, _) = asked(Fault::SettingsOfWrongLength, 1, 1);
    assert_eq!(answers[0][0].payload.len(), 5);
    let (answers, _) = asked(Fault::BadFrameSizeSetting, 1, 1);
    assert_eq!(answers[0][0].payload, [0, 5, 0, 0, 0x3f, 0xff]);
    let (answers, _) = asked(Fault::HpackBomb, 1, 1);
    assert!(answers[0][0].payload.ends_with(&[0xbe; 12_000]) && answers[0][0].payload.len() < 16_384);
}

#[test]
fn a_long_block_that_ends() {
    let server = Server::start(Fault::LongHeaderList).unwrap();
    let mut client = Client::of(&server);
    client.begin();
    client.get();
    let mut block = Vec::new();
    loop {
        let frame = client.frame();
        block.extend_from_slice(&frame.payload);
        if frame.flags & END_HEADERS != 0 {
            break;
        }
    }
    assert!(block.len() > 300_000);
    assert_eq!(client.frame().payload, BODY.as_bytes());
    drop(client);
    assert_eq!(server.finish().malformed, 1);
}

#[test]
fn the_second_answer_goes_to_an_old_stream() {
    let (answers, truth) = asked(Fault::HeadersOnOldStream, 2, 2);
    let streams: Vec<u32> = answers.iter().flatten().map(|frame| frame.stream).collect();
    assert_eq!((streams, truth.correct, truth.unanswered), (vec![1, 1, 1, 1], 1, 1));
}

#[test]
fn answers_in_unusual_shapes_are_whole() {
    for (fault, frames) in
        [(Fault::InterimAnswers, 4), (Fault::Trailers, 3), (Fault::Padding, 3), (Fault::ByteByByte, 2)]
    {
        let (answers, truth) = asked(fault, 2, frames);
        let data = |frame: &&Frame| frame.kind == DATA;
        let bodies =
            answers.iter().map(|answer| answer.iter().filter(data).map(|frame| frame.payload.len()).sum());
        let bodies: Vec<usize> = bodies.collect();
        let padding = if fault == Fault::Padding { 255 + 201 } else { 0 };
        assert_eq!(bodies, [BODY.len() + padding; 2], "{fault:?}");
        assert_eq!(truth.correct, 2);
    }
    let (answers, truth) = asked(Fault::EmptyLastData, 1, 3 + BODY.len() + 1);
    let data: Vec<u8> = answers[0]
        .iter()
        .filter(|frame| frame.kind == DATA)
        .flat_map(|frame| frame.payload.clone())
        .collect();
    assert_eq!((data.as_slice(), truth.correct), (BODY.as_bytes(), 1));
    let (answers, truth) = asked(Fault::NoContent, 1, 1);
    assert_eq!(fields(&answers[0][0].payload), [(":status".to_owned(), "204".to_owned())]);
    assert_eq!(truth.correct, 1);
}

#[test]
fn silence_and_half_an_answer() {
    let server = Server::start(Fault::NeverAnswers).unwrap();
    let mut client = Client::of(&server);
    client.begin();
    client.get();
    client.assert_silent();
    drop(client);
    assert_eq!(server.finish().unanswered, 1);
    for (fault, frames) in [(Fault::StallsAfterHead, 1), (Fault::GrpcStalls, 2)] {
        assert_eq!(shape(fault, frames).1.unanswered, 1);
    }
}

#[test]
fn windows_that_stay_closed() {
    for fault in [Fault::ZeroWindow, Fault::NoWindowUpdate] {
        let server = Server::start(fault).unwrap();
        let mut client = Client::of(&server);
        let first = client.frame();
        let zero: &[u8] = if fault == Fault::ZeroWindow { &[0, 4, 0, 0, 0, 0] } else { &[] };
        assert_eq!(first.payload, zero);
        client.frame();
        let stream = client.request(Some(20_000));
        for _ in 0..4 {
            client.send(&frame(DATA, 0, stream, &[b'x'; 16_000]));
        }
        client.assert_silent();
        drop(client);
        let truth = server.finish();
        assert_eq!((truth.unfinished(), truth.body_bytes), (1, 64_000));
        // This client did not confirm the settings, so that it may do as before.
        assert_eq!(truth.window_violations, 0);
    }
    let server = Server::start(Fault::ZeroWindow).unwrap();
    let mut client = Client::of(&server);
    client.begin();
    let stream = client.request(Some(20_000));
    client.send(&frame(DATA, 0, stream, b"x"));
    client.stream.shutdown(Shutdown::Write).unwrap();
    while client.frame_or_end().is_some() {}
    assert_eq!(server.finish().window_violations, 1);
}

#[test]
fn a_client_that_heeds_no_limit_is_known() {
    let server = Server::start(Fault::OneStreamAtOnce).unwrap();
    let mut client = Client::of(&server);
    client.begin();
    let first = client.get();
    client.answer(first);
    assert_eq!(server.truth().over_limit, 0);
    // In one packet, so that they are read together.
    let fields = block(&[(":method", "GET"), (":scheme", "http"), (":path", "/")]);
    client.send(&[head(3, END_STREAM, &fields), head(5, END_STREAM, &fields)].concat());
    client.answer(3);
    client.answer(5);
    drop(client);
    assert_eq!(server.finish().over_limit, 1);
}

#[test]
fn ends_of_connections() {
    for (fault, frames) in [(Fault::GoAwayFromZero, 3), (Fault::GoAwayWithError, 1), (Fault::CutInFrame, 1)] {
        let server = Server::start(fault).unwrap();
        let mut client = Client::of(&server);
        client.begin();
        client.get();
        let kinds: Vec<u8> = std::iter::from_fn(|| client.frame_or_end()).map(|frame| frame.kind).collect();
        let kind = if fault == Fault::CutInFrame { HEADERS } else { GOAWAY };
        assert_eq!(kinds, vec![kind; frames], "{fault:?}");
        // What comes too late is known.
        client.get();
        drop(client);
        let truth = server.finish();
        assert_eq!((truth.requests, truth.closes, truth.after_close), (2, 1, 1), "{fault:?}");
        assert_eq!(truth.refused + truth.lost + truth.truncated, 1, "{fault:?}");
        assert_eq!(truth.accounted(), truth.requests);
    }
}

#[test]
fn an_answer_in_another_protocol() {
    let server = Server::start(Fault::Http1Answer).unwrap();
    let mut client = Client::of(&server);
    client.get();
    let mut text = String::new();
    client.stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 400 "), "{text}");
    drop(client);
    let truth = server.finish();
    assert_eq!((truth.requests, truth.malformed, truth.closes), (1, 1, 1));

    // It does not wait for ever.
    let server = Server::start(Fault::Http1Answer).unwrap();
    let mut client = Client::of(&server);
    client.stream.read_to_string(&mut text).unwrap();
    drop(client);
    let truth = server.finish();
    assert_eq!((truth.requests, truth.accounted()), (0, 0));
}

#[test]
fn a_connection_is_left_in_order_after_100_requests() {
    let server = Server::start(Fault::GracefulGoAway).unwrap();
    let mut client = Client::of(&server);
    client.begin();
    for _ in 0..99 {
        let stream = client.get();
        client.answer(stream);
    }
    let (last, late) = (client.get(), client.get());
    let leaving = client.frame();
    assert_eq!((leaving.kind, leaving.payload), (GOAWAY, [last.to_be_bytes(), [0; 4]].concat()));
    client.answer(last);
    client.assert_silent();
    assert_eq!(late, last + 2);
    drop(client);
    let truth = server.finish();
    assert_eq!((truth.correct, truth.refused), (100, 1));
}

#[test]
fn the_servers_own_bodies_heed_windows() {
    let server = Server::start(Fault::None).unwrap();
    let mut client = Client { stream: TcpStream::connect(server.address()).unwrap(), next: 1 };
    client.send(&[PREFACE, &settings(&[(4, 0)])].concat());
    client.frame();
    client.frame();
    let stream = client.get();
    client.assert_silent();
    client.stream.set_read_timeout(None).unwrap();
    client.send(&window_update(stream, 1_000));
    assert_eq!(client.answer(stream).len(), 2);
    drop(client);
    assert_eq!(server.finish().correct, 1);
}

#[test]
fn a_server_that_ends_ends_its_connections() {
    let server = Server::start(Fault::NeverAnswers).unwrap();
    let mut client = Client::of(&server);
    client.begin();
    client.get();
    while server.truth().requests == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(server);
    assert_eq!(client.frame_or_end(), None);
}
