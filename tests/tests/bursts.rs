use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use velo_record::{BurstWindow, Run, RunState, Window, WindowKind, read_run};

use crate::harness::{Scene, place, program, row, text};
use crate::links::somewhere;

const MS: u64 = 1_000_000;
/// What each request of a burst waits, in milliseconds.
const WAIT_MS: u64 = 20;

/// A workload whose bursts wait: 12 over 8 connections in each launch, 24 once.
fn workload(scene: &Scene, wait_ms: u64) -> PathBuf {
    let definition = format!(
        r#"
question = "GET an answer that must wait"
baseline = "script/all"
default  = ["script/all"]

[[load]]
connections = 8

[[request]]
name   = "root"
method = "GET"
path   = "/"
expect = {{ status = 200, body = "" }}

[[request]]
name      = "wait"
weight    = 0
method    = "GET"
path      = "/wait/{{ms}}"
values.ms = "{wait_ms}..{wait_ms}"
expect    = {{ status = 200, content_type = "text/plain", body = "waited {{ms}}", not_before_ms = "ms" }}

[[burst]]
request     = "wait"
requests    = 12
connections = 8
each_launch = true

[[burst]]
request     = "wait"
requests    = 24
connections = 8

[[case]]
name = "an empty body"
like = "root"
"#
    );
    scene.workload("queue", &definition)
}

/// A contender that serves so many waits at a time.
fn contender(scene: &Scene, name: &str, at_a_time: u32, fault: &str) -> PathBuf {
    let start = format!("AT_A_TIME={at_a_time} exec {} {fault}", program("scripted-server").display());
    scene.contender_on("queue", name, &start, "")
}

fn run(scene: &Scene, wait_ms: u64, more: &[&str], contenders: &[PathBuf]) -> Command {
    let mut command = scene.velo(&["run", "--seed", "5", "--only", "script/*"]);
    command.arg("--workload").arg(workload(scene, wait_ms)).args(more).arg("--out").arg(scene.out());
    for contender in contenders {
        command.arg("--contender").arg(contender);
    }
    command
}

fn bursts_of<'r>(run: &'r Run, name: &'r str) -> impl Iterator<Item = (&'r Window, &'r BurstWindow)> {
    let own = run.windows.iter().filter(move |window| window.contender.as_str() == name);
    own.filter_map(|window| Some((window, window.burst()?)))
}

/// What a burst takes at least: rounds of so many at a time, after one alone where `ab` does it.
fn least_ms(burst: &BurstWindow, at_a_time: u32) -> u64 {
    let alone = u32::from(burst.shape.first_alone);
    let rounds = alone + (burst.shape.requests - alone).div_ceil(at_a_time.min(burst.shape.connections));
    u64::from(rounds) * WAIT_MS
}

