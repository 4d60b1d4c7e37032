//! What people get of two services: `INSTA_UPDATE=always cargo test -p velo-report` renews it.

use unicode_width::UnicodeWidthStr;
use velo_fixtures::against::two_services;
use velo_judge::against::{AgainstResult, judge, parse_conditions};
use velo_record::{AgainstRecord, Outcomes};
use velo_report::against::{html, json, live_line, terminal};
use velo_report::{TerminalOptions, Weight};

const HOSTILE: &str = "\x1b[31mred\x1b[0m \u{202e}\u{9b}2J\x07 line\r\nbreak,<b>\"quote\" 漢字漢字";

fn judged(record: AgainstRecord) -> AgainstResult {
    let conditions = parse_conditions("goodput>-3%,cpu<30%,p99<12%,errors=0", false).unwrap();
    judge(record, &conditions)
}

fn printed(result: &AgainstResult, width: usize) -> String {
    let options = TerminalOptions { width, colour: false, down_to: Weight::Detail };
    terminal(result, &options)
}

/// Wrong answers, a process that ended, a busy machine, and what others have written.
fn troubled() -> AgainstRecord {
    let mut record = two_services(0.9, 60, 1);
    record.b.outcomes = Outcomes { wrong_answer: 12, timeout: 3, ..record.b.outcomes };
    record.b.examples = vec!["body \"4\" instead of \"5\"".to_owned(), HOSTILE.to_owned()];
    record.b.service.ended = true;
    record.b.service.name = Some(HOSTILE.to_owned());
    record.a.service.pids = vec![1, 2, 3];
    record.interrupted = true;
    record.planned_blocks = 200;
    for block in &mut record.blocks {
        block.taken_ns = Some(10_000_000);
        block.b.generator_cpu_ns = block.b.duration_ns;
    }
    record
}

#[test]
fn two_services_on_a_terminal() {
    insta::assert_snapshot!("against_on_a_terminal", printed(&judged(two_services(0.9, 200, 1)), 80));
    insta::assert_snapshot!("against_troubled", printed(&judged(troubled()), 80));
}

#[test]
fn one_that_cannot_be_reached_is_named() {
    let mut record = two_services(1.0, 60, 1);
    (record.blocks, record.planned_blocks, record.b.gave_up) = (Vec::new(), 0, true);
    (record.a.outcomes, record.b.outcomes) = (Outcomes::default(), Outcomes::default());
    (record.a.times, record.b.times) = (Vec::new(), Vec::new());
    insta::assert_snapshot!("against_not_reached", printed(&judged(record), 80));
}

#[test]
fn the_scope_of_an_interval_stands_in_every_output() {
    let result = judged(two_services(0.9, 200, 1));
    let scope = "between these two processes as they run now";
    let words = printed(&result, 80).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(scope), "{words}");
    assert!(html(&result).contains(scope));
    assert!(json(&result).contains("\"intervals_of\": \"these-processes\""));
}

#[test]
fn whatever_the_services_say_is_printed_within_its_width() {
    let result = judged(troubled());
    for width in [60, 80, 100] {
        for line in printed(&result, width).lines() {
            assert!(line.width() <= width, "{} columns: {line}", line.width());
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
    assert!(!html(&result).contains("<b>\"quote\""));
    let line = live_line(1_000, 2_000, [12_345.6, f64::NAN]);
    assert!(line.starts_with("1,000 of 2,000 blocks: A 12,300/s"), "{line}");
}
