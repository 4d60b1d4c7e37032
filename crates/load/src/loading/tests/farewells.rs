//! Servers that close connections for having been idle, and say so with 408, which is nobody's answer.

use super::*;
use crate::driver::scripted::Said;

/// As Node, a server with a length, and HAProxy before 2.0 say it.
const FAREWELLS: [&[u8]; 3] = [
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n",
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 4\r\n\r\nlate",
    b"HTTP/1.0 408 Request Time-out\r\nCache-Control: no-cache\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n<html>",
];

/// Answers after 1 ms, and ends connections on which it is asked nothing for 100 ms.
fn with_idle_timer(words: &'static [u8]) -> Scripted {
    let mut driver = after(MS);
    driver.idle_timer = Some((100 * MS, words));
    driver
}

/// All that has an outcome.
fn outcomes(report: &WorkerReport) -> u64 {
    report.tally.all().requests()
}

#[test]
fn a_farewell_on_an_idle_connection_is_its_end_and_no_answer() {
    let thinking = Schedule::Closed { think: Think::Constant { ns: 500 * MS } };
    for words in FAREWELLS {
        for (schedule, most_requests) in [(even(20.0), u64::MAX), (even(20.0), 30), (thinking.clone(), 12)] {
            let order = WindowOrder { most_requests, ..order(8, schedule, 3 * S) };
            let report = run(&mut with_idle_timer(words), &order);
            let tally = &report.tally;
            assert_eq!(tally.outcomes.failed(), 0, "{:?} {:?}", tally.outcomes, tally.wrong_examples);
            assert_eq!(outcomes(&report), tally.sent);
            assert_eq!(tally.sent, 60.min(most_requests));
            assert_eq!(tally.statuses, [(200, tally.sent)].into(), "a farewell answers nothing");
            assert!(tally.wrong_examples.is_empty(), "{:?}", tally.wrong_examples);
        }
    }
}

#[test]
fn a_farewell_that_is_read_together_with_an_answer_leaves_it_right() {
    for words in FAREWELLS {
        let mut driver = Scripted::new(move |request: Request<'_>| {
            let at_ns = request.at_ns + MS;
            vec![(at_ns, Said::Bytes([ANSWER, words].concat())), (at_ns, Said::End)]
        });
        let order = WindowOrder { most_requests: 20, ..order(2, closed(), u64::MAX) };
        let tally = run(&mut driver, &order).tally;
        assert_eq!((tally.outcomes.correct, tally.outcomes.failed()), (20, 0), "{:?}", tally.outcomes);
    }
}

/// Says the words to every fifth request, and answers the others.
fn with_408_to_each_fifth(words: &'static [u8]) -> Scripted {
    let mut count = 0;
    Scripted::new(move |request: Request<'_>| {
        count += 1;
        let at_ns = request.at_ns + MS;
        let said = if count % 5 == 0 { words } else { ANSWER };
        let mut all = vec![(at_ns, Said::Bytes(said.to_vec()))];
        if count % 5 == 0 {
            all.push((at_ns, Said::End));
        }
        all
    })
}

#[test]
fn a_farewell_that_crosses_with_a_request_is_a_close_without_an_answer() {
    for words in FAREWELLS {
        // 20 ms between requests, and 408 after one.
        let tally = run(&mut with_408_to_each_fifth(words), &order(1, even(50.0), S)).tally;
        let outcomes = &tally.outcomes;
        assert_eq!(
            (outcomes.correct, outcomes.closed_by_server, outcomes.failed()),
            (40, 10, 10),
            "{outcomes:?}"
        );
    }
}