#[test]
fn makespans_follow_from_how_many_are_served_at_a_time_and_too_early_is_wrong() {
    let _place = place();
    let scene = Scene::new();
    let contenders = [
        contender(&scene, "all", 1000, "none"),
        contender(&scene, "four", 4, "none"),
        contender(&scene, "too-early", 1000, "too-early"),
    ];
    let output = run(&scene, WAIT_MS, &["--quick"], &contenders).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "a row with wrong answers is worth nothing:\n{said}");
    assert!(said.contains("bursts   in addition to the budget: at least 0:0"), "{said}");

    let run = read_run(&scene.out()).unwrap();
    for (name, at_a_time) in [("script/all", 1000), ("script/four", 4)] {
        let bursts: Vec<_> = bursts_of(&run, name).collect();
        let mut styles: Vec<bool> = bursts.iter().map(|(_, burst)| burst.shape.first_alone).collect();
        styles.sort_unstable();
        assert_eq!(styles, [false, true], "a quick look has the smallest burst once, in both ways");
        for (window, burst) in bursts {
            assert_eq!((burst.shape.requests, burst.shape.connections, burst.shape.sweep), (12, 8, false));
            assert_eq!((window.kind(), window.launch), (WindowKind::Burst, 1));
            assert_eq!((window.outcomes.correct, window.outcomes.failed()), (12, 0), "{name}: {burst:?}");
            let least_ns = least_ms(burst, at_a_time) * MS;
            assert!(window.duration_ns >= least_ns, "{name}: {burst:?} in {} ns", window.duration_ns);
            // Answers come round by round from the burst's beginning, the last one when it ends.
            let answered = burst.answered.decode().unwrap();
            let last_ns = answered.max_ns().unwrap();
            assert_eq!(answered.count(), 12, "{name}: {burst:?}");
            assert!(answered.quantile_ns(0.0).unwrap() >= WAIT_MS * MS, "{name}: {burst:?}");
            assert!(
                last_ns >= least_ns && last_ns <= window.duration_ns + window.duration_ns / 500,
                "{last_ns} of {window:?}"
            );
            // Each request in time: none is answered before it had to wait, and of those that `ab` sends one is over before the others.
            assert_eq!(burst.spans.len(), 12, "{name}: {burst:?}");
            assert!(burst.spans.is_sorted_by_key(|span| span.sent_ns));
            for span in &burst.spans {
                assert!(span.is_correct && span.done_ns - span.sent_ns >= WAIT_MS * MS, "{name}: {span:?}");
            }
            if burst.shape.first_alone {
                assert!(burst.spans[1].sent_ns >= burst.spans[0].done_ns, "{:?}", burst.spans);
            }
            // One connection for each request, 8 at a time, or 8 that are kept.
            let opened_again = if burst.shape.first_alone { 4 } else { 0 };
            assert_eq!(window.connections.reconnects, opened_again, "{name}: {burst:?}");
        }
    }

    let judgement = scene.judgement();
    let early = row(&judgement, "script/too-early");
    assert_eq!(early["state"]["cause"], "wrong-answers", "{early}");
    assert!(early["wrong_examples"][0].as_str().unwrap().contains("instead of 20 or more"), "{early}");
    let bursts = judgement["workloads"][0]["bursts"].as_array().unwrap();
    assert_eq!(bursts.len(), 2);
    let of = |name: &str| {
        let rows = bursts[0]["rows"].as_array().unwrap();
        rows.iter().find(|row| row["contender"] == name).unwrap_or_else(|| panic!("no burst of {name}"))
    };
    assert!(of("script/four")["at_a_time"].as_f64().unwrap() <= 4.0);
    assert!(of("script/too-early")["fault"].as_str().unwrap().contains("wrong"));
    assert_eq!(row(&judgement, "script/four")["answers"]["wrong_answer"], 0);
}

#[test]
fn bursts_come_after_the_blocks_of_each_launch_and_the_sweep_once() {
    let _place = place();
    let scene = Scene::new();
    let names = ["script/all", "script/eight"];
    let contenders = [contender(&scene, "all", 10_000, "none"), contender(&scene, "eight", 8, "none")];
    let output = run(&scene, WAIT_MS, &["--budget", "12s", "--full"], &contenders).output().unwrap();
    let said = text(&output);
    let run = read_run(&scene.out()).unwrap();
    assert_eq!(run.file.state, RunState::Complete, "{said}");
    assert!(said.contains("bursts   as seen so far"), "{said}");
    let launches = run.file.plan.as_ref().unwrap().launches;
    for (name, at_a_time) in names.into_iter().zip([10_000, 8]) {
        let bursts: Vec<_> = bursts_of(&run, name).collect();
        let of = |requests: u32| {
            let own =
                bursts.iter().filter(|(_, burst)| !burst.shape.sweep && burst.shape.requests == requests);
            own.map(|(window, _)| window.launch).collect::<Vec<u32>>()
        };
        assert_eq!(of(12), (1..=launches).flat_map(|launch| [launch, launch]).collect::<Vec<u32>>());
        assert_eq!(of(24), [1, 1]);
        let sweep: Vec<_> = bursts.iter().filter(|(_, burst)| burst.shape.sweep).collect();
        let points: Vec<u32> = sweep.iter().map(|(_, burst)| burst.shape.connections).collect();
        assert_eq!(points, [40, 100, 200, 400, 1000, 2000], "{name}");
        for (window, burst) in &bursts {
            let least_ns = least_ms(burst, at_a_time) * MS;
            assert!(window.duration_ns >= least_ns, "{name}: {burst:?} in {} ns", window.duration_ns);
            // Of the thousands of connections of the sweep a busy machine may leave some without an answer in time.
            let answered =
                if burst.shape.sweep { window.outcomes.requests() } else { window.outcomes.correct };
            assert_eq!(answered, u64::from(burst.shape.requests), "{name}: {:?}", window.outcomes);
            assert_eq!(window.outcomes.wrong_answer, 0, "{name}: {:?}", window.wrong_examples);
        }
        for (_, burst) in sweep {
            assert_eq!(burst.shape.requests, burst.shape.connections);
            assert!(
                burst.saturation.memory_before_bytes > Some(0) && burst.saturation.listen_overflows.is_some()
            );
            // Those served at a time wait longer than it takes to look at them, whatever the machine.
            if at_a_time == 8 {
                assert!(burst.saturation.memory_waiting_bytes > Some(0), "{burst:?}");
            }
        }
    }
    // Nothing of a launch comes after its bursts, and contenders take turns.
    for launch in 1..=launches {
        let kinds: Vec<bool> = run
            .windows
            .iter()
            .filter(|window| window.launch == launch)
            .map(|window| window.kind() == WindowKind::Burst)
            .collect();
        assert!(kinds.is_sorted(), "launch {launch}: {kinds:?}");
    }
    let sweep: Vec<&str> = run
        .windows
        .iter()
        .filter(|window| window.burst().is_some_and(|burst| burst.shape.sweep))
        .map(|window| window.contender.as_str())
        .collect();
    for point in sweep.chunks(2) {
        assert_ne!(point[0], point[1], "{sweep:?}");
    }
    let judgement = scene.judgement();
    for name in names {
        let row = row(&judgement, name);
        assert_eq!(
            (&row["connections"]["asked"], &row["answers"]["wrong_answer"]),
            (&8.into(), &0.into()),
            "{row}"
        );
    }
    let said = scene.report(&["--verbose"]);
    assert!(said.contains("2,000"), "the sweep is in the report:\n{said}");
}

