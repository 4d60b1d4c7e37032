//! The loop in a time of its own, against servers whose every answer is known.

mod any_order;
mod deadlines;
mod farewells;
mod on_demand;
mod pauses;
mod tls;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::io::Errno;

use super::Loading;
use crate::classifier::Classifier;
use crate::connection::Connection;
use crate::driver::Driver;
use crate::driver::scripted::{Request, Said, Scripted};
use crate::known::{Known, Plan, Sources};
use crate::live::Live;
use crate::mix::Mix;
use crate::order::{Connect, WindowOrder, WorkerReport};
use crate::protocol::Session;
use crate::protocol::http1::{Http1, Shared};
use crate::recorder::MOST_SPANS;
use crate::request::{BodyExpect, Expect, Order, RequestSpec, StatusSet, Template};
use crate::schedule::{Arrivals, Schedule, Shape, Spacing, Think, WhenFull};
use crate::{BodyChecker, Part, Toss};

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

struct Anything;

impl BodyChecker for Anything {
    fn check(&self, _: usize, _: &[u64], _: &[u8]) -> Result<Option<Toss>, String> {
        Ok(None)
    }
}

fn known() -> Known<Http1> {
    known_of(Shared::default())
}

fn known_of<S: Session>(shared: S::Shared) -> Known<S> {
    known_with(Mix::new(vec![request()], Order::Weighted, "h").unwrap(), shared)
}

fn request() -> RequestSpec {
    RequestSpec {
        name: "root".into(),
        weight: 1,
        method: "GET".into(),
        path: Template(vec![Part::Bytes(b"/".to_vec())]),
        headers: vec![],
        body: None,
        slots: vec![],
        expect: Expect {
            status: StatusSet::range(200, 299),
            content_type: None,
            headers: vec![],
            body: BodyExpect::Any,
            not_before_ms: None,
        },
    }
}

fn known_with<S: Session>(mix: Mix, shared: S::Shared) -> Known<S> {
    let mix = Arc::new(mix);
    let needs_bodies = mix.needs_bodies();
    let plan =
        Plan { classifier: Classifier::new(&mix, Arc::new(Anything)), drawer: mix.drawer(1, 0, 1), mix };
    Known {
        endpoints: vec![crate::Endpoint::Tcp(([127, 0, 0, 1], 1).into())],
        tls: None,
        sources: Sources::default(),
        needs_bodies,
        plans: vec![plan],
        shared,
        seed: 1,
        opened: 0,
    }
}

fn order(connections: usize, schedule: Schedule, duration_ns: u64) -> WindowOrder {
    WindowOrder {
        plan: 0,
        worker: 0,
        workers: 1,
        connections,
        settling_ns: 0,
        duration_ns,
        drain_limit_ns: 2 * S,
        timeout_ns: S,
        schedule,
        when_full: WhenFull::Queue,
        most_requests: u64::MAX,
        give_up_ns: u64::MAX,
        give_up_unreached_ns: u64::MAX,
        reached: Arc::default(),
        pipelining: 1,
        requests_per_connection: u32::MAX,
        connect: Connect::Ahead,
        is_burst: false,
        busy_poll: false,
        slowed_ns: 0,
        keeps_first_answer: false,
        live: None,
    }
}

fn closed() -> Schedule {
    Schedule::Closed { think: Think::None }
}

fn even(per_s: f64) -> Schedule {
    let shape = Shape::Constant { per_s };
    Schedule::Open(Arrivals { shape, spacing: Spacing::Even, seed: 1 })
}

fn run(driver: &mut Scripted, order: &WindowOrder) -> WorkerReport {
    run_with(driver, order, &mut known())
}

fn run_with(driver: &mut Scripted, order: &WindowOrder, known: &mut Known<Http1>) -> WorkerReport {
    let mut connections: Vec<Connection<Http1>> = Vec::new();
    connections.resize_with(order.connections, Connection::default);
    driver.reserve(order.connections).unwrap();
    Loading::new(driver, &mut connections, known, order).run(None, &AtomicBool::new(false))
}

/// Answers each request so much later.
fn after(ns: u64) -> Scripted {
    Scripted::new(move |request: Request<'_>| vec![(request.at_ns + ns, Said::Bytes(ANSWER.to_vec()))])
}

/// One request at a time, each taking so long; nothing is done in the freeze.
fn one_server(service_ns: u64, freeze: std::ops::Range<u64>) -> Scripted {
    let mut free_ns = 0;
    Scripted::new(move |request: Request<'_>| {
        let mut start_ns = request.at_ns.max(free_ns);
        if freeze.contains(&start_ns) {
            start_ns = freeze.end;
        }
        free_ns = start_ns + service_ns;
        vec![(free_ns, Said::Bytes(ANSWER.to_vec()))]
    })
}

