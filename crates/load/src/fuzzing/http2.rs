use super::told::{End, LIMITS, MOST_HELD, SETTINGS, Told, mix};
use crate::mix::{Drawn, Mix};
use crate::protocol::http2::{Http2, Shared};
use crate::protocol::{AtEnd, Session, Then};
use crate::request::Protocol;

/// What may be said to each byte that came, beside requests: an acknowledgement of 17 bytes to a frame of 17, a reset of 13 to one
/// of 9.
const MOST_SAID_EACH: usize = 2;

/// A server's bytes, read whole and in pieces.
///
/// The first byte says how many requests are in flight, whether they are `HEAD` and how long their bodies are; the second whether
/// SETTINGS come before the rest; the rest is the stream.
pub fn http2_session(data: &[u8]) {
    let [first, second, stream @ ..] = data else { return };
    let body_bytes = [0, 10, 70_000, 200_000][usize::from(first >> 4 & 3)];
    let method = if first & 0x40 != 0 { "HEAD" } else { "POST" };
    let body = (body_bytes > 0).then(|| vec![b'b'; body_bytes]);
    let mix = mix(Protocol::Http2 { is_https: false }, method, "/path", body);
    let requests = usize::from(first & 7) + 1;
    let stream = if second & 1 == 0 { [&SETTINGS[..], stream].concat() } else { stream.to_vec() };
    let whole = read(&mix, requests, &stream, usize::MAX);
    for length in [1, 7, usize::from(*second) + 1] {
        assert_eq!(read(&mix, requests, &stream, length), whole, "in pieces of {length}");
    }
}

/// Reads a stream in pieces; what was told, what was said beside requests, and how it ended.
fn read(mix: &Mix, requests: usize, stream: &[u8], length: usize) -> (Vec<End>, Vec<u8>, Option<Then>) {
    let mut session = Http2::default();
    let mut shared = Shared::from(LIMITS);
    let (mut told, mut said, mut asked) =
        (Told::new(|head| format!("{} {:?}", head.status, head.content_type)), Vec::new(), Vec::new());
    session.open(&mut asked);
    for _ in 0..requests {
        told.in_flight.push(session.append(mix, &Drawn::default(), &mut asked).0);
    }
    let mut last = None;
    for piece in stream.chunks(length) {
        let then = session.receive(piece, false, &mut shared, &mut said, &mut told);
        assert!(session.held_bytes() <= MOST_HELD, "{} bytes are held", session.held_bytes());
        match then {
            Then::Goes => {}
            Then::Ends => assert_ne!(session.takes_more(10), 10),
            Then::IsOver => assert!(told.in_flight.is_empty() && session.oldest().is_none()),
            Then::Breaks | Then::IsGivenUp => {}
            Then::TimedOut => unreachable!("HTTP/2 says so with GOAWAY"),
        }
        if matches!(then, Then::Breaks | Then::IsGivenUp | Then::IsOver) {
            last = Some(then);
            break;
        }
    }
    assert!(
        said.len() <= MOST_SAID_EACH * stream.len() + requests * 220_000,
        "{} bytes said to {}",
        said.len(),
        stream.len()
    );
    while let Some((id, end)) = session.end_oldest() {
        let how = if matches!(end, AtEnd::Truncated) { "truncated" } else { "nothing" };
        told.ended(id, how.to_owned(), &[]);
    }
    assert!(told.in_flight.is_empty(), "each request has an end");
    (told.ends, said, last)
}
