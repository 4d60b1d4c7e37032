use std::path::PathBuf;
use std::process::Output;

use velo_fixtures::{Simulated, SimulatedCalls, Simulation};
use velo_model::Class;
use velo_record::{RunFile, Window};

use crate::harness::{Scene, read_json, text, write_run};
use crate::schemas::assert_valid;

/// Two contenders and the reference; of the second one the rate is given.
fn simulated(seed: u64, rate_per_s: f64) -> (RunFile, Vec<Window>) {
    let mut simulation = Simulation::new(vec![
        Simulated::new("go/gin", 47_900.0),
        Simulated::new("js/fastify", rate_per_s),
        Simulated::new("rust/reference", 900_000.0).class(Class::Reference),
    ]);
    (simulation.seed, simulation.blocks) = (seed, 4);
    simulation.run()
}

fn run(scene: &Scene, name: &str, seed: u64, rate_per_s: f64) -> String {
    let (file, windows) = simulated(seed, rate_per_s);
    write_run(&scene.dir.path().join(name), &file, &windows);
    name.to_owned()
}

/// `velo` without `--root`, which does nothing here.
pub(crate) fn velo(scene: &Scene, arguments: &[&str]) -> Output {
    let mut command = std::process::Command::new(crate::harness::program("velo"));
    command.args(arguments).stdin(std::process::Stdio::null()).current_dir(scene.dir.path()).output().unwrap()
}

#[track_caller]
fn expect(scene: &Scene, arguments: &[&str], code: i32) -> String {
    let output = velo(scene, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}:\n{}", text(&output));
    text(&output)
}

#[test]
fn two_runs_of_the_same_thing_pass_and_a_slower_one_fails() {
    let scene = Scene::new();
    let before = run(&scene, "before", 1, 33_500.0);
    let same = run(&scene, "same", 2, 33_500.0);
    let slower = run(&scene, "slower", 3, 33_500.0 * 0.9);
    let said = expect(&scene, &["compare", &before, &same, "--fail-on", "regression:3%"], 0);
    assert!(said.starts_with("across time: "), "{said}");
    let said = expect(&scene, &["compare", &before, &slower, "--fail-on", "regression:3%"], 1);
    assert!(said.contains("fails regression:3%: js/fastify on coin, goodput: -"), "{said}");
    assert!(!said.contains("go/gin on coin, goodput: -"), "{said}");
    // Without a condition it is shown, by goodput and by CPU time, and is no failure.
    let said = expect(&scene, &["compare", &before, &slower], 0);
    assert!(said.contains("2 worse, 0 better"), "{said}");
    expect(&scene, &["compare", &slower, &before, "--fail-on", "regression:3%"], 0);
}

/// A run with single calls, in which js/fastify takes so many milliseconds for each.
pub(crate) fn run_with_calls(scene: &Scene, name: &str, work_ms: u64) -> String {
    let (mut file, windows) = simulated(1, 33_500.0);
    let conditions = ["h2 new 100ms", "h2 kept 100ms", "http1 kept"].map(|text| text.parse().unwrap());
    let all =
        [SimulatedCalls::new("go/gin", 1_000_000), SimulatedCalls::new("js/fastify", work_ms * 1_000_000)];
    SimulatedCalls::add(&all, &mut file, &conditions, 6, 8);
    write_run(&scene.dir.path().join(name), &file, &windows);
    name.to_owned()
}