#[test]
fn a_closed_loop_sends_when_the_answer_has_come() {
    let report = run(&mut after(MS), &order(4, closed(), S));
    // Answers at 1, 2, ... 1,000 ms; the last ones come when the window is over.
    assert_eq!(report.tally.outcomes.correct, 4 * 999);
    assert_eq!((report.tally.draining.correct, report.tally.sent), (4, 4000));
    assert_eq!(report.tally.in_flight_request_ns, 4 * S);
    assert_eq!(report.tally.clipped_service_ns, 4 * S);
    assert_eq!((report.duration_ns, report.drain_ns), (S, 0));
    assert_eq!(report.tally.send_lag.max_ns(), Some(0));
    assert_eq!(report.tally.response_time, report.tally.service_time);
}

#[test]
fn a_generator_that_is_slowed_sends_as_much_later() {
    let order = WindowOrder { slowed_ns: 500_000, ..order(1, closed(), S) };
    let mut driver = after(MS);
    let report = run(&mut driver, &order);
    // Each request takes 1.5 ms instead of 1: 666 answers in a second.
    assert_eq!(report.tally.outcomes.correct, 666);
    assert!(driver.sent.windows(2).all(|pair| pair[1].0 - pair[0].0 == 1_500_000));
}

#[test]
fn a_pause_is_made_between_an_answer_and_the_next_request() {
    let schedule = Schedule::Closed { think: Think::Constant { ns: 9 * MS } };
    let report = run(&mut after(MS), &order(2, schedule, S));
    assert_eq!(report.tally.outcomes.correct, 2 * 100);
    assert_eq!(report.tally.service_time.max_ns(), report.tally.service_time.quantile_ns(0.0));
}

#[test]
fn an_open_loop_keeps_its_times_whatever_the_server_does() {
    let mut driver = after(3 * MS);
    let report = run(&mut driver, &order(8, even(1000.0), S));
    assert_eq!((report.tally.offered, report.tally.outcomes.correct), (1000, 1000));
    let start_ns = driver.sent[0].0;
    let expected: Vec<u64> = (0..1000).map(|k| start_ns + k * MS).collect();
    assert_eq!(driver.sent.iter().map(|sent| sent.0).collect::<Vec<_>>(), expected);
    assert_eq!(report.tally.send_lag.max_ns(), Some(0));
}

#[test]
fn no_more_requests_of_a_counted_window_are_missed_than_it_has() {
    // The one connection is taken by a request of settling.
    let mut driver = Scripted::new(|_: Request<'_>| vec![]);
    let order = WindowOrder { settling_ns: 40 * MS, most_requests: 20, ..order(1, even(1000.0), 100 * MS) };
    let tally = run(&mut driver, &order).tally;
    assert_eq!((tally.offered, tally.outcomes.dropped, tally.sent), (20, 20, 1));
    assert_eq!((tally.settling.dropped, tally.settling.timeout), (0, 1));
}

#[test]
fn answers_that_lie_unread_until_the_next_request_have_their_own_times() {
    for when_full in [WhenFull::Queue, WhenFull::Drop] {
        let mut driver = after(130_000);
        let order = WindowOrder { when_full, ..order(64, even(20_000.0), S) };
        let report = run(&mut driver, &order);
        assert_eq!((report.tally.offered, report.tally.outcomes.correct), (20_000, 20_000));
        let service_time = &report.tally.service_time;
        for time in [service_time, &report.tally.response_time, &report.tally.first_byte_time] {
            assert_eq!((time.quantile_ns(0.0), time.max_ns()), (Some(130_047), Some(130_047)), "to 0.1 %");
        }
        assert_eq!(report.tally.in_flight_request_ns, report.tally.clipped_service_ns);
        // Each request wakes the loop once, and an answer never does.
        assert!(driver.waits < 20_100, "{}", driver.waits);
    }
}

#[test]
fn sleeps_that_end_late_do_not_make_requests_late() {
    let mut driver = after(MS);
    driver.oversleeps_ns = 40_000;
    let report = run(&mut driver, &order(8, even(1000.0), S));
    assert_eq!(report.tally.outcomes.correct, 1000);
    // It is learnt within a hundred requests how early to wake.
    assert_eq!(report.tally.send_lag.quantile_ns(0.9), Some(0));
}

#[test]
fn an_answer_in_pieces_or_until_the_end_is_not_left_unread() {
    let pieces = |request: Request<'_>| {
        let (head, rest) = ANSWER.split_at(30);
        let at_ns = request.at_ns + 20_000;
        vec![(at_ns, Said::Bytes(head.to_vec())), (at_ns, Said::Bytes(rest.to_vec()))]
    };
    let until_end = |request: Request<'_>| {
        let answer = b"HTTP/1.1 200 OK\r\n\r\nok".to_vec();
        vec![(request.at_ns + 20_000, Said::Bytes(answer)), (request.at_ns + 30_000, Said::End)]
    };
    for (mut driver, time_ns) in [(Scripted::new(pieces), 20_000), (Scripted::new(until_end), 30_000)] {
        let report = run(&mut driver, &order(8, even(2000.0), S));
        assert_eq!(report.tally.outcomes.correct, 2000);
        let times = &report.tally.service_time;
        assert!(times.quantile_ns(0.5).is_some_and(|ns| ns.abs_diff(time_ns) <= 30), "{times:?}");
    }
}

