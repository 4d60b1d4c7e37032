//! However many contenders there are and whatever they print, a report stays within its width and says nothing to
//! the terminal or the Markdown renderer.

mod common;

use common::{name, run};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use unicode_width::UnicodeWidthStr;
use velo_fixtures::{Simulated, Simulation, contender_mut};
use velo_judge::{Judgement, judge};
use velo_record::{CaseRecord, ContenderState, Stage};
use velo_report::{TerminalOptions, Weight, markdown, terminal};

const HOSTILE: &str = "\x1b[31m| <b>x</b> [a](http://b.c) `code` \u{202e}\u{9b}2J\x07 line\r\nbreak ***___ 漢字漢字 \
                       --- # 1. <!-- \\ &amp; www.x.yz ![i](j) ~~s~~ ~~~ $x$";

#[track_caller]
fn assert_fits(text: &str, width: usize) {
    for line in text.lines() {
        assert!(line.width() <= width, "{} columns: {line}", line.width());
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(line.trim_end() == line, "blanks at the end: {line:?}");
    }
}

/// The oracle for Markdown is another's parser: only the structure that was meant is there.
#[track_caller]
fn assert_only_meant_structure(text: &str) {
    let (mut cells, mut columns) = (0, 0);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) | Event::Code(_) | Event::Rule | Event::HardBreak => {
                panic!("{event:?} in {text}")
            }
            Event::Start(Tag::Table(aligned)) => columns = aligned.len(),
            Event::Start(Tag::TableCell) => cells += 1,
            Event::Start(Tag::TableHead | Tag::TableRow) => cells = 0,
            Event::End(pulldown_cmark::TagEnd::TableRow) => assert_eq!(cells, columns),
            Event::Start(
                Tag::Heading { .. } | Tag::Paragraph | Tag::List(None) | Tag::Item | Tag::Strong,
            ) => {}
            Event::Start(other) => panic!("{other:?} in {text}"),
            _ => {}
        }
    }
    // A parser drops cells that are too many, so they are counted in the text as well.
    let pipes = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with('|'))) {
        assert_eq!(pipes(pair[0]), pipes(pair[1]), "{pair:?}");
    }
}

fn hostile(text: &str) -> Judgement {
    let (mut file, mut windows) = run(1);
    file.host.cpu_model = Some(text.to_owned());
    file.host.hostname = text.to_owned();
    file.command.push(text.to_owned());
    file.settings.overrides = vec![text.to_owned()];
    let workload = &mut file.workloads[0];
    (workload.question, workload.source.title) = (text.to_owned(), text.to_owned());
    workload.source.notes =
        vec![text.to_owned(), "- 1. a list".to_owned(), "2) another".to_owned(), "---".to_owned()];
    workload.published[1].row = text.to_owned();
    workload.claims[0].says = text.to_owned();
    for (index, record) in file.contenders.iter_mut().enumerate() {
        record.version = Some(text.to_owned());
        record.cases.push(CaseRecord {
            workload: "coin".to_owned(),
            case: text.to_owned(),
            required: false,
            passed: false,
            got: format!("{index}{text}"),
        });
        record.launches[0].ended_early = Some(text.to_owned());
    }
    file.contenders[3].state =
        ContenderState::Excluded { stage: Stage::Build, reason: text.to_owned(), log: Some(text.to_owned()) };
    file.contenders[4].state =
        ContenderState::Skipped { reason: text.to_owned(), cure: Some(text.to_owned()) };
    for window in windows.iter_mut().filter(|window| window.contender == name("rust/hyper")) {
        window.outcomes.wrong_answer = 1;
        window.wrong_examples = vec![text.to_owned()];
    }
    judge(&file, &windows)
}

#[test]
fn what_contenders_print_says_nothing_to_a_terminal() {
    let judgement = hostile(HOSTILE);
    for width in [60, 80, 100] {
        assert_fits(
            &terminal(&judgement, &TerminalOptions { width, colour: false, down_to: Weight::Detail }),
            width,
        );
    }
    let coloured =
        terminal(&judgement, &TerminalOptions { width: 80, colour: true, down_to: Weight::Detail });
    assert!(!coloured.contains("\x1b[31m|") && !coloured.contains('\u{9b}'));
}

#[test]
fn what_contenders_print_says_nothing_to_markdown() {
    assert_only_meant_structure(&markdown(&hostile(HOSTILE)));
}

#[test]
fn text_without_a_letter_leaves_no_blanks() {
    for text in ["", " ", "\u{200b}", "x \u{200b}"] {
        let judgement = hostile(text);
        assert_fits(&terminal(&judgement, &TerminalOptions::default()), 80);
        assert_only_meant_structure(&markdown(&judgement));
    }
}

#[test]
fn a_width_beyond_reason_is_brought_back() {
    let (file, windows) = run(2);
    let judgement = judge(&file, &windows);
    assert_fits(
        &terminal(&judgement, &TerminalOptions { width: 0, colour: false, down_to: Weight::Detail }),
        60,
    );
    assert_fits(
        &terminal(&judgement, &TerminalOptions { width: usize::MAX, colour: false, down_to: Weight::Detail }),
        100,
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_number_of_contenders_fits_80_columns(
        count in 1usize..=60,
        length in 1usize..=64,
        rate in prop_oneof![1.0..1e6, Just(1e-3), Just(3.0)],
        bits: u64,
    ) {
        let contenders = (0..count)
            .map(|index| {
                let long = format!("{}{index:02}", "x".repeat(length.saturating_sub(2)));
                let name = format!("{}/{long}", "l".repeat(1 + (bits as usize + index) % 64));
                Simulated::new(&name, rate * (1.0 + index as f64 / 9.0))
            })
            .collect();
        let mut simulation = Simulation::new(contenders);
        simulation.blocks = 1;
        let (mut file, mut windows) = simulation.run();
        for (index, window) in windows.iter_mut().enumerate() {
            match (bits >> (index % 59)) & 7 {
                0 => contender_mut(window).cpu_total_ns = Some(u64::MAX),
                1 => window.outcomes.correct = u64::MAX,
                _ => {}
            }
        }
        for (index, record) in file.contenders.iter_mut().enumerate() {
            record.launches[0].memory_steady_bytes = Some(bits.rotate_left(index as u32));
            if bits.rotate_right(index as u32) & 3 == 0 {
                record.state = ContenderState::Skipped { reason: HOSTILE.to_owned(), cure: None };
            }
        }
        let judgement = judge(&file, &windows);
        assert_fits(&terminal(&judgement, &TerminalOptions::default()), 80);
        assert_only_meant_structure(&markdown(&judgement));
    }

    #[test]
    fn any_text_is_neutralised(text in "(\\PC|[\\x00-\\x7f]|\\s){0,200}") {
        let judgement = hostile(&text);
        assert_fits(&terminal(&judgement, &TerminalOptions::default()), 80);
        assert_only_meant_structure(&markdown(&judgement));
    }
}
