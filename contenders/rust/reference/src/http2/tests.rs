use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::answers::{self, OK};
use crate::bet::Coin;
use crate::sources::Sources;
use crate::users::{self, Users};

use super::frame::{self, Code, END_HEADERS, END_STREAM, HEADER, Header, PADDED, PREFACE, WITH_PRIORITY};
use super::hpack::Decoder;
use super::session::{Session, Status};

/// One user, 734512.
fn sources() -> Sources {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/user.json");
    Sources { coin: Coin::new(1), users: Users::new(file.into()), echo: Vec::new() }
}

/// What a client sends.
#[derive(Clone, Default)]
struct Stream(Vec<u8>);

impl Stream {
    /// The preface and empty settings.
    fn new() -> Stream {
        Stream(PREFACE.to_vec()).frame(frame::SETTINGS, 0, 0, b"")
    }

    fn frame(mut self, kind: u8, flags: u8, id: u32, payload: &[u8]) -> Stream {
        frame::write(&mut self.0, kind, flags, id, payload);
        self
    }

    fn head(self, id: u32, flags: u8, fields: &[(&str, &str)]) -> Stream {
        self.frame(frame::HEADERS, END_HEADERS | flags, id, &block(fields))
    }

    fn get(self, id: u32, path: &str) -> Stream {
        self.head(id, END_STREAM, &request("GET", path))
    }

    fn post(self, id: u32, path: &str, body: &str) -> Stream {
        self.head(id, 0, &request("POST", path)).frame(frame::DATA, END_STREAM, id, body.as_bytes())
    }

    fn settings(self, settings: &[(u16, u32)]) -> Stream {
        let bytes = |(id, value): &(u16, u32)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat();
        let payload: Vec<u8> = settings.iter().flat_map(bytes).collect();
        self.frame(frame::SETTINGS, 0, 0, &payload)
    }

    fn widen(self, id: u32, more: u32) -> Stream {
        self.frame(frame::WINDOW_UPDATE, 0, id, &more.to_be_bytes())
    }
}

fn request<'a>(method: &'a str, path: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![(":method", method), (":scheme", "http"), (":authority", "x"), (":path", path)]
}

/// Literals that are not to be inserted.
fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            assert!(text.len() < 127 + 128);
            match text.len().checked_sub(127) {
                None => block.push(text.len() as u8),
                Some(more) => block.extend_from_slice(&[127, more as u8]),
            }
            block.extend_from_slice(text.as_bytes());
        }
    }
    block
}

/// What became of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
struct Answer {
    /// The heads' lines, `name: value`.
    head: Vec<String>,
    body: Vec<u8>,
    is_whole: bool,
    reset: Option<u32>,
}

/// What a server sent.
#[derive(Debug, Default)]
struct Received {
    answers: BTreeMap<u32, Answer>,
    /// The last stream and the code.
    go_away: Option<(u32, u32)>,
    frames: Vec<(Header, Vec<u8>)>,
    status: Option<Status>,
}

impl Received {
    fn new(mut bytes: &[u8]) -> Received {
        let (mut received, mut decoder) = (Received::default(), Decoder::new());
        while let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() {
            let header = Header::parse(header);
            let (payload, rest) = rest.split_at(header.length);
            bytes = rest;
            let answer = received.answers.entry(header.stream).or_default();
            match header.kind {
                frame::HEADERS => {
                    assert!(!answer.is_whole && header.has(END_HEADERS));
                    let mut add = |name: &[u8], value: &[u8]| {
                        answer.head.push(format!("{}: {}", name.escape_ascii(), value.escape_ascii()));
                    };
                    decoder.decode(payload, |field| add(field.name, field.value)).expect("a valid block");
                }
                frame::DATA => {
                    assert!(!answer.is_whole && !answer.head.is_empty());
                    answer.body.extend_from_slice(payload);
                }
                frame::RST_STREAM => answer.reset = frame::number(payload),
                frame::GOAWAY => {
                    received.go_away = frame::number(payload).zip(frame::number(&payload[4..]));
                }
                _ => {}
            }
            let has_end = matches!(header.kind, frame::HEADERS | frame::DATA);
            answer.is_whole |= has_end && header.has(END_STREAM);
            received.frames.push((header, payload.to_vec()));
        }
        received.answers.remove(&0);
        received
    }

    fn status_of(&self, id: u32) -> &str {
        self.answers[&id].head[0].strip_prefix(":status: ").expect("a status comes first")
    }

    fn body_of(&self, id: u32) -> &str {
        std::str::from_utf8(&self.answers[&id].body).expect("text")
    }

    fn kinds(&self) -> Vec<u8> {
        self.frames.iter().map(|(header, _)| header.kind).collect()
    }
}