#[test]
fn a_stall_counts_for_every_request_that_it_delayed() {
    // From 1.5 s on the server stands still for 200 ms; 4 connections, one request each millisecond, 0.1 ms of service.
    let freeze = 1_500 * MS..1_700 * MS;
    let report = run(&mut one_server(MS / 10, freeze), &order(4, even(1000.0), S));
    let tally = &report.tally;
    assert_eq!((tally.offered, tally.outcomes.correct, tally.outcomes.dropped), (1000, 1000, 0));
    // The request due as the freeze begins waits for all of it; each later one a millisecond less, and a tenth of one
    // more for each request before it, until the queue is empty: 200.1 - 0.9 k for k = 0 to 222.
    let mut expected = velo_stats::Histogram::new();
    for k in 0..1000_u64 {
        let waited = (200 * MS + MS / 10).saturating_sub(9 * MS / 10 * k);
        expected.record(if k < 500 { waited.max(MS / 10) } else { MS / 10 });
    }
    assert_eq!(tally.response_time, expected);
    // A closed loop's figure sees four of them.
    assert!(tally.service_time.quantile_ns(0.9).unwrap() < MS / 2);
    assert_eq!(tally.in_flight_request_ns, tally.clipped_service_ns);
}

#[test]
fn a_stall_at_the_end_is_counted_like_any_other() {
    // The window is from 1 s to 2 s, the freeze from 1.9 s to 2.1 s.
    let report = run(&mut one_server(MS / 10, 1_900 * MS..2_100 * MS), &order(4, even(1000.0), S));
    let tally = &report.tally;
    assert_eq!((tally.offered, tally.outcomes.correct, tally.outcomes.dropped), (1000, 1000, 0));
    assert_eq!(tally.response_time.max_ns().map(|ns| ns / MS), Some(200));
    assert_eq!(tally.response_time.quantile_ns(0.95).map(|ns| ns / MS), Some(155));
}

#[test]
fn without_a_free_connection_a_request_is_dropped_when_that_is_the_policy() {
    let order = WindowOrder { when_full: WhenFull::Drop, ..order(2, even(1000.0), S) };
    let report = run(&mut after(4 * MS), &order);
    let tally = &report.tally;
    // Two of each four are answered.
    assert_eq!((tally.offered, tally.outcomes.correct, tally.outcomes.dropped), (1000, 500, 500));
    assert_eq!(tally.response_time.max_ns(), tally.service_time.max_ns());
}

#[test]
fn what_was_due_and_never_sent_is_told() {
    // Two connections at 10 ms a request can offer 200 of 1,000 a second, and 100 more in the half second behind it.
    let report = run(&mut after(10 * MS), &order(2, even(1000.0), S));
    let tally = &report.tally;
    assert_eq!(tally.offered, 1000);
    assert_eq!(tally.outcomes.correct + tally.outcomes.dropped, 1000);
    assert_eq!(tally.outcomes.correct, 300);
}

#[test]
fn a_count_ends_the_window_when_all_are_answered() {
    let order = WindowOrder { most_requests: 10, ..order(4, closed(), u64::MAX) };
    let report = run(&mut after(MS), &order);
    assert_eq!((report.tally.sent, report.tally.outcomes.correct), (10, 10));
    assert_eq!(report.duration_ns, 3 * MS);
}

#[test]
fn opening_connections_is_part_of_the_window_only_where_it_is_asked_for() {
    for (connect, expected_ns) in [(Connect::Ahead, 3 * MS), (Connect::OnDemand, 3 * MS + MS / 2)] {
        let mut driver = after(MS);
        driver.connect_ns = MS / 2;
        let order = WindowOrder { connect, most_requests: 10, ..order(4, closed(), u64::MAX) };
        let report = run(&mut driver, &order);
        assert_eq!((report.duration_ns, report.tally.connect_time.count()), (expected_ns, 4));
        assert_eq!(report.tally.outcomes.correct, 10);
    }
}

