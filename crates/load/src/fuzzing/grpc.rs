use super::told::{End, LIMITS, MOST_HELD, Message, SETTINGS, Told, mix};
use crate::mix::{Drawn, Mix};
use crate::protocol::grpc::Grpc;
use crate::protocol::http2::Shared;
use crate::protocol::{AtEnd, GrpcStatus, Session, Then};
use crate::request::{Calls, Protocol};

/// A server's bytes behind its SETTINGS, read whole and in pieces.
///
/// The first byte says how many calls are in flight, whether answers are streams and whether they may be packed; the rest is the
/// stream.
pub fn grpc_session(data: &[u8]) {
    let [first, stream @ ..] = data else { return };
    let calls = Calls {
        is_https: false,
        streams: first & 0x10 != 0,
        messages: None,
        takes_gzip: first & 0x20 != 0,
        deadline_ns: None,
    };
    let mix = mix(Protocol::Grpc(calls), "POST", "/s/m", Some(vec![0; 5]));
    let requests = usize::from(first & 7) + 1;
    let stream = [&SETTINGS[..], stream].concat();
    let read = |length| match calls.streams {
        true => read::<true>(&mix, requests, &stream, length),
        false => read::<false>(&mix, requests, &stream, length),
    };
    let whole = read(usize::MAX);
    for length in [1, 7, usize::from(*first) + 1] {
        assert_eq!(read(length), whole, "in pieces of {length}");
    }
}

fn read<const STREAMS: bool>(
    mix: &Mix,
    requests: usize,
    stream: &[u8],
    length: usize,
) -> (Vec<End>, Vec<Message>, Option<Then>) {
    let mut session = Grpc::<STREAMS>::default();
    let mut shared = Shared::from(LIMITS);
    let (mut told, mut said) = (Told::new(|head| format!("{:?}", GrpcStatus::of(head))), Vec::new());
    session.open(&mut said);
    for _ in 0..requests {
        told.in_flight.push(session.append(mix, &Drawn::default(), &mut said).0);
    }
    let mut last = None;
    for piece in stream.chunks(length) {
        let then = session.receive(piece, false, &mut shared, &mut said, &mut told);
        assert!(session.held_bytes() <= MOST_HELD, "{} bytes are held", session.held_bytes());
        if matches!(then, Then::Breaks | Then::IsGivenUp | Then::IsOver) {
            last = Some(then);
            break;
        }
    }
    while let Some((id, end)) = session.end_oldest() {
        let how = if matches!(end, AtEnd::Truncated) { "truncated" } else { "nothing" };
        told.ended(id, how.to_owned(), &[]);
    }
    assert!(told.in_flight.is_empty(), "each call has an end");
    (told.ends, told.messages, last)
}
