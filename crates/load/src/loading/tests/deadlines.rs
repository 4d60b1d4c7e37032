//! When requests end that are not answered: soon after their time is over, and never before.

use super::*;
use crate::hpack::write;
use crate::loading::TIMEOUT_GRAIN_NS;
use crate::mix::testing::post;
use crate::protocol::grpc::Grpc;
use crate::protocol::http2;
use crate::request::{Calls, Protocol};

const PREFACE_BYTES: usize = 24;
const HEADER_BYTES: usize = 9;
const SETTINGS: [u8; HEADER_BYTES] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const HEADERS: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const RST_STREAM: u8 = 3;
const PRIORITY: u8 = 2;
const CANCEL: [u8; 4] = [0, 0, 0, 8];

/// A server of HTTP/2 that says how it wants to be talked to, and nothing more; what it was sent.
fn silent() -> (Scripted, Rc<RefCell<Vec<u8>>>) {
    let got = Rc::new(RefCell::new(Vec::new()));
    let bytes = Rc::clone(&got);
    let mut driver = Scripted::new(move |request: Request<'_>| {
        bytes.borrow_mut().extend_from_slice(request.bytes);
        Vec::new()
    });
    driver.greeting = Some(SETTINGS.to_vec());
    (driver, got)
}

/// How many streams of the one connection were cancelled.
fn cancelled(got: &[u8]) -> u64 {
    let (mut count, mut rest) = (0, &got[PREFACE_BYTES..]);
    while let Some((header, tail)) = rest.split_first_chunk::<HEADER_BYTES>() {
        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize;
        count += u64::from(header[3] == RST_STREAM && tail[..length] == CANCEL);
        rest = &tail[length..];
    }
    count
}

/// A server that answers each call so much later with these frames, on the call's stream.
fn late(after_ns: u64, frames: Vec<(u8, u8, Vec<u8>)>) -> Scripted {
    let mut driver = Scripted::new(move |request: Request<'_>| {
        let mut rest =
            request.bytes.strip_prefix(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap_or(request.bytes);
        let mut said = Vec::new();
        while let Some((header, tail)) = rest.split_first_chunk::<HEADER_BYTES>() {
            if header[3] == HEADERS {
                for (kind, flags, payload) in &frames {
                    let length = (payload.len() as u32).to_be_bytes();
                    let bytes = [&length[1..], &[*kind, *flags], &header[5..], payload].concat();
                    said.push((request.at_ns + after_ns, Said::Bytes(bytes)));
                }
            }
            rest = &tail[u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize..];
        }
        said
    });
    driver.greeting = Some(SETTINGS.to_vec());
    driver
}

