//! What a server may not do, each by its name.

use super::*;

/// What is told of the only request in flight, and whether the connection goes on.
fn wrong(frames: &[Vec<u8>]) -> (Vec<String>, Then) {
    let mut client = Client::with(1);
    let then = client.gets(&frames.concat());
    (client.told(), then)
}

fn failure(told: &[String]) -> &str {
    told.last().map_or("", |last| last.strip_prefix("0 failed: ").unwrap_or(last))
}

#[test]
fn what_breaks_a_connection_is_named() {
    let mut kept_more = vec![0x88];
    kept_more.push(0xbe);
    let large = u32::MAX >> 1;
    let cases: Vec<(Vec<Vec<u8>>, &str)> = vec![
        (vec![framed(kind::PUSH_PROMISE, 4, 1, &[0, 0, 0, 2, 0x82])], "PUSH_PROMISE, which was forbidden"),
        (vec![settings(&[(setting::ENABLE_PUSH, 1)])], "ENABLE_PUSH from a server"),
        (vec![settings(&[(setting::INITIAL_WINDOW_SIZE, 1 << 31)])], "a window larger than there may be"),
        (vec![settings(&[(setting::MAX_FRAME_SIZE, 100)])], "a MAX_FRAME_SIZE that there may not be"),
        (vec![settings(&[(setting::MAX_FRAME_SIZE, 1 << 24)])], "a MAX_FRAME_SIZE that there may not be"),
        (vec![framed(kind::SETTINGS, 0, 0, &[0; 5])], "SETTINGS of a wrong length"),
        (vec![framed(kind::SETTINGS, flag::ACK, 0, &[0; 6])], "SETTINGS of a wrong length"),
        (vec![framed(kind::SETTINGS, 0, 1, &[])], "SETTINGS on a stream"),
        (vec![framed(kind::PING, 0, 0, &[0; 7])], "PING that has not 8 bytes"),
        (vec![framed(kind::PING, 0, 1, &[0; 8])], "PING on a stream"),
        (vec![framed(kind::GOAWAY, 0, 0, &[0; 7])], "GOAWAY with fewer than 8 bytes"),
        (vec![framed(kind::GOAWAY, 0, 1, &[0; 8])], "GOAWAY on a stream"),
        (vec![framed(kind::RST_STREAM, 0, 1, &[0; 3])], "RST_STREAM that has not 4 bytes"),
        (vec![framed(kind::RST_STREAM, 0, 9, &[0; 4])], "RST_STREAM on a stream that was never opened"),
        (vec![framed(kind::RST_STREAM, 0, 0, &[0; 4])], "RST_STREAM on a stream that was never opened"),
        (vec![framed(kind::WINDOW_UPDATE, 0, 0, &[0; 3])], "WINDOW_UPDATE that has not 4 bytes"),
        (vec![framed(kind::WINDOW_UPDATE, 0, 0, &[0; 4])], "WINDOW_UPDATE by 0"),
        (vec![framed(kind::WINDOW_UPDATE, 0, 0, &large.to_be_bytes())], "a window larger than there may be"),
        (
            vec![framed(kind::WINDOW_UPDATE, 0, 2, &[0, 0, 0, 1])],
            "WINDOW_UPDATE on a stream that was never opened",
        ),
        (vec![ok(3, 0)], "HEADERS on a stream that was never opened"),
        (vec![ok(2, 0)], "HEADERS on a stream that was never opened"),
        (vec![ok(0, 0)], "HEADERS on a stream that was never opened"),
        (vec![data(3, END, b"x")], "DATA on a stream that was never opened"),
        (vec![data(0, END, b"x")], "DATA on a stream that was never opened"),
        (vec![framed(kind::DATA, flag::PADDED, 1, &[5, 0, 0, 0, 0])], "padding longer than its frame"),
        (vec![framed(kind::HEADERS, 4 | flag::PADDED, 1, &[5, 0x88])], "padding longer than its frame"),
        (vec![framed(kind::HEADERS, 4 | flag::PADDED, 1, &[])], "HEADERS that are too short"),
        (vec![framed(kind::HEADERS, 4 | flag::PRIORITY, 1, &[0; 4])], "HEADERS that are too short"),
        (
            vec![framed(kind::HEADERS, 0, 1, &[0x88]), data(1, END, b"")],
            "another frame in the middle of fields",
        ),
        (vec![framed(kind::CONTINUATION, 4, 1, &[0x88])], "CONTINUATION that continues nothing"),
        (
            vec![framed(kind::HEADERS, 0, 1, &[0x88]), framed(kind::CONTINUATION, 4, 3, &[])],
            "CONTINUATION that continues nothing",
        ),
        (vec![framed(kind::HEADERS, 4, 1, &kept_more)], "a field that is in no table"),
        (vec![framed(kind::HEADERS, 4, 1, &[0x3f, 0xff, 0x1f, 0x88])], "a table larger than was allowed"),
        (vec![framed(kind::DATA, 0, 1, &[0; 16_385])], "a frame larger than was allowed"),
    ];
    for (frames, why) in cases {
        let (told, then) = wrong(&frames);
        assert_eq!((failure(&told), then), (why, Then::Breaks), "{told:?}");
    }
}