#[test]
fn requests_of_a_burst_are_due_when_it_begins() {
    let order = WindowOrder { is_burst: true, most_requests: 6, ..order(2, closed(), u64::MAX) };
    let tally = run(&mut after(10 * MS), &order).tally;
    let answered: Vec<(u64, u64)> =
        tally.response_time.recorded().map(|(ns, times)| ((ns + MS / 2) / MS, times)).collect();
    assert_eq!(answered, [(10, 2), (20, 2), (30, 2)]);
    assert_eq!(tally.service_time.max_ns().map(|ns| (ns + MS / 2) / MS), Some(10));
    let spans: Vec<_> =
        tally.spans.iter().map(|span| (span.sent_ns / MS, span.done_ns / MS, span.is_correct)).collect();
    let twice = |span| [span; 2];
    assert_eq!(
        spans,
        [(0, 10, true), (10, 20, true), (20, 30, true)].into_iter().flat_map(twice).collect::<Vec<_>>()
    );
}

#[test]
fn only_small_bursts_say_when_each_request_was_sent_and_answered() {
    let spans = |is_burst, most_requests| {
        let order = WindowOrder { is_burst, most_requests, ..order(4, closed(), u64::MAX) };
        run(&mut after(MS), &order).tally.spans.len() as u64
    };
    assert_eq!([spans(true, MOST_SPANS), spans(true, MOST_SPANS + 1), spans(false, 8)], [MOST_SPANS, 0, 0]);
}

#[test]
fn a_request_of_a_burst_that_failed_is_in_time_too() {
    let mut server = after(500 * MS);
    let order =
        WindowOrder { is_burst: true, most_requests: 2, timeout_ns: 4 * MS, ..order(2, closed(), u64::MAX) };
    let tally = run(&mut server, &order).tally;
    assert_eq!((tally.outcomes.timeout, tally.spans.len()), (2, 2));
    assert!(tally.spans.iter().all(|span| !span.is_correct && span.done_ns >= 4 * MS), "{:?}", tally.spans);
}

#[test]
fn a_pipeline_is_kept_full_and_answered_in_order() {
    let mut batches = Vec::new();
    let mut driver = Scripted::new(move |request: Request<'_>| {
        let requests = request.bytes.windows(4).filter(|end| end == b"\r\n\r\n").count();
        batches.push(requests);
        vec![(request.at_ns + MS, Said::Bytes(ANSWER.repeat(requests)))]
    });
    let order = WindowOrder { pipelining: 16, ..order(2, closed(), 10 * MS) };
    let report = run(&mut driver, &order);
    assert_eq!(report.tally.outcomes.correct, 2 * 16 * 9);
    assert_eq!(driver.sent.len(), 2 * 10, "a pipeline goes out in one piece");
    assert_eq!(report.tally.in_flight_request_ns, 2 * 16 * 10 * MS);
}

#[test]
fn an_answer_until_the_end_leaves_those_behind_it_without_one() {
    // Each connection's end is an answer's to the first of its pipeline, and no idle timer's.
    let mut driver = Scripted::new(|request: Request<'_>| {
        let answer = b"HTTP/1.1 200 OK\r\n\r\nok".to_vec();
        vec![(request.at_ns + MS, Said::Bytes(answer)), (request.at_ns + 2 * MS, Said::End)]
    });
    let order = WindowOrder { settling_ns: S, pipelining: 4, ..order(1, closed(), MS) };
    let tally = run(&mut driver, &order).tally;
    let outcomes = tally.all();
    assert_eq!((outcomes.requests(), tally.reopened_after_stop), (tally.sent, 0));
    assert_eq!(outcomes.closed_by_server, 3 * outcomes.correct, "{outcomes:?}");
}

#[test]
fn all_that_were_in_flight_when_an_idle_timer_struck_are_withdrawn() {
    let mut is_first = true;
    let mut driver = Scripted::new(move |request: Request<'_>| {
        if std::mem::take(&mut is_first) {
            return vec![(request.at_ns + MS, Said::End)];
        }
        let requests = request.bytes.windows(4).filter(|end| end == b"\r\n\r\n").count();
        vec![(request.at_ns + MS, Said::Bytes(ANSWER.repeat(requests)))]
    });
    let order = WindowOrder { settling_ns: 2 * MS, pipelining: 4, ..order(1, closed(), 10 * MS) };
    let tally = run(&mut driver, &order).tally;
    assert_eq!((tally.reopened_after_stop, tally.outcomes.closed_by_server), (1, 0), "{:?}", tally.outcomes);
    assert!(tally.outcomes.correct > 0, "{:?}", tally.outcomes);
}

