//! What is said of simulated loads.

use velo_fixtures::load::{closed_loop, open_loop};
use velo_judge::load::{judge, parse_conditions};
use velo_judge::{Check, Kind};
use velo_record::{EncodedHistogram, LoadCpuLimit, LoadProtocol, LoadRecord, LoadSchedule};
use velo_stats::Histogram;

use crate::words::sentence;

#[track_caller]
fn assert_near(found: Option<f64>, expected: f64) {
    let found = found.expect("a figure");
    assert!((found - expected).abs() <= expected.abs() * 0.002, "{found} is not {expected}");
}

/// What is said of a load apart from what is said of every one of its kind.
fn said(record: LoadRecord) -> Vec<(Kind, Check, String)> {
    // That failures do not fail a load is said of every one with failures and without a condition on them.
    let conditions = parse_conditions("errors>=0").expect("a condition");
    let verdicts = judge(record, &conditions).verdicts.into_iter();
    verdicts
        .filter(|verdict| verdict.check != Check::Model)
        .map(|verdict| (verdict.kind, verdict.check, sentence(&verdict.finding)))
        .collect()
}

#[track_caller]
fn assert_said(record: LoadRecord, expected: &[(Kind, Check, &str)]) {
    let said = said(record);
    let said: Vec<_> = said.iter().map(|(kind, check, words)| (*kind, *check, words.as_str())).collect();
    assert_eq!(said, expected);
}

fn histogram_of(ns: u64, samples: u64) -> EncodedHistogram {
    let mut histogram = Histogram::new();
    (0..samples).for_each(|_| histogram.record(ns));
    EncodedHistogram::new(&histogram)
}

#[test]
fn what_failed_is_said_by_class() {
    let mut record = open_loop(1_000, 30);
    record.outcomes.correct -= 21;
    record.outcomes.wrong_answer = 1;
    record.outcomes.timeout = 18;
    record.outcomes.truncated = 2;
    assert_said(
        record.clone(),
        &[
            (Kind::Error, Check::Correctness, "1 wrong answer (<0.1 % of all)"),
            (
                Kind::Warning,
                Check::Failures,
                "0.1 % of the requests failed and are in no percentile: 2 truncated, 18 without an answer in time",
            ),
        ],
    );
    record.outcomes.timeout = 60;
    assert_eq!(said(record)[1].0, Kind::Error, "more than 0.1 %");
}

#[test]
fn failures_outside_of_the_stretch_are_said_and_count_nowhere() {
    let mut record = open_loop(1_000, 30);
    (record.warm_up.http_error, record.warm_up.correct) = (50, 7);
    record.drained.timeout = 2;
    let result = judge(record.clone(), &parse_conditions("errors=0").unwrap());
    assert_eq!((result.figures.requests, result.figures.failed), (30_000, 0));
    assert_eq!(result.conditions[0].holds, Some(true));
    assert_said(
        record,
        &[
            (
                Kind::Hint,
                Check::Failures,
                "the warm-up had 50 failures, which are not counted: 50 with an unexpected status",
            ),
            (
                Kind::Warning,
                Check::Failures,
                "of the requests in flight at the end 2 failed afterwards; a closed loop counts none of them: 2 without an answer in time",
            ),
        ],
    );
}

#[test]
fn that_failures_do_not_fail_a_load_is_said_where_no_condition_is_about_them() {
    let mut record = open_loop(1_000, 30);
    record.outcomes.wrong_answer = 9;
    let hints = |record: &LoadRecord, conditions: &str| {
        let conditions = parse_conditions(conditions).unwrap_or_default();
        let verdicts = judge(record.clone(), &conditions).verdicts;
        verdicts.iter().filter(|verdict| sentence(&verdict.finding).contains("--fail-on errors=0")).count()
    };
    assert_eq!((hints(&record, ""), hints(&record, "p99<1s"), hints(&record, "wrong<1%")), (1, 1, 0));
    record.outcomes.wrong_answer = 0;
    assert_eq!(hints(&record, ""), 0);
}

