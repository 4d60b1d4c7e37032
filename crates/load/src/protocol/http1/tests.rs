use super::head::*;
use super::*;
use crate::protocol::{AtEnd, Limits};
use proptest::prelude::*;

#[derive(Debug, PartialEq, Eq, Clone)]
enum Got {
    Answer(u16, Option<String>, bool, Vec<u8>),
    Malformed,
}

/// Feeds a stream in pieces and collects all that comes out, the end of the connection included.
fn read(stream: &[u8], pieces: usize, head: bool) -> (Vec<Got>, &'static str) {
    read_as(stream, pieces, head, true)
}

/// The same where bodies may not be kept.
fn read_as(stream: &[u8], pieces: usize, head: bool, keeps_body: bool) -> (Vec<Got>, &'static str) {
    let limits = Limits { head_bytes: 300, body_bytes: 500, interim: 2 };
    let (mut reader, mut cache, mut got) = (Reader::default(), HeadCache::default(), Vec::new());
    for piece in stream.chunks(pieces.max(1)) {
        let mut at = 0;
        while at < piece.len() {
            let (taken, answer) = reader.feed(&piece[at..], head, keeps_body, &mut cache, &limits);
            match answer {
                Answer::Incomplete => assert_eq!(taken, piece.len() - at, "takes all or answers"),
                Answer::Whole { head, body, keeps_alive } => {
                    let body = body.to_vec();
                    got.push(Got::Answer(head.status, head.content_type.clone(), keeps_alive, body));
                }
                Answer::Malformed(_) => {
                    got.push(Got::Malformed);
                    return (got, "malformed");
                }
            }
            at += taken;
        }
    }
    let end = match reader.at_end() {
        AtEnd::Nothing => "nothing",
        AtEnd::Truncated => "truncated",
        AtEnd::Whole { head, body } => {
            let body = body.to_vec();
            got.push(Got::Answer(head.status, head.content_type.clone(), reader.keeps_alive(), body));
            "whole"
        }
    };
    (got, end)
}

fn ok(status: u16, keep_alive: bool, body: &str) -> Got {
    Got::Answer(status, None, keep_alive, body.as_bytes().to_vec())
}

