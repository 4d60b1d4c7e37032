//! What people and programs get of a gate: `INSTA_UPDATE=always cargo test -p velo-report` renews it.

#[path = "common/xml.rs"]
mod xml;

use serde_json::Value;
use velo_fixtures::two_revisions;
use velo_judge::gate::{
    Acceptance, GateQuestion, GateRun, GateSide, GateSubject, GateVerdict, SideState, judge, parse_bounds,
    unmeasured,
};
use velo_model::{ContenderName, Figure};
use velo_record::RunState;
use velo_report::gate::{annotations, bencher, github_benchmark, json, junit, markdown, terminal};
use velo_report::{TerminalOptions, Weight};
use xml::{Element, elements};

fn shop() -> ContenderName {
    ContenderName::new("service/shop").unwrap()
}

fn subject() -> GateSubject {
    let side = |revision: &str, digit: &str, is_work_tree| GateSide {
        revision: revision.to_owned(),
        commit: digit.repeat(40),
        is_work_tree,
        state: SideState::Fit,
    };
    GateSubject {
        contender: shop(),
        workload: "coin".to_owned(),
        workload_differs: false,
        base: side("origin/main", "a", false),
        head: side("work tree", "b", true),
        accepted: Vec::new(),
        budget_ns: 180_000_000_000,
        seed: 1,
        started_at: "2026-11-29T20:00:00Z".to_owned(),
        command: vec!["gate".to_owned()],
    }
}

/// A head that serves so many a second on the same CPU, beside a base of 40,000/s.
fn gate(head_per_s: f64, launches: u32, accepted: &[Figure]) -> GateRun {
    let (file, windows) = two_revisions(head_per_s, launches);
    let at = |revision: &str| shop().at(revision).unwrap();
    let bounds = parse_bounds("cpu=3%,goodput=5%,p99=10%,memory=10%").unwrap();
    let question = GateQuestion { base: at("base"), head: at("head"), bounds, accepted: accepted.to_vec() };
    let accepted = accepted.iter().map(|figure| Acceptance { figure: *figure, by: "--accept".to_owned() });
    judge(&file, &windows, &question, GateSubject { accepted: accepted.collect(), ..subject() })
}

fn broken(reason: &str) -> GateRun {
    let state = SideState::Broken { reason: reason.to_owned(), log: Some("logs/x.log".to_owned()) };
    unmeasured(GateSubject { head: GateSide { state, ..subject().head }, ..subject() }, RunState::Complete)
}

fn printed(gate: &GateRun, down_to: Weight) -> String {
    terminal(gate, &TerminalOptions { down_to, ..TerminalOptions::default() })
}

#[test]
fn a_head_that_is_worse() {
    let gate = gate(36_000.0, 6, &[]);
    insta::assert_snapshot!("worse_on_a_terminal", printed(&gate, Weight::Main));
    insta::assert_snapshot!("worse_in_markdown", markdown(&gate));
    insta::assert_snapshot!("worse_as_annotations", annotations(&gate, "velo.toml"));
    insta::assert_snapshot!("worse_in_junit", junit(&gate));
}

#[test]
fn a_head_within_its_bounds() {
    insta::assert_snapshot!("within_on_a_terminal", printed(&gate(40_000.0, 21, &[]), Weight::Main));
}

#[test]
fn every_verdict_has_a_sentence_and_an_annotation() {
    let both = [Figure::CpuPerRequest, Figure::Goodput];
    let absent = GateSide { state: SideState::Absent, ..subject().base };
    let new = unmeasured(GateSubject { base: absent, ..subject() }, RunState::Complete);
    let of = [
        (gate(36_000.0, 6, &both), GateVerdict::Accepted, "worse, and accepted: ", "::warning "),
        (gate(44_000.0, 21, &[]), GateVerdict::Better, "better: ", "::notice "),
        (gate(40_000.0, 3, &[]), GateVerdict::Undecided, "undecided: ", "::warning "),
        (new, GateVerdict::New, "new: origin/main has no such contender", "::notice "),
        (broken("boom"), GateVerdict::HeadBroken, "the head is broken: boom (logs/x.log)", "::error "),
        (
            unmeasured(subject(), RunState::Interrupted),
            GateVerdict::Interrupted,
            "interrupted before",
            "::warning ",
        ),
    ];
    for (gate, verdict, sentence, annotation) in of {
        assert_eq!(gate.verdict, verdict, "{:?}", gate.figures);
        let text = printed(&gate, Weight::Main);
        let last = text.trim_end().rsplit("\n\n").next().unwrap();
        assert!(last.starts_with(sentence), "{text}");
        assert!(annotations(&gate, "velo.toml").starts_with(annotation));
        check_junit(&junit(&gate));
    }
}

#[test]
fn text_from_outside_cannot_leave_its_place() {
    let gate = broken("a\n::error::b</failure>\u{1b}[31m|");
    assert_eq!(annotations(&gate, "velo.toml").lines().count(), 1);
    check_junit(&junit(&gate));
    assert!(!printed(&gate, Weight::Main).contains('\u{1b}'));
}

/// As the schema of Jenkins' plug-in has it: what stands within what, and which attributes must be there.
#[track_caller]
fn check_junit(text: &str) {
    let all = elements(text.trim_start_matches("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")).unwrap();
    let (first, rest) = all.split_first().unwrap();
    assert_eq!(first.name, "testsuites");
    let count =
        |element: &Element, name: &str| -> usize { element.attribute(name).unwrap().parse().unwrap() };
    let named = |name: &str| rest.iter().filter(|element| element.name == name).count();
    for (name, attribute) in [("testcase", "tests"), ("failure", "failures"), ("skipped", "skipped")] {
        assert_eq!(count(first, attribute), named(name), "{text}");
    }
    for element in rest {
        let needed: &[&str] = match element.name.as_str() {
            "testsuite" => &["name", "tests", "failures", "errors", "skipped", "time"],
            "testcase" => &["classname", "name"],
            "failure" | "skipped" => &["message"],
            other => panic!("<{other}> is none of JUnit's elements"),
        };
        assert!(needed.iter().all(|name| element.attribute(name).is_some()), "{element:?}");
    }
}

#[test]
fn bencher_and_github_action_benchmark_read_the_head_s_figures() {
    let gate = gate(36_000.0, 6, &[]);
    let bmf: Value = serde_json::from_str(&bencher(&gate)).unwrap();
    let measures = bmf["service/shop on coin"].as_object().unwrap();
    let names: Vec<&str> = measures.keys().map(String::as_str).collect();
    assert_eq!(names, ["cpu-time-per-request", "memory", "throughput"]);
    for measure in measures.values() {
        let of = |name: &str| measure[name].as_f64().unwrap();
        assert!(of("lower_value") <= of("value") && of("value") <= of("upper_value"), "{measure}");
    }
    let entries: Value = serde_json::from_str(&github_benchmark(&gate)).unwrap();
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), 2, "goodput is left out, and p99 was not measured: {entries:?}");
    for entry in entries {
        assert!(entry["name"].is_string() && entry["unit"].is_string() && entry["value"].is_number());
        assert!(entry["range"].as_str().unwrap().starts_with("± "));
    }
    assert_eq!(bencher(&broken("x")), "{}\n");
    assert_eq!(github_benchmark(&broken("x")), "[]\n");
    let written: Value = serde_json::from_str(&json(&gate)).unwrap();
    assert_eq!(written["verdict"], "worse");
}
