//! Whatever a load's record holds, what is printed of it stays within its width and says nothing to the terminal.

use std::sync::LazyLock;

use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;
use velo_fixtures::load::{closed_loop, open_loop};
use velo_judge::load::{LoadResult, compare, judge, parse_conditions};
use velo_record::{EncodedHistogram, LoadMoment, LoadRecord, LoadSchedule, LoadTls, Outcomes, RequestCounts};
use velo_report::load::{
    LiveFigures, LiveView, comparison, csv, distribution, hdr_log, html, json, live_line, live_view,
    plan_line, terminal,
};
use velo_report::{TerminalOptions, Weight};
use velo_stats::Histogram;

static CLOSED: LazyLock<LoadRecord> = LazyLock::new(|| closed_loop(1));

const HOSTILE: &str = "\x1b[31mred\x1b[0m \u{202e}\u{9b}2J\x07 line\r\nbreak,\"quote\" 漢字漢字";

#[track_caller]
fn assert_fits(text: &str, width: usize) {
    for line in text.lines() {
        assert!(line.width() <= width, "{} columns: {line}", line.width());
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(line.trim_end() == line, "blanks at the end: {line:?}");
    }
}

#[track_caller]
fn assert_everything_fits(result: &LoadResult, other: &LoadResult) {
    for width in [60, 80, 100] {
        let options = TerminalOptions { width, colour: false, down_to: Weight::Detail };
        assert_fits(&terminal(result, &options), width);
        assert_fits(&distribution(result, &options), width);
        assert_fits(&comparison(&compare(result, other), &options), width);
        assert_fits(&comparison(&compare(other, result), &options), width);
    }
    assert_fits(&plan_line(&result.record.settings, &result.record.driver), 80);
    let csv = csv(result);
    assert!(
        csv.lines().count() == 2 && csv.lines().all(|line| !line.chars().any(char::is_control)),
        "{csv:?}"
    );
    let log = hdr_log(result);
    assert!(log.lines().all(|line| !line.chars().any(char::is_control)), "{log:?}");
    assert_is_a_document(&html(result));
    assert!(LoadResult::from_json(json(result).as_bytes()).is_ok());
}

/// Each element that is opened is closed in its order, and only those that a load's page has are there.
#[track_caller]
fn assert_is_a_document(html: &str) {
    const TAGS: &str = "html head title style body header main footer section h1 h2 h3 p ul li div span table thead tbody tr th td svg text";
    let mut open = Vec::new();
    for part in html.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("no end: <{part}"));
        if tag.starts_with('!') || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{html}"),
            None => {
                let name = tag.split(' ').next().unwrap_or_default();
                assert!(TAGS.split(' ').any(|known| known == name), "<{tag}>");
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!html.chars().any(|char| char.is_control() && char != '\n'), "{html:?}");
    assert!(!html.contains("NaN") && !html.contains("inf "), "{html}");
}

fn with_text(text: &str) -> LoadRecord {
    let mut record = open_loop(100, 1);
    let text = || text.to_owned();
    (record.velo, record.started_at, record.driver, record.build) = (text(), text(), text(), text());
    record.command = vec![text()];
    record.target.url = text();
    record.target.endpoints = vec![text()];
    record.target.tls =
        Some(LoadTls { version: Some(text()), cipher: Some(text()), verified: false, resumption: false });
    record.examples = vec![text(); 20];
    record.requests = (0..20).map(|failed| RequestCounts { name: text(), correct: 1, failed }).collect();
    record.settings.requests_hash = text();
    record.settings.schedule = LoadSchedule::Open { shape: text(), spacing: text(), expected: 1.0 };
    record
}

fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(50_000_000), any::<u64>()]
}

fn apply(record: &mut LoadRecord, field: u8, value: u64) {
    match field % 21 {
        0 => record.duration_ns = value,
        1 => record.outcomes.correct = value,
        2 => record.outcomes.wrong_answer = value,
        3 => record.outcomes.dropped = value,
        4 => record.in_flight_request_ns = value,
        5 => record.clipped_service_ns = value,
        6 => record.generator_cpu_ns = vec![value; (value % 3) as usize],
        7 => record.offered = value,
        8 => record.connections.completions = vec![value as u32; (value % 70) as usize],
        9 => record.settings.connections = value as u32,
        10 => record.settings.warm_up_ns = value,
        11 => record.settings.most_requests = Some(value),
        12 => record.settings.duration_ns = Some(value),
        13 => (record.sent_bytes, record.received_bytes) = (value, value.rotate_left(9)),
        14 => record.connections.established = value as u32,
        15 => record.statuses = (0..20).map(|status| (status * 3_000, value)).collect(),
        16 => record.service_time = EncodedHistogram(value.to_string()),
        17 => record.settings.schedule = LoadSchedule::Closed { think_ns: value },
        18 => (record.connections.reconnects, record.connections.no_port) = (value, value),
        19 => (record.settings.pipelining, record.resumed) = (value as u32, value),
        _ => {
            // A file holds no other numbers.
            let correct_per_s =
                Some(f64::from_bits(value)).filter(|rate| rate.is_finite()).unwrap_or(f64::MAX);
            let moment = |at_ns| LoadMoment {
                at_ns,
                correct_per_s,
                failed: value,
                offered_per_s: Some(-correct_per_s),
                sent_per_s: value.is_multiple_of(2).then_some(correct_per_s),
                p50_ns: Some(value),
                p99_ns: value.is_multiple_of(3).then_some(u64::MAX - value),
            };
            record.moments = vec![moment(value), moment(value / 2), moment(u64::MAX)];
        }
    }
}