/// A head that is all there is.
fn status(code: &str) -> (u8, u8, Vec<u8>) {
    let fields = [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", code)];
    let mut block = Vec::new();
    fields.iter().for_each(|(name, value)| write::not_kept(name, value.as_bytes(), &mut block));
    (HEADERS, END_HEADERS | END_STREAM, block)
}

/// Calls on one connection; the tally with each call's span.
fn calls<const STREAMS: bool>(driver: &mut Scripted, order: WindowOrder) -> WorkerReport {
    calls_with::<STREAMS>(driver, Calls::default(), order)
}

fn calls_with<const STREAMS: bool>(driver: &mut Scripted, calls: Calls, order: WindowOrder) -> WorkerReport {
    let calls = Calls { streams: STREAMS, ..calls };
    let mix = Mix::for_protocol(vec![post("body", vec![])], Order::InOrder, "h:1", Protocol::Grpc(calls));
    let mut known = known_with::<Grpc<STREAMS>>(mix.unwrap(), http2::Shared::default());
    let mut connections = vec![Connection::<Grpc<STREAMS>>::default()];
    driver.reserve(1).unwrap();
    // Only bursts tell when each request began and ended.
    let order = WindowOrder { is_burst: true, ..order };
    Loading::new(driver, &mut connections, &mut known, &order).run(None, &AtomicBool::new(false))
}

#[test]
fn a_call_that_is_not_answered_ends_at_its_deadline() {
    for deadline_ns in [MS, 20 * MS, 49 * MS, 50 * MS, 51 * MS, 137 * MS, S, 7 * S + 1] {
        let (mut driver, got) = silent();
        let order = WindowOrder {
            pipelining: 4,
            most_requests: 4,
            timeout_ns: deadline_ns,
            ..order(1, closed(), u64::MAX)
        };
        let tally = calls::<false>(&mut driver, order).tally;
        assert_eq!((tally.outcomes.timeout, tally.outcomes.requests()), (4, 4), "{:?}", tally.outcomes);
        let ends: Vec<u64> = tally.spans.iter().map(|span| span.done_ns - span.sent_ns).collect();
        let in_time = deadline_ns..=deadline_ns + TIMEOUT_GRAIN_NS;
        assert!(ends.len() == 4 && ends.iter().all(|end| in_time.contains(end)), "{deadline_ns}: {ends:?}");
        assert_eq!(cancelled(&got.borrow()), 4, "the server is told");
        assert_eq!(
            (tally.reconnects, &tally.wrong_examples[..]),
            (0, &["no byte of an answer in time".into()][..])
        );
    }
}

#[test]
fn deadlines_of_calls_that_begin_at_any_time_are_met() {
    for (deadline_ns, per_s) in [(30 * MS, 97.0), (50 * MS, 333.0), (333 * MS, 97.0), (S, 1_009.0)] {
        let (mut driver, got) = silent();
        let order = WindowOrder {
            pipelining: 10_000,
            most_requests: 150,
            timeout_ns: deadline_ns,
            ..order(1, even(per_s), u64::MAX)
        };
        let tally = calls::<true>(&mut driver, order).tally;
        assert_eq!((tally.outcomes.timeout, tally.outcomes.requests()), (150, 150), "{:?}", tally.outcomes);
        assert_eq!((tally.spans.len(), cancelled(&got.borrow())), (150, 150));
        for span in &tally.spans {
            let late_ns =
                (span.done_ns - span.sent_ns).checked_sub(deadline_ns).expect("not before its time");
            assert!(late_ns <= TIMEOUT_GRAIN_NS, "{late_ns} ns after {deadline_ns} ns, at {per_s}/s");
        }
    }
}

#[test]
fn a_call_that_the_server_ends_at_its_deadline_is_a_timeout_as_one_that_is_given_up_here() {
    const DEADLINE_NS: u64 = 100 * MS;
    let (early, just, half) = (DEADLINE_NS - 2 * MS, DEADLINE_NS + MS / 2, DEADLINE_NS / 2);
    let reset = || (RST_STREAM, 0, CANCEL.to_vec());
    // As Debian's gRPC for C++ has it: the deadline's own end, and its handler's behind it.
    let twice = || vec![status("4"), (RST_STREAM, 0, vec![0; 4]), status("1"), (RST_STREAM, 0, vec![0; 4])];
    // Timeouts, other statuses, streams that the server ended.
    let cases = [
        (early, vec![status("4")], true, (8, 0, 0)),
        (just, vec![status("4")], true, (8, 0, 0)),
        (just, vec![status("1")], true, (8, 0, 0)),
        (early, twice(), true, (8, 0, 0)),
        (early, vec![reset()], true, (8, 0, 0)),
        (half, vec![status("4")], true, (0, 8, 0)),
        (half, twice(), true, (0, 8, 0)),
        (early, vec![status("5")], true, (0, 8, 0)),
        (half, vec![reset()], true, (0, 0, 8)),
        // The server was told of no end.
        (early, vec![status("4")], false, (0, 8, 0)),
        (early, vec![reset()], false, (0, 0, 8)),
    ];
    for (after_ns, frames, is_told, expected) in cases {
        for streams in [false, true] {
            let mut driver = late(after_ns, frames.clone());
            let order = WindowOrder {
                pipelining: 4,
                most_requests: 8,
                timeout_ns: DEADLINE_NS,
                ..order(1, closed(), u64::MAX)
            };
            let told = Calls { deadline_ns: is_told.then_some(DEADLINE_NS), ..Calls::default() };
            let tally = if streams {
                calls_with::<true>(&mut driver, told, order).tally
            } else {
                calls_with::<false>(&mut driver, told, order).tally
            };
            let outcomes = &tally.outcomes;
            let counted = (outcomes.timeout, outcomes.http_error, outcomes.closed_by_server);
            assert_eq!((counted, outcomes.requests()), (expected, 8), "{frames:?} after {after_ns} ns");
            assert_eq!(tally.reconnects, 0, "{frames:?}: one stream ends, and no connection");
        }
    }
}

#[test]
fn calls_on_a_connection_that_is_given_up_here_are_not_closed_by_the_server() {
    // More than is read for nothing.
    let mut driver = late(MS, vec![(PRIORITY, 0, vec![0; 5]); 11_000]);
    let order = WindowOrder { pipelining: 4, most_requests: 4, ..order(1, closed(), u64::MAX) };
    let tally = calls::<false>(&mut driver, order).tally;
    let outcomes = &tally.outcomes;
    assert_eq!((outcomes.wrong_answer, outcomes.timeout, outcomes.requests()), (1, 3, 4), "{outcomes:?}");
    let examples = tally.wrong_examples.join("\n");
    assert!(
        examples.contains("PRIORITY without end") && examples.contains("given up with a connection"),
        "{examples}"
    );
}

#[test]
fn looking_at_deadlines_costs_no_wait_where_answers_come() {
    let waits = |timeout_ns| {
        let mut driver = after(10 * MS);
        let order = WindowOrder { timeout_ns, most_requests: 1_000, ..order(1, closed(), u64::MAX) };
        assert_eq!(run(&mut driver, &order).tally.outcomes.correct, 1_000);
        driver.waits
    };
    assert_eq!(waits(100 * MS), waits(100 * S));
}