#[test]
fn what_comes_on_a_stream_that_has_ended_is_dropped() {
    let reset = |stream| framed(kind::RST_STREAM, 0, stream, &[0; 4]);
    let mut kept = vec![0x88];
    write::kept("x", b"kept", &mut kept);
    let mut client = Client::with(3);
    // The same end once more, as a handler that comes after its deadline has it, and a body behind it.
    let twice = [ok(1, END), reset(1), framed(kind::HEADERS, flag::END_HEADERS | END, 1, &kept), reset(1)];
    assert_eq!(client.gets(&[twice.concat(), data(1, 0, b"more"), data(1, END, b"")].concat()), Then::Goes);
    // Fields in pieces count for the table as well.
    let pieces =
        [framed(kind::HEADERS, 0, 1, &kept[..1]), framed(kind::CONTINUATION, flag::END_HEADERS, 1, &[0xbe])];
    assert_eq!(client.gets(&pieces.concat()), Then::Goes);
    assert!(client.session.cancel(RequestId(1), &mut client.said));
    client.said.clear();
    assert_eq!(client.gets(&[answer(3, "late"), reset(3), ok(3, END)].concat()), Then::Goes);
    let next = framed(kind::HEADERS, flag::END_HEADERS | END, 5, &[0x88, 0xbe]);
    assert_eq!(client.gets(&next), Then::Goes);
    assert_eq!(client.told(), ["0 ends: 200 \"\"", "2 ends: 200 \"\""]);
    assert!(client.said.is_empty());
    // What it does to the connection is told as ever.
    assert_eq!(client.gets(&framed(kind::HEADERS, flag::END_HEADERS, 1, &[0xff, 0x7f])), Then::Breaks);
}

#[test]
fn frames_of_a_wrong_length_end_what_they_are_about() {
    const FRAME_SIZE_ERROR: [u8; 4] = [0, 0, 0, 6];
    let lengths = |kind, flags, stream, lengths: &[usize]| {
        lengths.iter().map(|&length| framed(kind, flags, stream, &vec![0; length])).collect::<Vec<_>>()
    };
    let cases = [
        (lengths(kind::DATA, flag::PADDED, 1, &[0]), Then::Breaks),
        (lengths(kind::HEADERS, flag::END_HEADERS | flag::PADDED, 1, &[0]), Then::Breaks),
        (lengths(kind::HEADERS, flag::END_HEADERS | flag::PRIORITY, 1, &[0, 4]), Then::Breaks),
        (lengths(kind::PRIORITY, 0, 1, &[0, 4, 6, 10]), Then::Goes),
        (lengths(kind::PRIORITY, 0, 99, &[4, 6]), Then::Breaks),
        (lengths(kind::RST_STREAM, 0, 1, &[0, 3, 5, 8]), Then::Breaks),
        (lengths(kind::SETTINGS, 0, 0, &[1, 5, 7, 11]), Then::Breaks),
        (lengths(kind::SETTINGS, flag::ACK, 0, &[1, 6]), Then::Breaks),
        (lengths(kind::PING, 0, 0, &[0, 7, 9, 16]), Then::Breaks),
        (lengths(kind::PING, flag::ACK, 0, &[0, 7, 9]), Then::Breaks),
        (lengths(kind::GOAWAY, 0, 0, &[0, 4, 7]), Then::Breaks),
        (lengths(kind::WINDOW_UPDATE, 0, 0, &[0, 3, 5]), Then::Breaks),
        (lengths(kind::WINDOW_UPDATE, 0, 1, &[0, 3, 5]), Then::Breaks),
        (lengths(kind::CONTINUATION, flag::END_HEADERS, 1, &[16_385]), Then::Breaks),
        (lengths(77, 0, 1, &[16_385]), Then::Breaks),
    ];
    for (frame, expected) in
        cases.iter().flat_map(|(frames, then)| frames.iter().map(move |frame| (frame, *then)))
    {
        let mut client = Client::with(1);
        assert_eq!(client.gets(frame), expected, "{frame:?}");
        let told = client.told();
        assert!(matches!(&told[..], [.., last] if last.starts_with("0 failed: ")), "{told:?}");
        let said = client.frames();
        let (header, payload) = said.last().unwrap();
        let (kind, code) = match expected {
            Then::Goes => (kind::RST_STREAM, &payload[..]),
            _ => (kind::GOAWAY, &payload[4..]),
        };
        assert_eq!((header.kind, code), (kind, &FRAME_SIZE_ERROR[..]), "{frame:?}");
    }
    // Of a stream that is over there is nothing to end.
    let mut client = Client::with(2);
    assert_eq!(
        client.gets(&[ok(1, END), framed(kind::PRIORITY, 0, 1, &[0; 4]), answer(3, "b")].concat()),
        Then::Goes
    );
    assert_eq!(client.told(), ["0 ends: 200 \"\"", "1 begins", "1 ends: 200 \"b\""]);
}

