use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use velo_record::{RunState, read_run};
use velo_tests::task::TaskFault;

use crate::harness::{Scene, left_running, left_running_in, place, program, read_json, text};
use crate::killed::wait_for;
use crate::schemas::assert_valid;

fn run(scene: &Scene, faults: &[&str], more: &[&str]) -> Output {
    let mut command =
        scene.velo(&["run", "users", "--seed", "7", "--only", "script/*", "--skip", "rust/*", "--out"]);
    command.arg(scene.out()).args(more);
    add(scene, &mut command, faults);
    command.output().unwrap()
}

fn add(scene: &Scene, command: &mut Command, faults: &[&str]) {
    for fault in faults {
        let task = format!("exec {} {fault}", program("scripted-task").display());
        command.arg("--contender").arg(scene.task(fault, &task));
    }
}

fn row<'a>(judgement: &'a Value, contender: &str) -> &'a Value {
    let rows = judgement["workloads"][0]["tasks"]["rows"].as_array().unwrap();
    let name = format!("script/{contender}");
    rows.iter()
        .find(|row| row["contender"] == name.as_str())
        .unwrap_or_else(|| panic!("no row for {contender}"))
}

/// Nothing is wrong with it in a quick look. On a busy machine all its processes may be dropped.
#[track_caller]
fn is_honest(row: &Value) {
    let cause = row["state"]["cause"].as_str().unwrap_or_default();
    assert!(["run", "not-measured"].contains(&cause), "{row}");
}

/// Each liar answers correctly until it has passed verification.
#[test]
fn tasks_alone_are_measured_and_every_liar_is_caught() {
    let _place = place();
    let scene = Scene::new();
    let faults: Vec<&str> = TaskFault::ALL
        .into_iter()
        .filter(|(_, fault)| *fault != TaskFault::Hoards)
        .map(|(name, _)| name)
        .collect();
    let output = run(&scene, &faults, &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "an excluded contender is exit code 1:\n{said}");
    let recorded = read_run(&scene.out()).unwrap();
    assert_eq!((recorded.file.state, &recorded.file.plan), (RunState::Complete, &None), "{said}");
    assert!(recorded.windows.is_empty(), "no server was started");
    let judgement = scene.judgement();
    assert_valid("run.schema.json", &read_json(&scene.out().join("run.json")));
    assert_valid("judgement.schema.json", &judgement);
    let state = |fault: &str| &row(&judgement, fault)["state"];
    let cause = |fault: &str| state(fault)["cause"].as_str().unwrap_or_default().to_owned();
    let reason = |fault: &str| state(fault)["reason"].as_str().unwrap_or_default().to_owned();

    let honest = row(&judgement, "none");
    let is_ranked = state("none")["is"] == "ranked";
    // On a busy machine its processes may be dropped.
    assert!(is_ranked || honest["dropped"].as_u64() > Some(5), "{honest}");
    assert_eq!((honest["iterations"].as_u64(), honest["wrong_answers"].as_u64()), (Some(400), Some(0)));
    assert!(honest["read_share"].as_f64() >= Some(1.0), "{honest}");
    for fault in ["keeps-file", "wrong-hash", "long-clock"] {
        assert_eq!(cause(fault), "wrong-answers", "{fault}: {}", state(fault));
    }
    assert!(reason("keeps-file").contains("`absent`"), "{}", reason("keeps-file"));
    assert_eq!(
        row(&judgement, "keeps-file")["wrong_answers"],
        200,
        "all lines after the files were replaced"
    );
    assert_eq!(cause("reads-changes"), "not-read", "{}", state("reads-changes"));
    // What others did to the machine meanwhile drops processes, and has nothing to do with its clock.
    let mut undisturbed = recorded.file.clone();
    for process in undisturbed.contenders.iter_mut().flat_map(|record| &mut record.tasks) {
        (process.others_share, process.steal_share) = (None, None);
    }
    let undisturbed = serde_json::to_value(velo_judge::judge(&undisturbed, &recorded.windows)).unwrap();
    let short = &row(&undisturbed, "short-clock")["state"];
    assert_eq!(short["cause"], "own-clock", "{short}");
    for (fault, words) in [
        ("hangs", "no answer within 5 s"),
        ("endless", "without the end of a line"),
        ("double", "more than the one line"),
        ("dies", "exit status: 3"),
        ("bad-end", "exit status: 4"),
    ] {
        assert_eq!(state(fault)["is"], "excluded", "{fault}: {}", state(fault));
        assert!(
            reason(fault).contains(words) && reason(fault).contains("in 2 processes"),
            "{}",
            reason(fault)
        );
    }
    assert!(left_running_in(&scene, "scripted-task").is_empty());
    for fault in faults {
        assert!(said.contains(&format!("script/{fault}")), "the report names {fault}:\n{said}");
    }
    let again = serde_json::to_value(velo_judge::judge(&recorded.file, &recorded.windows)).unwrap();
    assert_eq!(again, judgement, "an old run judged again gives the same");
}

