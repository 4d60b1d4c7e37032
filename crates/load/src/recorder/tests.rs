use super::*;

fn plain(sent_ns: u64, done_ns: u64) -> Times {
    Times { intended_ns: sent_ns, sent_ns, first_byte_ns: done_ns, done_ns }
}

fn failed(intended_ns: u64, sent_ns: u64, done_ns: u64) -> FailedRequest {
    FailedRequest { request: Some(0), intended_ns, sent_ns, done_ns, status: None }
}

#[test]
fn the_integral_and_the_clipped_service_times_agree() {
    let mut recorder = Recorder::new(1);
    recorder.begin(100, 200, false);
    recorder.sent(50, 50);
    recorder.sent(120, 120);
    assert_eq!(recorder.correct(Some(0), 200, &plain(50, 130), false), Stage::Window);
    recorder.failed(Failure::HttpError, &failed(120, 120, 150));
    recorder.sent(190, 190);
    assert_eq!(recorder.correct(Some(0), 200, &plain(190, 260), false), Stage::Draining);
    let tally = recorder.finish(300);
    // 100 to 130, 120 to 150, 190 to 200.
    assert_eq!(tally.in_flight_request_ns, 30 + 30 + 10);
    assert_eq!(tally.clipped_service_ns, 70);
    assert_eq!((tally.outcomes.correct, tally.draining.correct, tally.outcomes.http_error), (1, 1, 1));
    assert_eq!(tally.requests, [PerRequest { correct: 1, failed: 1 }]);
    assert_eq!((tally.offered, tally.sent, tally.send_lag.count()), (2, 3, 2));
}

#[test]
fn what_is_sent_by_an_earlier_look_at_the_clock_is_in_flight_from_then_on() {
    let mut recorder = Recorder::new(1);
    recorder.begin(100, 200, false);
    recorder.sent(110, 110);
    recorder.correct(Some(0), 200, &plain(110, 150), false);
    recorder.sent(140, 140);
    recorder.failed(Failure::Timeout, &failed(140, 140, 145));
    recorder.sent(145, 145);
    recorder.correct(Some(0), 200, &plain(145, 170), false);
    let tally = recorder.finish(300);
    assert_eq!((tally.in_flight_request_ns, tally.clipped_service_ns), (70, 70));
}

#[test]
fn an_open_loop_counts_what_was_due_in_the_window_whenever_its_answer_comes() {
    let mut recorder = Recorder::new(1);
    recorder.begin(100, 200, true);
    for (intended_ns, sent_ns, first_byte_ns, done_ns) in [(90, 110, 120, 120), (150, 180, 290, 300)] {
        recorder.due(intended_ns);
        recorder.sent(intended_ns, sent_ns);
        recorder.correct(Some(0), 200, &Times { intended_ns, sent_ns, first_byte_ns, done_ns }, false);
    }
    recorder.due(160);
    recorder.dropped(160);
    let tally = recorder.finish(300);
    assert_eq!((tally.outcomes.correct, tally.settling.correct), (1, 1));
    assert_eq!((tally.offered, tally.outcomes.dropped), (2, 1));
    let one = |times: &Histogram| (times.count(), times.max_ns());
    assert_eq!(one(&tally.response_time), (1, Some(150)));
    assert_eq!(one(&tally.service_time), (1, Some(120)));
    assert_eq!(one(&tally.first_byte_time), (1, Some(110)));
    assert_eq!(one(&tally.send_lag), (1, Some(30)));
}

