use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Scene, left_running, left_running_in, place, program, read_json, text};

pub(crate) fn wait_for(what: &str, limit: Duration, done: impl Fn() -> bool) {
    let deadline = Instant::now() + limit;
    while !done() {
        assert!(Instant::now() < deadline, "{what} within {limit:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn counted_windows(out: &Path) -> usize {
    let text = std::fs::read_to_string(out.join("windows.ndjson")).unwrap_or_default();
    text.lines().filter(|line| line.contains("\"purpose\":{\"is\":\"block\"")).count()
}

/// A server with a second process, as php-fpm and nginx have.
fn start(scene: &Scene, mark: &str) -> Child {
    let server = program("scripted-server");
    let command = format!("sleep {mark} & exec {} none", server.display());
    let dir = scene.contender_with("forking", &command, "");
    let mut command = scene.velo(&[
        "run",
        "coin",
        "--budget",
        "60s",
        "--only",
        "script/*",
        "--skip",
        "rust/*",
        "--contender",
    ]);
    command.arg(dir).arg("--out").arg(scene.out()).stdout(Stdio::null()).stderr(Stdio::null());
    let run = command.spawn().unwrap();
    wait_for("counted windows", Duration::from_secs(60), || counted_windows(&scene.out()) >= 3);
    run
}

fn signal(run: &Child, signal: Signal) {
    kill_process(Pid::from_child(run), signal).unwrap();
}

#[test]
fn a_killed_run_keeps_its_windows_and_leaves_nothing_running() {
    let _place = place();
    let scene = Scene::new();
    let mut run = start(&scene, "86401");
    signal(&run, Signal::KILL);
    run.wait().unwrap();
    wait_for("the guard's work", Duration::from_secs(10), || {
        left_running("sleep 86401").is_empty() && left_running_in(&scene, "scripted-server none").is_empty()
    });
    assert_eq!(read_json(&scene.out().join("run.json"))["state"], "running");
    let report = Command::new(program("velo")).arg("report").arg(scene.out()).output().unwrap();
    let said = text(&report);
    assert!(said.contains("partial"), "the report says that the run is partial:\n{said}");
    assert!(said.contains("script/forking"), "{said}");
}

#[test]
fn a_run_that_is_stopped_before_anything_was_measured_leaves_no_folder() {
    let _place = place();
    let scene = Scene::new();
    let mark = scene.dir.path().join("building");
    let build = format!("build = \"touch {}; sleep 86404\"", mark.display());
    let dir = scene.contender_with("slow-to-build", "false", &build);
    let mut command = scene.velo(&["run", "coin", "--only", "script/*", "--skip", "rust/*", "--contender"]);
    command.arg(dir).arg("--out").arg(scene.out()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    wait_for("the build", Duration::from_secs(60), || mark.exists());
    signal(&run, Signal::INT);
    let output = run.wait_with_output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("stopped before anything was measured") && !said.contains("again:"), "{said}");
    assert!(!scene.out().exists(), "{said}");
}

#[test]
fn an_interrupted_run_ends_in_order() {
    let _place = place();
    let scene = Scene::new();
    let mut run = start(&scene, "86402");
    signal(&run, Signal::INT);
    let status = run.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(
        left_running("sleep 86402").is_empty() && left_running_in(&scene, "scripted-server none").is_empty()
    );
    assert_eq!(read_json(&scene.out().join("run.json"))["state"], "interrupted");
    assert!(scene.out().join("report.md").exists(), "what was measured is reported");
}

/// A build, what it has started in a session of its own, and what a version command waits for.
#[test]
fn a_killed_or_interrupted_build_leaves_nothing_running() {
    let _place = place();
    let scene = Scene::new();
    let build = "build = '(setsid sleep 86403 &); sleep 86404'\n";
    let building = scene.contender_with("building", "exec false", build);
    for how in [Signal::KILL, Signal::QUIT, Signal::TERM] {
        let mut command =
            scene.velo(&["build", "coin", "--only", "script/*", "--skip", "rust/*", "--contender"]);
        command.arg(&building).stdout(Stdio::null()).stderr(Stdio::null());
        let mut build = command.spawn().unwrap();
        let running = || [left_running("sleep 86403"), left_running("sleep 86404")].concat();
        wait_for("the build", Duration::from_secs(60), || {
            ["sleep 86403", "sleep 86404"].iter().all(|mark| {
                left_running(mark).iter().any(|&pid| {
                    std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n")
                })
            })
        });
        signal(&build, how);
        let status = build.wait().unwrap();
        assert_eq!(status.code(), (how != Signal::KILL).then_some(130), "{status}");
        wait_for("the guard's work", Duration::from_secs(10), || running().is_empty());
    }
}