/// Waits take no time.
fn serve_in_pieces(stream: &[u8], mut next_length: impl FnMut() -> usize) -> Received {
    let (mut session, mut sources) = (Session::new(), sources());
    let (mut waiting, mut output, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = stream;
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(next_length().clamp(1, rest.len()));
        rest = tail;
        waiting.extend_from_slice(piece);
        let used = session.serve(&waiting, &mut sources, &mut output);
        waiting.drain(..used);
        let waits: Vec<_> = session.new_waits().collect();
        for (id, _) in waits {
            session.end_wait(id, &mut output);
        }
        all.append(&mut output);
        while session.has_more() {
            session.send_more(&mut output);
            all.append(&mut output);
        }
        assert!(waiting.len() < HEADER + frame::MOST_PAYLOAD);
    }
    Received { status: Some(session.status()), ..Received::new(&all) }
}

fn serve(stream: &Stream) -> Received {
    serve_in_pieces(&stream.0, || usize::MAX)
}

#[track_caller]
fn assert_ends(stream: &Stream, last: u32, code: Code) {
    let received = serve(stream);
    assert_eq!((received.go_away, received.status), (Some((last, code as u32)), Some(Status::Ended)));
}

#[track_caller]
fn assert_resets(stream: Stream, id: u32, code: Code) {
    let received = serve(&stream.get(99, "/"));
    assert_eq!(received.answers[&id].reset, Some(code as u32), "{received:?}");
    assert_eq!((received.status, received.status_of(99)), (Some(Status::Open), "200"));
}

#[test]
fn fixed_answers_are_the_same_over_both_protocols() {
    for answer in answers::ALL {
        let mut output = Vec::new();
        answer.frames.write(&mut output, 0x0102_0304);
        let received = Received::new(&output);
        let over_http2 = &received.answers[&0x0102_0304];
        assert!(over_http2.is_whole);
        let (head, body) = answer.rest.split_once("\r\n\r\n").expect("a head has an end");
        assert_eq!(over_http2.body, body.as_bytes());
        assert_eq!(answer.frames.body_length(), body.len());
        let status = answer.line.split(' ').nth(1).expect("a status");
        let fields = head.lines().map(|line| {
            let (name, value) = line.split_once(": ").expect("a field");
            format!("{}: {value}", name.to_ascii_lowercase())
        });
        let lines: Vec<String> = [format!(":status: {status}")].into_iter().chain(fields).collect();
        assert_eq!(over_http2.head, lines);
        let parts = answer.frames.parts();
        assert_eq!((parts.body, parts.times, parts.trailers), (body.as_bytes(), 1, &b""[..]));
        assert_eq!(parts.block, &received.frames[0].1);
    }
}

#[test]
fn begins_with_its_settings() {
    let received = serve(&Stream::new());
    assert_eq!(received.kinds(), [frame::SETTINGS, frame::WINDOW_UPDATE, frame::SETTINGS]);
    assert!(received.frames[2].0.has(frame::ACK));
    assert_eq!(received.frames[0].1.len(), 18);
}