#[test]
fn single_calls_are_compared_condition_by_condition() {
    let scene = Scene::new();
    let before = run_with_calls(&scene, "before", 4);
    let slower = run_with_calls(&scene, "slower", 24);
    let said = expect(&scene, &["compare", &before, &slower, "--fail-on", "calls:3%"], 1);
    assert!(said.contains("fails calls:3%: js/fastify, h2 new"), "{said}");
    assert!(said.contains("js/fastify, http1 kept") && !said.contains("worse  go/gin, h2"), "{said}");
    // Servers are what they were, and phases are shown without a condition of their own.
    expect(&scene, &["compare", &before, &slower, "--fail-on", "regression:3%"], 0);
    expect(&scene, &["compare", &before, &before, "--fail-on", "calls:3%"], 0);
    let json = expect(&scene, &["compare", &before, &slower, "--format", "json"], 0);
    let json = serde_json::from_str(&json).unwrap();
    assert_valid("comparison.schema.json", &json);
    expect(&scene, &["compare", &before, "--save", "calls.json"], 0);
    assert_valid("snapshot.schema.json", &read_json(&scene.dir.path().join("calls.json")));
    expect(&scene, &["compare", "calls.json", &slower, "--fail-on", "calls:3%"], 1);
    for (format, part) in [("markdown", "Call, first byte"), ("html", "js/fastify, h2 new tls1.3 100ms")] {
        let said = expect(&scene, &["compare", &before, &slower, "--format", format], 0);
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn hours_of_two_contenders_are_had_in_each_format() {
    let scene = Scene::new();
    let only = run_with_calls(&scene, "only", 4);
    let between = ["compare", &only, "--between", "js/fastify", "go/gin"];
    // 3 ms x 1,000 calls x 10,000 users = 8.33 hours.
    let said = expect(&scene, &between, 0);
    assert!(said.contains("10,000 users wait who make 1,000 calls each"), "{said}");
    assert!(
        said.contains("js/fastify over go/gin, h2 kept tls1.3 100ms") && said.contains("+8.33"),
        "{said}"
    );
    let with = |more: &[&str]| expect(&scene, &[&between, more].concat(), 0);
    let said = with(&["--users", "100", "--calls", "1000000", "--format", "markdown"]);
    assert!(said.contains("100 users wait who make 1,000,000 calls each") && said.contains("83.3"), "{said}");
    assert!(with(&["--format", "html"]).contains("10,000 users wait"));
    let json: serde_json::Value = serde_json::from_str(&with(&["--format", "json"])).unwrap();
    assert_valid("comparison.schema.json", &json);
    let pairs = json["waiting"][0]["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3, "each condition once");
    for pair in pairs {
        let [low, more, high] = ["low", "more_hours", "high"].map(|key| pair[key].as_f64().unwrap());
        assert!(low <= more && more <= high && (more - 8.33).abs() < 0.05, "{pair}");
    }
    let said = expect(&scene, &["compare", &only, &only, "--users", "1", "--calls", "1"], 2);
    assert!(said.contains("--between"), "{said}");
}

#[test]
fn a_snapshot_stands_for_its_run() {
    let scene = Scene::new();
    let before = run(&scene, "before", 1, 33_500.0);
    let slower = run(&scene, "slower", 3, 33_500.0 * 0.9);
    let said = expect(&scene, &["compare", &before, "--save", "baseline.json"], 0);
    assert!(said.contains("velo compare baseline.json RUN"), "{said}");
    let file = scene.dir.path().join("baseline.json");
    assert_valid("snapshot.schema.json", &read_json(&file));
    let by_folder = expect(&scene, &["compare", &before, &slower, "--format", "json"], 0);
    let by_file = expect(&scene, &["compare", "baseline.json", &slower, "--format", "json"], 0);
    assert_eq!(by_file, by_folder);
    let compared = serde_json::from_str(&by_file).unwrap();
    assert_valid("comparison.schema.json", &compared);
    assert_eq!(compared["question"], "across-time");
    expect(&scene, &["compare", "baseline.json", &slower, "--fail-on", "goodput:3%"], 1);
}

#[test]
fn contenders_of_one_run_are_compared() {
    let scene = Scene::new();
    let only = run(&scene, "only", 1, 33_500.0);
    let said = expect(&scene, &["compare", &only, "--between", "go/gin", "js/fastify"], 0);
    assert!(said.starts_with("across contenders: go/gin, js/fastify"), "{said}");
    assert!(said.contains("go/gin over js/fastify  separated"), "{said}");
    let said =
        expect(&scene, &["compare", &only, "--format", "json", "--between", "go/gin", "js/fastify"], 0);
    assert_valid("comparison.schema.json", &serde_json::from_str(&said).unwrap());
    let said =
        expect(&scene, &["compare", &only, "--format", "markdown", "--between", "js/fastify", "go/gin"], 0);
    assert!(said.starts_with("# velo compare across contenders"), "{said}");
}

/// A copy of a run that differs in its file.
fn spoilt(scene: &Scene, name: &str, spoil: impl Fn(&mut RunFile)) -> String {
    let (mut file, windows) = simulated(2, 33_500.0);
    spoil(&mut file);
    write_run(&scene.dir.path().join(name), &file, &windows);
    name.to_owned()
}

#[test]
fn runs_that_do_not_compare_are_refused() {
    let scene = Scene::new();
    let before = run(&scene, "before", 1, 33_500.0);
    let hash = spoilt(&scene, "hash", |file| file.workloads[0].hash = "1".repeat(64));
    let said = expect(&scene, &["compare", &before, &hash], 2);
    assert!(said.contains("coin: the workload is not the same"), "{said}");
    let debug = spoilt(&scene, "debug", |file| file.identity.build = "debug".to_owned());
    let said = expect(&scene, &["compare", &before, &debug], 2);
    assert!(said.contains("a release build, then a debug build"), "{said}");
    let quick = spoilt(&scene, "quick", |file| file.settings.quick = true);
    let said = expect(&scene, &["compare", &before, &quick], 0);
    assert!(said.contains("no verdicts: after: quick look"), "{said}");
    // A gate that nothing can be held against is not one that was passed.
    let said = expect(&scene, &["compare", &before, &quick, "--fail-on", "regression:3%"], 0);
    assert!(said.contains("there is nothing to hold it against"), "{said}");
    expect(&scene, &["compare", &before, &quick, "--fail-on", "regression:3%", "--strict"], 4);
}

#[test]
fn what_is_typed_wrong_is_a_usage_error_that_says_what_to_do() {
    let scene = Scene::new();
    run(&scene, "a", 1, 33_500.0);
    run(&scene, "b", 2, 33_500.0);
    expect(&scene, &["compare", "a", "--save", "snapshot.json"], 0);
    std::fs::write(scene.dir.path().join("odd.json"), "{\"format\": 3}").unwrap();
    std::fs::write(scene.dir.path().join("new.json"), "{\"format\": 7}").unwrap();
    for (arguments, wanted) in [
        (&["compare"][..], "RUN"),
        (&["compare", "a"], "--between"),
        (&["compare", "a", "nowhere"], "nowhere: expected a run's folder"),
        (&["compare", "odd.json", "a"], "odd.json: not a snapshot: missing field"),
        (&["compare", "new.json", "a"], "new.json: format 7, expected 3"),
        (&["compare", "a", "b", "--between", "go/gin", "js/fastify"], "name one run"),
        (&["compare", "a", "b", "--save", "x.json"], "name one run"),
        (&["compare", "a", "--between", "go/gin"], "--between"),
        (&["compare", "a", "--between", "go/gin", "gin"], "is not a contender's name"),
        (&["compare", "a", "--between", "go/gin", "js/fastfy"], "did you mean js/fastify?"),
        (&["compare", "a", "--between", "go/gin", "go/gin"], "each named once"),
        (&["compare", "snapshot.json", "--between", "go/gin", "js/fastify"], "a snapshot has no pairs"),
        (&["compare", "snapshot.json", "--save", "x.json"], "it is a snapshot already"),
        (&["compare", "a", "--save", "x.json", "--format", "json"], "--format"),
        (&["compare", "a", "--save", "x.json", "--fail-on", "regression:3%"], "--fail-on"),
        (&["compare", "a", "--fail-on", "cpu:3%", "--between", "go/gin", "js/fastify"], "--fail-on"),
        (&["compare", "a", "b", "--fail-on", "regresion:3%"], "did you mean `regression`?"),
        (&["compare", "a", "b", "--fail-on", "regression:3"], "as in regression:3%"),
        (&["compare", "a", "b", "--root", "."], "--root does nothing here"),
    ] {
        let said = expect(&scene, arguments, 2);
        assert!(said.contains(wanted), "{arguments:?} names {wanted}:\n{said}");
    }
    assert!(!scene.dir.path().join("x.json").exists(), "nothing was written");
}

#[test]
fn help_is_success_and_has_examples() {
    let said = expect(&Scene::new(), &["compare", "--help"], 0);
    for part in ["--between go/gin js/fastify", "--fail-on regression:3%", "--save", "Exit codes:"] {
        assert!(said.contains(part), "{part}:\n{said}");
    }
}

/// A run that was killed while it wrote leaves half a line.
#[test]
fn a_torn_last_line_is_left_out_and_said() {
    let scene = Scene::new();
    run(&scene, "a", 1, 33_500.0);
    run(&scene, "b", 2, 33_500.0);
    let windows: PathBuf = scene.dir.path().join("b/windows.ndjson");
    let mut bytes = std::fs::read(&windows).unwrap();
    bytes.truncate(bytes.len() - 10);
    std::fs::write(&windows, bytes).unwrap();
    let said = expect(&scene, &["compare", "a", "b"], 0);
    assert!(said.contains("note: b: the last window was not written to its end"), "{said}");
}