#[test]
fn a_connection_per_request_makes_connecting_a_part_of_it() {
    let mut driver = Scripted::new(|request: Request<'_>| {
        let at_ns = request.at_ns + MS;
        let answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
        vec![(at_ns, Said::Bytes(answer.to_vec())), (at_ns, Said::End)]
    });
    driver.connect_ns = MS / 2;
    let order = WindowOrder {
        requests_per_connection: 1,
        connect: Connect::OnDemand,
        most_requests: 20,
        ..order(2, closed(), u64::MAX)
    };
    let tally = run(&mut driver, &order).tally;
    assert_eq!((tally.outcomes.correct, tally.reconnects, tally.connect_time.count()), (20, 18, 20));
    assert_eq!(tally.outcomes.closed_by_server, 0);
    let only = |times: &velo_stats::Histogram| (times.quantile_ns(0.0), times.max_ns());
    assert_eq!(only(&tally.response_time).1.map(|ns| ns / 1000), Some(1500));
    assert_eq!(only(&tally.service_time).1.map(|ns| ns / 1000), Some(1000));
    assert_eq!(only(&tally.send_lag).1.map(|ns| ns / 1000), Some(500));
}

#[test]
fn an_idle_connection_that_the_server_closes_costs_no_request() {
    // Closed together with the answer, but without a word: the next request goes over a new connection.
    let mut driver = Scripted::new(|request: Request<'_>| {
        let at_ns = request.at_ns + MS;
        vec![(at_ns, Said::Bytes(ANSWER.to_vec())), (at_ns, Said::End)]
    });
    let order = WindowOrder { most_requests: 50, ..order(2, closed(), u64::MAX) };
    let tally = run(&mut driver, &order).tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.closed_by_server, tally.sent), (50, 0, 50));
}

#[test]
fn a_lost_request_is_counted_and_not_sent_again() {
    let mut count = 0;
    let mut driver = Scripted::new(move |request: Request<'_>| {
        count += 1;
        let said = if count % 10 == 0 { Said::End } else { Said::Bytes(ANSWER.to_vec()) };
        vec![(request.at_ns + MS, said)]
    });
    let order = WindowOrder { most_requests: 100, ..order(3, closed(), u64::MAX) };
    let tally = run(&mut driver, &order).tally;
    assert_eq!(driver.sent.len(), 100);
    assert_eq!((tally.outcomes.correct, tally.outcomes.closed_by_server, tally.sent), (90, 10, 100));
}

#[test]
fn an_address_without_a_route_is_no_lack_of_ports() {
    // To all of a network nobody connects unless he says so.
    for (ip, lacks_ports) in [([127, 0, 0, 1], true), ([255, 255, 255, 255], false)] {
        let mut driver = after(MS);
        (driver.refuses, driver.refusal) = (true, Errno::ADDRNOTAVAIL);
        let mut known = known();
        known.endpoints = vec![crate::Endpoint::Tcp((ip, 1).into())];
        let tally = run_with(&mut driver, &order(1, closed(), S), &mut known).tally;
        assert_eq!(tally.no_port > 0, lacks_ports);
        let why =
            if lacks_ports { "no local port is free" } else { "no address that reaches 255.255.255.255:1" };
        assert!(
            tally.wrong_examples.iter().any(|example| example.contains(why)),
            "{:?}",
            tally.wrong_examples
        );
    }
}

#[test]
fn a_refused_connection_fails_its_request_and_is_left_alone_for_a_while() {
    let mut driver = after(MS);
    driver.refuses = true;
    let report = run(&mut driver, &order(2, closed(), S));
    let errors = report.tally.outcomes.connect_error;
    // Pauses of 1, 2, 4 ... 50 ms: 25 tries a connection in a second, give or take what clocks are looked at.
    assert!((40..=52).contains(&errors), "{errors}");
    assert_eq!((report.tally.sent, report.tally.outcomes.correct), (0, 0));
}

#[test]
fn silence_is_a_timeout_and_the_window_ends() {
    let mut driver = Scripted::new(|_: Request<'_>| Vec::new());
    let report = run(&mut driver, &order(3, closed(), S / 2));
    assert_eq!((report.tally.outcomes.timeout, report.tally.draining.timeout), (0, 3));
    assert_eq!(
        report.drain_ns,
        S / 2,
        "when the timeout is over, and not when clocks would be looked at anyway"
    );
    assert_eq!(report.tally.in_flight_request_ns, report.tally.clipped_service_ns);
}

#[test]
fn outcomes_never_exceed_the_requests_whatever_a_server_adds() {
    // Two answers to each batch's last request, in one piece, apart at once, and apart much later.
    for (pipelining, later_ns) in [(1, 0), (1, 1), (1, MS), (4, 0), (4, 1), (4, MS), (16, 1)] {
        let mut driver = Scripted::new(move |request: Request<'_>| {
            let requests = request.bytes.windows(4).filter(|end| end == b"\r\n\r\n").count();
            let at_ns = request.at_ns + MS;
            if later_ns == 0 {
                return vec![(at_ns, Said::Bytes(ANSWER.repeat(requests + 1)))];
            }
            vec![
                (at_ns, Said::Bytes(ANSWER.repeat(requests))),
                (at_ns + later_ns, Said::Bytes(ANSWER.to_vec())),
            ]
        });
        let order = WindowOrder { pipelining, most_requests: 100, ..order(3, closed(), u64::MAX) };
        let tally = run(&mut driver, &order).tally;
        let outcomes = &tally.outcomes;
        let all = outcomes.correct + outcomes.wrong_answer + outcomes.closed_by_server;
        assert_eq!(all, 100, "{pipelining} in flight, {later_ns} ns apart: {outcomes:?}");
        assert!(outcomes.wrong_answer > 0, "{pipelining} in flight, {later_ns} ns apart: {outcomes:?}");
        assert_eq!(tally.service_time.count(), outcomes.correct, "times are of correct answers");
        assert_eq!(tally.first_byte_time.count(), outcomes.correct);
        assert_eq!(tally.requests[0].correct, outcomes.correct);
        assert_eq!(tally.requests[0].failed, 100 - outcomes.correct);
        assert_eq!(tally.completions.iter().map(|&n| u64::from(n)).sum::<u64>(), outcomes.correct);
    }
}

