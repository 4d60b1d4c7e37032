//! Connections that are opened when a request finds none free, and those that are there use the last one again.

use std::collections::BTreeSet;

use super::*;
use crate::protocol::scripted::{AnyOrder, Nothing};

fn on_demand(connections: usize, schedule: Schedule, duration_ns: u64) -> WindowOrder {
    WindowOrder { connect: Connect::OnDemand, ..order(connections, schedule, duration_ns) }
}

/// The connections that requests were sent on.
fn used(driver: &Scripted) -> BTreeSet<usize> {
    driver.sent.iter().map(|(_, connection)| *connection).collect()
}

fn opened(report: &WorkerReport) -> u64 {
    report.tally.connect_time.count()
}

#[test]
fn requests_that_come_one_at_a_time_use_one_connection() {
    let mut driver = after(MS);
    // Rotating over 100 connections would leave each idle for 10 s.
    driver.idle_timer = Some((S / 2, b""));
    let report = run(&mut driver, &on_demand(100, even(10.0), 20 * S));
    assert_eq!((report.tally.outcomes.correct, report.tally.outcomes.failed()), (200, 0));
    assert_eq!((opened(&report), used(&driver).len(), report.tally.reconnects), (1, 1, 0));
    assert_eq!((report.tally.established, report.tally.closed_idle), (1, 0));
}

#[test]
fn no_more_connections_are_opened_than_requests_are_in_flight() {
    // A request each millisecond that takes 3.5 ms.
    let mut driver = after(3 * MS + MS / 2);
    let report = run(&mut driver, &on_demand(100, even(1000.0), S));
    assert_eq!((report.tally.offered, report.tally.outcomes.correct), (1000, 1000));
    assert_eq!((opened(&report), used(&driver).len()), (4, 4));
    assert_eq!(report.tally.send_lag.max_ns(), Some(0), "connecting took no time");
}

#[test]
fn an_answer_that_lies_unread_makes_its_connection_no_less_free() {
    // Each answer comes before the next request is due, and is read then.
    let mut driver = after(130_000);
    let report = run(&mut driver, &on_demand(64, even(5000.0), S));
    assert_eq!(report.tally.outcomes.correct, 5000);
    assert_eq!(opened(&report), 1);
}

#[test]
fn a_request_that_opens_a_connection_has_that_in_its_response_time() {
    let mut driver = after(MS);
    driver.connect_ns = 2 * MS;
    let report = run(&mut driver, &on_demand(8, even(100.0), S));
    let near = |ns: Option<u64>, ms: u64| ns.is_some_and(|ns| ns.abs_diff(ms * MS) < MS / 50);
    let tally = &report.tally;
    assert_eq!((tally.outcomes.correct, opened(&report)), (100, 1));
    assert!(near(tally.response_time.max_ns(), 3), "{:?}", tally.response_time.max_ns());
    assert!(near(tally.response_time.quantile_ns(0.5), 1) && near(tally.service_time.max_ns(), 1));
}

#[test]
fn a_stalled_server_gets_as_many_connections_as_were_asked_for_and_no_more() {
    for when_full in [WhenFull::Queue, WhenFull::Drop] {
        let mut driver = one_server(MS / 10, 1_200 * MS..1_700 * MS);
        driver.connect_ns = MS;
        let order = WindowOrder { when_full, ..on_demand(16, even(2000.0), S) };
        let report = run(&mut driver, &order);
        assert_eq!((opened(&report), report.tally.reconnects), (16, 0));
        let outcomes = &report.tally.outcomes;
        assert_eq!((outcomes.correct + outcomes.dropped, outcomes.failed() - outcomes.dropped), (2000, 0));
        assert_eq!(outcomes.dropped > 0, when_full == WhenFull::Drop);
    }
}