#[test]
fn a_limit_on_cpu_time_is_what_the_generator_may_use() {
    let mut record = closed_loop(1);
    record.generator_cpu_ns = vec![48_000_000, 47_000_000];
    record.cpu_limit = Some(LoadCpuLimit {
        cpus: 0.1,
        periods: Some(10),
        throttled_periods: Some(9),
        throttled_ns: Some(850_000_000),
    });
    let result = judge(record.clone(), &[]);
    assert_near(result.figures.generator_busy_share, 0.95);
    assert!(result.figures.at_least, "the server may serve more");
    let words = "the limit of 0.10 CPUs on its control group held the generator back in 9 of 10 periods, 850 ms in all: its \
                 pauses stand in the times as the server's";
    let said = said(record.clone());
    assert!(said.contains(&(Kind::Warning, Check::Limit, words.to_owned())), "{said:?}");
    record.cpu_limit =
        Some(LoadCpuLimit { cpus: 4.0, throttled_periods: Some(0), ..record.cpu_limit.unwrap() });
    let wide = judge(record, &[]);
    assert_near(wide.figures.generator_busy_share, 0.0475);
    assert!(!wide.figures.at_least && wide.verdicts.iter().all(|verdict| verdict.check != Check::Limit));
    let mut open = open_loop(1_000, 30);
    open.cpu_limit =
        Some(LoadCpuLimit { cpus: 1.0, periods: Some(300), throttled_periods: Some(1), throttled_ns: None });
    assert!(
        self::said(open).iter().any(|(_, check, words)| *check == Check::Limit && words.contains("1 of 300"))
    );
}

#[test]
fn more_connections_are_no_cure_where_the_server_is_slow() {
    let mut record = open_loop(5_000, 10);
    record.outcomes.dropped = 5_000;
    record.outcomes.correct -= 5_000;
    record.send_lag = histogram_of(20_000, 45_000);
    let mut service = Histogram::new();
    service.record(250_000);
    service.record_many(3_000_000, 44_999);
    record.service_time = EncodedHistogram::new(&service);
    let said = said(record);
    let words = &said[0].2;
    assert!(words.contains("answers took 3.00 ms in place of 250 µs") && !words.contains("(-c)"), "{words}");
}

#[test]
fn nothing_that_worked_is_said_once() {
    let mut record = open_loop(1_000, 1);
    (record.outcomes.correct, record.outcomes.connect_error) = (0, 1_000);
    assert!(judge(record.clone(), &[]).nothing_worked());
    record.service_time = EncodedHistogram::default();
    record.response_time = EncodedHistogram::default();
    let words = "no correct answer: 1,000 without a connection";
    assert_said(record.clone(), &[(Kind::Error, Check::Correctness, words)]);
    record.outcomes.connect_error = 0;
    let words = "no correct answer: no request had an outcome";
    assert_said(record.clone(), &[(Kind::Error, Check::Correctness, words)]);
    record.warm_up.correct = 3;
    let result = judge(record, &[]);
    assert!(!result.nothing_worked());
    assert!(
        {
            let mut dead = result.record.clone();
            dead.outcomes.connect_error = 1;
            judge(dead, &[]).nothing_worked()
        },
        "all of the stretch failed"
    );
    assert_eq!(result.verdicts[0].kind, Kind::Error, "{}", sentence(&result.verdicts[0].finding));
}

#[test]
fn a_rate_that_was_not_offered_is_said_with_its_cause() {
    let mut record = open_loop(5_000, 10);
    record.outcomes.dropped = 5_000;
    record.outcomes.correct -= 5_000;
    record.settings.drops_when_full = true;
    record.send_lag = histogram_of(20_000, 45_000);
    let words = "the load could not be offered: 90 % of the requests were sent; no connection was free; more of them (-c) may \
                 help";
    assert_said(record.clone(), &[(Kind::Warning, Check::Offered, words)]);
    record.generator_cpu_ns = vec![9_000_000_000];
    let said = said(record);
    assert!(said[0].2.ends_with("were sent; the generator was busy 90 %"), "{}", said[0].2);
    assert_eq!(said[1].1, Check::Limit);
}

