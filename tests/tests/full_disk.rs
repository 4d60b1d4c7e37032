use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::harness::{Scene, place, program, root, text};
use crate::killed::wait_for;

/// A run, which takes a file that it may not write further as one on a full disk, and is not ended by a signal for it.
fn begin(scene: &Scene, more: &[&str]) -> Child {
    let contender = scene.contender("none");
    Command::new(program("velo"))
        .arg("--root")
        .arg(root())
        .args(["run", "void", "--seed", "7", "--only", "script/*", "--skip", "rust/*"])
        .args(more)
        .arg("--contender")
        .arg(contender)
        .arg("--out")
        .arg(scene.out())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .current_dir(scene.dir.path())
        .spawn()
        .unwrap()
}

/// From now on no file may become longer.
fn fill_disk(run: &Child, longest_file_bytes: u64) {
    let limit = Rlimit { current: Some(longest_file_bytes), maximum: Some(longest_file_bytes) };
    prlimit(Some(Pid::from_child(run)), Resource::Fsize, limit).unwrap();
}

fn windows_bytes(scene: &Scene) -> u64 {
    fs::metadata(scene.out().join("windows.ndjson")).map_or(0, |file| file.len())
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn report(scene: &Scene) -> String {
    text(&Command::new(program("velo")).arg("report").arg(scene.out()).output().unwrap())
}

#[test]
fn a_disk_that_is_full_for_the_report_costs_the_report_and_not_the_table() {
    let _place = place();
    let scene = Scene::new();
    // The page alone is longer.
    let run = begin(&scene, &["--quick"]);
    fill_disk(&run, 300_000);
    let output = run.wait_with_output().unwrap();
    let (table, said) = (String::from_utf8_lossy(&output.stdout), text(&output));
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(table.contains("script/none"), "{said}");
    assert!(
        said.contains("out/report.html cannot be written: ") && said.contains("`velo report out`"),
        "{said}"
    );
    assert_eq!(
        names(&scene.out()),
        ["judgement.json", "logs", "report.md", "run.json", "windows.ndjson"],
        "whole or not there:\n{said}"
    );
    assert!(report(&scene).contains("script/none"));
}

#[test]
fn a_disk_that_is_full_while_measuring_leaves_a_partial_run_and_its_table() {
    let _place = place();
    let scene = Scene::new();
    let run = begin(&scene, &["--budget", "60s"]);
    wait_for("windows", Duration::from_secs(60), || windows_bytes(&scene) > 10_000);
    // In the middle of the next line.
    fill_disk(&run, windows_bytes(&scene) + 100);
    let output = run.wait_with_output().unwrap();
    let (table, said) = (String::from_utf8_lossy(&output.stdout), text(&output));
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(table.contains("script/none") && table.contains("partial"), "{said}");
    assert!(
        said.contains("windows.ndjson: cannot be used: ") && said.contains("`velo report out`"),
        "{said}"
    );
    let left = names(&scene.out());
    assert!(left.iter().all(|name| !name.starts_with('.') && !name.ends_with(".new")), "{left:?}");
    let run = velo_record::read_run(&scene.out()).unwrap();
    assert!(!run.windows.is_empty() && !run.incomplete_tail, "{} windows", run.windows.len());
    assert!(report(&scene).contains("partial"));
}
