//! The loop over a protocol whose answers come in any order, and where some requests of a connection fail alone.

use proptest::prelude::*;

use super::*;
use crate::protocol::scripted::{AnyOrder, Nothing};

/// A server to whose first lines these are the answers, so many ms after the first; what comes later it answers after 1 ms.
fn server(answers: &'static [(u64, &'static str)]) -> (Scripted, Rc<RefCell<Vec<String>>>) {
    let got = Rc::new(RefCell::new(Vec::new()));
    let lines = Rc::clone(&got);
    let driver = Scripted::new(move |request: Request<'_>| {
        let text = str::from_utf8(request.bytes).unwrap();
        if text == "hello\n" {
            return vec![];
        }
        let is_first = lines.borrow().is_empty();
        lines.borrow_mut().push(text.to_owned());
        let at = |ms: u64, said: &str| {
            let said = if said == "end" { Said::End } else { Said::Bytes(format!("{said}\n").into_bytes()) };
            (request.at_ns + ms * MS, said)
        };
        if is_first {
            return answers.iter().map(|(ms, said)| at(*ms, said)).collect();
        }
        text.lines()
            .filter(|line| line.parse::<u32>().is_ok())
            .map(|line| at(1, &format!("{line} ok")))
            .collect()
    });
    (driver, got)
}

/// Four requests at once on one connection, and so many in all.
fn four_at_once(most_requests: u64) -> WindowOrder {
    WindowOrder { pipelining: 4, most_requests, ..order(1, closed(), 10 * S) }
}

fn connections() -> Vec<Connection<AnyOrder>> {
    vec![Connection::default()]
}

fn window(
    driver: &mut Scripted,
    connections: &mut [Connection<AnyOrder>],
    order: &WindowOrder,
) -> WorkerReport {
    let mut known = known_of::<AnyOrder>(Nothing);
    driver.reserve(order.connections).unwrap();
    Loading::new(driver, connections, &mut known, order).run(None, &AtomicBool::new(false))
}

fn in_ms(histogram: &velo_stats::Histogram) -> (Option<u64>, Option<u64>) {
    let ms = |ns: u64| (ns + MS / 2) / MS;
    (histogram.quantile_ns(0.0).map(ms), histogram.max_ns().map(ms))
}

#[test]
fn each_answer_is_timed_by_its_own_request() {
    let (mut driver, got) = server(&[(1, "3 ok"), (2, "1 ok"), (3, "0 begun"), (5, "2 ok"), (7, "0 ok")]);
    let tally = window(&mut driver, &mut connections(), &four_at_once(6)).tally;
    assert_eq!((tally.outcomes.correct, tally.sent, tally.reconnects), (6, 6, 0), "{:?}", tally.outcomes);
    // When two of four are answered two more go out, with the numbers that are free.
    assert_eq!(*got.borrow(), ["0\n1\n2\n3\n", "1\n3\n"]);
    assert_eq!(tally.in_flight_request_ns, (7 + 2 + 5 + 1 + 1 + 1) * MS);
    assert_eq!(tally.clipped_service_ns, tally.in_flight_request_ns);
    assert_eq!(in_ms(&tally.service_time), (Some(1), Some(7)));
    assert_eq!(in_ms(&tally.first_byte_time), (Some(1), Some(5)), "that of the slowest came after 3 ms");
}

#[test]
fn what_the_protocol_says_for_itself_goes_out() {
    let (mut driver, got) = server(&[(1, "ping\n3 ok"), (2, "ping"), (3, "0 ok\n1 ok\n2 ok")]);
    let tally = window(&mut driver, &mut connections(), &four_at_once(4)).tally;
    assert_eq!((tally.outcomes.correct, tally.sent), (4, 4), "{:?}", tally.outcomes);
    assert_eq!(*got.borrow(), ["0\n1\n2\n3\n", "pong\n", "pong\n"]);
    assert_eq!(driver.sent.len(), 4, "and a greeting before all");
    assert_eq!(tally.sent_bytes, ("hello\n0\n1\n2\n3\npong\npong\n".len()) as u64);
}

#[test]
fn one_wrong_answer_leaves_the_others_alone() {
    let (mut driver, _) = server(&[(1, "2 bad"), (2, "1 ok"), (3, "0 ok"), (4, "3 ok")]);
    let tally = window(&mut driver, &mut connections(), &four_at_once(4)).tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.wrong_answer), (3, 1), "{:?}", tally.outcomes);
    assert_eq!((tally.reconnects, tally.in_flight_request_ns), (0, 10 * MS));
    assert_eq!(tally.wrong_examples, ["not ok: \"2 bad\""]);
}