#[test]
fn what_was_due_and_found_no_connection_was_not_sent() {
    let mut record = open_loop(5_000, 10);
    (record.outcomes.correct, record.outcomes.connect_error, record.sent) = (0, 50_000, 0);
    for time in [&mut record.send_lag, &mut record.response_time, &mut record.service_time] {
        *time = EncodedHistogram::default();
    }
    record.first_byte_time = EncodedHistogram::default();
    let conditions = parse_conditions("achieved>=90%").unwrap();
    let result = judge(record.clone(), &conditions);
    assert_eq!((result.figures.sent_per_s, result.figures.achieved_share), (Some(0.0), Some(0.0)));
    assert_eq!(result.conditions[0].holds, Some(false));
    let words =
        "the load could not be offered: 0.0 % of the requests were sent; 50,000 requests had no connection";
    assert_said(
        record.clone(),
        &[
            (Kind::Error, Check::Correctness, "no correct answer: 50,000 without a connection"),
            (Kind::Warning, Check::Offered, words),
        ],
    );
    // Some of each: sent, dropped, and without a connection.
    record = open_loop(5_000, 10);
    (record.outcomes.correct, record.outcomes.connect_error, record.outcomes.dropped) =
        (30_000, 15_000, 5_000);
    record.sent = 30_000;
    record.send_lag = histogram_of(20_000, 30_000);
    assert_eq!(judge(record.clone(), &[]).figures.achieved_share, Some(0.6));
    let verdict =
        said(record.clone()).into_iter().find(|(_, check, _)| *check == Check::Offered).expect("a verdict");
    assert!(
        verdict.2.ends_with("60 % of the requests were sent; 15,000 requests had no connection"),
        "{}",
        verdict.2
    );
    // Without the histogram of lags there is the count of what was sent.
    record.send_lag = EncodedHistogram("x".to_owned());
    assert_eq!(judge(record.clone(), &[]).figures.achieved_share, Some(0.6));
    record.sent = 0;
    assert_eq!(judge(record, &[]).figures.achieved_share, Some(0.0));
}

#[test]
fn a_load_that_was_given_up_says_how_far_it_came() {
    let mut record = closed_loop(1);
    record.gave_up = true;
    record.settings.most_requests = Some(1_000_000_000);
    let requests = judge(record.clone(), &[]).figures.requests;
    let found = said(record);
    assert_eq!((found[0].0, found[0].1), (Kind::Error, Check::Interrupted));
    assert!(
        found[0].2.starts_with("given up after 1.00 s: no connection could be opened; "),
        "{}",
        found[0].2
    );
    assert!(found[0].2.ends_with(" of 1,000,000,000 requests tried") && requests > 0, "{}", found[0].2);
}

#[test]
fn connections_that_closed_as_announced_are_not_missing() {
    let missing = |record: &LoadRecord| {
        let found = said(record.clone()).into_iter().find(|(_, check, _)| *check == Check::Connections);
        found.map(|(kind, _, words)| (kind, words))
    };
    let mut record = closed_loop(1);
    (record.connections.established, record.connections.closed_as_announced) = (62, 2);
    assert_eq!(missing(&record), None);
    (record.connections.established, record.connections.closed_as_announced) = (61, 2);
    let words = "only 61 of 64 connections were open at the end".to_owned();
    assert_eq!(missing(&record), Some((Kind::Warning, words)));
    record.connections.closed_idle = 1;
    assert_eq!(missing(&record), None);
}

#[test]
fn an_open_loop_that_needs_few_connections_misses_none() {
    let mut record = open_loop(5_000, 10);
    (record.connections.established, record.connections.closed_as_announced) = (1, 0);
    assert_said(record, &[]);
}

