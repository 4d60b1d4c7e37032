use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Scene, alone, program, row, text};

/// `velo` in a folder that is no checkout and lies in none.
fn velo(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program("velo"));
    command.args(arguments).stdin(Stdio::null()).current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache"));
    command
}

fn succeed(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command:?}:\n{}", text(&output));
    text(&output)
}

/// What `velo new` makes runs as it is, in a folder of its own, beside which there is no repository.
#[test]
fn what_velo_new_makes_is_measured_outside_of_the_repository() {
    let _alone = alone();
    let scene = Scene::new();
    let dir = scene.dir.path();
    succeed(velo(dir, &["new", "workload", "hello", "--baseline", "python/hello"]));
    succeed(velo(dir, &["new", "contender", "python/hello", "--workload", "hello"]));
    succeed(velo(dir, &["new", "contender", "python/program", "--workload", "hello", "--task"]));
    let said = succeed(velo(dir, &["verify", "hello"]));
    assert!(said.contains("python/hello") && said.contains("python/program"), "{said}");

    // Two contenders and a workload, named by their folders.
    std::fs::create_dir(dir.join("elsewhere")).unwrap();
    let arguments = [
        "run",
        "--quick",
        "--seed",
        "3",
        "--workload",
        "../workloads/hello",
        "--contender",
        "../contenders/python/hello",
        "--contender",
        "../contenders/python/program",
        "--out",
        "../out",
    ];
    let said = succeed(velo(&dir.join("elsewhere"), &arguments));
    assert!(said.contains("python/hello"), "{said}");
    let judgement = scene.judgement();
    assert!(row(&judgement, "python/hello")["goodput_per_s"]["value"].as_f64().unwrap() > 0.0);
    let tasks = &judgement["workloads"][0]["tasks"]["rows"];
    assert_eq!(tasks.as_array().unwrap().len(), 1, "{tasks}");
    assert!(tasks[0]["steady_ns"]["value"].as_f64().unwrap() > 0.0, "{tasks}");
}

/// An installed `velo` has the repository's workloads.
#[test]
fn without_a_checkout_the_workloads_are_those_in_the_program() {
    let scene = Scene::new();
    let dir = scene.dir.path();
    let said = succeed(velo(dir, &["show", "coin"]));
    assert!(said.contains("POST /coin HTTP/1.1"), "{said}");
    let output = velo(dir, &["run", "coin"]).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--contender"), "{said}");
}
