//! What each fault of HTTP/2 puts on the wire.

use crate::faults::{BODY, WRONG_BODY};

use super::fault::Fault;
use super::reply::{Reply, Then};
use super::truth::Fate;
use super::wire::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, INITIAL_WINDOW_SIZE, INTERNAL_ERROR,
    MAX_FRAME_SIZE, MOST_WINDOW, NO_ERROR, PADDED, PAYLOAD_BYTES, PING, PUSH_PROMISE, REFUSED_STREAM,
    SETTINGS, block, frame, go_away, head, header, last_data, push_number, push_string, reset, settings,
    window_update,
};

/// What a request is to the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) stream: u32,
    /// Of all requests, from 0.
    pub(super) number: u64,
    /// The stream that was answered before it on the connection.
    pub(super) before: Option<u32>,
    /// The largest payload that the client takes.
    pub(super) frame_bytes: usize,
}

const OK: (&str, &str) = (":status", "200");
const TYPE: (&str, &str) = ("content-type", "application/json");

/// What an answer has besides its status.
fn length() -> (&'static str, &'static str) {
    assert_eq!(BODY.len(), 13, "the length below is that of the body");
    ("content-length", "13")
}

fn plain_head() -> Vec<u8> {
    block(&[OK, TYPE, length()])
}

/// Head and body.
fn answer(stream: u32, fields: &[(&str, &str)], body: &str) -> Vec<u8> {
    [head(stream, 0, &block(fields)), last_data(stream, body.as_bytes())].concat()
}

