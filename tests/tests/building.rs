use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::harness::{Scene, place, program, text};
use crate::killed::wait_for;

/// A contender with a build of its own; `more` are further lines of its manifest.
fn contender(scene: &Scene, name: &str, build: &str, more: &str) -> PathBuf {
    let dir = scene.dir.path().join("script").join(name);
    fs::create_dir_all(&dir).unwrap();
    let server = program("scripted-server");
    let manifest = format!(
        "class = \"raw\"\nworkloads = [\"void\"]\nbuild = '''{build}'''\nstart = 'exec {} none'\nversion = 'cat built'\n{more}",
        server.display()
    );
    fs::write(dir.join("contender.toml"), manifest).unwrap();
    dir
}

/// `velo verify` without a checkout, so that its cache is the scene's own.
fn verify(scene: &Scene, contender: &Path) -> Command {
    let mut command = Command::new(program("velo"));
    command
        .args(["verify", "void", "--contender"])
        .arg(contender)
        .env("XDG_CACHE_HOME", scene.dir.path().join("cache"))
        .current_dir(scene.dir.path())
        .stdin(Stdio::null());
    command
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap_or_default().lines().count()
}

/// A build that notes that it began, and ends when the file `go` is there.
fn waiting_build(scene: &Scene) -> (String, PathBuf, PathBuf) {
    let (begun, go) = (scene.dir.path().join("begun"), scene.dir.path().join("go"));
    let build = format!(
        "echo 1 >> {} && echo half > built && until [ -e {} ]; do sleep 0.05; done && echo whole > built",
        begun.display(),
        go.display()
    );
    (build, begun, go)
}

fn begin(scene: &Scene, contender: &Path, said: &Path) -> Child {
    let said = fs::File::create(said).unwrap();
    verify(scene, contender).stdout(said.try_clone().unwrap()).stderr(said).spawn().unwrap()
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn an_upgraded_toolchain_builds_anew() {
    let _place = place();
    let scene = Scene::new();
    let bin = scene.dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let go = bin.join("go");
    let upgrade = |version: &str| {
        fs::write(&go, format!("#!/bin/sh\necho go version go{version} linux/amd64\n")).unwrap();
        fs::set_permissions(&go, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let dir = contender(&scene, "upgraded", "go version > built", "toolchain = \"go\"");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let built_by = |version: &str| {
        upgrade(version);
        let said = text(&verify(&scene, &dir).env("PATH", &path).output().unwrap());
        assert!(said.contains(&format!("version   go version go{version} ")), "{said}");
    };
    built_by("1.98.1");
    built_by("1.99.0");
    // The earlier build is still there for who goes back.
    built_by("1.98.1");
}

#[test]
fn two_at_once_build_once() {
    let _place = place();
    let scene = Scene::new();
    let (build, begun, go) = waiting_build(&scene);
    let dir = contender(&scene, "shared", &build, "");
    let said = ["first", "second"].map(|name| scene.dir.path().join(name));
    let mut first = begin(&scene, &dir, &said[0]);
    wait_for("the first build", LONG, || lines(&begun) == 1);
    let mut second = begin(&scene, &dir, &said[1]);
    let waits = format!("script/shared waits for another velo (process {}) that builds it", first.id());
    wait_for("the second to wait", LONG, || fs::read_to_string(&said[1]).unwrap().contains(&waits));
    fs::write(&go, "").unwrap();
    for (child, said) in [(&mut first, &said[0]), (&mut second, &said[1])] {
        let status = child.wait().unwrap();
        let said = fs::read_to_string(said).unwrap();
        assert!(status.success() && said.contains("version   whole"), "{said}");
    }
    assert_eq!(lines(&begun), 1, "the second took what the first had built");
}

#[test]
fn a_builder_that_was_killed_is_not_waited_for_and_leaves_nothing_to_be_taken() {
    let _place = place();
    let scene = Scene::new();
    let (build, begun, go) = waiting_build(&scene);
    let dir = contender(&scene, "cut", &build, "");
    let mut first = begin(&scene, &dir, &scene.dir.path().join("first"));
    wait_for("the first build", LONG, || lines(&begun) == 1);
    first.kill().unwrap();
    first.wait().unwrap();
    // Its commands still run, and go on in a folder that nobody takes for a build.
    let said = scene.dir.path().join("second");
    let mut second = begin(&scene, &dir, &said);
    wait_for("the second build", LONG, || lines(&begun) == 2);
    fs::write(&go, "").unwrap();
    let status = second.wait().unwrap();
    let said = fs::read_to_string(said).unwrap();
    assert!(status.success() && said.contains("version   whole"), "{said}");
    assert!(!said.contains("waits for another"), "{said}");
}

#[test]
fn a_toolchain_that_velo_does_not_know_is_a_mistake_in_the_manifest() {
    let scene = Scene::new();
    let dir = contender(&scene, "c", "cc --version > built", "toolchain = \"gcc >= 12\"");
    for verb in ["verify", "run"] {
        let mut command = Command::new(program("velo"));
        command.args([verb, "void", "--contender"]).arg(&dir).current_dir(scene.dir.path());
        let output = command.output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("contender.toml:6: `toolchain` names `gcc`") && said.contains("leave it out"),
            "{said}"
        );
    }
}

#[test]
fn a_failed_build_shows_its_first_error_and_a_log_that_is_there() {
    let _place = place();
    let scene = Scene::new();
    let build =
        "echo 'server.c:3:10: fatal error: nothere.h: No such file'; echo 'compilation terminated.'; false";
    let dir = contender(&scene, "broken", build, "");
    let output = verify(&scene, &dir).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("fatal error: nothere.h: No such file; last line: compilation terminated."),
        "{said}"
    );
    assert!(said.contains("\n  | compilation terminated.\n"), "{said}");
    let log = said.lines().find_map(|line| line.trim().strip_prefix("all of it: ")).unwrap();
    let printed = fs::read_to_string(scene.dir.path().join(log)).unwrap();
    assert!(printed.contains("nothere.h"), "{printed}");
}

#[test]
fn one_that_listens_elsewhere_is_told_from_one_that_does_not_listen() {
    let _place = place();
    let scene = Scene::new();
    let start = format!("PORT=0 exec {} none", program("scripted-server").display());
    let dir = scene.contender_with("elsewhere", &start, "ready_seconds = 600\n");
    let output = verify(&scene, &dir).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("it listens on 127.0.0.1:") && said.contains(", expected 127.0.0.1:"), "{said}");
}

