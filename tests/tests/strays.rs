use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::harness::{
    Scene, left_running, left_running_in, place, program, read_json, text, without_control_groups,
};
use crate::killed::wait_for;

/// The name of the server's copy in a scene. By its path its processes are known, whatever they have done to themselves.
const NAME: &str = "stray-server";
/// What waits beside it.
const SLEEP: &str = "sleep 86411";

/// Where a process of its own is put into a group: the mount of control groups of version 2, and this process's own group there.
const GROUP: &str = r#"m=$(grep " - cgroup2 " /proc/self/mountinfo | head -n 1 | cut -d " " -f 5); g=$m$(sed -n s/^0:://p /proc/self/cgroup)"#;

/// Ways to hide, each a contender that answers correctly. Where it may not do what it tries, it is an honest one.
fn hiders(scene: &Scene) -> Vec<PathBuf> {
    let server = scene.dir.path().join(NAME);
    let server = server.display();
    let ways = [
        (
            "child-group",
            format!("{GROUP}; mkdir $g/own && echo $$ > $g/own/cgroup.procs; exec {server} none"),
        ),
        ("root-group", format!("{GROUP}; echo $$ > $m/cgroup.procs; exec {server} none")),
        ("root-group-child", format!("{GROUP}; (echo 0 > $m/cgroup.procs; exec {server} none) & wait")),
        ("double-fork", format!("(setsid {server} none &); exec {SLEEP}")),
        ("own-session", format!("setsid env -i HOST=$HOST PORT=$PORT {server} none & wait")),
        (
            "own-session-orphan",
            format!("(setsid env -i HOST=$HOST PORT=$PORT {server} none &); exec {SLEEP}"),
        ),
        (
            "root-group-orphan",
            format!(
                "{GROUP}; (echo 0 > $m/cgroup.procs; setsid env -i HOST=$HOST PORT=$PORT {server} none &); exec {SLEEP}"
            ),
        ),
    ];
    ways.iter().map(|(name, start)| scene.contender_with(name, start, "ready_seconds = 5\n")).collect()
}

fn scene() -> Scene {
    let scene = Scene::new();
    std::fs::copy(program("scripted-server"), scene.dir.path().join(NAME)).unwrap();
    scene
}

/// A command that has these contenders alone.
fn with(mut command: Command, contenders: &[PathBuf]) -> Command {
    for dir in contenders {
        command.arg("--contender").arg(dir);
    }
    command
}

fn verify(scene: &Scene, contenders: &[PathBuf]) -> Command {
    with(scene.velo(&["verify", "void", "--only", "script/*", "--skip", "rust/*"]), contenders)
}

/// Control groups that a process made: its number is in their names.
fn groups_of(velo: u32) -> Vec<PathBuf> {
    fn look(dir: &Path, part: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if name.strip_prefix("velo-").is_some_and(|rest| rest.split('-').any(|one| one == part)) {
                    found.push(entry.path());
                } else {
                    look(&entry.path(), part, found);
                }
            }
        }
    }
    let mut found = Vec::new();
    look(Path::new("/sys/fs/cgroup"), &velo.to_string(), &mut found);
    found
}

/// Processes of a scene that run on.
fn strays_of(scene: &Scene) -> Vec<u32> {
    let server = scene.dir.path().join(NAME);
    [left_running(server.to_str().unwrap()), left_running_in(scene, SLEEP)].concat()
}

/// What `velo` says, of which nothing is left when it has ended.
fn leaves_nothing(scene: &Scene, mut command: Command) -> String {
    let velo = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let number = velo.id();
    let said = text(&velo.wait_with_output().unwrap());
    let running = strays_of(scene);
    assert!(running.is_empty(), "{running:?}\n{said}");
    let groups = groups_of(number);
    assert!(groups.is_empty(), "{groups:?}\n{said}");
    said
}

/// Each contender was excluded with words, or each of its launches shows its processes, where they may run, and what they used.
fn assert_accounted_or_excluded(run: &Value, said: &str) -> Vec<String> {
    let contenders = run["contenders"].as_array().unwrap();
    let mut excluded = Vec::new();
    for one in contenders {
        let name = one["manifest"]["name"].as_str().unwrap();
        if one["state"]["is"] == "excluded" {
            let reason = one["state"]["reason"].as_str().unwrap();
            excluded.push(format!("{name}: {reason}"));
            continue;
        }
        let launches = one["launches"].as_array().unwrap();
        assert!(!launches.is_empty(), "{name} is neither measured nor excluded\n{said}");
        for launch in launches {
            assert!(launch["processes"].as_u64() > Some(0), "{name}: {launch}\n{said}");
            assert!(!launch["cpus_read_back"].as_array().unwrap().is_empty(), "{name}: {launch}\n{said}");
            assert!(launch["memory_peak_bytes"].as_u64() > Some(0), "{name}: {launch}\n{said}");
        }
    }
    excluded
}

