//! What each fault of gRPC puts on the wire.

use super::fault::Fault;
use super::reply::{Reply, Then};
use super::truth::Fate;
use super::wire::{DATA, END_STREAM, REFUSED_STREAM, block, frame, head, last_data, reset};

/// What the server speaks, for clients that want to read it: whatever is asked, it answers `win: true`.
pub const PROTO: &str = "syntax = \"proto3\";
package faults;

service Faults {
  rpc Ask(Question) returns (Answer);
}

message Question {
  string text = 1;
}

message Answer {
  bool win = 1;
  uint32 number = 2;
}
";

/// `win: true`, and another answer of the same length.
const MESSAGE: &[u8] = &[0x08, 1];
const WRONG_MESSAGE: &[u8] = &[0x10, 1];

const OK: &[(&str, &str)] = &[("grpc-status", "0")];
/// The code of calls that are answered with another status than OK, in `NOT_FOUND`.
pub const GRPC_STATUS: u16 = 5;
const NOT_FOUND: &[(&str, &str)] = &[("grpc-status", "5"), ("grpc-message", "nothing is there")];

/// A message behind its prefix, which may lie.
fn message(flag: u8, length: u32, bytes: &[u8]) -> Vec<u8> {
    [&[flag][..], &length.to_be_bytes(), bytes].concat()
}

fn plain(bytes: &[u8]) -> Vec<u8> {
    message(0, bytes.len() as u32, bytes)
}

/// Head, messages and trailers.
fn answer(stream: u32, content_type: &str, messages: &[u8], trailers: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = head(stream, 0, &block(&[(":status", "200"), ("content-type", content_type)]));
    if !messages.is_empty() {
        bytes.extend(frame(DATA, 0, stream, messages));
    }
    bytes.extend(head(stream, END_STREAM, &block(trailers)));
    bytes
}

/// The reply to a call, the `number`th of all.
pub(super) fn reply(fault: Fault, stream: u32, number: u64) -> Reply {
    const TYPE: &str = "application/grpc";
    let head_200 = || head(stream, 0, &block(&[(":status", "200"), ("content-type", TYPE)]));
    let whole = |bytes, fate| Reply::Whole { bytes, fate, status: Some(200), then: Then::Stays };
    let wrong = |messages: &[u8], trailers| whole(answer(stream, TYPE, messages, trailers), Fate::Malformed);
    let strikes = fault.strikes(number);
    match fault {
        Fault::GrpcTrailersOnly => {
            let fields = [&[(":status", "200"), ("content-type", TYPE)], NOT_FOUND].concat();
            whole(head(stream, END_STREAM, &block(&fields)), Fate::OtherStatus)
        }
        Fault::GrpcStatusInTrailers if strikes => {
            whole(answer(stream, TYPE, &plain(MESSAGE), NOT_FOUND), Fate::OtherStatus)
        }
        Fault::GrpcNoTrailers => {
            whole([head_200(), last_data(stream, &plain(MESSAGE))].concat(), Fate::Malformed)
        }
        Fault::GrpcNoStatus => wrong(&plain(MESSAGE), &[("x-trailer", "a")]),
        Fault::GrpcStatusIsNoNumber => wrong(&plain(MESSAGE), &[("grpc-status", "fine")]),
        Fault::GrpcLengthLies => wrong(&message(0, 100, MESSAGE), OK),
        Fault::GrpcCompressedFlag => wrong(&message(1, MESSAGE.len() as u32, MESSAGE), OK),
        Fault::GrpcWrongContentType => {
            whole(answer(stream, "text/html", &plain(MESSAGE), OK), Fate::Malformed)
        }
        Fault::GrpcTwoMessages => wrong(&[plain(MESSAGE), plain(MESSAGE)].concat(), OK),
        Fault::GrpcNoMessage => wrong(b"", OK),
        Fault::GrpcWrongMessage if strikes => {
            whole(answer(stream, TYPE, &plain(WRONG_MESSAGE), OK), Fate::WrongBody)
        }
        Fault::GrpcHttpError => {
            let fields = [(":status", "503"), ("content-type", "text/html")];
            let bytes = [head(stream, 0, &block(&fields)), last_data(stream, b"<p>later</p>")].concat();
            Reply::Whole { bytes, fate: Fate::OtherStatus, status: Some(503), then: Then::Stays }
        }
        Fault::GrpcStalls => {
            let bytes = [head_200(), frame(DATA, 0, stream, &plain(MESSAGE))].concat();
            Reply::Whole { bytes, fate: Fate::Unanswered, status: None, then: Then::Stays }
        }
        Fault::GrpcRefuses if strikes => Reply::Whole {
            bytes: reset(stream, REFUSED_STREAM),
            fate: Fate::Refused,
            status: None,
            then: Then::Stays,
        },
        _ => whole(answer(stream, TYPE, &plain(MESSAGE), OK), Fate::Correct),
    }
}
