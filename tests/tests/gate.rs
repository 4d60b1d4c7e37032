use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::harness::{Scene, left_running_in, place, program, read_json, root, text};
use crate::killed::wait_for;

/// A repository of its own with a service that `velo.toml` defines.
struct Repository {
    scene: Scene,
}

impl Repository {
    /// With one commit on `main`, and a branch `work` on it.
    fn new(service: &str) -> Self {
        let repository = Self { scene: Scene::new() };
        std::fs::create_dir_all(repository.dir()).unwrap();
        std::fs::create_dir_all(repository.temporary()).unwrap();
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository.commit(service, "first");
        repository.git(&["checkout", "--quiet", "-b", "work"]);
        repository
    }

    fn dir(&self) -> PathBuf {
        self.scene.dir.path().join("shop")
    }

    fn temporary(&self) -> PathBuf {
        self.scene.dir.path().join("tmp")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(self.dir());
        let output = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", text(&output));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn write(&self, service: &str) {
        std::fs::write(self.dir().join("velo.toml"), service).unwrap();
    }

    fn commit(&self, service: &str, message: &str) {
        self.write(service);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    fn velo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("velo"));
        command.arg("gate").args(arguments).current_dir(self.dir()).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", self.scene.dir.path().join("cache"));
        command.env("TMPDIR", self.temporary()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for variable in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"] {
            command.env_remove(variable);
        }
        command
    }

    /// A gate that has time for next to nothing, with its run in a folder beside the repository.
    fn gate(&self, out: &str, more: &[&str]) -> Output {
        let out = self.scene.dir.path().join(out);
        let mut command = self.velo(&["--budget", "2s", "--seed", "7", "--out"]);
        command.arg(out).args(more).output().unwrap()
    }

    #[track_caller]
    fn expect(&self, out: &str, more: &[&str], code: i32) -> String {
        let output = self.gate(out, more);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        self.check_nothing_is_left();
        said
    }

    #[track_caller]
    fn check_nothing_is_left(&self) {
        assert_eq!(self.git(&["worktree", "list"]).lines().count(), 1);
        let left = std::fs::read_dir(self.temporary()).unwrap().count();
        assert_eq!(left, 0, "nothing is left in TMPDIR");
    }

    fn json(&self, out: &str) -> Value {
        read_json(&self.scene.dir.path().join(out).join("gate.json"))
    }
}

/// A service that answers `void`, or does what the scripted server's fault says.
fn service(fault: &str) -> String {
    service_with(fault, "")
}

fn service_with(fault: &str, more: &str) -> String {
    let server = program("scripted-server");
    format!(
        "[contender]\nclass = \"raw\"\nworkloads = [\"void\"]\n\
         start = 'exec {} {fault}'\nversion = \"echo 1.0\"\n{more}",
        server.display()
    )
}

#[track_caller]
fn check_against_schema(value: &Value) {
    let schema = read_json(&root().join("schemas/gate.schema.json"));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn a_revision_against_itself_is_measured_and_never_fails() {
    let _place = place();
    let repository = Repository::new(&service("none"));
    // Something new, something staged, and something ignored.
    std::fs::write(repository.dir().join("new.txt"), "new").unwrap();
    std::fs::write(repository.dir().join("staged.txt"), "staged").unwrap();
    repository.git(&["add", "staged.txt"]);
    let before = repository.git(&["status", "--porcelain"]);
    let dir = repository.scene.dir.path();
    let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let (summary, junit, bencher) = (path("summary.md"), path("gate.xml"), path("bmf.json"));
    std::fs::write(&summary, "# Before\n").unwrap();
    let out = path("one");
    let mut command =
        repository.velo(&["--budget", "2s", "--out", &out, "--junit", &junit, "--bencher", &bencher]);
    let output = command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    repository.check_nothing_is_left();
    assert_eq!(repository.git(&["status", "--porcelain"]), before, "the index is as it was");

    let gate = repository.json("one");
    check_against_schema(&gate);
    assert_eq!(gate["contender"], "service/shop");
    assert_eq!(gate["head"]["is_work_tree"], true);
    assert_eq!(gate["base"]["commit"].as_str().unwrap().len(), 40);
    let names: Vec<&str> =
        gate["figures"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["cpu", "goodput"]);
    assert_ne!(gate["verdict"], "worse", "one launch decides nothing");
    assert!(said.contains("::warning file=velo.toml,title=velo gate"), "{said}");
    let summary = std::fs::read_to_string(&summary).unwrap();
    assert!(summary.starts_with("# Before\n# velo gate service/shop on void"), "{summary}");
    assert!(
        std::fs::read_to_string(&junit).unwrap().contains("<testcase classname=\"velo.gate.service/shop\"")
    );
    assert!(
        read_json(Path::new(&bencher))["service/shop on void"]["cpu-time-per-request"]["value"].is_number()
    );

    // The folder is that of any run, with both sides in turn and no reference.
    let run = read_json(&dir.join("one/run.json"));
    let names: Vec<&str> = run["contenders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["manifest"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["service/shop@base", "service/shop@head"]);
    let report = Command::new(program("velo")).arg("report").arg(dir.join("one")).output().unwrap();
    assert!(text(&report).contains("service/shop@head"), "{}", text(&report));
}

#[test]
fn undecided_passes_unless_strict() {
    let _place = place();
    let repository =
        Repository::new(&format!("{}[gate]\nbudget = \"1s\"\nbound = [\"cpu=1%\"]\n", service("none")));
    let said = repository.expect("one", &["--strict"], 4);
    assert!(said.contains("undecided: CPU time per request"), "{said}");
    let gate = repository.json("one");
    assert_eq!(gate["figures"].as_array().unwrap().len(), 1, "as velo.toml says");
    assert_eq!(gate["figures"][0]["bound"], 0.01);
    // A commit that accepts it says so in the result; one that names no figure is told.
    let message = "more\n\nVelo-Accept: cpu\nVelo-Accept: speed";
    repository.commit(&service("none"), message);
    let said = repository.expect("two", &["--head", "HEAD"], 0);
    assert!(said.contains("Velo-Accept: `speed` is not a figure of a gate"), "{said}");
    let gate = repository.json("two");
    assert_eq!(gate["accepted"][0]["figure"], "cpu-per-request");
    assert!(gate["accepted"][0]["by"].as_str().unwrap().starts_with("commit "));
    assert_eq!(gate["figures"][0]["is_accepted"], true);
}

#[test]
fn a_head_that_is_wrong_fails_and_a_base_that_is_cannot_be_measured_against() {
    let _place = place();
    let repository = Repository::new(&service("none"));
    // Right when it is verified, and wrong once in a thousand answers.
    let coin = |fault: &str| service(fault).replace("[\"void\"]", "[\"coin\"]");
    repository.commit(&coin("none"), "coin");
    repository.write(&coin("wrong-body"));
    let said = repository.expect("wrong", &["--base", "HEAD"], 1);
    assert!(said.contains("the head is broken: "), "{said}");
    check_against_schema(&repository.json("wrong"));
    repository.write(&service_with("none", "build = \"echo no compiler here; exit 1\"\n"));
    let said = repository.expect("unbuilt", &[], 1);
    assert!(said.contains("the head is broken: ") && said.contains("no compiler here"), "{said}");

    // The other way round.
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "-m", "broken"]);
    repository.write(&service("none"));
    let said = repository.expect("base", &["--base", "HEAD"], 3);
    assert!(said.contains("the base is broken: "), "{said}");
    repository.commit("[contender]\nclass = 3\n", "no manifest");
    repository.write(&service("none"));
    let said = repository.expect("manifest", &["--base", "HEAD"], 3);
    assert!(said.contains("the base is broken: ") && said.contains("class"), "{said}");
}

