//! When requests end that are not answered: soon after their time is over, and never before.

use super::*;
use crate::loading::TIMEOUT_GRAIN_NS;
use crate::mix::testing::post;
use crate::protocol::grpc::Grpc;
use crate::protocol::http2;
use crate::request::{Calls, Protocol};

const PREFACE_BYTES: usize = 24;
const HEADER_BYTES: usize = 9;
const SETTINGS: [u8; HEADER_BYTES] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const RST_STREAM: u8 = 3;
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

/// Calls on one connection; the tally with each call's span.
fn calls<const STREAMS: bool>(driver: &mut Scripted, order: WindowOrder) -> WorkerReport {
    let calls = Calls { streams: STREAMS, ..Calls::default() };
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
fn looking_at_deadlines_costs_no_wait_where_answers_come() {
    let waits = |timeout_ns| {
        let mut driver = after(10 * MS);
        let order = WindowOrder { timeout_ns, most_requests: 1_000, ..order(1, closed(), u64::MAX) };
        assert_eq!(run(&mut driver, &order).tally.outcomes.correct, 1_000);
        driver.waits
    };
    assert_eq!(waits(100 * MS), waits(100 * S));
}