/// The reply to a request.
#[allow(clippy::too_many_lines, reason = "a list of faults")]
pub(super) fn reply(fault: Fault, asked: &Asked) -> Reply {
    let stream = asked.stream;
    let strikes = fault.strikes(asked.number);
    let plain = || answer(stream, &[OK, TYPE, length()], BODY);
    let whole = |bytes, fate| Reply::Whole { bytes, fate, status: Some(200), then: Then::Stays };
    let correct = |parts: &[Vec<u8>]| whole(parts.concat(), Fate::Correct);
    let malformed = |parts: &[Vec<u8>]| Reply::Whole {
        bytes: parts.concat(),
        fate: Fate::Malformed,
        status: None,
        then: Then::Stays,
    };
    let doubtful = |parts: &[Vec<u8>]| whole(parts.concat(), Fate::Doubtful);
    let without = |bytes, fate, then| Reply::Whole { bytes, fate, status: None, then };
    // A block that comes where the answer's is due.
    let bad_block = |block: Vec<u8>| malformed(&[head(stream, END_STREAM, &block)]);
    let bad_fields = |fields: &[(&str, &str)]| malformed(&[answer(stream, fields, BODY)]);
    match fault {
        Fault::LongHeaderList => malformed(&[long_header_list(stream), last_data(stream, BODY.as_bytes())]),
        Fault::EndlessContinuation => Reply::Endless {
            start: frame(HEADERS, 0, stream, &plain_head()),
            block: frame(CONTINUATION, 0, stream, &block(&[("x-endless", "aaaaaaaa")]).repeat(500)),
        },
        Fault::EmptyContinuations => Reply::Endless {
            start: frame(HEADERS, 0, stream, &plain_head()),
            block: frame(CONTINUATION, 0, stream, b"").repeat(1_000),
        },
        Fault::SettingsFlood => Reply::Endless {
            start: Vec::new(),
            block: settings(&[(INITIAL_WINDOW_SIZE, 65_535)]).repeat(1_000),
        },
        Fault::PingFlood => {
            Reply::Endless { start: Vec::new(), block: frame(PING, 0, 0, &[1; 8]).repeat(1_000) }
        }
        Fault::EmptyDataFlood => Reply::Endless {
            start: head(stream, 0, &block(&[OK, TYPE])),
            block: frame(DATA, 0, stream, b"").repeat(1_000),
        },
        Fault::PaddingFlood => Reply::Endless {
            start: head(stream, 0, &block(&[OK, TYPE])),
            block: frame(DATA, PADDED, stream, &[&[255][..], &[0; 255]].concat()).repeat(50),
        },
        Fault::EndlessInterim => Reply::Endless {
            start: Vec::new(),
            block: head(stream, 0, &block(&[(":status", "103"), ("link", "</style.css>; rel=preload")]))
                .repeat(200),
        },
        Fault::EndlessBody => Reply::Endless {
            start: head(stream, 0, &block(&[OK, TYPE])),
            block: frame(DATA, 0, stream, &[b'x'; PAYLOAD_BYTES]),
        },
        Fault::FrameTooLarge => malformed(&[
            head(stream, 0, &block(&[OK, TYPE])),
            frame(DATA, END_STREAM, stream, &vec![b'x'; asked.frame_bytes + 1]),
        ]),
        Fault::ConnectionWindowOverflow => {
            malformed(&[window_update(0, MOST_WINDOW), window_update(0, MOST_WINDOW)])
        }
        Fault::StreamWindowOverflow => {
            doubtful(&[window_update(stream, MOST_WINDOW), window_update(stream, MOST_WINDOW), plain()])
        }
        Fault::InitialWindowOverflow => malformed(&[settings(&[(INITIAL_WINDOW_SIZE, MOST_WINDOW + 1)])]),
        Fault::DataBeyondLength => malformed(&[
            head(stream, 0, &plain_head()),
            last_data(stream, format!("{BODY}          ").as_bytes()),
        ]),
        Fault::DataShortOfLength => {
            malformed(&[head(stream, 0, &plain_head()), last_data(stream, &BODY.as_bytes()[..6])])
        }
        Fault::DataAfterEnd => doubtful(&[plain(), last_data(stream, b"extra")]),
        Fault::DataWithoutHead => malformed(&[last_data(stream, BODY.as_bytes())]),
        Fault::WrongBody if strikes => {
            whole(answer(stream, &[OK, TYPE, length()], WRONG_BODY), Fate::WrongBody)
        }
        Fault::DataOnUnopenedStream => malformed(&[last_data(stream + 1_000, BODY.as_bytes())]),
        Fault::HeadersOnEvenStream => malformed(&[answer(2, &[OK, TYPE, length()], BODY)]),
        Fault::HeadersOnOldStream => match asked.before {
            Some(before) => {
                without(answer(before, &[OK, TYPE, length()], BODY), Fate::Unanswered, Then::Stays)
            }
            None => correct(&[plain()]),
        },
        Fault::TwoAnswers => doubtful(&[plain(), plain()]),
        Fault::PushPromise => malformed(&[push_promise(stream), plain()]),
        Fault::InterleavedContinuation => malformed(&[
            frame(HEADERS, 0, stream, &plain_head()),
            frame(PING, 0, 0, &[2; 8]),
            frame(CONTINUATION, END_HEADERS, stream, b""),
            last_data(stream, BODY.as_bytes()),
        ]),
        Fault::ResetsEveryStream => without(reset(stream, INTERNAL_ERROR), Fate::Reset, Then::Stays),
        Fault::ResetsInBody if strikes => {
            let parts = [
                head(stream, 0, &plain_head()),
                frame(DATA, 0, stream, &BODY.as_bytes()[..6]),
                reset(stream, INTERNAL_ERROR),
            ];
            whole(parts.concat(), Fate::Truncated)
        }
        Fault::RefusesStreams if strikes => {
            without(reset(stream, REFUSED_STREAM), Fate::Refused, Then::Stays)
        }
        Fault::HpackBomb => bad_block(hpack_bomb()),
        // Nothing was ever inserted, so 62 is nobody's.
        Fault::IllegalIndex => bad_block([block(&[OK]), vec![0xbe]].concat()),
        Fault::TableTooLarge => {
            let mut update = Vec::new();
            push_number(&mut update, 0x20, 5, 200_000_000);
            bad_block([update, plain_head()].concat())
        }
        // An `a`, the three bits that fill up its byte, and eight more.
        Fault::BadPadding => bad_block([plain_head(), vec![0, 1, b'x', 0x82, 0x1f, 0xff]].concat()),
        Fault::NoStatus => bad_fields(&[TYPE, length()]),
        Fault::TwoStatuses => bad_fields(&[OK, OK, TYPE, length()]),
        Fault::UpperCaseName => bad_fields(&[OK, TYPE, length(), ("X-Upper", "a")]),
        Fault::ConnectionHeader => bad_fields(&[OK, TYPE, length(), ("connection", "keep-alive")]),
        Fault::SwitchingProtocols => {
            malformed(&[head(stream, 0, &block(&[(":status", "101"), ("x", "y")])), plain()])
        }
        Fault::Status500 if strikes => Reply::Whole {
            bytes: answer(stream, &[(":status", "500"), TYPE, length()], BODY),
            fate: Fate::OtherStatus,
            status: Some(500),
            then: Then::Stays,
        },
        Fault::InterimAnswers => correct(&[
            head(stream, 0, &block(&[(":status", "100")])),
            head(stream, 0, &block(&[(":status", "103"), ("link", "</style.css>; rel=preload")])),
            plain(),
        ]),
        Fault::Trailers => correct(&[
            head(stream, 0, &plain_head()),
            frame(DATA, 0, stream, BODY.as_bytes()),
            head(stream, END_STREAM, &block(&[("x-trailer", "a"), ("server-timing", "b;dur=1")])),
        ]),
        Fault::EmptyLastData => correct(&[in_pieces(stream)]),
        Fault::Padding => correct(&[padded(stream)]),
        Fault::UnknownFrames => correct(&[
            frame(0xb7, 0xff, stream, b"unknown"),
            settings(&[(0xf0f0, 7)]),
            frame(PING, 0, 0, b"are you?"),
            // An alternative service and an origin, which some servers send.
            frame(0xa, 0, 0, b"\0\0h2=\":443\""),
            frame(0xc, 0, 0, b""),
            plain(),
            frame(0xb7, 0, 0, b""),
            window_update(0, 1),
        ]),
        Fault::NoContent => Reply::Whole {
            bytes: head(stream, END_STREAM, &block(&[(":status", "204")])),
            fate: Fate::Correct,
            status: Some(204),
            then: Then::Stays,
        },
        Fault::SettingsOfWrongLength => malformed(&[frame(SETTINGS, 0, 0, &[0; 5])]),
        Fault::BadFrameSizeSetting => malformed(&[settings(&[(MAX_FRAME_SIZE, 16_383)])]),
        Fault::GoAwayFromZero => without(go_away(0, NO_ERROR).repeat(3), Fate::Refused, Then::Ends),
        Fault::GoAwayWithError => without(go_away(stream, INTERNAL_ERROR), Fate::Lost, Then::Ends),
        Fault::Http1Answer => {
            let bytes = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            without(bytes.to_vec(), Fate::Malformed, Then::Ends)
        }
        Fault::CutInFrame => {
            let bytes = [
                head(stream, 0, &plain_head()),
                header(BODY.len(), DATA, END_STREAM, stream).to_vec(),
                BODY.as_bytes()[..6].to_vec(),
            ];
            without(bytes.concat(), Fate::Truncated, Then::Ends)
        }
        Fault::CutBetween if strikes => without(Vec::new(), Fate::Lost, Then::Ends),
        Fault::StallsAfterHead => without(head(stream, 0, &plain_head()), Fate::Unanswered, Then::Stays),
        Fault::NeverAnswers => without(Vec::new(), Fate::Unanswered, Then::Stays),
        _ => correct(&[plain()]),
    }
}

