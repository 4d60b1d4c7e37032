//! What a person sees of a load, as checked-in snapshots: `INSTA_UPDATE=always cargo test -p velo-report` renews them.

use insta::assert_snapshot;
use velo_fixtures::load::{closed_loop, open_loop};
use velo_judge::load::{LoadResult, compare, judge, parse_conditions};
use velo_record::{
    EncodedHistogram, LoadMoment, LoadProtocol, LoadRecord, LoadSchedule, LoadTls, Outcomes, RequestCounts,
};
use velo_report::TerminalOptions;
use velo_report::load::{
    LiveFigures, LiveView, comparison, csv, distribution, hdr_log, html, json, live_line, live_view,
    plan_line, terminal,
};
use velo_stats::Histogram;

fn judged(record: LoadRecord, conditions: &str) -> LoadResult {
    let conditions =
        if conditions.is_empty() { Vec::new() } else { parse_conditions(conditions).expect("conditions") };
    judge(record, &conditions)
}

/// The plan and the result, as they stand on a terminal.
fn page(record: LoadRecord, conditions: &str) -> String {
    let plan = plan_line(&record.settings, &record.driver);
    format!("{plan}\n{}", terminal(&judged(record, conditions), &TerminalOptions::default()))
}

fn histogram(values: impl IntoIterator<Item = u64>) -> EncodedHistogram {
    let mut histogram = Histogram::new();
    values.into_iter().for_each(|value| histogram.record(value));
    EncodedHistogram::new(&histogram)
}

/// An open loop that went wrong in many ways.
fn troubled() -> LoadRecord {
    let mut record = open_loop(5_000, 10);
    let outcomes = &mut record.outcomes;
    outcomes.correct -= 3_000;
    (outcomes.wrong_answer, outcomes.http_error, outcomes.timeout, outcomes.dropped) = (12, 480, 8, 2_500);
    record.statuses = [(200, 47_012), (302, 12), (500, 468)].into();
    record.examples = vec![
        "coin: body differs at byte 8: {\"win\": nul} instead of {\"win\": true}".to_owned(),
        "coin: status 500: upstream connect error or disconnect/reset before headers; reset reason: overflow"
            .to_owned(),
    ];
    record.requests = vec![
        RequestCounts { name: "coin".to_owned(), correct: 40_000, failed: 488 },
        RequestCounts { name: "user".to_owned(), correct: 7_000, failed: 12 },
    ];
    record.settings.drops_when_full = true;
    record.settings.checks_bodies = false;
    record.settings.warm_up_ns = 1_500_000_000;
    record.send_lag = histogram((0..47_500).map(|index| index * 100));
    record.handshake_time = histogram((0..64).map(|index| 800_000 + index * 10_000));
    record.resumed = 12;
    record.target.tls = Some(LoadTls {
        version: Some("TLSv1.3".to_owned()),
        cipher: Some("TLS13_AES_256_GCM_SHA384".to_owned()),
        verified: true,
        resumption: true,
    });
    record.connections.established = 60;
    record.clipped_service_ns = record.in_flight_request_ns / 10 * 9;
    record.generator_cpu_ns = vec![5_000_000_000, 9_900_000_000];
    record.settings.cpus = vec![0, 1];
    record
}

#[test]
fn an_open_loop() {
    assert_snapshot!(page(open_loop(5_000, 10), "p99<20ms,errors=0"));
}

#[test]
fn a_load_as_a_page() {
    let mut record = troubled();
    record.moments[3].failed = 12;
    assert_snapshot!(html(&judged(record, "p99<1ms,errors<0.1%,p50<1s")));
}

#[test]
fn a_page_of_a_closed_loop_has_one_line_of_percentiles_and_no_failures() {
    let page = html(&judged(closed_loop(3), ""));
    assert!(page.contains("all 120,000 answers correct") || page.contains("answers correct"), "{page}");
    assert_eq!(
        page.matches("<path class=\"line\"").count(),
        3,
        "percentiles, rate, and the median over time"
    );
    assert_eq!(page.matches("<path class=\"line soft\"").count(), 1, "the 99th percentile over time");
    assert!(!page.contains("Failures over time"), "{page}");
}

#[test]
fn a_closed_loop() {
    assert_snapshot!(page(closed_loop(1), "p99<20ms,errors=0,rate>1k,rate>10000k"));
}

#[test]
fn an_open_loop_that_went_wrong() {
    assert_snapshot!(page(troubled(), "p99<1ms,errors<0.1%,achieved>=99%,p50<1s,p99.99<20ms"));
}