#[test]
fn all_tasks_of_a_round_get_the_same_lines_in_an_order_of_their_own() {
    let _place = place();
    let scene = Scene::new();
    // It keeps its input beside its working folder, which the lab removes.
    let log = scene.dir.path().join("log");
    std::fs::create_dir(&log).unwrap();
    let mut command = scene
        .velo(&["run", "users", "--quick", "--seed", "7", "--only", "script/*", "--skip", "rust/*", "--out"]);
    command.arg(scene.out());
    for name in ["one", "other"] {
        let file = log.join(name);
        let task = format!("tee -a {} | {} none", file.display(), program("scripted-task").display());
        command.arg("--contender").arg(scene.task(name, &task));
    }
    let output = command.output().unwrap();
    let lines = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(log.join(name))
            .unwrap_or_else(|error| panic!("{error}: {}", text(&output)));
        text.lines().map(str::to_owned).collect()
    };
    let one = lines("one");
    assert_eq!(one, lines("other"), "{}", text(&output));
    // Seven to verify, then 40 for each of two processes, in which no line comes twice.
    assert_eq!(one.len(), 7 + 2 * 40);
    assert_ne!(one[7..47], one[47..]);
    let judgement = scene.judgement();
    assert_eq!(judgement["nothing_ranked"], "quick look");
    for name in ["one", "other"] {
        is_honest(row(&judgement, name));
        assert_eq!(row(&judgement, name)["iterations"], 80);
    }
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_does_not_answer_rightly_is_not_measured() {
    let _place = place();
    let scene = Scene::new();
    let task = program("scripted-task").display().to_string();
    let mut command = scene.velo(&["verify", "users", "--seed", "7"]);
    for (name, task) in [
        ("good", format!("exec {task} none")),
        // The same data for each line: it keeps the file that lay there when it was started.
        ("copies", format!("cp -r $DATA_DIR $WORK_DIR/d; DATA_DIR=$WORK_DIR/d exec {task} none")),
        ("silent", "exec sleep 60".to_owned()),
        ("stays", format!("{task} none; exec sleep 86406")),
    ] {
        command.arg("--contender").arg(scene.task(name, &task));
    }
    let output = command.output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("script/good  ok, 4 of 4 required cases"), "{said}");
    assert!(said.contains("read anew after a change: ") && said.contains("`absent`, expected"), "{said}");
    assert!(said.contains("no answer within 5 s"), "{said}");
    assert!(said.contains("did not end within 5 s of the end of its input"), "{said}");
    assert!(left_running("sleep 86406").is_empty());
}

/// A run under way whose task takes its time.
fn start_slow(scene: &Scene, mark: &str) -> Child {
    let task = program("scripted-task").display().to_string();
    let slow =
        format!("sleep {mark} & while read -r line; do echo \"$line\"; sleep 0.05; done | {task} none");
    let mut command = scene.velo(&["run", "users", "--only", "script/*", "--skip", "rust/*", "--contender"]);
    command.arg(scene.task("slow", &slow)).arg("--out").arg(scene.out());
    let run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let measured = || {
        let Ok(text) = std::fs::read_to_string(scene.out().join("run.json")) else { return false };
        let file: Value = serde_json::from_str(&text).unwrap();
        file["contenders"][0]["tasks"].as_array().is_some_and(|tasks| !tasks.is_empty())
    };
    wait_for("a process", Duration::from_secs(60), measured);
    run
}

#[test]
fn a_run_that_is_stopped_keeps_whole_processes_and_leaves_nothing_running() {
    let _place = place();
    for (signal, state, mark) in [(Signal::INT, "interrupted", "86404"), (Signal::KILL, "running", "86405")] {
        let scene = Scene::new();
        let mut run = start_slow(&scene, mark);
        kill_process(Pid::from_child(&run), signal).unwrap();
        let status = run.wait().unwrap();
        wait_for("the end of all", Duration::from_secs(10), || {
            left_running(&format!("sleep {mark}")).is_empty()
                && left_running_in(&scene, "scripted-task none").is_empty()
        });
        let file = read_json(&scene.out().join("run.json"));
        assert_eq!(file["state"], state);
        for process in file["contenders"][0]["tasks"].as_array().unwrap() {
            assert_eq!(
                (process["iterations"].as_array().unwrap().len(), &process["ended_early"]),
                (40, &Value::Null)
            );
        }
        if signal == Signal::INT {
            assert_eq!(status.code(), Some(130));
            assert_eq!(scene.judgement()["nothing_ranked"], "partial run: it was stopped");
        }
    }
}

#[test]
fn one_that_needs_too_much_memory_is_ended_and_the_record_says_why() {
    let _place = place();
    let scene = Scene::new();
    let output = run(&scene, &["none", "hoards"], &["--quick", "--memory-limit", "64M"]);
    let said = text(&output);
    if output.status.code() == Some(3) {
        assert!(said.contains("--memory-limit cannot be kept on this machine"), "{said}");
        assert!(!scene.out().exists(), "nothing was begun");
        return;
    }
    let judgement = scene.judgement();
    assert_eq!(judgement["memory_limit_bytes"], 64 << 20);
    is_honest(row(&judgement, "none"));
    let reason = row(&judgement, "hoards")["state"]["reason"].as_str().unwrap_or_default().to_owned();
    assert!(
        reason.contains("the kernel ended it for going over its memory limit of 64 MiB"),
        "{reason}\n{said}"
    );
}
