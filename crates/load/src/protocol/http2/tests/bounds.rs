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
    let ended = |more: Vec<u8>| vec![ok(1, END), more];
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
        (vec![framed(kind::DATA, flag::PADDED, 1, &[])], "padding longer than its frame"),
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
    for (more, why) in [
        (data(1, END, b"more"), "unasked: DATA on a stream that has ended"),
        (ok(1, END), "unasked: HEADERS on a stream that has ended"),
    ] {
        let (told, then) = wrong(&ended(more));
        assert_eq!((failure(&told), then), (why, Then::Breaks));
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
        (vec![head(1, 0, &[(":status", "200"), ("content-length", "1001")])], "a body over the limit"),
        (vec![head(1, END, &[(":status", "101")])], "status 101, which HTTP/2 does not have"),
        (vec![head(1, END, &[(":status", "103")])], "an interim answer that is the last"),
        (vec![head(1, 0, &[(":status", "100")]); 4], "interim answers without end"),
        (vec![ok(1, 0), ok(1, 0)], "a pseudo-field behind other fields or in trailers"),
        (vec![ok(1, 0), head(1, 0, &[("x", "y")])], "a second head"),
        (vec![ok(1, 0), data(1, 0, &[b'x'; 600]), data(1, END, &[b'x'; 600])], "a body over the limit"),
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
        ["0 begins", "0 failed: a body over the limit", "1 begins", "1 ends: 200 \"b\""]
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
        while client.gets(&frame) != Then::Breaks {
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
fn what_goes_on_about_a_stream_given_up_is_bounded_and_no_other_request_is_to_blame() {
    let block = data(1, 0, &[b'x'; 16_000]);
    for (frame, at_least) in [(block, 1_000), (head(1, 0, &[(":status", "103")]), 5_000)] {
        let mut client = Client::with(2);
        client.gets(&[ok(1, 0), data(1, 0, &[b'x'; 1_001])].concat());
        assert_eq!(client.told(), ["0 begins", "0 failed: a body over the limit"]);
        let mut count = 0;
        while client.gets(&frame) != Then::Breaks {
            count += 1;
            assert!(count < 20_000);
        }
        assert!(count > at_least, "{count}");
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
    assert_eq!(client.told(), ["0 begins", "0 failed: a head over the limit"]);
    let mut bomb = vec![0x88];
    write::kept("x", &[b'~'; 1000], &mut bomb);
    bomb.extend([0xbe; 100]);
    let (told, then) = wrong(&[framed(kind::HEADERS, 4, 1, &bomb)]);
    assert_eq!((failure(&told), then), ("a head over the limit", Then::Breaks));
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