#[test]
fn a_load_that_nothing_answered() {
    let mut record = closed_loop(1);
    (record.outcomes.correct, record.outcomes.connect_error) = (0, 64);
    record.examples = vec!["connection refused (os error 111)".to_owned(); 3];
    record.statuses.clear();
    (record.in_flight_request_ns, record.clipped_service_ns) = (0, 0);
    (record.offered, record.sent, record.sent_bytes, record.received_bytes) = (0, 0, 0, 0);
    record.connections.established = 0;
    record.connections.completions = vec![0; 64];
    record.generator_cpu_ns = vec![3_000_000];
    for time in [
        &mut record.service_time,
        &mut record.response_time,
        &mut record.first_byte_time,
        &mut record.send_lag,
        &mut record.connect_time,
    ] {
        *time = EncodedHistogram::default();
    }
    assert_snapshot!(page(record, "p99<20ms,errors=0"));
}

#[test]
fn a_short_load_that_was_interrupted() {
    let mut record = open_loop(100, 2);
    record.interrupted = true;
    record.settings.duration_ns = Some(10_000_000_000);
    record.first_byte_time = histogram((0..200).map(|index| 50_000 + index));
    assert_snapshot!(page(record, "p99<20ms"));
}

#[test]
fn plans() {
    let mut settings = closed_loop(1).settings;
    let mut lines = vec![plan_line(&settings, "epoll")];
    settings.schedule = LoadSchedule::Closed { think_ns: 10_000_000 };
    (settings.duration_ns, settings.most_requests) = (None, Some(10_000));
    (settings.connections, settings.requests_per_connection) = (1, Some(1));
    lines.push(plan_line(&settings, "epoll"));
    settings.schedule = LoadSchedule::Open {
        shape: "ramp from 100/s to 5,000/s over 10 s".to_owned(),
        spacing: "even".to_owned(),
        expected: 1.0,
    };
    (settings.duration_ns, settings.pipelining, settings.busy_poll) = (Some(500_000_000), 16, true);
    (settings.requests_per_connection, settings.drops_when_full) = (Some(100), true);
    (settings.warm_up_ns, settings.cpus) = (2_000_000_000, vec![0, 1]);
    lines.push(plan_line(&settings, "io_uring"));
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_load_over_http_2_says_so() {
    let mut record = closed_loop(1);
    (record.settings.protocol, record.settings.streams) = (LoadProtocol::Http2, 32);
    let plan = plan_line(&record.settings, "epoll");
    assert!(plan.contains("64 connections, HTTP/2, 32 streams on each"), "{plan}");
}

#[test]
fn live_lines() {
    let mut figures = LiveFigures {
        is_warm_up: false,
        elapsed_ns: 7_400_000_000,
        rate_per_s: 5_001.7,
        p50_ns: Some(210_000),
        p99_ns: Some(1_410_000),
        errors: 0,
        connections: 64,
        own_cpu_share: Some(0.06),
        whole_ns: None,
        failing: None,
    };
    let mut lines = vec![live_line(&LiveFigures::default(), 79), live_line(&figures, 79)];
    figures.whole_ns = Some(10_000_000_000);
    lines.extend([live_line(&figures, 79), live_line(&figures, 100)]);
    let refused = Some("no connection: Connection refused (os error 111)".to_owned());
    lines.push(live_line(&LiveFigures { errors: 1_040, failing: refused, ..figures.clone() }, 79));
    lines.push(live_line(
        &LiveFigures { is_warm_up: true, p50_ns: None, p99_ns: None, errors: 50, ..figures.clone() },
        79,
    ));
    figures = LiveFigures {
        elapsed_ns: 3_760_000_000_000,
        whole_ns: None,
        rate_per_s: 213_726.4,
        errors: 123_456,
        ..figures
    };
    lines.push(live_line(&figures, 79));
    assert_snapshot!(lines.join("\n"));

    for nothing in ["", " ", "\u{200b} "] {
        let failing = Some(nothing.to_owned());
        let line = live_line(&LiveFigures { errors: 1, failing, ..figures.clone() }, 79);
        assert!(line.ends_with("errors 1"), "{line:?}");
    }
}

#[test]
fn live_views() {
    let mut all = Histogram::new();
    let mut last = Histogram::new();
    // From 150 us to 4 ms, most of them short; of late longer ones only.
    for index in 0..20_000_u64 {
        all.record(150_000 + index * index / 100);
    }
    (0..5_000_u64).for_each(|index| last.record(400_000 + index * 300));
    let rates = [4_800.0, 5_000.0, 5_100.0, 2_500.0, 600.0, 0.0, 1_200.0, 5_000.0, 5_010.0, 5_001.7];
    let moments: Vec<LoadMoment> = (1..)
        .zip(rates)
        .map(|(half, correct_per_s)| LoadMoment {
            at_ns: half * 500_000_000,
            correct_per_s,
            ..LoadMoment::default()
        })
        .collect();
    let open = LiveView {
        figures: LiveFigures {
            elapsed_ns: 5_000_000_000,
            rate_per_s: 5_001.7,
            connections: 64,
            own_cpu_share: Some(0.06),
            whole_ns: Some(10_000_000_000),
            ..LiveFigures::default()
        },
        offered_per_s: Some(5_012.4),
        requests: None,
        outcomes: Outcomes { correct: 20_000, ..Outcomes::default() },
        example: None,
        in_flight: 12,
        time: "response",
        all: &all,
        last: (&last, 1_080_000_000),
        moments: &moments,
    };
    let page = |view: &LiveView<'_>, width, height| {
        let lines = live_view(view, width, height, false);
        assert!(lines.len() <= height, "{lines:?}");
        lines.join("\n")
    };
    let outcomes =
        Outcomes { correct: 900, wrong_answer: 12, timeout: 1_000, dropped: 2_500, ..Outcomes::default() };
    let failing = LiveView {
        figures: LiveFigures { whole_ns: None, ..open.figures.clone() },
        offered_per_s: None,
        requests: Some((4_412, 10_000)),
        example: Some("body differs at byte 8: {\"win\": nul} instead of {\"win\": true}".to_owned()),
        time: "service",
        outcomes,
        ..open.clone()
    };
    let nothing = Histogram::new();
    let warming = LiveView {
        figures: LiveFigures { is_warm_up: true, elapsed_ns: 400_000_000, ..open.figures.clone() },
        offered_per_s: None,
        all: &nothing,
        last: (&nothing, 400_000_000),
        moments: &moments[..1],
        ..open.clone()
    };
    let pages = [
        page(&open, 77, 23),
        page(&open, 57, 19),
        page(&failing, 77, 23),
        page(&failing, 40, 13),
        page(&failing, 20, 4),
        page(&warming, 77, 23),
    ];
    assert_snapshot!(pages.join("\n\n"));

    let painted = live_view(&failing, 77, 23, true);
    assert_eq!(painted[1], "\u{1b}[1mgoodput      \u{1b}[0m5,002/s");
    assert!(painted[6].starts_with("\u{1b}[1mfailures     \u{1b}[0m\u{1b}[31m3,512: "), "{:?}", painted[6]);
}