#[test]
fn whatever_becomes_of_a_request_one_time_says_what_it_belongs_to() {
    for by_intended in [false, true] {
        let mut recorder = Recorder::new(1);
        recorder.begin(100, 200, by_intended);
        // Intended at the first time, over at the second: the window's is the one in the middle.
        let (deciding, other) = ([90, 150, 210], [120, 160, 250]);
        for (decides_ns, other_ns) in deciding.into_iter().zip(other) {
            let (intended_ns, done_ns) = if by_intended {
                (decides_ns, other_ns.max(decides_ns))
            } else {
                (decides_ns.min(80), decides_ns)
            };
            for ends in 0..5 {
                if ends < 3 {
                    recorder.sent(intended_ns, intended_ns);
                }
                let status = (ends == 1).then_some(503);
                let request = FailedRequest { status, ..failed(intended_ns, intended_ns, done_ns) };
                match ends {
                    0 => drop(recorder.correct(Some(0), 200, &plain(intended_ns, done_ns), false)),
                    1 => recorder.failed(Failure::HttpError, &request),
                    2 => recorder.failed(Failure::Timeout, &request),
                    3 => recorder.failed_unsent(Failure::ConnectError, intended_ns, done_ns),
                    _ => recorder.grpc_error(5, "", &request),
                }
            }
        }
        let tally = recorder.finish(300);
        let each =
            Outcomes { correct: 1, http_error: 1, timeout: 1, connect_error: 1, ..Outcomes::default() };
        assert_eq!([tally.settling, tally.outcomes, tally.draining], [each; 3], "{by_intended}");
        assert_eq!(tally.requests, [PerRequest { correct: 1, failed: 2 }]);
        assert_eq!(tally.statuses, BTreeMap::from([(200, 1), (503, 1)]));
        assert_eq!(tally.grpc_errors, BTreeMap::from([(5, 1)]));
        assert_eq!((tally.service_time.count(), tally.all().requests()), (1, 12));
    }
}

#[test]
fn a_spoilt_answer_stays_where_its_request_belongs() {
    for (done_ns, stage) in [(50, Stage::Settling), (150, Stage::Window), (250, Stage::Draining)] {
        let mut recorder = Recorder::new(1);
        recorder.begin(100, 200, false);
        recorder.sent(10, 10);
        let times = plain(10, done_ns);
        assert_eq!(recorder.correct(Some(0), 200, &times, false), stage);
        recorder.spoilt(&CountedAnswer { request: Some(0), times, carried: false, stage });
        let tally = recorder.finish(300);
        let within = u64::from(stage == Stage::Window);
        assert_eq!((tally.all().correct, tally.all().wrong_answer), (0, 1), "{stage:?}");
        assert_eq!(tally.outcomes.wrong_answer, within, "{stage:?}");
        assert_eq!(tally.requests, [PerRequest { correct: 0, failed: within }], "{stage:?}");
    }
}

#[test]
fn merging_adds_everything() {
    let mut coin = Recorder::new(1);
    coin.begin(0, 100, false);
    coin.sent(1, 1);
    coin.correct(Some(0), 200, &plain(1, 5), false);
    let mut draws = Draws::default();
    coin.toss(Toss { bet: true, draw: true }, &mut draws);
    coin.toss(Toss { bet: true, draw: false }, &mut draws);
    let part = coin.finish(100);
    let mut sum = Tally::default();
    sum.merge(&part);
    sum.merge(&part);
    assert_eq!(sum.outcomes.correct, 2);
    assert_eq!(sum.requests[0].correct, 2);
    assert_eq!(sum.service_time.count(), 2);
    assert_eq!(sum.statuses, BTreeMap::from([(200, 2)]));
    let coin = sum.coin.unwrap();
    assert_eq!((coin.draws, coin.successive), ([[0, 0], [2, 2]], [[0, 0], [2, 0]]));
    assert_eq!((coin.lags[0], coin.lags[1]), ([2, 0], [0, 0]));
}

#[test]
fn the_counts_of_all_workers_are_added_up_whether_one_or_many() {
    let of = |ns: u64| {
        let mut tally = Tally { sent: ns, ..Tally::default() };
        tally.service_time.record(ns);
        tally
    };
    assert_eq!(Tally::of_all(Vec::new()).sent, 0, "no worker");
    let one = Tally::of_all(vec![of(7)]);
    assert_eq!((one.sent, one.service_time.count(), one.service_time.max_ns()), (7, 1, Some(7)));
    let three = Tally::of_all(vec![Tally::default(), of(7), of(9)]);
    assert_eq!((three.sent, three.service_time.count(), three.service_time.max_ns()), (16, 2, Some(9)));
}
