//! What is sent.

use proptest::prelude::*;

use super::*;
use crate::mix::testing::{choice, template};
use crate::request::{Slot, Template};

/// Reads what a client sends, as a server does.
struct Server {
    reader: Reader,
}

impl Server {
    fn new() -> Self {
        Self { reader: Reader::new(4096) }
    }

    /// The requests in what was said: their fields, one a line, and their bodies.
    fn requests(&mut self, client: &mut Client) -> Vec<(u32, Vec<String>, Vec<u8>)> {
        let mut requests: Vec<(u32, Vec<String>, Vec<u8>)> = Vec::new();
        let mut block = Vec::new();
        for (header, payload) in client.frames() {
            match header.kind {
                kind::HEADERS | kind::CONTINUATION => {
                    block.extend(payload);
                    if header.has(flag::END_HEADERS) {
                        let mut fields = Vec::new();
                        let line = |name: &[u8], value: &[u8]| {
                            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                            fields.push(format!("{}: {}", text(name), text(value)));
                        };
                        self.reader.read(&block, 1 << 20, line).unwrap();
                        block.clear();
                        requests.push((header.stream, fields, Vec::new()));
                    }
                }
                kind::DATA => {
                    let own = requests.iter_mut().find(|request| request.0 == header.stream);
                    own.expect("fields first").2.extend(payload);
                }
                _ => {}
            }
        }
        requests
    }
}

#[test]
fn a_request_is_its_fields_and_after_the_first_time_their_numbers() {
    let mut spec = get("/path?q=1", vec![]);
    spec.headers = vec![
        ("Accept".into(), template("text/html")),
        ("HOST".into(), template("other")),
        ("X-Blank".into(), template("  a b\t")),
    ];
    let (mut client, mut server) = (Client::of(spec), Server::new());
    let wanted = [
        ":method: GET",
        ":scheme: http",
        ":path: /path?q=1",
        ":authority: other",
        "accept: text/html",
        "x-blank: a b",
    ];
    let mut lengths = Vec::new();
    for turn in 0..4 {
        client.asks();
        lengths.push(client.said.len());
        assert_eq!(
            server.requests(&mut client),
            [(2 * turn + 1, wanted.map(str::to_owned).to_vec(), vec![])]
        );
    }
    assert!(lengths[0] > 40);
    assert_eq!(lengths[1..], [9 + 6; 3]);
}

#[test]
fn what_is_drawn_is_written_each_time() {
    let slots = vec![Slot::Int { min: 0, max: 99 }, choice(&["a", "b"])];
    let mut spec = post("{\"id\": {0}}", slots);
    spec.path = template("/{1}/{0}");
    spec.headers = vec![("x-id".into(), template("{0}-{1}"))];
    let (mut client, mut server) = (Client::of(spec), Server::new());
    for (variant, id, letter, bytes) in [(0, 7, "a", 9), (1, 42, "b", 10), (0, 7, "a", 9), (1, 7, "b", 9)] {
        client.asks_for(&drawn(variant, &[id]));
        let (_, fields, body) = server.requests(&mut client).remove(0);
        assert_eq!(
            fields,
            [
                ":method: POST".to_owned(),
                ":scheme: http".into(),
                format!(":path: /{letter}/{id}"),
                ":authority: h:1".into(),
                format!("x-id: {id}-{letter}"),
                format!("content-length: {bytes}"),
            ]
        );
        assert_eq!(String::from_utf8(body).unwrap(), format!("{{\"id\": {id}}}"));
    }
}

#[test]
fn a_smaller_table_of_the_server_is_announced_and_obeyed() {
    let spec = || {
        let mut spec = get("/a-path-that-is-kept", vec![]);
        spec.headers = vec![("x-long".into(), template(&"v".repeat(200)))];
        spec
    };
    for size in [0, 60, 100, 4096, 1 << 20] {
        let (mut client, mut server) = (Client::of(spec()), Server::new());
        client.asks();
        let first = server.requests(&mut client);
        client.gets(&settings(&[(setting::HEADER_TABLE_SIZE, size)]));
        for _ in 0..3 {
            client.asks();
            assert_eq!(server.requests(&mut client)[0].1, first[0].1, "{size}");
            assert!(server.reader.kept_bytes() <= size as usize, "{size}");
        }
    }
}

#[test]
fn another_mix_on_the_same_connection_has_its_own_fields() {
    let (mut client, mut server) = (Client::of(get("/first", vec![])), Server::new());
    client.asks();
    client.asks();
    server.requests(&mut client);
    client.mix = mix_of(vec![get("/second", vec![])]);
    for _ in 0..3 {
        client.asks();
        let request = server.requests(&mut client).remove(0);
        assert_eq!(request.1[2], ":path: /second");
    }
}