#[test]
fn what_was_on_its_way_of_requests_given_up_ends_no_connection() {
    const BODY_BYTES: usize = 900_000;
    let body = |stream| data(stream, 0, &[b'x'; 15_000]).repeat(BODY_BYTES / 15_000);
    let mut client = Client::with(64);
    // More than any one of them may have, and then as much again.
    for number in 0..64 {
        client.gets(&ok(2 * number + 1, 0));
        assert!(client.session.cancel(RequestId(number), &mut client.said));
    }
    for number in 0..64 {
        assert_eq!(client.gets(&body(2 * number + 1)), Then::Goes, "after {number} bodies");
    }
    client.told();
    client.asks();
    assert_eq!(client.gets(&answer(129, "a")), Then::Goes);
    assert!(client.told().iter().any(|line| line.ends_with("ends: 200 \"a\"")));
    // Nor do their heads, trailers and resets.
    for number in 65..5_065 {
        client.asks();
        let id = client.session.oldest().unwrap();
        assert!(client.session.cancel(id, &mut client.said));
        client.said.clear();
        let stream = 2 * number + 1;
        let late = [ok(stream, 0), ok(stream, END), framed(kind::RST_STREAM, 0, stream, &[0; 4])];
        assert_eq!(client.gets(&late.concat()), Then::Goes, "after {number} requests");
    }
}

#[test]
fn what_an_earlier_connection_brought_too_much_is_forgotten() {
    let mut client = Client::with(1);
    for _ in 0..3 {
        client.gets(&ok(1, END));
        for _ in 0..1_000 {
            assert_eq!(client.gets(&data(1, 0, &[b'x'; 16_000])), Then::Goes);
        }
        client.session.reset();
        client.session.open(&mut client.said);
        client.gets(&settings(&[]));
        client.asks();
    }
}

#[test]
fn what_spoils_one_answer_leaves_the_connection() {
    let cases: Vec<(Vec<Vec<u8>>, &str)> = vec![
        (vec![data(1, END, b"x")], "DATA before the head"),
        (vec![head(1, END, &[("x", "y")])], "a head without a status"),
        (vec![head(1, END, &[(":status", "20")])], "a status that is not three digits"),
        (vec![head(1, END, &[(":status", "099")])], "a status that is not three digits"),
        (vec![head(1, END, &[(":status", "200"), (":status", "200")])], "two statuses"),
        (vec![head(1, END, &[(":status", "200"), (":path", "/")])], "a pseudo-field that no answer has"),
        (
            vec![head(1, END, &[("x", "y"), (":status", "200")])],
            "a pseudo-field behind other fields or in trailers",
        ),
        (vec![head(1, END, &[(":status", "200"), ("X", "y")])], "a field's name with a capital letter"),
        (vec![head(1, END, &[(":status", "200"), ("x y", "y")])], "a field's name that is no token"),
        (vec![head(1, END, &[(":status", "200"), ("", "y")])], "a field's name that is no token"),
        (vec![head(1, END, &[(":status", "200"), ("x", "y\nz")])], "a line break or NUL in a field's value"),
        (vec![head(1, END, &[(":status", "200"), ("x", " y")])], "a blank at an end of a field's value"),
        (
            vec![head(1, END, &[(":status", "200"), ("connection", "close")])],
            "a field of HTTP/1.1's connections",
        ),
        (vec![head(1, END, &[(":status", "200"), ("content-length", "x")])], "a malformed content-length"),
        (
            vec![head(1, END, &[(":status", "200"), ("content-length", "1"), ("content-length", "2")])],
            "two different content-length",
        ),
        (
            vec![head(1, 0, &[(":status", "200"), ("content-length", "1001")])],
            "a body over the limit, which velo load's --limit-body sets",
        ),
        (vec![head(1, END, &[(":status", "101")])], "status 101, which HTTP/2 does not have"),
        (vec![head(1, END, &[(":status", "103")])], "an interim answer that is the last"),
        (vec![head(1, 0, &[(":status", "100")]); 4], "interim answers without end"),
        (vec![ok(1, 0), ok(1, 0)], "a pseudo-field behind other fields or in trailers"),
        (vec![ok(1, 0), head(1, 0, &[("x", "y")])], "a second head"),
        (
            vec![ok(1, 0), data(1, 0, &[b'x'; 600]), data(1, END, &[b'x'; 600])],
            "a body over the limit, which velo load's --limit-body sets",
        ),
        (
            vec![head(1, 0, &[(":status", "200"), ("content-length", "3")]), data(1, 0, b"four")],
            "a body longer than its content-length",
        ),
        (
            vec![head(1, 0, &[(":status", "200"), ("content-length", "3")]), data(1, END, b"ab")],
            "a body shorter than its content-length",
        ),
        (
            vec![head(1, END, &[(":status", "200"), ("content-length", "3")])],
            "a body shorter than its content-length",
        ),
        (vec![framed(kind::WINDOW_UPDATE, 0, 1, &[0; 4])], "WINDOW_UPDATE by 0"),
        (
            vec![framed(kind::WINDOW_UPDATE, 0, 1, &0x7fff_ffff_u32.to_be_bytes())],
            "a window larger than there may be",
        ),
    ];
    for (frames, why) in cases {
        let (told, then) = wrong(&frames);
        assert_eq!((failure(&told), then), (why, Then::Goes), "{told:?}");
    }
}