#[test]
fn what_comes_behind_an_answer_while_nothing_is_asked_makes_it_a_wrong_one() {
    // One request each 10 ms on each connection, and a second answer 1 ms behind the first.
    let mut driver = Scripted::new(|request: Request<'_>| {
        let answer = |at_ns| (at_ns, Said::Bytes(ANSWER.to_vec()));
        vec![answer(request.at_ns + MS), answer(request.at_ns + 2 * MS)]
    });
    let tally = run(&mut driver, &order(1, even(100.0), S)).tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.wrong_answer), (0, 100));
    assert_eq!((tally.outside().correct, tally.response_time.count()), (0, 0));
    let examples = &tally.wrong_examples;
    assert!(examples.iter().any(|text| text.contains("bytes that no request asked for")), "{examples:?}");
}

#[test]
fn bytes_before_any_request_stand_for_one_that_is_not_sent() {
    let mut driver = after(MS);
    driver.greeting = Some(b"220 ready\r\n".to_vec());
    let order = WindowOrder { most_requests: 10, ..order(2, even(100.0), u64::MAX) };
    let tally = run(&mut driver, &order).tally;
    let outcomes = &tally.outcomes;
    assert_eq!(outcomes.correct + outcomes.wrong_answer + outcomes.closed_by_server, 10, "{outcomes:?}");
    assert!(outcomes.wrong_answer > 0 && tally.sent < 10, "{outcomes:?}");
}

/// Says 503 for so long since its first request, and is right ever after.
fn cold_for(ns: u64) -> Scripted {
    let mut began_ns = None;
    Scripted::new(move |request: Request<'_>| {
        let cold = b"HTTP/1.1 503 Cold\r\nContent-Length: 0\r\n\r\n".to_vec();
        let is_cold = request.at_ns < *began_ns.get_or_insert(request.at_ns) + ns;
        let answer = if is_cold { cold } else { ANSWER.to_vec() };
        vec![(request.at_ns + MS, Said::Bytes(answer))]
    })
}

#[test]
fn failures_of_settling_are_no_more_counted_than_its_correct_answers() {
    for schedule in [closed(), even(100.0)] {
        let order = WindowOrder { settling_ns: S, ..order(2, schedule, S) };
        let tally = run(&mut cold_for(S / 2), &order).tally;
        assert!(tally.settling.http_error >= 49 && tally.settling.correct >= 49, "{:?}", tally.settling);
        assert_eq!((tally.outcomes.failed(), tally.requests[0].failed), (0, 0), "{:?}", tally.outcomes);
        assert_eq!(tally.statuses, [(200, tally.outcomes.correct)].into());
        assert_eq!(tally.all().requests(), tally.sent);
        let window = tally.outcomes.correct;
        assert_eq!(tally.received_bytes, window * ANSWER.len() as u64, "of the window");
    }
}

#[test]
fn what_a_closed_loop_has_in_flight_at_the_end_counts_neither_right_nor_wrong() {
    let mut sent = 0;
    let mut driver = Scripted::new(move |request: Request<'_>| {
        sent += 1;
        let status = if sent % 2 == 0 { 200 } else { 500 };
        let answer = format!("HTTP/1.1 {status} x\r\nContent-Length: 2\r\n\r\nok");
        vec![(request.at_ns + 300 * MS, Said::Bytes(answer.into_bytes()))]
    });
    let tally = run(&mut driver, &order(2, closed(), S)).tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.http_error), (3, 3));
    assert_eq!((tally.draining.correct, tally.draining.http_error), (1, 1));
    assert_eq!(tally.statuses, [(200, 3), (500, 3)].into());
}

