//! What a person sees of bursts and the sweep of connections: `INSTA_UPDATE=always cargo test -p velo-report` renews it.

use unicode_width::UnicodeWidthStr;
use velo_fixtures::{Simulated, SimulatedBurst, Simulation, burst_mut};
use velo_judge::{Judgement, judge};
use velo_model::{Bound, Claim, ClaimFigure, ContenderName, PublishedFigure, PublishedRow, Side, Subject};
use velo_record::{RunFile, Window};
use velo_report::{TerminalOptions, Weight, markdown, terminal};

const LOOPS: &str = "java/spring-2-webflux-blocking";
const WEBFLUX: &str = "java/spring-2-webflux";
const NODE: &str = "js/node-http";

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn run() -> (RunFile, Vec<Window>) {
    let simulated = [(LOOPS, 900.0), (WEBFLUX, 9_000.0), (NODE, 20_000.0)];
    let contenders = simulated.map(|(name, rate)| Simulated::new(name, rate)).to_vec();
    let (mut file, mut windows) = Simulation::new(contenders).run();
    for (contender, at_a_time) in [(LOOPS, 4), (WEBFLUX, 10_000), (NODE, 10_000)] {
        let burst = SimulatedBurst::new(40, at_a_time);
        for burst in [burst, burst.as_ab()] {
            burst.add_to(&mut file, &mut windows, &name(contender), 1..=5);
        }
        let once = SimulatedBurst::new(200, at_a_time);
        for once in [once, once.as_ab()] {
            once.add_to(&mut file, &mut windows, &name(contender), 1..=1);
        }
        for connections in [40, 100, 200, 400, 1000, 2000] {
            if at_a_time > 4 || connections <= 1000 {
                let sweep = SimulatedBurst::sweep(connections, at_a_time);
                sweep.add_to(&mut file, &mut windows, &name(contender), 1..=1);
            }
        }
    }
    let silent = point(&mut windows, LOOPS, 1000);
    (silent.outcomes.correct, silent.outcomes.timeout) = (600, 400);
    silent.wrong_examples = vec!["no byte of an answer in time".to_owned()];
    let burst = burst_mut(&mut point(&mut windows, NODE, 2000).purpose);
    (burst.saturation.listen_overflows, burst.saturation.syn_retransmits) = (Some(1377), Some(1));
    publish(&mut file);
    (file, windows)
}

/// A point of the sweep.
fn point<'w>(windows: &'w mut [Window], contender: &str, connections: u32) -> &'w mut Window {
    let contender = name(contender);
    let is_meant = |window: &&mut Window| {
        window.contender == contender
            && window.burst().is_some_and(|burst| burst.shape.sweep && burst.shape.connections == connections)
    };
    windows.iter_mut().find(is_meant).unwrap()
}

fn publish(file: &mut RunFile) {
    let side = |contender: &str| Side { workload: "coin".to_owned(), contender: name(contender) };
    let row = |row: &str, contender: &str, requests, seconds| PublishedRow {
        row: row.to_owned(),
        contender: Some(name(contender)),
        not_measured: None,
        figure: PublishedFigure::Makespan { requests, seconds },
    };
    let claim = |says: &str, subject, printed: f64, first_alone| Claim {
        says: says.to_owned(),
        figure: ClaimFigure::makespan(40, first_alone),
        subject,
        printed: Some(printed),
        bound: Bound { low: Some(printed * 0.95), high: Some(printed * 1.05) },
    };
    let workload = &mut file.workloads[0];
    workload.published = vec![
        row("MVC, 40 requests", LOOPS, 40, 11.0),
        row("MVC, 200 requests", LOOPS, 200, 51.0),
        row("MVC, 400 requests", LOOPS, 400, 101.0),
        row("WebFlux, 40 requests", WEBFLUX, 40, 2.0),
        row("Undertow, 40 requests", "java/undertow", 40, 2.0),
    ];
    workload.claims = vec![
        claim("40 requests take 11 seconds", Subject::Value(side(LOOPS)), 11.0, true),
        claim("with WebFlux 2", Subject::Value(side(WEBFLUX)), 2.0, true),
        claim("MVC takes 5.5 times as long", Subject::Ratio(side(LOOPS), side(WEBFLUX)), 5.5, false),
    ];
}

fn judgement() -> Judgement {
    let (file, windows) = run();
    judge(&file, &windows)
}

#[test]
fn bursts_and_a_sweep_on_a_terminal() {
    insta::assert_snapshot!(terminal(
        &judgement(),
        &TerminalOptions { down_to: Weight::Detail, ..TerminalOptions::default() }
    ));
}

#[test]
fn bursts_and_a_sweep_in_markdown() {
    insta::assert_snapshot!(markdown(&judgement()));
}

#[test]
fn no_line_is_wider_than_the_page() {
    let judgement = judgement();
    for width in [60, 80, 100] {
        let text = terminal(&judgement, &TerminalOptions { width, colour: false, down_to: Weight::Detail });
        for line in text.lines() {
            assert!(line.width() <= width, "{} columns of {width}: {line}", line.width());
        }
    }
}

#[test]
fn what_came_from_outside_is_cleaned() {
    let (mut file, mut windows) = run();
    file.workloads[0].published[0].row = "\x1b[31mred\n# heading".to_owned();
    for window in windows.iter_mut().filter(|window| window.burst().is_some()) {
        window.outcomes.truncated = 1;
        window.wrong_examples = vec!["\x1b[2J<b>|x|</b>\r\n".to_owned()];
        window.requests[0].name = "\u{202e}<wait>".to_owned();
    }
    let judgement = judge(&file, &windows);
    let text = terminal(&judgement, &TerminalOptions::default());
    assert!(!text.contains('\x1b') && !text.contains('\u{202e}'), "{text}");
    let document = markdown(&judgement);
    assert!(!document.contains("<b>") && !document.contains("\n# heading"), "{document}");
}
