use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Scene, place, program, row, text};

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
    let _place = place();
    let scene = Scene::new();
    let dir = scene.dir.path();
    succeed(velo(dir, &["new", "workload", "hello", "--baseline", "python/hello"]));
    succeed(velo(dir, &["new", "contender", "python/hello", "--workload", "hello"]));
    succeed(velo(dir, &["new", "contender", "python/program", "--workload", "hello", "--task"]));
    let said = succeed(velo(dir, &["verify", "hello", "--all"]));
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
    let output = velo(&dir.join("elsewhere"), &arguments).output().unwrap();
    let said = text(&output);
    // What the run left, not what it came to: on a busy machine every block and process may be dropped, and a task of
    // microseconds may wait so long for a CPU that its own clock is not believed, which is a failed check.
    assert!(matches!(output.status.code(), Some(0 | 1)) && said.contains("python/hello"), "{said}");
    let run = velo_record::read_run(&scene.out()).unwrap();
    let answers: u64 = run.windows.iter().map(|window| window.outcomes.correct).sum();
    assert!(answers > 0, "{said}");
    let program =
        run.file.contenders.iter().find(|record| record.manifest.role == velo_model::Role::Task).unwrap();
    assert_eq!(program.tasks.iter().map(|process| process.wrong_answers).sum::<u64>(), 0);
    assert!(program.tasks.iter().all(|process| process.iterations.len() >= 5), "{:?}", program.tasks);
    let judgement = scene.judgement();
    assert_eq!(row(&judgement, "python/hello")["contender"], "python/hello");
    let tasks = &judgement["workloads"][0]["tasks"]["rows"];
    assert_eq!(tasks[0]["contender"], "python/program", "{tasks}");
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