#[test]
fn a_server_that_refuses_is_left_alone_between_tries() {
    let mut driver = after(MS);
    driver.refuses = true;
    let report = run(&mut driver, &on_demand(4, even(10_000.0), S));
    // Pauses of 1, 2, 4 ... 50 ms on each connection, for a second and the half behind it in which late requests are still started.
    let errors = report.tally.outcomes.connect_error;
    assert!((120..=148).contains(&errors), "{errors}");
    assert_eq!(report.tally.sent, 0);
}

#[test]
fn a_connection_that_was_closed_is_opened_again_when_no_open_one_is_free() {
    // Two requests at once every 500 ms; each connection is closed after 300 ms.
    let mut driver = after(2 * MS);
    driver.idle_timer = Some((300 * MS, b""));
    let bursts = Shape::Burst { requests: 2, every_ns: 500 * MS };
    let schedule = Schedule::Open(Arrivals { shape: bursts, spacing: Spacing::Even, seed: 1 });
    let report = run(&mut driver, &on_demand(8, schedule, 5 * S));
    let tally = &report.tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.failed()), (20, 0));
    assert_eq!((used(&driver).len(), opened(&report), tally.reconnects), (2, 20, 18));
    assert_eq!(tally.closed_idle, 20);
    // From the answer on.
    assert_eq!(tally.shortest_idle_ns, Some(298 * MS));
}

#[test]
fn connections_closed_right_behind_an_answer_were_not_idle() {
    let mut driver = Scripted::new(|request: Request<'_>| {
        let at_ns = request.at_ns + MS;
        vec![(at_ns, Said::Bytes(ANSWER.to_vec())), (at_ns + MS, Said::End)]
    });
    let tally = run(&mut driver, &on_demand(8, even(10.0), S)).tally;
    assert_eq!((tally.outcomes.correct, tally.reconnects), (10, 9));
    assert_eq!((tally.closed_idle, tally.shortest_idle_ns), (0, None));
}

#[test]
fn the_last_used_connection_takes_as_many_requests_as_its_protocol_lets_it() {
    // Four requests each 10 ms, of which each takes 5 ms, on connections that take four at once.
    let mut driver = Scripted::new(|request: Request<'_>| {
        let lines = str::from_utf8(request.bytes).unwrap().lines();
        let numbers = lines.filter(|line| line.parse::<u32>().is_ok());
        numbers
            .map(|line| (request.at_ns + 5 * MS, Said::Bytes(format!("{line} ok\n").into_bytes())))
            .collect()
    });
    let bursts = Shape::Burst { requests: 4, every_ns: 10 * MS };
    let schedule = Schedule::Open(Arrivals { shape: bursts, spacing: Spacing::Even, seed: 1 });
    let order = WindowOrder { pipelining: 4, ..on_demand(8, schedule, S) };
    let mut known = known_of::<AnyOrder>(Nothing);
    let mut connections: Vec<Connection<AnyOrder>> = Vec::new();
    connections.resize_with(order.connections, Connection::default);
    driver.reserve(order.connections).unwrap();
    let report =
        Loading::new(&mut driver, &mut connections, &mut known, &order).run(None, &AtomicBool::new(false));
    assert_eq!((report.tally.outcomes.correct, report.tally.outcomes.failed()), (400, 0));
    assert_eq!((opened(&report), used(&driver).len()), (1, 1));
}

#[test]
fn opening_ahead_uses_all_connections_in_turn() {
    let mut driver = after(MS);
    let report = run(&mut driver, &order(10, even(100.0), S));
    assert_eq!((opened(&report), report.tally.established), (10, 10));
    assert!(report.tally.completions.iter().all(|&completions| completions == 10));
}

#[test]
fn a_connection_that_opens_late_is_not_opened_again() {
    let mut driver = after(MS);
    driver.connect_ns = 1_500 * MS;
    let order = WindowOrder { timeout_ns: 3 * S, ..order(10, closed(), 2 * S) };
    let report = run(&mut driver, &order);
    assert_eq!((opened(&report), report.tally.reconnects, report.tally.established), (10, 0, 10));
}