/// How often the bomb refers to its entry.
const REFERENCES: usize = 12_000;

/// An entry that nearly fills the table, and references to it of a byte each.
fn hpack_bomb() -> Vec<u8> {
    let mut bomb = block(&[OK]);
    bomb.push(0x40);
    push_string(&mut bomb, b"x-bomb");
    push_string(&mut bomb, &[b'a'; 4_000]);
    bomb.extend([0xbe; REFERENCES]);
    bomb
}

fn long_header_list(stream: u32) -> Vec<u8> {
    let value = "v".repeat(1_000);
    let mut fields = vec![OK, TYPE];
    fields.extend((0..300).map(|_| ("x-long", value.as_str())));
    let block = block(&fields);
    let pieces: Vec<&[u8]> = block.chunks(PAYLOAD_BYTES).collect();
    let mut bytes = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        let kind = if place == 0 { HEADERS } else { CONTINUATION };
        let flags = if place + 1 == pieces.len() { END_HEADERS } else { 0 };
        bytes.extend(frame(kind, flags, stream, piece));
    }
    bytes
}

fn push_promise(stream: u32) -> Vec<u8> {
    let request =
        block(&[(":method", "GET"), (":scheme", "http"), (":authority", "x"), (":path", "/pushed")]);
    frame(PUSH_PROMISE, END_HEADERS, stream, &[&2_u32.to_be_bytes()[..], &request].concat())
}

fn in_pieces(stream: u32) -> Vec<u8> {
    let block = plain_head();
    let (first, rest) = block.split_at(5);
    let (second, third) = rest.split_at(9);
    let mut bytes = [
        frame(HEADERS, 0, stream, first),
        frame(CONTINUATION, 0, stream, second),
        frame(CONTINUATION, END_HEADERS, stream, third),
    ]
    .concat();
    for byte in BODY.as_bytes() {
        bytes.extend(frame(DATA, 0, stream, &[*byte]));
    }
    bytes.extend(frame(DATA, END_STREAM, stream, b""));
    bytes
}

/// With a priority too, which nobody heeds any more.
fn padded(stream: u32) -> Vec<u8> {
    const WITH_PRIORITY: u8 = 0x20;
    let head = [&[4, 0, 0, 0, 0, 15][..], &plain_head(), &[0; 4]].concat();
    let (first, rest) = BODY.as_bytes().split_at(1);
    let first = [&[254][..], first, &[0; 254]].concat();
    let rest = [&[200][..], rest, &[0; 200]].concat();
    [
        frame(HEADERS, END_HEADERS | PADDED | WITH_PRIORITY, stream, &head),
        frame(DATA, PADDED, stream, &first),
        frame(DATA, PADDED | END_STREAM, stream, &rest),
    ]
    .concat()
}