#[test]
fn a_number_of_requests_is_of_those_behind_settling() {
    for schedule in [closed(), Schedule::Closed { think: Think::Constant { ns: 3 * MS } }, even(1000.0)] {
        for most_requests in [8, 9, 500] {
            let order = WindowOrder { settling_ns: S, most_requests, ..order(8, schedule.clone(), 100 * S) };
            let report = run(&mut cold_for(S / 2), &order);
            let tally = &report.tally;
            assert_eq!(tally.outcomes.requests(), most_requests, "{schedule:?}: {tally:?}");
            assert_eq!(tally.outcomes.correct, most_requests, "{schedule:?}: {tally:?}");
            assert!(report.duration_ns < 100 * S, "it ended early");
        }
    }
}

#[test]
fn a_rate_that_a_count_or_the_schedule_ends_is_that_of_the_schedule() {
    for (per_s, most_requests, answer_ns) in [(1.0, 1, 4 * MS), (1.0, 3, 4 * MS), (10.0, 2, S)] {
        let order = WindowOrder { most_requests, ..order(8, even(per_s), 100 * S) };
        let report = run(&mut after(answer_ns), &order);
        let lasts_ns = (most_requests as f64 * S as f64 / per_s) as u64;
        assert_eq!((report.duration_ns, report.scheduled_ns), (lasts_ns, Some(lasts_ns)), "{per_s}/s");
        assert_eq!((report.tally.offered, report.tally.outcomes.correct), (most_requests, most_requests));
    }
    let shape = Shape::Ramp { from_per_s: 100.0, to_per_s: 0.0, over_ns: 4 * S };
    let ramp = Schedule::Open(Arrivals { shape, spacing: Spacing::Even, seed: 1 });
    let report = run(&mut after(MS), &order(8, ramp, 4 * S));
    assert_eq!((report.duration_ns, report.tally.offered), (4 * S, 200));
    // One that cannot keep up is still started at its own pace, and what was offered is the schedule's.
    let order = WindowOrder { most_requests: 10, ..order(1, even(1000.0), 100 * S) };
    let report = run(&mut after(100 * MS), &order);
    assert_eq!((report.scheduled_ns, report.tally.offered), (Some(10 * MS), 10));
    assert_eq!((report.duration_ns, report.tally.outcomes.correct), (900 * MS, 10));
}

#[test]
fn every_status_of_three_digits_is_kept_as_it_is() {
    for status in [200, 418, 599, 600, 999] {
        let mut driver = Scripted::new(move |request: Request<'_>| {
            let answer = format!("HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n");
            vec![(request.at_ns + MS, Said::Bytes(answer.into_bytes()))]
        });
        let order = WindowOrder { most_requests: 10, ..order(2, closed(), u64::MAX) };
        let tally = run(&mut driver, &order).tally;
        assert_eq!(tally.statuses, [(status, 10)].into());
    }
}

#[test]
fn a_count_that_nothing_can_be_asked_of_is_given_up() {
    for schedule in [closed(), Schedule::Closed { think: Think::Constant { ns: 20 * MS } }, even(1000.0)] {
        let mut driver = after(MS);
        driver.refuses = true;
        let order =
            WindowOrder { most_requests: 1_000_000, give_up_ns: 10 * S, ..order(2, schedule, u64::MAX) };
        let report = run(&mut driver, &order);
        assert!(report.tally.gave_up);
        assert!((9 * S..12 * S).contains(&report.duration_ns), "{}", report.duration_ns);
        assert_eq!((report.tally.outcomes.correct, report.tally.sent), (0, 0));
        assert!(report.tally.outcomes.connect_error > 0);
    }
}

#[test]
fn a_server_that_was_never_reached_is_given_up_sooner_than_one_that_was() {
    let order = WindowOrder { give_up_unreached_ns: S, ..order(2, closed(), 8 * S) };
    let mut driver = after(MS);
    driver.refuses = true;
    let report = run(&mut driver, &order);
    assert!(report.tally.gave_up);
    assert!((S..2 * S).contains(&report.duration_ns), "{}", report.duration_ns);

    let elsewhere = WindowOrder { reached: Arc::new(true.into()), ..order };
    let mut driver = after(MS);
    driver.refuses = true;
    let report = run(&mut driver, &elsewhere);
    assert!(!report.tally.gave_up, "another worker has a connection");
    assert_eq!(report.duration_ns, 8 * S);
}