#[test]
fn every_framing_in_pieces_of_every_size() {
    let cases: &[(&str, bool, Vec<Got>, &str)] = &[
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\ncd",
            false,
            vec![ok(200, true, "ab"), ok(200, true, "cd")],
            "nothing",
        ),
        ("HTTP/1.1 204 No Content\r\n\r\n", false, vec![ok(204, true, "")], "nothing"),
        ("HTTP/1.1 304 x\r\nContent-Length: 9\r\n\r\n", false, vec![ok(304, true, "")], "nothing"),
        ("HTTP/1.1 200 x\r\nContent-Length: 9\r\n\r\n", true, vec![ok(200, true, "")], "nothing"),
        (
            "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: u\r\n\r\n",
            false,
            vec![ok(200, true, "abc")],
            "nothing",
        ),
        (
            "HTTP/1.1 200 x\r\nTransfer-Encoding: , Chunked ,\r\nContent-Length: 1\r\n\r\n1\r\na\r\n0\r\n\r\n",
            false,
            vec![ok(200, true, "a")],
            "nothing",
        ),
        (
            "HTTP/1.0 200 x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            false,
            vec![ok(200, false, "")],
            "nothing",
        ),
        ("HTTP/1.1 200 x\r\nTransfer-Encoding: gzip\r\n\r\n", true, vec![ok(200, true, "")], "nothing"),
        ("HTTP/1.0 200 x\r\n\r\nuntil the end", false, vec![ok(200, false, "until the end")], "whole"),
        (
            "HTTP/1.0 200 x\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx",
            false,
            vec![ok(200, true, "x")],
            "nothing",
        ),
        (
            "HTTP/1.1 200 x\r\nConnection: foo, close\r\nContent-Length: 0\r\n\r\n",
            false,
            vec![ok(200, false, "")],
            "nothing",
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\ny",
            false,
            vec![ok(200, true, "y")],
            "nothing",
        ),
        ("HTTP/1.1 200 x\r\nContent-Length: 5\r\n\r\nabc", false, vec![], "truncated"),
        ("HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", false, vec![], "truncated"),
        ("HTTP/1.1 200 x\r\nConte", false, vec![], "truncated"),
        ("", false, vec![], "nothing"),
        ("HTTP/1.1 100 Continue\r\n\r\n", false, vec![], "truncated"),
        ("hello", false, vec![Got::Malformed], "malformed"),
        ("HTTP/1.1 abc\r\n\r\n", false, vec![Got::Malformed], "malformed"),
        ("HTTP/1.1 200 x\r\nContent-Length: -1\r\n\r\n", false, vec![Got::Malformed], "malformed"),
        (
            "HTTP/1.1 200 x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            false,
            vec![Got::Malformed],
            "malformed",
        ),
        ("HTTP/1.1 200 x\r\nContent-Length: 501\r\n\r\n", false, vec![Got::Malformed], "malformed"),
        ("HTTP/1.1 200 x\nContent-Length: 0\n\n", false, vec![Got::Malformed], "malformed"),
        ("HTTP/1.1 200 x\r\nContent-Length: 0\n\r\n", false, vec![Got::Malformed], "malformed"),
        ("HTTP/1.1 200 x\r\nContent-Length: 0\r\n\n", false, vec![Got::Malformed], "malformed"),
        ("HTTP/1.1 200 x\rContent-Length: 0\r\r", false, vec![Got::Malformed], "malformed"),
        ("HTTP/1.1 200 x\r\nTransfer-Encoding: gzip\r\n\r\n", false, vec![Got::Malformed], "malformed"),
        (
            "HTTP/1.1 200 x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            false,
            vec![Got::Malformed],
            "malformed",
        ),
        (
            "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            false,
            vec![Got::Malformed],
            "malformed",
        ),
        ("HTTP/1.1 200 x\r\nTransfer-Encoding:\r\n\r\n", false, vec![Got::Malformed], "malformed"),
        ("HTTP/1.1 200 x\r\nTransfer-Encoding: identity\r\n\r\n", false, vec![Got::Malformed], "malformed"),
        (
            "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: u\n\r\n",
            false,
            vec![Got::Malformed],
            "malformed",
        ),
        (
            "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\n",
            false,
            vec![Got::Malformed],
            "malformed",
        ),
    ];
    for (stream, head, answers, end) in cases {
        for pieces in 1..=stream.len().max(1) {
            assert_eq!(
                read(stream.as_bytes(), pieces, *head),
                (answers.clone(), *end),
                "{stream:?} in pieces of {pieces}"
            );
        }
    }
}

#[test]
fn nothing_grows_without_end() {
    let endless_head = [b"HTTP/1.1 200 OK\r\nX: ".as_slice(), &[b'a'; 1000]].concat();
    let endless_body = [b"HTTP/1.0 200 OK\r\n\r\n".as_slice(), &[b'a'; 1000]].concat();
    let hints = b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(4);
    for stream in [endless_head, endless_body, hints] {
        for pieces in [1, 7, 5000] {
            assert_eq!(read(&stream, pieces, false).1, "malformed");
        }
    }
}

