use std::path::PathBuf;
use std::process::Command;

use crate::harness::{Scene, left_running_in, place, program, read_json, row, text};

/// What `velo verify` says of a contender with such a start command; it may not take a minute.
fn verified(scene: &Scene, name: &str, start: &str) -> String {
    let contender = scene.contender_with(name, start, "ready_seconds = 1\n");
    let mut command =
        scene.velo(&["verify", "void", "--only", "script/*", "--skip", "rust/*", "--contender"]);
    command.arg(contender);
    let said = text(&in_a_minute(&command).output().unwrap());
    assert!(left_running_in(scene, "scripted-server none").is_empty(), "{said}");
    said
}

fn in_a_minute(command: &Command) -> Command {
    let mut limited = Command::new("timeout");
    limited.args(["--signal", "KILL", "60"]).arg(command.get_program()).args(command.get_args());
    limited.current_dir(command.get_current_dir().unwrap());
    limited
}

fn server() -> String {
    format!("{} none", program("scripted-server").display())
}

/// 20 MB, and then it serves.
fn noisy() -> String {
    format!("head -c 20000000 /dev/zero | tr \"\\\\0\" x >&2; echo; echo the end; exec {}", server())
}

fn log_of(said: &str) -> PathBuf {
    let line = said.lines().find(|line| line.contains(" MB written")).unwrap_or_else(|| panic!("{said}"));
    line.trim().strip_prefix("warning").unwrap().trim().split(": ").next().unwrap().into()
}

#[test]
fn of_a_long_log_the_ends_are_kept_and_its_length_is_told() {
    let _place = place();
    let scene = Scene::new();
    let said = verified(&scene, "noisy", &noisy());
    assert!(said.contains("20 MB written"), "{said}");
    let log = std::fs::read_to_string(log_of(&said)).unwrap();
    assert!(log.ends_with("x\nthe end\n") && log.contains("bytes were written here"));
    let (first, cut) = log.rsplit_once("bytes were written here").unwrap();
    assert!(first.len().min(cut.len()) > 1 << 20 && cut.len() < 2 << 20);

    let mut run = scene.quick_run("void", &[]);
    let said = text(&run.arg("--contender").arg(scene.dir.path().join("script/noisy")).output().unwrap());
    let record = &read_json(&scene.out().join("run.json"))["contenders"][0];
    assert!(record["log_bytes"].as_u64() >= Some(20_000_000), "{}\n{said}", record["log_bytes"]);
    let verdicts = row(&scene.judgement(), "script/noisy")["verdicts"].to_string();
    assert!(verdicts.contains("log-cut"), "{verdicts}");
    let report = std::fs::read_to_string(scene.out().join("report.md")).unwrap();
    assert!(report.contains("MB written, first and last MiB of each launch kept"), "{report}");
    let kept = std::fs::metadata(scene.out().join("logs/script-noisy.stderr")).unwrap().len();
    let starts = record["launches"].as_array().unwrap().len() as u64 + 1;
    assert!(kept < starts * (3 << 20), "{kept} of {starts}");
}

#[test]
fn a_pipe_in_place_of_a_log_holds_nobody_up() {
    let _place = place();
    let scene = Scene::new();
    let said = verified(&scene, "pipe", "log=$(readlink /proc/self/fd/2); rm $log; mkfifo $log; exit 3");
    assert!(said.contains("it ended while starting (exit status: 3)"), "{said}");
}

#[test]
fn what_ends_with_control_characters_is_read_to_its_last_words() {
    let _place = place();
    let scene = Scene::new();
    let said = verified(&scene, "dark", r#"printf "no such option\n\033[0m\033[?25h\n" >&2; exit 3"#);
    assert!(said.contains("last line: no such option\n"), "{said}");
}

#[test]
fn one_that_goes_into_the_background_is_told_to_stay() {
    let _place = place();
    let scene = Scene::new();
    let later = format!("(sleep 0.5; exec {}) & exit 0", server());
    let said = verified(&scene, "daemon", &later);
    assert!(
        said.contains(
            "it ended while starting (exit status: 0; its start command has to stay in the foreground"
        ),
        "{said}"
    );
    let said = verified(&scene, "late-daemon", &format!("setsid {} & sleep 0.5", server()));
    // Its first process is gone before the last case is answered, or after it.
    let is_gone = said.contains("(exit status: 0; its start command has to stay in the foreground");
    assert!(is_gone || said.contains("it did not end within 5 s of SIGTERM and was killed"), "{said}");
}

#[test]
fn one_that_starts_slowly_or_does_not_end_is_told_so() {
    let _place = place();
    let scene = Scene::new();
    let said = verified(&scene, "slow", &format!("sleep 30; exec {}", server()));
    assert!(said.contains("within 1 s of its start (ready_seconds in its contender.toml)"), "{said}");
    let said = verified(&scene, "stays", &format!("trap \"\" TERM; exec {}", server()));
    assert!(said.contains("excluded at its verification: it did not end within 5 s of SIGTERM"), "{said}");
}

#[test]
fn one_that_listens_on_all_networks_is_warned_of() {
    let _place = place();
    let scene = Scene::new();
    let start = format!("HOST=0.0.0.0 exec {}", server());
    let said = verified(&scene, "open", &start);
    assert!(said.contains("warning   it listens on 0.0.0.0, expected the address in HOST alone"), "{said}");
    let mut run = scene.quick_run("void", &["none"]);
    let said = text(&run.arg("--contender").arg(scene.dir.path().join("script/open")).output().unwrap());
    let judgement = scene.judgement();
    let warned = |name: &str| row(&judgement, name)["verdicts"].to_string().contains("listens-on-all");
    assert!(warned("script/open") && !warned("script/none"), "{said}");
}