const CONDITIONS: &str = "p50<1ms,p99.99>1s,max<1s,mean=999999999999999999s,send-lag.p99<1us,rate>1k,achieved>99%,\
                          errors=0,errors<1%,wrong=0,timeouts<1%,refused<1%,dropped=0,generator<85%";

#[test]
fn text_from_outside_says_nothing_to_a_terminal() {
    let other = judge(CLOSED.clone(), &[]);
    for text in [HOSTILE, "", " ", "\u{200b}", "x \u{200b}", &"x".repeat(5_000)] {
        assert_everything_fits(&judge(with_text(text), &[]), &other);
    }
    let coloured = TerminalOptions { width: 80, colour: true, down_to: Weight::Detail };
    let text = terminal(&judge(with_text(HOSTILE), &[]), &coloured);
    assert!(!text.contains("\x1b[31mred") && !text.contains('\u{9b}'));
}

#[test]
fn lists_from_outside_end() {
    let mut record = with_text("x");
    record.outcomes.timeout = 20;
    record.examples = (0..20).map(|number| number.to_string()).collect();
    let text = terminal(&judge(record, &[]), &TerminalOptions::default());
    assert_eq!(text.matches("example").count(), 8);
    assert!(text.contains(", and 11 more"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_is_neutralised(text in "(\\PC|[\\x00-\\x7f]|\\s){0,200}") {
        assert_everything_fits(&judge(with_text(&text), &[]), &judge(CLOSED.clone(), &[]));
    }

    #[test]
    fn any_figures_fit(changes in prop::collection::vec((any::<u8>(), extreme()), 0..30), open in any::<bool>()) {
        let other = judge(open_loop(100, 1), &[]);
        let mut record = if open { other.record.clone() } else { CLOSED.clone() };
        changes.iter().for_each(|(field, value)| apply(&mut record, *field, *value));
        assert_everything_fits(&judge(record, &parse_conditions(CONDITIONS).expect("conditions")), &other);
    }

    #[test]
    fn a_live_line_fits(
        elapsed_ns in extreme(),
        rate in prop_oneof![any::<f64>(), 0.0..1e6],
        times in prop::option::of((extreme(), extreme())),
        errors in extreme(),
        connections: u32,
        own_cpu_share in prop::option::of(any::<f64>()),
        whole_ns in prop::option::of(extreme()),
        failing in prop::option::of(any::<String>()),
    ) {
        let line = live_line(&LiveFigures {
            is_warm_up: errors % 2 == 0,
            elapsed_ns,
            rate_per_s: rate,
            p50_ns: times.map(|(p50, _)| p50),
            p99_ns: times.map(|(_, p99)| p99),
            errors,
            connections,
            own_cpu_share,
            whole_ns,
            failing,
        }, 79);
        assert_fits(&line, 79);
    }

    #[test]
    fn a_live_view_fits(
        elapsed_ns in extreme(),
        rates in prop::collection::vec((extreme(), prop_oneof![any::<f64>(), 0.0..1e6]), 1..30),
        times in prop::collection::vec(extreme(), 0..30),
        last in prop::collection::vec(extreme(), 0..30),
        counts in prop::collection::vec(extreme(), 5),
        offered_per_s in prop::option::of(any::<f64>()),
        own_cpu_share in prop::option::of(any::<f64>()),
        whole_ns in prop::option::of(extreme()),
        most in prop::option::of(extreme()),
        example in prop::option::of(any::<String>()),
        (width, height) in (10usize..200, 1usize..40),
    ) {
        let histogram = |times: &[u64]| {
            let mut histogram = Histogram::new();
            times.iter().for_each(|ns| histogram.record(*ns));
            histogram
        };
        let (all, last) = (histogram(&times), histogram(&last));
        let moments: Vec<LoadMoment> =
            rates.iter().map(|&(at_ns, correct_per_s)| LoadMoment { at_ns, correct_per_s, failed: 1, ..LoadMoment::default() }).collect();
        let lines = live_view(&LiveView {
            figures: LiveFigures {
                is_warm_up: elapsed_ns % 2 == 0,
                elapsed_ns,
                rate_per_s: rates[0].1,
                connections: counts[0] as u32,
                own_cpu_share,
                whole_ns,
                ..LiveFigures::default()
            },
            offered_per_s,
            requests: most.map(|most| (counts[0], most)),
            outcomes: Outcomes {
                wrong_answer: counts[1],
                timeout: counts[2],
                dropped: counts[3],
                ..Outcomes::default()
            },
            example,
            in_flight: counts[4],
            time: "response",
            all: &all,
            last: (&last, elapsed_ns),
            moments: &moments,
        }, width, height, false);
        prop_assert!(lines.len() <= height);
        assert_fits(&lines.join("\n"), width);
    }
}