#[test]
fn a_connection_that_ends_answers_what_it_has_not_refused() {
    let (mut driver, got) = server(&[(1, "2 refused\n3 refused\nbye"), (2, "1 ok"), (300, "0 ok")]);
    let tally = window(&mut driver, &mut connections(), &four_at_once(6)).tally;
    let outcomes = tally.outcomes;
    assert_eq!((outcomes.correct, outcomes.refused, outcomes.closed_by_server), (4, 2, 0), "{outcomes:?}");
    assert_eq!(in_ms(&tally.service_time), (Some(1), Some(300)), "it is waited for");
    assert_eq!((tally.reconnects, got.borrow().len()), (1, 2), "those after it go to another connection");
    assert_eq!(got.borrow()[1], "0\n1\n");
}

#[test]
fn what_a_connection_that_ends_has_in_flight_is_taken_over_by_the_next_window() {
    let (mut driver, _) = server(&[(1, "1 ok\n2 ok\n3 ok\nbye"), (90, "0 ok")]);
    let mut connections = connections();
    let short = WindowOrder { duration_ns: 10 * MS, drain_limit_ns: 0, ..four_at_once(4) };
    let tally = window(&mut driver, &mut connections, &short).tally;
    assert_eq!((tally.outcomes.correct, tally.carried), (3, 1), "{:?}", tally.outcomes);
    let tally = window(&mut driver, &mut connections, &four_at_once(1)).tally;
    assert_eq!((tally.outcomes.correct, tally.carried, tally.sent), (2, 0, 1), "{:?}", tally.outcomes);
}

#[test]
fn one_that_times_out_is_given_up_alone() {
    let (mut driver, got) = server(&[(1, "1 begun"), (2, "2 ok"), (990, "3 ok")]);
    let tally = window(&mut driver, &mut connections(), &four_at_once(6)).tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.timeout), (4, 2), "{:?}", tally.outcomes);
    assert_eq!(tally.reconnects, 0);
    let told: Vec<String> = got.borrow().iter().filter(|lines| lines.contains('-')).cloned().collect();
    assert_eq!(told, ["-0\n-1\n"]);
    assert_eq!(tally.wrong_examples, ["no byte of an answer in time", "no whole answer in time"]);
}

#[test]
fn the_end_of_a_connection_means_to_each_request_what_had_come_of_its_answer() {
    let (mut driver, _) = server(&[(1, "2 begun"), (2, "3 ok"), (3, "end")]);
    let tally = window(&mut driver, &mut connections(), &four_at_once(4)).tally;
    let outcomes = tally.outcomes;
    assert_eq!((outcomes.correct, outcomes.truncated, outcomes.closed_by_server), (1, 1, 2), "{outcomes:?}");
}

proptest! {
    /// Each request is answered, well or not, at a time of its own.
    #[test]
    fn counts_and_times_are_those_of_all_requests_whatever_their_order(
        ends in proptest::collection::vec((1u64..500, any::<bool>()), 1..12),
    ) {
        let said = ends.clone();
        let mut driver = Scripted::new(move |request: Request<'_>| {
            if request.bytes == b"hello\n" {
                return vec![];
            }
            let answer = |(id, (ms, is_ok)): (usize, &(u64, bool))| {
                let line = format!("{id} {}\n", if *is_ok { "ok" } else { "bad" });
                (request.at_ns + ms * MS, Said::Bytes(line.into_bytes()))
            };
            said.iter().enumerate().map(answer).collect()
        });
        let count = ends.len();
        // None is sent behind another's answer.
        let order = WindowOrder { pipelining: count.max(2), ..four_at_once(count as u64) };
        let tally = window(&mut driver, &mut connections(), &order).tally;
        let correct = ends.iter().filter(|(_, is_ok)| *is_ok).count() as u64;
        prop_assert_eq!((tally.outcomes.correct, tally.outcomes.wrong_answer), (correct, count as u64 - correct));
        prop_assert_eq!(tally.in_flight_request_ns, ends.iter().map(|(ms, _)| ms * MS).sum::<u64>());
        let slowest = ends.iter().filter(|(_, is_ok)| *is_ok).map(|(ms, _)| *ms).max();
        prop_assert_eq!(in_ms(&tally.service_time).1, slowest);
        prop_assert_eq!((tally.sent, tally.carried, tally.reconnects), (count as u64, 0, 0));
    }
}