#[test]
fn a_cache_that_cannot_be_written_is_the_machines_fault_and_named() {
    let scene = Scene::new();
    let dir = contender(&scene, "any", "echo 1 > built", "");
    // Not even root can make a folder in a file.
    let cache = scene.dir.path().join("cache/velo");
    for file in [cache.clone(), cache.join("build")] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        let output: Output = verify(&scene, &dir).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(&file.display().to_string()), "{said}");
        fs::remove_file(&file).unwrap();
    }
}

/// Whatever it does to be left alone: what a build started would work for its contender without being counted.
#[test]
fn what_a_build_leaves_running_is_ended_and_named() {
    let _place = place();
    let scene = Scene::new();
    let pid_file = scene.dir.path().join("pid");
    let build = format!(
        "(setsid sh -c 'echo $$ > {0}; exec sleep 600' >/dev/null 2>&1 &) ; until [ -s {0} ]; do sleep 0.05; done; echo 1 > built",
        pid_file.display()
    );
    let dir = contender(&scene, "leaves-a-daemon", &build, "");
    let said = text(&verify(&scene, &dir).output().unwrap());
    let pid = fs::read_to_string(&pid_file).unwrap();
    let status = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "{pid} still runs: {status}\n{said}");
    assert!(said.contains("sleep"), "what was ended is named:\n{said}");
}

#[test]
fn what_is_built_ahead_is_not_started_and_not_built_again() {
    let scene = Scene::new();
    let (builds, starts) = (scene.dir.path().join("builds"), scene.dir.path().join("starts"));
    let note = |path: &Path| format!("echo 1 >> {}", path.display());
    let start = format!("{} && exec {} none", note(&starts), program("scripted-server").display());
    let good = scene.contender_with("good", &start, &format!("build = '{}'", note(&builds)));
    let bad = contender(&scene, "bad", "echo no such thing >&2 && false", "");
    let build = |contenders: &[&Path]| {
        let mut command = Command::new(program("velo"));
        command.args(["build", "void"]).env("XDG_CACHE_HOME", scene.dir.path().join("cache"));
        command.current_dir(scene.dir.path()).stdin(Stdio::null());
        for contender in contenders {
            command.arg("--contender").arg(contender);
        }
        command.output().unwrap()
    };
    let output = build(&[&good, &bad]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("script/bad  FAILED: "), "{}", text(&output));
    assert!(text(&output).contains("\n  | no such thing\n"), "{}", text(&output));
    assert!(
        text(&output).contains("build: 1 built, 0 already built, 1 failed, 0 skipped"),
        "{}",
        text(&output)
    );
    assert_eq!((lines(&builds), lines(&starts)), (1, 0));

    let output = build(&[&good]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(
        text(&output).contains("build: 0 built, 1 already built, 0 failed, 0 skipped"),
        "{}",
        text(&output)
    );
    let output = verify(&scene, &good).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!((lines(&builds), lines(&starts)), (1, 1));

    let mut command = Command::new(program("velo"));
    let output = command.args(["build", "void", "--url", "mine=http://127.0.0.1:3000"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).starts_with("error: --url does nothing here"), "{}", text(&output));
}