#[test]
fn connections_that_were_closed_while_idle_are_told_with_how_long() {
    let mut record = open_loop(5_000, 10);
    (record.connections.reconnects, record.connections.closed_idle) = (209, 209);
    record.connections.shortest_idle_ns = Some(5_003_000_000);
    assert_said(record.clone(), &[]);
    (record.connections.reconnects, record.connections.closed_idle) = (1_409, 1_409);
    let idle = "1,409 connections were closed by the server after at least 5.0 s without a request";
    assert_said(record.clone(), &[(Kind::Hint, Check::Connections, idle)]);
    // Others were closed in another way.
    record.connections.reconnects = 3_409;
    let not_kept = "the server closed connections, which were opened again 2,000 times, once for each 25 answers: what that costs is in the figures";
    assert_said(
        record,
        &[(Kind::Hint, Check::Connections, not_kept), (Kind::Hint, Check::Connections, idle)],
    );
}

#[test]
fn a_server_is_not_blamed_for_connections_that_the_generator_ended() {
    let mut record = open_loop(5_000, 10);
    (record.connections.reconnects, record.outcomes.timeout) = (2_000, 2_000);
    assert!(said(record).iter().all(|(_, check, _)| *check != Check::Connections));
}

#[test]
fn a_single_dropped_request_is_said() {
    let mut record = open_loop(5_000, 10);
    (record.outcomes.dropped, record.outcomes.correct) = (1, record.outcomes.correct - 1);
    let words = "1 request was due but never sent; the load ended before a connection was free; more of them (-c) may \
                 help";
    assert_said(record, &[(Kind::Warning, Check::Offered, words)]);
}

#[test]
fn send_lag_is_held_against_the_median_and_the_precision_of_timers() {
    let mut record = open_loop(5_000, 10);
    record.send_lag = histogram_of(99_000, 50_000);
    assert_said(record.clone(), &[]);
    record.send_lag = histogram_of(102_000, 50_000);
    assert_eq!(said(record.clone())[0].1, Check::SendLag);
    record.response_time = histogram_of(2_000_000, 50_000);
    assert_said(record, &[]);
}

#[test]
fn a_generator_that_stood_still_is_said_in_either_loop() {
    let words_of = |mut record: LoadRecord, ns: Option<u64>| {
        record.generator_longest_pause_ns = ns;
        let found = said(record).into_iter().find(|(_, check, _)| *check == Check::SendLag);
        found.map(|(kind, _, words)| (kind, words))
    };
    let open = "the generator was paused for 1.20 s; response times include that".to_owned();
    assert_eq!(words_of(open_loop(5_000, 10), Some(1_200_000_000)), Some((Kind::Warning, open)));
    let closed =
        "the generator was paused for 1.20 s; service times include that, and nothing was sent meanwhile";
    assert_eq!(words_of(closed_loop(1), Some(1_200_000_000)), Some((Kind::Warning, closed.to_owned())));
    assert_eq!(words_of(closed_loop(1), Some(99_000_000)), None);
    assert_eq!(words_of(closed_loop(1), None), None);
}

#[test]
fn one_thread_at_its_limit_is_seen_beside_idle_ones() {
    let mut record = open_loop(5_000, 10);
    record.generator_cpu_ns = vec![9_900_000_000, 100_000_000];
    assert_said(record, &[(Kind::Warning, Check::Limit, "one of the generator's threads was busy 99 %")]);
}

#[test]
fn littles_law_finds_a_counter_that_is_wrong() {
    let mut record = open_loop(5_000, 10);
    record.clipped_service_ns = record.in_flight_request_ns / 100 * 94;
    let words = "requests in flight and service times differ by 6.0 %";
    assert_said(record.clone(), &[(Kind::Error, Check::LittlesLaw, words)]);
    record.interrupted = true;
    assert_eq!(said(record)[1].0, Kind::Warning);
}