#[test]
fn the_server_is_told_of_a_spoilt_answer_and_the_next_request_is_answered() {
    let mut client = Client::with(2);
    client.gets(&[ok(1, 0), data(1, 0, &[b'x'; 900]), data(1, 0, &[b'x'; 900])].concat());
    assert_eq!(client.said(), [(kind::RST_STREAM, 0, 1, 4)]);
    client.gets(&[data(1, END, b"late"), answer(3, "b")].concat());
    assert_eq!(
        client.told(),
        [
            "0 begins",
            "0 failed: a body over the limit, which velo load's --limit-body sets",
            "1 begins",
            "1 ends: 200 \"b\""
        ]
    );
    assert!(client.said.is_empty());
}

#[test]
fn who_does_not_speak_http_2_is_told_so() {
    for (bytes, why) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
            "the server answers with HTTP/1 and does not speak HTTP/2 here",
        ),
        (b"220 smtp.example ESMTP\r\n", "the server does not begin with SETTINGS, as HTTP/2 does"),
        (
            &framed(kind::SETTINGS, flag::ACK, 0, &[]),
            "the server does not begin with SETTINGS, as HTTP/2 does",
        ),
        (&framed(kind::PING, 0, 0, &[0; 8]), "the server does not begin with SETTINGS, as HTTP/2 does"),
    ] {
        let mut client = Client::silent(get("/", vec![]));
        assert_eq!(client.gets(bytes), Then::Breaks);
        assert_eq!(client.told(), [format!("unasked: {why}")]);
        let mut client = Client::silent(get("/", vec![]));
        client.asks();
        let mut thens: Vec<Then> = Vec::new();
        for byte in bytes {
            thens.push(client.gets(&[*byte]));
            if thens.last() == Some(&Then::Breaks) {
                break;
            }
        }
        assert_eq!(thens.last(), Some(&Then::Breaks));
        assert_eq!(client.told(), [format!("0 failed: {why}")]);
    }
}

#[test]
fn frames_without_end_that_bring_nothing_on_are_bounded() {
    let reset = framed(kind::RST_STREAM, 0, 1, &[0; 4]);
    for (frame, why) in [
        (settings(&[]), "SETTINGS without end"),
        (framed(kind::PING, 0, 0, &[0; 8]), "PING without end"),
        (data(3, 0, b""), "empty DATA without end"),
        (reset, "RST_STREAM without end"),
        (framed(kind::WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1]), "WINDOW_UPDATE without end"),
        (framed(kind::PRIORITY, 0, 1, &[0; 5]), "PRIORITY without end"),
        (framed(200, 0, 1, &[0; 5]), "frames of unknown types without end"),
        (goaway(5), "GOAWAY without end"),
    ] {
        let mut client = Client::with(2);
        client.gets(&[ok(3, 0), ok(1, END)].concat());
        client.told();
        let mut count = 0;
        while client.gets(&frame) != Then::IsGivenUp {
            count += 1;
            assert!(count < 20_000, "{why}");
            client.said.clear();
        }
        assert_eq!(client.told(), [format!("1 failed: {why}")]);
        assert!(count > 5_000, "{why}: {count}");
    }
    // What is answered in between is no flood.
    let mut client = Client::new();
    for number in 0..20_000 {
        client.asks();
        client
            .gets(&[settings(&[]), framed(kind::PING, 0, 0, &[0; 8]), answer(2 * number + 1, "x")].concat());
    }
    assert_eq!(client.told().iter().filter(|line| line.contains("ends")).count(), 20_000);
}