#[test]
fn a_run_that_is_interrupted_within_a_burst_ends_at_once() {
    let _place = place();
    let scene = Scene::new();
    // Each burst would take a minute.
    let mut command = run(&scene, 60_000, &["--quick"], &[contender(&scene, "all", 1000, "none")]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let blocks = || {
        let lines = std::fs::read_to_string(scene.out().join("windows.ndjson")).unwrap_or_default();
        lines.lines().filter(|line| line.contains("\"purpose\":{\"is\":\"block\"")).count()
    };
    while blocks() < 3 {
        assert!(Instant::now() < deadline, "no blocks");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(30), "{:?}", asked.elapsed());
    let left = read_run(&scene.out()).unwrap();
    assert_eq!(left.file.state, RunState::Interrupted);
    assert!(bursts_of(&left, "script/all").next().is_none(), "a burst that was cut says nothing");
    assert!(scene.out().join("report.md").exists());
}

#[test]
fn waits_over_a_link_take_a_round_trip_more() {
    const RTT_MS: u64 = 20;
    let _place = place();
    if somewhere().is_none() {
        return;
    }
    let scene = Scene::new();
    let contenders = [contender(&scene, "all", 1000, "none")];
    let output = run(&scene, WAIT_MS, &["--quick", "--link", &format!("rtt={RTT_MS}ms")], &contenders)
        .output()
        .unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let run = read_run(&scene.out()).unwrap();
    let link = run.file.workloads[0].load.link.expect("the link is recorded");
    assert_eq!(link.to_string(), format!("rtt={RTT_MS}ms"));
    assert!(run.file.settings.overrides.iter().any(|words| words.contains("over the link")), "{said}");
    let record = run.file.contenders.iter().find(|one| one.manifest.name.as_str() == "script/all").unwrap();
    assert!(!record.cases.is_empty() && record.cases.iter().all(|case| case.passed), "{:?}", record.cases);
    let bursts: Vec<_> = bursts_of(&run, "script/all").collect();
    assert_eq!(bursts.len(), 2, "both ways");
    for (window, burst) in bursts {
        assert_eq!((window.outcomes.correct, window.outcomes.failed()), (12, 0), "{burst:?}");
        for span in &burst.spans {
            let least_ns = (WAIT_MS + RTT_MS) * MS;
            assert!(span.is_correct && span.done_ns - span.sent_ns >= least_ns, "{span:?}");
        }
        let rounds_ns = least_ms(burst, 1000) * MS;
        assert!(window.duration_ns >= rounds_ns + RTT_MS * MS, "{window:?}");
    }
    let report = std::fs::read_to_string(scene.out().join("report.md")).unwrap();
    assert!(report.contains("over a link of 20 ms"), "{report}");
}