#[test]
fn fields_longer_than_a_frame_are_continued() {
    let mut spec = get("/", vec![]);
    spec.headers = vec![("x-long".into(), template(&"~".repeat(40_000)))];
    let (mut client, mut server) = (Client::of(spec), Server::new());
    client.asks();
    let frames = frames(&client.said);
    assert_eq!(frames.len(), 3);
    assert_eq!((frames[0].0.kind, frames[0].0.flags), (kind::HEADERS, END));
    assert_eq!((frames[2].0.kind, frames[2].0.flags), (kind::CONTINUATION, flag::END_HEADERS));
    assert_eq!(server.requests(&mut client)[0].1[4].len(), "x-long: ".len() + 40_000);
}

#[test]
fn bodies_go_out_as_the_windows_open() {
    let (mut client, mut server) = (Client::of(post(&"x".repeat(150_000), vec![])), Server::new());
    client.asks();
    client.asks();
    let sent =
        |requests: &[(u32, Vec<String>, Vec<u8>)]| requests.iter().map(|r| r.2.len()).collect::<Vec<_>>();
    assert_eq!(sent(&server.requests(&mut client)), [65_535, 0]);
    let data = |client: &mut Client| {
        let frames = client.said();
        frames
            .into_iter()
            .filter(|frame| frame.0 == kind::DATA)
            .map(|frame| (frame.2, frame.3, frame.1))
            .collect::<Vec<_>>()
    };
    let window = |stream, more: u32| framed(kind::WINDOW_UPDATE, 0, stream, &more.to_be_bytes());
    // The first stream has used up its own window.
    client.gets(&window(0, 10_000));
    assert_eq!(data(&mut client), [(3, 10_000, 0)]);
    client.gets(&window(1, 200_000));
    assert_eq!(data(&mut client), []);
    // Larger frames, and a larger window for all streams.
    client.gets(&settings(&[(setting::MAX_FRAME_SIZE, 100_000), (setting::INITIAL_WINDOW_SIZE, 100_000)]));
    client.gets(&window(0, 1_000_000));
    let parts = data(&mut client);
    let of = |stream| parts.iter().filter(|part| part.0 == stream).map(|part| part.1).sum::<usize>();
    assert_eq!((of(1), of(3)), (150_000 - 65_535, 90_000));
    assert!(parts.iter().any(|part| part.1 > 16_384 && part.2 == END));
    // A smaller one makes a window negative, which later ones fill up first.
    client.gets(&settings(&[(setting::INITIAL_WINDOW_SIZE, 90_000)]));
    client.gets(&window(3, 10_000));
    assert_eq!(data(&mut client), []);
    client.gets(&window(3, 50_001));
    assert_eq!(data(&mut client), [(3, 50_000, END)]);
}

#[test]
fn what_http_2_cannot_carry_is_refused() {
    let refused = |name: &str, value: &str| {
        let mut spec = get("/", vec![]);
        spec.headers = vec![(name.into(), template(value))];
        let made = Mix::for_protocol(vec![spec], Order::InOrder, "h", Protocol::Http2 { is_https: true });
        made.err().map(|error| error.to_string())
    };
    for (name, value) in [("Connection", "close"), ("Upgrade", "h2c"), ("TE", "gzip")] {
        assert!(refused(name, value).is_some_and(|why| why.contains(name)), "{name}");
    }
    assert_eq!(refused("TE", "trailers"), None);
    let connect = RequestSpec { method: "CONNECT".into(), ..get("/", vec![]) };
    let made = Mix::for_protocol(vec![connect], Order::InOrder, "h", Protocol::Http2 { is_https: true });
    assert!(made.unwrap_err().to_string().contains("CONNECT"));
}

proptest! {
    /// However many different requests there are, and however the server sizes its table meanwhile, it reads what was meant.
    #[test]
    fn a_server_reads_what_was_meant(
        paths in proptest::collection::vec("/[a-z]{0,30}", 1..40),
        turns in proptest::collection::vec((any::<u16>(), 0u64..100, proptest::option::of(0u32..5000)), 1..60),
    ) {
        let texts: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut spec = get("{0}", vec![choice(&texts), Slot::Int { min: 0, max: 99 }]);
        spec.headers = vec![("x-same".into(), template("same")), ("x-path".into(), template("{0}")), ("x-id".into(), template("n{1}"))];
        spec.body = Some(Template(vec![crate::request::Part::Bytes(b"body".to_vec())]));
        let (mut client, mut server) = (Client::of(spec), Server::new());
        for (variant, id, size) in turns {
            if let Some(size) = size {
                client.gets(&settings(&[(setting::HEADER_TABLE_SIZE, size)]));
            }
            let variant = variant % paths.len() as u16;
            client.asks_for(&drawn(variant, &[id]));
            let requests = server.requests(&mut client);
            let path = &paths[usize::from(variant)];
            prop_assert_eq!(&requests[0].1, &[
                ":method: GET".to_owned(), ":scheme: http".into(), format!(":path: {path}"), ":authority: h:1".into(),
                "x-same: same".into(), format!("x-path: {path}"), format!("x-id: n{id}"), "content-length: 4".into(),
            ]);
            prop_assert_eq!(&requests[0].2, b"body");
        }
    }
}