#[test]
fn what_goes_on_about_a_closed_stream_is_bounded_and_no_other_request_is_to_blame() {
    let block = data(1, 0, &[b'x'; 16_000]);
    let long = framed(kind::HEADERS, flag::END_HEADERS, 1, &[0x88; 200]);
    let frames = [(block, 1_000), (head(1, 0, &[(":status", "103")]), 5_000), (long, 0)];
    let given_up = [ok(1, 0), data(1, 0, &[b'x'; 1_001])].concat();
    let cases =
        frames.into_iter().flat_map(|case| [given_up.clone(), ok(1, END)].map(|first| (first, case.clone())));
    for (first, (frame, at_least)) in cases {
        let mut client = Client::with(2);
        client.gets(&first);
        client.told();
        let mut count = 0;
        while client.gets(&frame) != Then::IsGivenUp {
            count += 1;
            assert!(count < 20_000);
        }
        assert!(count >= at_least, "{count}");
        assert!(client.told().is_empty(), "the other request was not answered, and not wrongly either");
    }
}

#[test]
fn a_head_is_bounded_in_frames_in_bytes_and_unpacked() {
    let mut client = Client::with(1);
    let mut then = client.gets(&framed(kind::HEADERS, 0, 1, &[0x88]));
    while then == Then::Goes {
        then = client.gets(&framed(kind::CONTINUATION, 0, 1, &[]));
    }
    assert_eq!(client.told(), ["0 begins", "0 failed: CONTINUATION without end"]);
    let mut client = Client::with(1);
    client.gets(&framed(kind::HEADERS, 0, 1, &[0x88; 3000]));
    client.gets(&framed(kind::CONTINUATION, 0, 1, &[0x88; 3000]));
    assert_eq!(
        client.told(),
        ["0 begins", "0 failed: a head over the limit, which velo load's --limit-head sets"]
    );
    let mut bomb = vec![0x88];
    write::kept("x", &[b'~'; 1000], &mut bomb);
    bomb.extend([0xbe; 100]);
    let (told, then) = wrong(&[framed(kind::HEADERS, 4, 1, &bomb)]);
    assert_eq!(
        (failure(&told), then),
        ("a head over the limit, which velo load's --limit-head sets", Then::IsGivenUp)
    );
}

#[test]
fn what_is_kept_of_a_servers_bytes_is_bounded() {
    let mut client = Client::with(3);
    for stream in [1, 3, 5] {
        client.gets(&ok(stream, 0));
        client.gets(&data(stream, 0, &[b'x'; 1000]));
    }
    client.gets(&framed(kind::HEADERS, 0, 1, &[0x88; 4000])[..3000]);
    assert!(client.session.held_bytes() < 3 * 2048 + 2 * 16_384, "{}", client.session.held_bytes());
}

#[test]
fn bodies_that_nobody_wants_are_counted_and_not_held() {
    let megabyte: Vec<u8> = [data(1, 0, &[b'x'; 16_000]).repeat(60), data(1, END, b"end")].concat();
    let told = |length: &str, bytes: &[u8]| {
        let mut client = Client::of(get("/", vec![]));
        client.told.1 = true;
        client.shared = Limits { body_bytes: 1 << 20, ..LIMITS }.into();
        client.asks();
        client.gets(&head(1, 0, &[(":status", "200"), ("content-length", length)]));
        for piece in bytes.chunks(10_000) {
            client.gets(piece);
            assert!(client.session.held_bytes() < 40_000, "{} bytes", client.session.held_bytes());
        }
        client.told().pop().unwrap()
    };
    assert_eq!(told("960003", &megabyte), "0 ends: 200 \"end\"");
    assert_eq!(told("960004", &megabyte), "0 failed: a body shorter than its content-length");
    assert_eq!(told("960002", &megabyte), "0 failed: a body longer than its content-length");
    let more = [data(1, 0, &[b'x'; 16_000]).repeat(60), megabyte].concat();
    assert_eq!(told("1000000", &more), "0 failed: a body longer than its content-length");
}
