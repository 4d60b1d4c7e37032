//! What a person sees of a comparison, as checked-in snapshots, and that hostile text says nothing to the terminal or to Markdown.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use unicode_width::UnicodeWidthStr;
use velo_fixtures::{Simulated, SimulatedOpenLoop, SimulatedTask, Simulation};
use velo_judge::compare::{ComparedRuns, Comparison, Snapshot, contenders, parse_conditions, runs};
use velo_model::{Class, ContenderName};
use velo_record::{ContenderState, RatePurpose, RunFile, Stage, Window};
use velo_report::{TerminalOptions, Weight, comparison};

type Run = (RunFile, Vec<Window>);

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

/// Servers at full load and at one rate, the reference, and two tasks.
fn run(seed: u64, spoil: impl Fn(&mut Simulation)) -> Run {
    let mut simulation = Simulation::new(vec![
        Simulated::new("ruby/rack-thin", 8_870.0),
        Simulated::new("go/net-http", 48_100.0),
        Simulated::new("go/gin", 47_900.0).on("go/net-http"),
        Simulated::new("js/fastify", 33_500.0),
        Simulated::new("php/mark", 31_000.0),
        Simulated::new("rust/reference", 900_000.0).class(Class::Reference),
    ]);
    (simulation.seed, simulation.noise_of_launches) = (seed, 0.02);
    spoil(&mut simulation);
    let (mut file, mut windows) = simulation.run();
    for record in &mut file.contenders {
        SimulatedOpenLoop::new(RatePurpose::CommonRate, 4_000.0).add_to(&mut windows, &record.manifest.name);
        for launch in &mut record.launches {
            launch.startup_ns = Some(40_000_000 + 700_000 * u64::from(launch.launch) + 10_000 * seed);
        }
    }
    SimulatedTask::add(
        &[SimulatedTask::new("go/program", 5e6, 3e6), SimulatedTask::new("js/program", 9e6, 6e6)],
        &mut file,
        seed,
    );
    (file, windows)
}

fn before() -> Run {
    run(1, |_| {})
}

/// One is slower, one faster, one excluded; the machine is a fifth slower.
fn after() -> Run {
    let (mut file, mut windows) = run(2, |simulation| {
        simulation.contenders[3].rate_per_s *= 0.9;
        simulation.contenders[1].rate_per_s *= 1.2;
    });
    for window in &mut windows {
        let slower = |ns: &mut u64| *ns = *ns * 5 / 4;
        slower(&mut window.duration_ns);
        slower(&mut window.in_flight_request_ns);
        slower(&mut window.clipped_service_ns);
        for party in &mut window.parties {
            let cpu = party.cpu_ns.iter_mut().chain(&mut party.cpu_total_ns);
            cpu.chain(&mut party.cpu_elapsed_ns).for_each(slower);
        }
    }
    file.host.kernel = "6.18.44".to_owned();
    file.started_at = "2026-12-02T09:00:00Z".to_owned();
    for record in &mut file.contenders {
        match record.manifest.name.as_str() {
            "js/fastify" | "js/program" => record.version = Some("1.1.0".to_owned()),
            "php/mark" => {
                record.state = ContenderState::Excluded {
                    stage: Stage::Start,
                    reason: "it did not answer within 20 s".to_owned(),
                    log: Some("logs/php-mark.stderr".to_owned()),
                };
                record.launches.clear();
            }
            _ => {}
        }
    }
    windows.retain(|window| window.contender != name("php/mark"));
    (file, windows)
}

fn compare(before: &Run, after: &Run, conditions: &str) -> ComparedRuns {
    let conditions = if conditions.is_empty() { Vec::new() } else { parse_conditions(conditions).unwrap() };
    let [before, after] = [before, after].map(|(file, windows)| Snapshot::of(file, windows));
    runs(&before, &after, &conditions).unwrap()
}

fn across_time() -> Comparison {
    Comparison::AcrossTime(compare(&before(), &after(), "regression:3%,startup:10%"))
}

fn across_contenders() -> Comparison {
    let (file, windows) = before();
    let names = ["go/net-http", "js/fastify", "go/gin"].map(name);
    Comparison::AcrossContenders(contenders(&file, &windows, &names).unwrap())
}

fn plain(comparison: &Comparison) -> String {
    comparison::terminal(comparison, &TerminalOptions::default())
}

#[test]
fn two_runs_on_a_terminal() {
    insta::assert_snapshot!(plain(&across_time()));
}

#[test]
fn two_runs_in_markdown() {
    insta::assert_snapshot!(comparison::markdown(&across_time()));
}