#[test]
fn answers_the_routes() {
    let put = [&request("PUT", "/users/734512")[..], &[("content-length", "21")]].concat();
    let received = serve(
        &Stream::new()
            .get(1, "/")
            .post(3, "/user", "")
            .get(5, "/user/abcdef-12345?q=/")
            .get(7, "/user/%61b")
            .get(9, "/user/%6")
            .post(11, "/coin", r#"{"bet": true}"#)
            .post(13, "/coin", r#"{"bet": 1}"#)
            .get(15, "/wait/0")
            .get(17, "/wait/9")
            .get(19, "/wait/60001")
            .get(21, "/nowhere")
            .post(23, "/", "")
            .head(25, 0, &put)
            .frame(frame::DATA, END_STREAM, 25, br#"{"password": "p\u00e4"}"#)
            .head(27, 0, &put[..4])
            .frame(frame::DATA, END_STREAM, 27, br#"{"password": "p\u00e4"}"#)
            .post(29, "/wait/5", "")
            .get(31, "http://x/")
            .get(33, "/Perf/Echo?name=hogehoge&x=10&y=20&e=2")
            .get(35, "/Perf/Echo?name=hogehoge&x=10&y=20&e=5")
            .head(37, 0, &request("GET", "/Perf/Echo?name=a&x=-1&y=0&e=4"))
            .frame(frame::DATA, END_STREAM, 37, b""),
    );
    let statuses: Vec<(u32, &str)> = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 27, 29, 31, 33, 35, 37]
        .map(|id| (id, received.status_of(id)))
        .to_vec();
    assert_eq!(
        statuses,
        [
            (1, "200"),
            (3, "200"),
            (5, "200"),
            (7, "200"),
            (9, "400"),
            (11, "200"),
            (13, "400"),
            (15, "200"),
            (17, "200"),
            (19, "400"),
            (21, "404"),
            (23, "405"),
            (27, "200"),
            (29, "405"),
            (31, "400"),
            (33, "200"),
            (35, "400"),
            (37, "200"),
        ]
    );
    assert_eq!(received.answers[&1].head, [":status: 200", "content-length: 0"]);
    let text = [":status: 200", "content-type: text/plain", "content-length: 12"];
    assert_eq!(
        (&received.answers[&5].head[..], received.body_of(5)),
        (&text.map(String::from)[..], "abcdef-12345")
    );
    assert_eq!(
        (received.body_of(7), received.body_of(15), received.body_of(17)),
        ("ab", "waited 0", "waited 9")
    );
    assert!(matches!(received.body_of(11), "{\"win\":true}" | "{\"win\":false}"));
    let hash = std::str::from_utf8(&users::hash("pä")).expect("digits").to_owned();
    assert_eq!(received.body_of(27), format!("{{\"hash\":\"{hash}\"}}"));
    assert_eq!(received.answers[&27].head[2], "content-length: 139");
    let json = [":status: 200", "content-type: application/json", "content-length: 28"];
    assert_eq!(
        (&received.answers[&33].head[..], received.body_of(33), received.body_of(37)),
        (&json.map(String::from)[..], "{\"Name\":\"hogehoge\",\"Sum\":60}", "{\"Name\":\"a\",\"Sum\":-4}")
    );
    // The length that it says is another one.
    assert_eq!(received.answers[&25].reset, Some(Code::ProtocolError as u32));
    assert_eq!(received.status, Some(Status::Open));
}

#[test]
fn a_stream_cut_anywhere_is_answered_the_same() {
    let head = block(&request("POST", "/coin"));
    let (first, second) = head.split_at(7);
    let padded = [&[3, 0, 0, 0, 1, 2][..], first, &[0; 3]].concat();
    let stream = Stream::new()
        .frame(frame::HEADERS, PADDED | WITH_PRIORITY, 1, &padded)
        .frame(frame::CONTINUATION, 0, 1, second)
        .frame(frame::CONTINUATION, END_HEADERS, 1, b"")
        .frame(frame::DATA, 0, 1, b"{\"bet\":")
        .get(3, "/user/7")
        .frame(frame::PRIORITY, 0, 5, &[0; 5])
        .frame(0xfe, 0xff, 0, b"unknown")
        .frame(frame::PING, 0, 0, b"12345678")
        .frame(frame::DATA, PADDED, 1, b"\x02 no..")
        .head(1, END_STREAM, &[("x", "trailer")])
        .head(5, 0, &request("POST", "/user"))
        .frame(frame::DATA, END_STREAM, 5, b"");
    let whole = serve(&stream);
    assert_eq!([1, 3, 5].map(|id| whole.status_of(id)), ["400", "200", "200"]);
    let ping = whole.frames.iter().find(|(header, _)| header.kind == frame::PING).expect("a ping");
    assert_eq!((ping.0.flags, &ping.1[..]), (frame::ACK, &b"12345678"[..]));
    for length in 1..40 {
        let received = serve_in_pieces(&stream.0, || length);
        assert_eq!(received.answers, whole.answers, "{length}");
        assert_eq!(received.kinds(), whole.kinds(), "{length}");
    }
}

#[test]
fn what_the_table_holds_changes_what_a_block_means() {
    // `:path` /user is inserted, and then / is: index 62 is another path each time.
    let head = |path: u8| [0x83, 0x86, path];
    let insert = |path: &[u8]| [&[0x83, 0x86, 0x44, path.len() as u8][..], path].concat();
    let received = serve(
        &Stream::new()
            .frame(frame::HEADERS, END_HEADERS | END_STREAM, 1, &insert(b"/user"))
            .frame(frame::HEADERS, END_HEADERS | END_STREAM, 3, &head(0xbe))
            .frame(frame::HEADERS, END_HEADERS | END_STREAM, 5, &head(0xbe))
            .frame(frame::HEADERS, END_HEADERS | END_STREAM, 7, &insert(b"/none"))
            .frame(frame::HEADERS, END_HEADERS | END_STREAM, 9, &head(0xbe))
            .frame(frame::HEADERS, END_HEADERS | END_STREAM, 11, &head(0xbf)),
    );
    let statuses = [1, 3, 5, 7, 9, 11].map(|id| received.status_of(id));
    assert_eq!(statuses, ["200", "200", "200", "404", "404", "200"]);
}

#[test]
fn answers_are_byte_identical() {
    let received = serve(&Stream::new().get(1, "/").get(3, "/").get(5, "/user/1").get(7, "/user/1"));
    let payloads: Vec<&[u8]> = received.frames[3..].iter().map(|(_, payload)| &payload[..]).collect();
    assert_eq!(payloads[0], payloads[1]);
    assert_eq!(payloads[2..4], payloads[4..6]);
}

#[test]
fn windows_are_obeyed() {
    let stream =
        Stream::new().settings(&[(0x4, 5)]).get(1, "/user/0123456789").get(3, "/").get(5, "/user/abcdef");
    let received = serve(&stream);
    assert_eq!([1, 3, 5].map(|id| received.body_of(id)), ["01234", "", "abcde"]);
    assert_eq!([1, 3, 5].map(|id| received.answers[&id].is_whole), [false, true, false]);
    let received = serve(&stream.clone().widen(1, 2).widen(5, 100));
    assert_eq!([1, 5].map(|id| received.body_of(id)), ["0123456", "abcdef"]);
    // A later setting holds for the streams that are there.
    let received = serve(&stream.clone().settings(&[(0x4, 10)]));
    assert_eq!([1, 5].map(|id| received.body_of(id)), ["0123456789", "abcdef"]);
    // A window may become negative; what has no body does not need one.
    let received = serve(
        &stream.clone().head(7, 0, &request("POST", "/user")).settings(&[(0x4, 0)]).settings(&[(0x4, 5)]),
    );
    assert_eq!(received.answers[&1].body, b"01234");
    let mut negative = Stream::new().head(1, 0, &request("POST", "/user")).settings(&[(0x4, 0)]);
    negative = negative.frame(frame::DATA, END_STREAM, 1, b"");
    assert!(serve(&negative).answers[&1].is_whole);
    let received = serve(&stream.clone().settings(&[(0x4, 0)]).widen(1, 6));
    assert_eq!((received.body_of(1), received.status), ("012345", Some(Status::Open)));
    let received =
        serve(&stream.clone().settings(&[(0x4, 0)]).widen(1, 10).settings(&[(0x4, 5)]).widen(5, 1));
    assert_eq!([1, 5].map(|id| received.answers[&id].is_whole), [true, true]);
    // Streams that are taken back leave nothing behind.
    let cancel = (Code::NoError as u32).to_be_bytes();
    let received =
        serve(&stream.frame(frame::RST_STREAM, 0, 1, &cancel).widen(1, 100).widen(5, 100).get(7, "/"));
    assert_eq!((received.body_of(1), received.body_of(5), received.status_of(7)), ("", "abcdef", "200"));
}

#[test]
fn the_connections_window_is_obeyed() {
    let id = "x".repeat(200);
    let mut stream = Stream::new();
    for number in 0..330 {
        stream = stream.get(2 * number + 1, &format!("/user/{id}"));
    }
    let received = serve(&stream);
    let bytes =
        |received: &Received| received.answers.values().map(|answer| answer.body.len()).sum::<usize>();
    assert_eq!(bytes(&received), 65_535);
    assert!(received.answers.values().any(|answer| !answer.is_whole));
    let received = serve(&stream.widen(0, 1_000_000));
    assert_eq!(bytes(&received), 330 * 200);
    assert!(received.answers.values().all(|answer| answer.is_whole && answer.body == id.as_bytes()));
}

#[test]
fn a_smaller_table_is_confirmed_once() {
    let received = serve(
        &Stream::new().settings(&[(0x1, 0)]).get(1, "/").get(3, "/").settings(&[(0x1, 100)]).get(5, "/"),
    );
    let block_of = |id| {
        let is_head = |(header, _): &&(Header, Vec<u8>)| header.kind == frame::HEADERS && header.stream == id;
        received.frames.iter().find(is_head).expect("a head").1.clone()
    };
    let block = OK.frames.parts().block;
    assert_eq!(block_of(1), [&[0x20], block].concat());
    assert_eq!((block_of(3), block_of(5)), (block.to_vec(), block.to_vec()));
}

#[test]
fn the_clients_windows_are_widened() {
    let body = [b'x'; 16_000];
    let mut stream = Stream::new();
    for number in 0..600 {
        let id = 2 * number + 1;
        stream = stream.head(id, 0, &request("POST", "/user")).frame(frame::DATA, END_STREAM, id, &body);
    }
    let received = serve(&stream);
    assert!(received.answers.values().all(|answer| answer.is_whole));
    let updates = received.kinds().iter().filter(|kind| **kind == frame::WINDOW_UPDATE).count();
    assert_eq!(updates, 2);
}

#[test]
fn heads_that_are_refused() {
    let with = |more: &[(&'static str, &'static str)]| [&request("POST", "/user")[..], more].concat();
    let long = "x".repeat(250);
    let many: Vec<(&str, &str)> = (0..40).map(|_| ("x", long.as_str())).collect();
    for (fields, status) in [
        (with(&[("content-length", "65537")]), "413"),
        (with(&[("content-length", "99999999999999999999999")]), "413"),
        (with(&[("expect", "something")]), "417"),
        ([&request("GET", "/")[..], &many].concat(), "431"),
        (vec![(":method", "CONNECT"), (":authority", "x:1")], "400"),
        (request("GET", "/a b"), "400"),
        (request("GET", "x"), "400"),
    ] {
        let received =
            serve(&Stream::new().head(1, 0, &fields).frame(frame::DATA, 0, 1, b"body").get(3, "/"));
        assert_eq!(received.status_of(1), status);
        assert_eq!((received.answers[&1].is_whole, received.answers[&1].reset), (true, Some(0)));
        assert_eq!((received.status_of(3), received.status), ("200", Some(Status::Open)));
    }
    let received = serve(&Stream::new().head(1, 0, &with(&[("expect", "100-continue")])));
    assert_eq!(received.answers[&1].head, [":status: 100"]);
    assert!(!received.answers[&1].is_whole);
}

#[test]
fn a_body_that_is_too_large() {
    let begun = |frames| {
        let mut stream = Stream::new().head(1, 0, &request("POST", "/user"));
        for _ in 0..frames {
            stream = stream.frame(frame::DATA, 0, 1, &[b'x'; 16_000]);
        }
        stream
    };
    // What comes behind is read, and the window for it is given.
    let received = serve(&begun(20).frame(frame::DATA, END_STREAM, 1, b"x").get(3, "/"));
    assert_eq!((received.status_of(1), received.status_of(3)), ("413", "200"));
    assert_eq!((received.answers[&1].is_whole, received.answers[&1].reset), (true, None));
    let widened =
        |(header, _): &&(Header, Vec<u8>)| header.kind == frame::WINDOW_UPDATE && header.stream == 1;
    assert_eq!(received.frames.iter().filter(widened).count(), 15);
    assert_ends(
        &begun(20).frame(frame::DATA, END_STREAM, 1, b"x").frame(frame::DATA, 0, 1, b"x"),
        1,
        Code::StreamClosed,
    );
    let received = serve(&begun(4).frame(frame::DATA, END_STREAM, 1, &[b'x'; 2_000]));
    assert_eq!((received.status_of(1), received.answers[&1].reset), ("413", None));
    // But not without end.
    let received = serve(&begun(80).frame(frame::DATA, END_STREAM, 1, b"x").get(3, "/"));
    assert_eq!((received.status_of(1), received.status_of(3)), ("413", "200"));
    assert_eq!(received.answers[&1].reset, Some(Code::NoError as u32));
    let received = serve(&begun(5).head(1, END_STREAM, &[("x", "trailer")]).get(3, "/"));
    assert_eq!((received.answers[&1].reset, received.status_of(3)), (None, "200"));
}

#[test]
fn requests_that_break_the_rules() {
    let with = |more: &[(&'static str, &'static str)]| [&request("GET", "/")[..], more].concat();
    for fields in [
        with(&[("Upper", "1")]),
        with(&[("connection", "close")]),
        with(&[("transfer-encoding", "chunked")]),
        with(&[("te", "gzip")]),
        with(&[(":path", "/")]),
        with(&[("x", "a\nb")]),
        with(&[("x", "a\0b")]),
        with(&[("", "x")]),
        with(&[(":unknown", "x")]),
        with(&[(":status", "200")]),
        with(&[("content-length", "1"), ("content-length", "2")]),
        with(&[("content-length", "-1")]),
        with(&[("content-length", "5")]),
        [&[("x", "1")][..], &request("GET", "/")].concat(),
        request("GET", "/")[1..].to_vec(),
        request("GET", "/")[..3].to_vec(),
        request("GET", ""),
        vec![(":method", "GET"), (":path", "/")],
        vec![],
    ] {
        assert_resets(Stream::new().head(1, END_STREAM, &fields), 1, Code::ProtocolError);
    }
    let accepted =
        with(&[("te", "trailers"), ("content-length", "0"), ("content-length", "0"), ("cookie", "")]);
    assert_eq!(serve(&Stream::new().head(1, END_STREAM, &accepted)).status_of(1), "200");
}

#[test]
fn faults_of_a_stream() {
    let post = || Stream::new().head(1, 0, &request("POST", "/user"));
    assert_resets(post().head(1, 0, &[("x", "trailer")]), 1, Code::ProtocolError);
    assert_resets(post().head(1, END_STREAM, &[(":path", "/")]), 1, Code::ProtocolError);
    assert_resets(post().widen(1, 0), 1, Code::ProtocolError);
    assert_resets(post().widen(1, 0x7fff_ffff), 1, Code::FlowControlError);
    let waiting = || Stream::new().settings(&[(0x4, 0)]).get(1, "/user/7");
    assert_resets(waiting().frame(frame::DATA, 0, 1, b"x"), 1, Code::StreamClosed);
    let mut many = Stream::new();
    for number in 100..1_100 {
        many = many.head(2 * number + 1, 0, &request("POST", "/user"));
    }
    let received = serve(&many.head(9_999, 0, &request("POST", "/user")));
    assert_eq!(received.answers[&9_999].reset, Some(Code::RefusedStream as u32));
    assert_eq!(received.status, Some(Status::Open));
}

#[test]
fn faults_of_the_connection() {
    use Code::{
        CompressionError, EnhanceYourCalm, FlowControlError, FrameSizeError, ProtocolError, StreamClosed,
    };
    let new = Stream::new;
    let get = || Stream::new().get(1, "/");
    let head = block(&request("GET", "/"));
    for (stream, last, code) in [
        (Stream(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec()), 0, ProtocolError),
        (Stream(PREFACE.to_vec()).frame(frame::PING, 0, 0, &[0; 8]), 0, ProtocolError),
        (Stream(PREFACE.to_vec()).frame(frame::SETTINGS, frame::ACK, 0, b""), 0, ProtocolError),
        (new().frame(frame::SETTINGS, 0, 1, b""), 0, ProtocolError),
        (new().frame(frame::SETTINGS, 0, 0, b"x"), 0, FrameSizeError),
        (new().frame(frame::SETTINGS, frame::ACK, 0, &[0; 6]), 0, FrameSizeError),
        (new().settings(&[(0x2, 2)]), 0, ProtocolError),
        (new().settings(&[(0x4, 0x8000_0000)]), 0, FlowControlError),
        (new().settings(&[(0x5, 16_383)]), 0, ProtocolError),
        (new().settings(&[(0x5, 0x0100_0000)]), 0, ProtocolError),
        (new().frame(frame::PING, 0, 0, &[0; 7]), 0, FrameSizeError),
        (new().frame(frame::PING, 0, 1, &[0; 8]), 0, ProtocolError),
        (new().frame(frame::GOAWAY, 0, 1, &[0; 8]), 0, ProtocolError),
        (new().frame(frame::GOAWAY, 0, 0, &[0; 7]), 0, FrameSizeError),
        (new().frame(frame::PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2]), 0, ProtocolError),
        (new().frame(frame::PRIORITY, 0, 0, &[0; 5]), 0, ProtocolError),
        (new().frame(frame::PRIORITY, 0, 1, &[0; 4]), 0, FrameSizeError),
        (new().frame(frame::HEADERS, END_HEADERS | END_STREAM, 0, &head), 0, ProtocolError),
        (new().frame(frame::HEADERS, END_HEADERS | END_STREAM, 2, &head), 0, ProtocolError),
        (new().frame(frame::HEADERS, END_HEADERS | PADDED, 1, &[9, 0x82]), 0, ProtocolError),
        (new().frame(frame::HEADERS, END_HEADERS | WITH_PRIORITY, 1, &[0; 4]), 0, FrameSizeError),
        (new().frame(frame::HEADERS, END_HEADERS, 1, b"\x80"), 1, CompressionError),
        (new().frame(frame::HEADERS, 0, 1, &head).get(3, "/"), 0, ProtocolError),
        (new().frame(frame::HEADERS, 0, 1, &head).frame(frame::CONTINUATION, 0, 3, b""), 0, ProtocolError),
        (new().frame(frame::CONTINUATION, END_HEADERS, 1, &head), 0, ProtocolError),
        (new().frame(frame::DATA, 0, 0, b"x"), 0, ProtocolError),
        (new().frame(frame::DATA, 0, 1, b"x"), 0, ProtocolError),
        (new().frame(frame::DATA, 0, 1, b""), 0, ProtocolError),
        (new().frame(frame::RST_STREAM, 0, 1, &[0; 4]), 0, ProtocolError),
        (new().frame(frame::RST_STREAM, 0, 0, &[0; 4]), 0, ProtocolError),
        (new().widen(1, 1), 0, ProtocolError),
        (new().widen(0, 0), 0, ProtocolError),
        (new().widen(0, 0x7fff_ffff), 0, FlowControlError),
        (new().frame(frame::WINDOW_UPDATE, 0, 0, &[0; 5]), 0, FrameSizeError),
        (get().frame(frame::DATA, 0, 1, b"x"), 1, StreamClosed),
        (get().get(1, "/"), 1, StreamClosed),
        (get().frame(frame::RST_STREAM, 0, 1, &[0; 3]), 1, FrameSizeError),
        (Stream([&new().0[..], &frame::header(16_385, frame::DATA, 0, 1)].concat()), 0, FrameSizeError),
    ] {
        assert_ends(&stream, last, code);
    }
    let mut endless = new().frame(frame::HEADERS, 0, 1, &head);
    for _ in 0..3 {
        endless = endless.frame(frame::CONTINUATION, 0, 1, &[0x82; 8_000]);
    }
    assert_ends(&endless, 0, EnhanceYourCalm);
    let mut empty = new().frame(frame::HEADERS, 0, 1, &head);
    for _ in 0..33 {
        empty = empty.frame(frame::CONTINUATION, 0, 1, b"");
    }
    assert_ends(&empty, 0, EnhanceYourCalm);
}

#[test]
fn floods_end() {
    let post = Stream::new().head(1, 0, &request("POST", "/user"));
    for (kind, id, payload) in [
        (frame::PING, 0, &[0; 8][..]),
        (frame::SETTINGS, 0, b""),
        (frame::DATA, 1, b""),
        (frame::PRIORITY, 1, &[0; 5]),
        (0xee, 0, b""),
    ] {
        let mut stream = post.clone();
        for _ in 0..10_000 {
            frame::write(&mut stream.0, kind, 0, id, payload);
        }
        assert_eq!(serve(&stream).status, Some(Status::Open));
        assert_ends(&stream.frame(kind, 0, id, payload), 1, Code::EnhanceYourCalm);
    }
}

#[test]
fn a_client_takes_back_what_it_waits_for() {
    let (mut session, mut sources, mut output) = (Session::new(), sources(), Vec::new());
    let cancel = [0, 0, 0, 8];
    let mut stream = Stream::new();
    for number in 0..5_000 {
        let id = 2 * number + 1;
        stream = stream.get(id, "/wait/60000").frame(frame::RST_STREAM, 0, id, &cancel);
    }
    session.serve(&stream.0, &mut sources, &mut output);
    let waits: Vec<_> = session.new_waits().collect();
    assert_eq!(waits.len(), 4_000);
    let received = Received::new(&output);
    assert_eq!(received.answers.len(), 1_000);
    assert!(received.answers.values().all(|answer| answer.reset == Some(Code::EnhanceYourCalm as u32)));
    output.clear();
    for (id, _) in waits {
        session.end_wait(id, &mut output);
    }
    assert!(output.is_empty());
    let more = Stream::default().get(20_001, "/wait/7");
    session.serve(&more.0, &mut sources, &mut output);
    assert_eq!(session.new_waits().collect::<Vec<_>>(), [(20_001, 7)]);
    session.end_wait(20_001, &mut output);
    assert_eq!(Received::new(&output).body_of(20_001), "waited 7");
}

#[test]
fn the_end_is_announced_and_what_came_before_is_answered() {
    let (mut session, mut sources, mut output) = (Session::new(), sources(), Vec::new());
    session.serve(&Stream::new().get(1, "/").get(3, "/wait/9").0, &mut sources, &mut output);
    session.end(&mut output);
    let late =
        Stream::default().get(5, "/").head(7, 0, &request("POST", "/user")).frame(frame::DATA, 0, 7, b"x");
    session.serve(&late.0, &mut sources, &mut output);
    assert_eq!(session.status(), Status::Open);
    session.end_wait(3, &mut output);
    let received = Received::new(&output);
    assert_eq!((received.go_away, session.status()), (Some((3, 0)), Status::Ended));
    assert_eq!(received.answers.keys().collect::<Vec<_>>(), [&1, &3]);

    let (mut session, mut output) = (Session::new(), Vec::new());
    session.end(&mut output);
    assert_eq!((Received::new(&output).go_away, session.status()), (Some((0, 0)), Status::Ended));
}

#[test]
fn bodies_without_end_are_bounded() {
    let mut stream = Stream::new();
    for number in 0..80 {
        let id = 2 * number + 1;
        stream = stream.head(id, 0, &request("POST", "/user"));
        for _ in 0..4 {
            stream = stream.frame(frame::DATA, 0, id, &[b'x'; 16_000]);
        }
    }
    let received = serve(&stream);
    let calmed = Some(Code::EnhanceYourCalm as u32);
    assert!(received.answers.values().filter(|answer| answer.reset == calmed).count() > 10);
}

fn call(path: &str) -> Vec<(&str, &str)> {
    [&request("POST", path)[..], &[("content-type", "application/grpc+proto"), ("te", "trailers")]].concat()
}

#[test]
fn calls_of_grpc() {
    let service = |method: &str| format!("/velo.reference.v1.Reference/{method}");
    let (empty, echo, streamed) = (service("Empty"), service("Echo"), service("Stream"));
    let nothing = [0; 5];
    let message = b"\0\0\0\0\x04\x0a\x02hi";
    let stream = Stream::new()
        .head(1, 0, &call(&empty))
        .frame(frame::DATA, END_STREAM, 1, &nothing)
        .head(3, 0, &call(&echo))
        .frame(frame::DATA, 0, 3, &message[..3])
        .frame(frame::DATA, END_STREAM, 3, &message[3..])
        .head(5, 0, &call(&streamed))
        .frame(frame::DATA, END_STREAM, 5, b"\0\0\0\0\x05\x08\x90\x4e\x10\x03")
        .head(7, 0, &call(&streamed))
        .frame(frame::DATA, END_STREAM, 7, &nothing);
    let whole = |received: &Received, id: u32, body: &[u8]| {
        let answer = &received.answers[&id];
        let head = [":status: 200", "content-type: application/grpc", "grpc-status: 0"];
        answer.is_whole && answer.head == head && answer.body == body
    };
    // Ten thousand messages of ten bytes are more than the windows take.
    let received = serve(&stream);
    assert!(whole(&received, 1, &nothing) && whole(&received, 3, message) && whole(&received, 7, b""));
    assert!(!received.answers[&5].is_whole && received.answers[&5].body.len() > 60_000);
    let received = serve(&stream.widen(0, 1_000_000).widen(5, 1_000_000));
    assert!(whole(&received, 5, &b"\0\0\0\0\x05\x0a\x03xxx".repeat(10_000)));

    let zero = Stream::new().settings(&[(0x4, 0)]).head(1, 0, &call(&empty)).frame(
        frame::DATA,
        END_STREAM,
        1,
        &nothing,
    );
    assert!(!serve(&zero).answers[&1].is_whole);
    assert!(whole(&serve(&zero.widen(1, 5)), 1, &nothing));
}

#[test]
fn calls_that_are_refused() {
    for (method, body, status) in [
        ("None", &[0; 5][..], 12),
        ("Echo", b"", 13),
        ("Echo", b"\0\0\0\0\x05abc", 13),
        ("Echo", b"\0\0\0\0\x01abc", 13),
        ("Empty", b"\x01\0\0\0\x01a", 12),
        ("Stream", b"\0\0\0\0\x01\x08", 3),
        ("Stream", b"\0\0\0\0\x04\x10\x81\x80\x04", 8),
        ("Stream", b"\0\0\0\0\x05\x08\x81\xad\xe2\x04", 8),
    ] {
        let path = format!("/velo.reference.v1.Reference/{method}");
        let received = serve(&Stream::new().head(1, 0, &call(&path)).frame(frame::DATA, END_STREAM, 1, body));
        let answer = &received.answers[&1];
        assert_eq!(answer.head[2], format!("grpc-status: {status}"), "{method} {body:?}");
        assert!(answer.is_whole && answer.body.is_empty() && answer.head.len() == 3);
    }
    // Without the type it is a path as any other.
    assert_eq!(serve(&Stream::new().post(1, "/velo.reference.v1.Reference/Echo", "")).status_of(1), "404");
}

/// A frame of any kind, more often one that may come.
fn any_frame() -> impl Strategy<Value = (u8, u8, u32, Vec<u8>)> {
    let ids = prop_oneof![Just(0), Just(1), Just(3), Just(5), 0_u32..12, any::<u32>()];
    let payloads = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..30),
        Just(block(&request("GET", "/user/7"))),
        Just(block(&request("POST", "/coin"))),
        Just(br#"{"bet":true}"#.to_vec()),
        Just(vec![0, 4, 0, 0, 0, 3]),
        Just(vec![0, 0, 0, 9]),
        Just(vec![0x82, 0x86, 0x84]),
        Just(vec![0x83, 0x86, 0x44, 5, b'/', b'c', b'o', b'i', b'n']),
    ];
    (0_u8..12, any::<u8>(), ids, payloads)
}

proptest! {
    #[test]
    fn no_frames_make_it_panic(frames in proptest::collection::vec(any_frame(), 0..40), length in 1_usize..200) {
        let mut stream = Stream::new();
        for (kind, flags, id, payload) in frames {
            stream = stream.frame(kind, flags, id, &payload);
        }
        let whole = serve(&stream);
        let cut = serve_in_pieces(&stream.0, || length);
        prop_assert_eq!(whole.go_away, cut.go_away);
        // Coins and the order of windows may differ; which streams were answered may not.
        prop_assert!(whole.answers.keys().eq(cut.answers.keys()));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        serve_in_pieces(&[&Stream::new().0[..], &bytes].concat(), || 50);
        serve_in_pieces(&bytes, || 3);
    }
}