#[test]
fn whoever_hides_is_accounted_or_excluded_and_ended() {
    let _place = place();
    let scene = scene();
    let hiders = hiders(&scene);
    let said = leaves_nothing(&scene, verify(&scene, &hiders));
    assert!(said.contains("verify   7/7"), "{said}");
    let said = leaves_nothing(&scene, with(scene.quick_run("void", &[]), &hiders));
    let run = read_json(&scene.out().join("run.json"));
    let excluded = assert_accounted_or_excluded(&run, &said);
    if run["cpu_accounting"] == "cgroup-v2" {
        let reason = |name: &str| excluded.iter().find(|one| one.starts_with(&format!("script/{name}:")));
        assert_eq!(reason("child-group"), None, "it is below its own group\n{said}");
        for left in ["root-group", "root-group-child", "root-group-orphan"] {
            let reason = reason(left).unwrap_or_else(|| panic!("{left} was measured\n{said}"));
            assert!(reason.contains("left the control group") && reason.contains(NAME), "{reason}");
        }
    }
}

/// There each process is found by what it inherits and by its parents, and its CPU time read one by one.
#[test]
fn whoever_hides_is_accounted_or_excluded_and_ended_without_control_groups() {
    let _place = place();
    let scene = scene();
    let hiders = hiders(&scene);
    let in_hiding = |command: Command| without_control_groups(&command).unwrap_or(command);
    let said = leaves_nothing(&scene, in_hiding(verify(&scene, &hiders)));
    assert!(said.contains("verify   7/7"), "{said}");
    let said = leaves_nothing(&scene, in_hiding(with(scene.quick_run("void", &[]), &hiders)));
    let run = read_json(&scene.out().join("run.json"));
    assert_eq!(run["cpu_accounting"], "schedstat");
    assert_accounted_or_excluded(&run, &said);
}

/// Ends what a test has started beside `velo`.
struct Manager(Child);

impl Drop for Manager {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// As a service manager does, that starts it for whoever asks.
#[test]
fn one_that_another_program_starts_is_excluded_and_ended() {
    let _place = place();
    let scene = scene();
    let pipe = scene.dir.path().join("asked");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let server = scene.dir.path().join(NAME);
    // Both ends are open, so that it does not end with the first who asks.
    let script = format!(
        "exec 3<>{}; while read host port <&3; do HOST=$host PORT=$port {} none & done",
        pipe.display(),
        server.display()
    );
    let file = scene.dir.path().join("manager.sh");
    std::fs::write(&file, script).unwrap();
    let mut manager = Command::new("sh");
    manager.arg(file).stdin(Stdio::null());
    let _manager = Manager(manager.spawn().unwrap());
    let start = format!("echo $HOST $PORT > {}; exec {SLEEP}", pipe.display());
    let contender = scene.contender_with("managed", &start, "ready_seconds = 5\n");
    let said = text(&verify(&scene, &[contender]).output().unwrap());
    assert!(said.contains("answers on its port") && said.contains(NAME), "{said}");
    wait_for("its end", Duration::from_secs(10), || strays_of(&scene).is_empty());
}

#[test]
fn a_unit_of_systemd_is_excluded_and_ended() {
    if !Path::new("/run/systemd/system").exists() {
        eprintln!("skipped: systemd does not run here");
        return;
    }
    let _place = place();
    let scene = scene();
    let server = scene.dir.path().join(NAME);
    let start = format!(
        "systemd-run --quiet --collect -E HOST=$HOST -E PORT=$PORT {} none; exec {SLEEP}",
        server.display()
    );
    let contender = scene.contender_with("unit", &start, "ready_seconds = 5\n");
    let said = text(&verify(&scene, &[contender]).output().unwrap());
    assert!(said.contains("script/unit"), "{said}");
    wait_for("its end", Duration::from_secs(10), || strays_of(&scene).is_empty());
}