#[test]
fn a_page_has_what_the_markdown_has_and_a_chart_for_each_figure() {
    for comparison in [across_time(), across_contenders()] {
        let (html, markdown) = (comparison::html(&comparison), comparison::markdown(&comparison));
        let is_row = |line: &&str| {
            line.starts_with("| ") && !line.contains(" interval |") && !line.starts_with("| --")
        };
        let rows = markdown.lines().filter(is_row).count();
        assert_eq!(html.matches(r#"<th scope="row""#).count(), rows, "{html}\n{markdown}");
        assert_eq!(html.matches("<svg").count(), html.matches(">p</th>").count(), "{html}");
        assert!(html.contains("js/fastify") && !html.contains("NaN"), "{html}");
    }
    let html = comparison::html(&across_time());
    assert!(html.contains("<h1>fails regression:3%") && html.contains("<td>worse</td>"), "{html}");
}

#[test]
fn two_runs_of_the_same_thing_without_the_reference() {
    let without = |(file, mut windows): Run| -> Run {
        windows.retain(|window| window.contender != name("rust/reference"));
        (file, windows)
    };
    let compared = compare(&without(before()), &without(run(3, |_| {})), "goodput:3%");
    insta::assert_snapshot!(plain(&Comparison::AcrossTime(compared)));
}

#[test]
fn a_quick_look_after() {
    let (mut file, windows) = run(2, |simulation| simulation.launches = 2);
    file.settings.quick = true;
    insta::assert_snapshot!(plain(&Comparison::AcrossTime(compare(&before(), &(file, windows), ""))));
}

#[test]
fn what_no_verdict_rests_on_is_named() {
    let (mut file, windows) = run(3, |_| {});
    file.contenders[2].launches.truncate(2);
    let said = plain(&Comparison::AcrossTime(compare(&before(), &(file, windows), "")));
    let words = "no verdict on startup of go/gin: after: 2 launches, and a verdict needs 5";
    assert!(said.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{said}");
}

#[test]
fn contenders_of_a_run_on_a_terminal() {
    insta::assert_snapshot!(plain(&across_contenders()));
}

#[test]
fn contenders_of_a_run_in_markdown() {
    insta::assert_snapshot!(comparison::markdown(&across_contenders()));
}

#[test]
fn the_first_line_says_which_question_is_answered() {
    for (comparison, words) in [(across_time(), "across time"), (across_contenders(), "across contenders")] {
        for text in [plain(&comparison), comparison::markdown(&comparison)] {
            assert!(text.lines().next().unwrap().contains(words), "{text}");
        }
        let value: serde_json::Value = serde_json::from_str(&comparison::json(&comparison)).expect("JSON");
        assert_eq!(value["question"], words.replace(' ', "-"));
        assert_eq!(value, serde_json::to_value(&comparison).expect("JSON"));
    }
}

#[test]
fn colour_adds_to_the_text_and_replaces_nothing() {
    for comparison in [across_time(), across_contenders()] {
        let options = TerminalOptions { colour: true, ..TerminalOptions::default() };
        let coloured = comparison::terminal(&comparison, &options);
        assert!(coloured.contains("\x1b[1macross"), "headings are bold");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain(&comparison));
    }
}

const HOSTILE: &str = "\x1b[31m| <b>x</b> [a](http://b.c) `code` \u{202e}\u{9b}2J\x07 line\r\nbreak ***___ 漢字漢字 \
                       --- # 1. <!-- \\ &amp; www.x.yz ![i](j) ~~s~~ ~~~ $x$";

/// Whatever text a snapshot's file holds.
fn hostile(text: &str) -> [Comparison; 2] {
    let (mut before_run, mut after_run) = (before(), after());
    for (file, _) in [&mut before_run, &mut after_run] {
        file.workloads[0].name = text.to_owned();
        for record in &mut file.contenders {
            record.manifest.workloads = vec![text.to_owned()];
            record.tasks.iter_mut().for_each(|process| process.workload = text.to_owned());
        }
    }
    for (_, windows) in [&mut before_run, &mut after_run] {
        windows.iter_mut().for_each(|window| window.workload = text.to_owned());
    }
    let (file, _) = &mut after_run;
    file.host.kernel = format!("{text}6");
    file.settings.overrides = vec![text.to_owned(), "- 1. a list".to_owned()];
    file.contenders[0].version = Some(text.to_owned());
    file.contenders[1].toolchains = vec![text.to_owned()];
    file.contenders[4].state =
        ContenderState::Excluded { stage: Stage::Start, reason: text.to_owned(), log: None };
    let [before, mut after] = [&before_run, &after_run].map(|(file, windows)| Snapshot::of(file, windows));
    (after.started_at, after.velo) = (text.to_owned(), text.to_owned());
    after.nothing_ranked = Some(text.to_owned());
    after.workloads[0].series[0].points[0].figure.doubt = Some(text.to_owned());
    let mut another = after.workloads[0].clone();
    another.name.push('x');
    after.workloads.push(another);
    let conditions = parse_conditions("regression:3%,cpu:1%,startup:1%").unwrap();
    let (file, windows) = &after_run;
    let names = ["go/net-http", "js/fastify", "php/mark"].map(name);
    [
        Comparison::AcrossTime(runs(&before, &after, &conditions).unwrap()),
        Comparison::AcrossContenders(contenders(file, windows, &names).unwrap()),
    ]
}

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
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) | Event::Code(_) | Event::Rule | Event::HardBreak => {
                panic!("{event:?} in {text}")
            }
            Event::Start(
                Tag::Heading { .. }
                | Tag::Paragraph
                | Tag::List(None)
                | Tag::Item
                | Tag::Strong
                | Tag::Table(_)
                | Tag::TableHead
                | Tag::TableRow
                | Tag::TableCell,
            ) => {}
            Event::Start(other) => panic!("{other:?} in {text}"),
            _ => {}
        }
    }
    let pipes = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with('|'))) {
        assert_eq!(pipes(pair[0]), pipes(pair[1]), "{pair:?}");
    }
}

#[test]
fn what_a_run_says_of_itself_says_nothing_to_a_terminal_or_to_markdown() {
    for text in [HOSTILE, "", " ", "\u{200b}"] {
        for comparison in hostile(text) {
            for width in [60, 80, 100] {
                let options = TerminalOptions { width, colour: false, down_to: Weight::Detail };
                assert_fits(&comparison::terminal(&comparison, &options), width);
            }
            assert_only_meant_structure(&comparison::markdown(&comparison));
            let html = comparison::html(&comparison);
            assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_text_is_neutralised(text in "(\\PC|[\\x00-\\x7f]|\\s){0,200}") {
        for comparison in hostile(&text) {
            assert_fits(&plain(&comparison), 80);
            assert_only_meant_structure(&comparison::markdown(&comparison));
        }
    }
}