#[test]
fn an_answer_of_another_status_is_an_example_and_the_first_is_kept() {
    let mut driver = Scripted::new(move |request: Request<'_>| {
        let answer = "HTTP/1.1 404 x\r\nA: b\r\nContent-Length: 5\r\n\r\n\x1b[2J!";
        vec![(request.at_ns + MS, Said::Bytes(answer.as_bytes().to_vec()))]
    });
    let order = WindowOrder { most_requests: 3, keeps_first_answer: true, ..order(1, closed(), u64::MAX) };
    let tally = run(&mut driver, &order).tally;
    assert_eq!(tally.wrong_examples, [r#"404 where 2xx was expected: "\u{1b}[2J!""#]);
    let first = tally.first_answer.unwrap();
    assert_eq!((first.status, first.body.as_slice()), (404, b"\x1b[2J!".as_slice()));
    assert!(first.fields.starts_with(b"A: b"), "{first:?}");
}

#[test]
fn a_server_that_comes_back_in_time_is_not_given_up() {
    let mut driver = after(MS);
    (driver.refuses, driver.accepts_from_ns) = (true, 9 * S);
    let order = WindowOrder { most_requests: 5_000, give_up_ns: 10 * S, ..order(2, closed(), u64::MAX) };
    let tally = run(&mut driver, &order).tally;
    assert!(!tally.gave_up);
    assert_eq!(tally.outcomes.correct + tally.outcomes.connect_error, 5_000);
    assert!(tally.outcomes.correct > 4_000, "{:?}", tally.outcomes);
}

#[test]
fn requests_that_are_too_many_to_be_counted_one_by_one_are_no_more_than_were_asked_for() {
    let order = WindowOrder { most_requests: 2_500_000, ..order(1, even(1e6), 10 * S) };
    let tally = run(&mut after(100 * S), &order).tally;
    let outcomes = &tally.outcomes;
    assert_eq!(outcomes.dropped + outcomes.timeout, 2_500_000, "{outcomes:?}");
}

#[test]
fn connections_that_were_closed_as_announced_are_told_apart() {
    let server = |announces: bool| {
        let mut count = 0;
        Scripted::new(move |request: Request<'_>| {
            count += 1;
            let at_ns = request.at_ns + MS;
            let answer = if announces {
                b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".to_vec()
            } else {
                ANSWER.to_vec()
            };
            // The last ones of each connection.
            let ends = count > 18;
            let answer = if ends { answer } else { ANSWER.to_vec() };
            let mut said = vec![(at_ns, Said::Bytes(answer))];
            if ends {
                said.push((at_ns, Said::End));
            }
            said
        })
    };
    for (announces, wanted) in [(true, 2), (false, 0)] {
        let order = WindowOrder { most_requests: 20, ..order(2, closed(), u64::MAX) };
        let tally = run(&mut server(announces), &order).tally;
        assert_eq!(tally.outcomes.correct, 20);
        assert_eq!((tally.established, tally.closed_as_announced), (0, wanted), "{announces}");
    }
}

#[test]
fn those_who_look_on_see_the_answers_of_exactly_the_time_that_is_said() {
    let live = Arc::new(Live::default());
    live.begin(1);
    let (looker, seen) = (Arc::clone(&live), Rc::new(RefCell::new(Vec::new())));
    let own = Rc::clone(&seen);
    // Every 130 ms of it the counts are asked for, which takes the worker up to 50 ms.
    let mut next_ns = 0;
    let mut driver = Scripted::new(move |request: Request<'_>| {
        if request.at_ns >= next_ns {
            next_ns = request.at_ns + 130 * MS;
            if let Some(counts) = looker.counts() {
                own.borrow_mut().push(counts);
            }
            looker.ask();
        }
        vec![(request.at_ns + MS, Said::Bytes(ANSWER.to_vec()))]
    });
    let order = WindowOrder { live: Some(live), ..order(4, closed(), 2 * S) };
    run(&mut driver, &order);
    let seen = seen.borrow();
    assert!(seen.len() >= 10, "{}", seen.len());
    for counts in seen.iter() {
        let moment = counts.moments[0];
        assert_eq!(moment.answers, (moment.at_ns - moment.start_ns) / MS * 4, "{moment:?}");
        assert_eq!((moment.in_flight, moment.offered), (4, moment.answers + 4), "{moment:?}");
    }
    for pair in seen.windows(2) {
        // Answers come every millisecond, so at each end one group of four may lie on this side or the other.
        let seconds = (pair[1].moments[0].at_ns - pair[0].moments[0].at_ns) as f64 / 1e9;
        let rate_per_s = pair[1].rate_per_s(Some(&pair[0])).unwrap();
        assert!((rate_per_s - 4000.0).abs() <= 4.0 / seconds + 1e-6, "{rate_per_s} in {seconds} s");
    }
}

#[test]
fn an_answer_after_minutes_has_its_own_time() {
    let order = WindowOrder {
        timeout_ns: 400 * S,
        drain_limit_ns: 500 * S,
        most_requests: 4,
        ..order(4, even(10.0), S)
    };
    let tally = run(&mut after(150 * S), &order).tally;
    assert_eq!(tally.outcomes.correct, 4);
    let near = |ns: Option<u64>, wanted: u64| ns.is_some_and(|ns| ns.abs_diff(wanted) <= wanted / 1000);
    assert!(near(tally.service_time.max_ns(), 150 * S), "{:?}", tally.service_time.max_ns());
    assert!(near(tally.response_time.quantile_ns(0.0), 150 * S));
}