#[test]
fn distributions() {
    let options = TerminalOptions::default();
    let open = distribution(&judged(open_loop(5_000, 10), ""), &options);
    let closed = distribution(&judged(closed_loop(1), ""), &options);
    assert_snapshot!(format!("{open}\n{closed}"));
}

#[test]
fn a_comparison_with_an_earlier_load() {
    let before = judged(open_loop(5_000, 10), "");
    let same = comparison(&compare(&before, &before), &TerminalOptions::default());
    let other = comparison(&compare(&judged(troubled(), ""), &before), &TerminalOptions::default());
    let mut closed = closed_loop(1);
    closed.settings.connections = 256;
    closed.driver = "epoll".to_owned();
    let models = comparison(&compare(&judged(closed, ""), &before), &TerminalOptions::default());
    assert_snapshot!(format!("{same}\n{other}\n{models}"));
}

#[test]
fn a_line_of_csv() {
    let mut record = troubled();
    record.target.url = "http://127.0.0.1/a,\"b\"\r\n=c".to_owned();
    let text = csv(&judged(record, "errors=0"));
    // A reader of its own, which knows quotes.
    let cells = |line: &str| {
        let (mut cells, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => cells.push(String::new()),
                c => cells.last_mut().expect("a cell").push(c),
            }
        }
        cells
    };
    let lines: Vec<Vec<String>> = text.lines().map(cells).collect();
    assert_eq!((lines.len(), lines[0].len()), (2, lines[1].len()));
    let listed: Vec<String> =
        lines[0].iter().zip(&lines[1]).map(|(name, value)| format!("{name} {value}")).collect();
    assert_snapshot!(listed.join("\n"));
}

#[test]
fn a_log_has_the_histograms_under_their_tags() {
    let mut record = open_loop(1_000, 1);
    record.service_time = EncodedHistogram("x".to_owned());
    let log = hdr_log(&judged(record, ""));
    let starts: Vec<&str> = log.lines().map(|line| line.split("HISTF").next().expect("a start")).collect();
    let expected = [
        "#[Logged with velo 0.1.0]",
        "#[Histogram log format version 1.3]",
        "#[StartTime: 1795257062.000 (seconds since epoch)]",
        "#[MaxValueDivisor: 1000000.000]",
        "Tag=response,0.000,1.000,15.557,",
        "Tag=send-lag,0.000,1.000,0.020,",
    ];
    assert_eq!(starts, expected);
}

#[test]
fn json_is_the_result() {
    let result = judged(troubled(), "p99<1ms");
    assert_eq!(LoadResult::from_json(json(&result).as_bytes()), Ok(result));
}

#[test]
fn colour_adds_to_the_text_and_replaces_nothing() {
    let result = judged(troubled(), "p99<1ms,errors<1k");
    let options = TerminalOptions { colour: true, ..TerminalOptions::default() };
    let coloured = terminal(&result, &options);
    assert!(coloured.contains("\x1b[31mFAIL"), "a failed condition is red");
    let plain = terminal(&result, &TerminalOptions::default());
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
}