/// Why the bytes are no answer.
fn why_malformed(stream: &[u8]) -> &'static str {
    let limits = Limits { head_bytes: 64 << 10, body_bytes: 500, interim: 2 };
    match Reader::default().feed(stream, false, true, &mut HeadCache::default(), &limits).1 {
        Answer::Malformed(why) => why,
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn a_head_may_have_as_many_fields_as_fit_its_limit() {
    let fields: String = (0..5000).map(|n| format!("A: {n}\r\n")).collect();
    let head = parse_head(format!("HTTP/1.1 200 OK\r\n{fields}Last: \tyes\r\n\r\n").as_bytes()).unwrap().head;
    assert_eq!(head.header("a").count(), 5000);
    assert_eq!(head.header("last").collect::<Vec<_>>(), [b"yes"]);
    // What is wrong behind them is found all the same.
    assert_eq!(
        why_malformed(format!("HTTP/1.1 200 OK\r\n{fields}no colon\r\n\r\n").as_bytes()),
        "a header field without a well-formed name and a colon"
    );
}

#[test]
fn a_folded_field_is_one_field() {
    let many = "B: 1\r\n".repeat(200);
    for fields in ["", &many] {
        let text = format!(
            "HTTP/1.1 200 OK\r\n{fields}A: 1,\r\n  2\r\n\t3\r\nContent-Length:\r\n 2\r\nLast: 4\r\n \r\n\r\n"
        );
        let FramedHead { head, framing, .. } = parse_head(text.as_bytes()).unwrap();
        assert_eq!(framing, Framing::Length(2));
        assert_eq!(head.header("a").collect::<Vec<_>>(), [b"1,    2  \t3"]);
        assert_eq!(head.header("last").collect::<Vec<_>>(), [b"4"]);
    }
    // Behind the status line there is no field that could go on.
    for text in ["HTTP/1.1 200 OK\r\n A: 1\r\n\r\n", "HTTP/1.1 200 OK\r\n A: 1\r\nB: 2\r\n 3\r\n\r\n"] {
        assert_eq!(why_malformed(text.as_bytes()), "a header field without a well-formed name and a colon");
    }
}

#[test]
fn what_is_wrong_with_an_answer_is_named() {
    let cases = [
        ("HTTP/1.1 2x0 OK\r\n\r\n", "a malformed status line"),
        ("HTTP/1.9 200 OK\r\n\r\n", "a version other than HTTP/1.0 and HTTP/1.1"),
        ("HTTP/1.1 200 OK\r\nA B: 1\r\n\r\n", "a header field without a well-formed name and a colon"),
        ("HTTP/1.1 200 OK\r\nA: \x01\r\n\r\n", "a header field with a control character in its value"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 501\r\n\r\n",
            "a body over the limit, which velo load's --limit-body sets",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1f5\r\n",
            "a body over the limit, which velo load's --limit-body sets",
        ),
    ];
    for (text, why) in cases {
        let padding = "x".repeat(if text.ends_with("1f5\r\n") { 501 } else { 0 });
        assert_eq!(why_malformed(format!("{text}{padding}").as_bytes()), why, "{text:?}");
    }
    let endless = "x".repeat(70_000);
    assert_eq!(
        why_malformed(format!("HTTP/1.1 200 OK\r\nA: {endless}").as_bytes()),
        "a head over the limit, which velo load's --limit-head sets"
    );
    assert_eq!(
        why_malformed(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;{endless}").as_bytes()),
        "chunk extensions or trailers over the limit, which velo load's --limit-head sets"
    );
}

#[test]
fn content_types_are_compared_without_parameters() {
    let (got, _) = read(
        b"HTTP/1.1 200 x\r\ncontent-type: Application/JSON; charset=utf-8\r\ncontent-length: 0\r\n\r\n",
        9,
        false,
    );
    assert_eq!(got, [Got::Answer(200, Some("application/json".into()), true, vec![])]);
}

#[test]
fn fields_are_found_by_name_in_any_case() {
    let head =
        parse_head(b"HTTP/1.1 200 a: b\r\nA:1\r\nB-a: x\r\na: \t2:3 \nAb: 4\r\nB:\r\n\r\n").unwrap().head;
    let values = |name| head.header(name).collect::<Vec<_>>();
    assert_eq!(values("a"), [b"1".as_slice(), b"2:3"]);
    assert_eq!(values("b"), [b"".as_slice()]);
    assert_eq!(values("AB"), [b"4"]);
    assert!(values("HTTP/1.1 200 a").is_empty() && values("c").is_empty() && values("").is_empty());
}

#[test]
fn a_body_that_nobody_wants_is_counted_and_not_held() {
    let limits = Limits { body_bytes: 1_000_000, ..Limits::default() };
    let chunked = format!("{:x}\r\n{}\r\n", 50_000, "x".repeat(50_000));
    let cases = [
        ("Content-Length: 1000000", "x".repeat(1_000_000), true),
        ("Transfer-Encoding: chunked", format!("{}0\r\n\r\n", chunked.repeat(20)), true),
        ("Connection: close", "x".repeat(1_000_000), false),
        ("Transfer-Encoding: chunked", format!("{}1\r\nx\r\n0\r\n\r\n", chunked.repeat(20)), false),
        ("Connection: close", "x".repeat(1_000_001), false),
    ];
    for (field, body, is_whole) in cases {
        let text = format!("HTTP/1.1 200 OK\r\n{field}\r\n\r\n{body}");
        let (mut reader, mut cache) = (Reader::default(), HeadCache::default());
        let mut answers = Vec::new();
        for piece in text.as_bytes().chunks(10_000) {
            match reader.feed(piece, false, false, &mut cache, &limits).1 {
                Answer::Incomplete => {}
                Answer::Whole { head, .. } => answers.push(head.status),
                Answer::Malformed(why) => {
                    assert!(why.starts_with("a body over the limit"), "{why}");
                    answers.push(0);
                }
            }
            assert!(reader.room_bytes() < 20_000, "{field}: {} bytes", reader.room_bytes());
        }
        match (is_whole, body.len()) {
            (true, _) => assert_eq!(answers, [200]),
            (false, 1_000_000) => assert!(matches!(reader.at_end(), AtEnd::Whole { .. })),
            (false, _) => assert_eq!(answers, [0]),
        }
    }
}

proptest! {
    #[test]
    fn fields_are_those_that_the_parser_found(lines in proptest::collection::vec(
        ("[aB]{1,2}", "[ -~\t\u{80}-\u{ff}]{0,8}"), 0..6,
    )) {
        let mut text = "HTTP/1.1 200 OK: a\r\n".to_owned();
        for (name, value) in &lines {
            text.push_str(&format!("{name}:{value}\r\n"));
        }
        text.push_str("\r\n");
        let head = parse_head(text.as_bytes()).unwrap().head;
        let mut fields = [httparse::EMPTY_HEADER; 8];
        let mut response = httparse::Response::new(&mut fields);
        prop_assert!(response.parse(text.as_bytes()).unwrap().is_complete());
        for name in ["a", "b", "AA", "Ab", "Ba", "bb"] {
            let found: Vec<&[u8]> = response
                .headers
                .iter()
                .filter(|field| field.name.eq_ignore_ascii_case(name))
                .map(|field| field.value)
                .collect();
            prop_assert_eq!(head.header(name).collect::<Vec<_>>(), found);
        }
    }

    #[test]
    fn a_head_ends_where_a_plain_search_finds_its_empty_line(
        lines in proptest::collection::vec(("[a-z\r\n]{0,4}", "(\r\n|\r\n|\r\n|\n|\r)"), 0..8),
        searched in 0usize..40,
    ) {
        let text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        let whole = text.replace("\r\n", "  ");
        let end = text.find("\r\n\r\n").map(|at| at + 4);
        let bare = whole.find(['\r', '\n']).filter(|&at| {
            // The last byte may be a CR whose LF is still to come; what is behind the head is not looked at.
            end.is_none_or(|end| at < end) && (text.as_bytes()[at] == b'\n' || at + 1 < text.len())
        });
        let wanted = if bare.is_some() { None } else { Some(end) };
        let found = head_end(text.as_bytes(), 0);
        prop_assert_eq!(found.ok(), wanted);
        // In two pieces it is the same.
        let searched = searched.min(text.len());
        if let Ok(None) = head_end(&text.as_bytes()[..searched], 0) {
            prop_assert_eq!(head_end(text.as_bytes(), searched).ok(), wanted);
        }
    }

    #[test]
    fn any_bytes_are_read_alike_in_pieces_of_any_size(
        mut stream in proptest::collection::vec(any::<u8>(), 0..200),
        pieces in 1usize..50,
        prefix in 0usize..4,
    ) {
        let starts: [&[u8]; 4] = [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"];
        stream.splice(0..0, starts[prefix].iter().copied());
        let (answers, end) = read(&stream, stream.len(), false);
        prop_assert_eq!(read(&stream, pieces, false), (answers.clone(), end));
        // Without its body an answer is the same.
        let (counted, counted_end) = read_as(&stream, pieces, false, false);
        let heads = |answers: Vec<Got>| -> Vec<Got> {
            let without_body = |answer| match answer {
                Got::Answer(status, media, keep_alive, _) => Got::Answer(status, media, keep_alive, Vec::new()),
                Got::Malformed => Got::Malformed,
            };
            answers.into_iter().map(without_body).collect()
        };
        prop_assert_eq!((heads(counted), counted_end), (heads(answers), end));
    }
}