#[test]
fn connections_that_were_held_back_are_said_with_the_cause() {
    let mut record = closed_loop(1);
    record.generator_cpu_ns = vec![500_000_000];
    record.in_flight_request_ns /= 2;
    record.clipped_service_ns /= 2;
    let held_back = |record: &LoadRecord| {
        let verdicts = judge(record.clone(), &[]).verdicts;
        verdicts
            .into_iter()
            .find(|verdict| verdict.check == Check::HeldBack)
            .map(|verdict| sentence(&verdict.finding))
    };
    assert!(held_back(&record).unwrap().ends_with("kept busy: the generator held back"));
    let mut one_at_a_time = record.clone();
    one_at_a_time.connections.completions = vec![0; one_at_a_time.settings.connections as usize];
    one_at_a_time.connections.completions[0] = 1_000;
    assert!(
        held_back(&one_at_a_time)
            .unwrap()
            .ends_with("kept busy: 1 of 64 ever got an answer, though all were open")
    );
    record.connections.reconnects = record.outcomes.correct;
    assert!(held_back(&record).unwrap().ends_with("the others were being opened again"));
    record.settings.schedule = LoadSchedule::Closed { think_ns: 1_000_000 };
    assert_eq!(held_back(&record), None, "a pause was asked for");
    let mut few = closed_loop(1);
    few.settings.most_requests = Some(64);
    few.outcomes.correct = 64;
    few.in_flight_request_ns /= 2;
    assert_eq!(held_back(&few), None, "a short count is beginning and end");
}

#[test]
fn connections_missing_closed_and_without_a_port_are_said() {
    let mut record = open_loop(5_000, 10);
    record.connections.no_port = 3;
    let words = "no local port was free 3 times: fewer connections, or a wider net.ipv4.ip_local_port_range";
    assert_said(record.clone(), &[(Kind::Warning, Check::Ports, words)]);
    record.connections.no_port = 0;
    record.connections.reconnects = 50_000;
    let words = "the server closed connections, which were opened again 50,000 times, once for each answer: what that costs is in the figures";
    assert_said(record.clone(), &[(Kind::Hint, Check::Connections, words)]);
    record.settings.requests_per_connection = Some(1);
    assert_said(record, &[]);
}

#[test]
fn starved_connections_are_named_in_a_closed_loop_only() {
    let starve = |mut record: LoadRecord| {
        record.generator_cpu_ns = vec![0];
        record.connections.completions[7] = 1;
        said(record).into_iter().find(|(_, check, _)| *check == Check::Fairness).map(|(.., words)| words)
    };
    let words = starve(closed_loop(1)).expect("a verdict");
    assert!(words.starts_with("1 connection got under 10 % of the median: 8 (Jain's"), "{words}");
    assert_eq!(starve(open_loop(5_000, 10)), None);
}

#[test]
fn the_rest_is_said_too() {
    let mut record = open_loop(100, 10);
    record.build = "debug".to_owned();
    record.interrupted = true;
    record.settings.duration_ns = Some(20_000_000_000);
    record.settings.checks_bodies = false;
    record.first_byte_time = EncodedHistogram("x".to_owned());
    let found = said(record);
    let checks: Vec<(Kind, Check)> = found.iter().map(|(kind, check, _)| (*kind, *check)).collect();
    let expected = [
        (Kind::Warning, Check::Build),
        (Kind::Warning, Check::Interrupted),
        (Kind::Hint, Check::Expectations),
        (Kind::Hint, Check::Samples),
        (Kind::Warning, Check::Record),
    ];
    assert_eq!(checks, expected);
    assert_eq!(found[1].2, "interrupted after 10.0 s of 20.0 s");
    assert!(found[2].2.contains("--expect-"));
    assert_eq!(found[3].2, "not enough samples of response time for p99.9 (needs 10,000)");
}

#[test]
fn fewer_streams_than_were_asked_for_are_said() {
    let mut record = closed_loop(1);
    (record.settings.protocol, record.settings.streams) = (LoadProtocol::Http2, 32);
    let mut streams = |allowed| {
        record.connections.streams_allowed = allowed;
        let words = said(record.clone()).into_iter().map(|(.., words)| words);
        words.into_iter().find(|words| words.contains("stream"))
    };
    let words =
        "the server takes 10 streams on a connection, not 32: more connections, or another limit there";
    assert_eq!(streams(Some(10)).as_deref(), Some(words));
    assert_eq!((streams(Some(32)), streams(None)), (None, None));
}