#[test]
fn what_the_base_does_not_have_is_new() {
    let _place = place();
    let repository = Repository::new("[run]\nbudget = \"10s\"\n");
    repository.write(&service("none"));
    let said = repository.expect("new", &[], 0);
    assert!(said.contains("new: merge base with main has no such contender"), "{said}");
    repository.write(&service_with("none", "build = \"exit 1\"\n"));
    let said = repository.expect("broken", &[], 1);
    assert!(said.contains("the head is broken: "), "{said}");
}

#[test]
fn a_wrong_command_line_or_definition_is_told_before_anything_is_built() {
    let repository = Repository::new(&service("none"));
    for (arguments, told) in [
        (&["--bound", "cpus=3%"][..], "`cpus` is not a figure of a gate"),
        (&["--accept", "speed"], "`speed` is not a figure of a gate"),
        (&["--base", "nowhere"], "--base nowhere: there is no such commit here"),
        (&["--only", "go/*"], "--only go/*: no server of the head has such a name"),
        (&["--workload", "coin"], "--workload coin: service/shop does not answer it"),
        (&["--frobnicate"], "unexpected argument"),
    ] {
        let said = repository.expect("never", arguments, 2);
        assert!(said.contains(told), "{arguments:?}: {said}");
    }
    repository.write("[contender]\nclass = \"raw\"\nstrat = \"x\"\n");
    let said = repository.expect("never", &[], 2);
    assert!(said.contains("velo.toml") && said.contains("strat"), "{said}");
    repository.write("");
    let said = repository.expect("never", &[], 2);
    assert!(said.contains("the head has no contender"), "{said}");
    assert!(!repository.scene.dir.path().join("never").exists());

    let outside = Scene::new();
    let output = Command::new(program("velo")).arg("gate").current_dir(outside.dir.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("velo gate needs a git repository"), "{}", text(&output));
}

#[test]
fn one_that_is_interrupted_leaves_no_worktree() {
    let _place = place();
    let repository = Repository::new(&service("none"));
    let out = repository.scene.dir.path().join("out");
    let mut command = repository.velo(&["--budget", "60s", "--out"]);
    command.arg(&out).stdout(Stdio::piped()).stderr(Stdio::piped());
    let gate = command.spawn().unwrap();
    wait_for("windows", Duration::from_secs(60), || {
        std::fs::metadata(out.join("windows.ndjson")).is_ok_and(|file| file.len() > 0)
    });
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 3);
    kill_process(Pid::from_child(&gate), Signal::INT).unwrap();
    let output = gate.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    repository.check_nothing_is_left();
    assert!(left_running_in(&repository.scene, "scripted-server none").is_empty());
    let result = repository.json("out");
    check_against_schema(&result);
    assert_eq!(result["verdict"], "interrupted");
}

#[test]
fn what_verifying_found_is_written_for_junit_too() {
    let _place = place();
    let scene = Scene::new();
    let junit = scene.dir.path().join("verify.xml");
    let mut command = scene.velo(&["verify", "void", "--only", "script/*", "--skip", "rust/*", "--junit"]);
    command.arg(&junit).arg("--contender").arg(scene.contender("none"));
    command.arg("--contender").arg(scene.contender_with("ends", "exit 1", "ready_seconds = 1\n"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let written = std::fs::read_to_string(&junit).unwrap();
    assert!(written.contains("<testcase classname=\"velo.verify.script/none.void\""), "{written}");
    assert!(written.contains("<testsuite name=\"script/ends\" tests=\"1\" failures=\"1\""), "{written}");
}