#[test]
fn a_408_is_an_answer_on_a_busy_connection_where_it_stays_open_or_where_it_is_expected() {
    for words in FAREWELLS {
        let busy = WindowOrder { most_requests: 50, ..order(1, closed(), u64::MAX) };
        let tally = run(&mut with_408_to_each_fifth(words), &busy).tally;
        assert_eq!((tally.outcomes.http_error, tally.statuses[&408]), (10, 10), "{:?}", tally.outcomes);
    }
    let kept = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
    let mut driver =
        Scripted::new(|request: Request<'_>| vec![(request.at_ns + MS, Said::Bytes(kept.to_vec()))]);
    let tally = run(&mut driver, &order(1, even(50.0), S)).tally;
    assert_eq!((tally.outcomes.http_error, tally.outcomes.failed()), (50, 50), "{:?}", tally.outcomes);

    let mut request = request();
    request.expect.status = StatusSet::range(408, 408);
    let mut known = known_with(Mix::new(vec![request], Order::Weighted, "h").unwrap(), Shared::default());
    let mut driver =
        Scripted::new(|request: Request<'_>| vec![(request.at_ns + MS, Said::Bytes(FAREWELLS[1].to_vec()))]);
    let tally = run_with(&mut driver, &order(1, even(5.0), S), &mut known).tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.failed()), (5, 0), "{:?}", tally.outcomes);
}

#[test]
fn the_idle_timers_of_a_server_that_was_stopped_cost_no_request_of_its_window() {
    for words in [b"".as_slice(), FAREWELLS[0], FAREWELLS[1], FAREWELLS[2]] {
        // They fire when it is let run again, after the first requests were sent to it.
        let (mut last_ns, mut to_be_ended) = (u64::MAX, 0);
        let mut driver = Scripted::new(move |request: Request<'_>| {
            if request.at_ns > last_ns.saturating_add(S) {
                to_be_ended = 4;
            }
            last_ns = request.at_ns;
            if to_be_ended > 0 {
                to_be_ended -= 1;
                let at_ns = request.at_ns + 2 * MS;
                let said = if words.is_empty() { vec![] } else { vec![(at_ns, Said::Bytes(words.to_vec()))] };
                return said.into_iter().chain([(at_ns, Said::End)]).collect();
            }
            vec![(request.at_ns + MS, Said::Bytes(ANSWER.to_vec()))]
        });
        let order =
            WindowOrder { settling_ns: 10 * MS, drain_limit_ns: 20 * MS, ..order(4, closed(), 50 * MS) };
        let (mut known, mut connections) = (known(), Vec::<Connection<Http1>>::new());
        connections.resize_with(order.connections, Connection::default);
        driver.reserve(order.connections).unwrap();
        let mut window = |driver: &mut Scripted| {
            Loading::new(driver, &mut connections, &mut known, &order).run(None, &AtomicBool::new(false))
        };
        let before = window(&mut driver).tally;
        driver.spin(driver.now_ns() + 60 * S);
        let tally = window(&mut driver).tally;
        assert_eq!((before.reopened_after_stop, tally.reopened_after_stop), (0, 4), "{words:?}");
        assert_eq!(
            (tally.outcomes.failed(), tally.outcomes.correct),
            (0, before.outcomes.correct),
            "{:?}",
            tally.outcomes
        );
        assert_eq!(tally.in_flight_request_ns, tally.clipped_service_ns);
    }
}

#[test]
fn what_nobody_asked_for_has_no_more_outcomes_than_there_are_requests() {
    let thinking = Schedule::Closed { think: Think::Constant { ns: 90 * MS } };
    for words in [
        b"220 ready\r\n".as_slice(),
        b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        ANSWER,
    ] {
        for (schedule, is_open) in [(even(100.0), true), (thinking.clone(), false)] {
            let mut driver = after(MS);
            driver.greeting = Some(words.to_vec());
            let report = run(&mut driver, &order(4, schedule, S));
            let tally = &report.tally;
            assert!(tally.outcomes.wrong_answer >= 4, "it is the server's fault: {:?}", tally.outcomes);
            // Those that came before any request stand for one each that is not sent.
            assert_eq!(outcomes(&report), tally.sent + 4, "{:?}", tally.outcomes);
            assert!(!is_open || outcomes(&report) == 100, "{:?}", tally.outcomes);
        }
    }
}
