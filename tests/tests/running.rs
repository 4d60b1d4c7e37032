use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use velo_model::PartyRole;
use velo_record::{ContenderState, read_run};

use crate::harness::{Scene, figure, place, program, row, text};

/// A scripted server that nobody but the test starts and ends.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(fault: &str) -> Self {
        let port = free_port();
        let child = Command::new(program("scripted-server"))
            .arg(fault)
            .env("HOST", "127.0.0.1")
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, port };
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        server
    }

    fn url(&self, name: &str) -> String {
        format!("{name}=http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the test has said by then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

#[test]
fn a_server_that_runs_already_is_measured_and_left_running() {
    let _place = place();
    let scene = Scene::new();
    let (mut honest, liar) = (Server::start("none"), Server::start("wrong-body"));
    let mut command = scene.quick_run("coin", &["none"]);
    command.args(["--url", &honest.url("mine"), "--url", &liar.url("go/liar")]);
    let output = command.output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "wrong answers are exit code 1:\n{said}");
    assert!(honest.child.try_wait().unwrap().is_none(), "it is not ours to end");

    let run = read_run(&scene.out()).unwrap();
    let record =
        run.file.contenders.iter().find(|record| record.manifest.name.as_str() == "url/mine").unwrap();
    assert_eq!(record.state, ContenderState::Measured, "{said}");
    assert!(record.cases.iter().all(|case| case.passed || !case.required) && !record.cases.is_empty());
    let launch = record.launches.first().unwrap();
    assert_eq!((launch.startup_ns, launch.processes, launch.memory_steady_bytes), (None, None, None));
    assert_eq!(launch.stop, None);
    for window in &run.windows {
        let cpu = window.cpu_total_ns(PartyRole::Contender);
        assert_eq!(cpu.is_some(), window.contender.as_str() == "script/none", "{window:?}");
        assert_eq!(window.host.others_share, None, "what it uses cannot be told from what others use");
    }

    let judgement = scene.judgement();
    let mine = row(&judgement, "url/mine");
    // A machine that others disturb all the time leaves no figures, and that is said instead.
    let is_disturbed = mine["state"]["cause"] == "not-measured";
    assert!(is_disturbed || mine["state"]["cause"] == "ran-already", "{}", mine["state"]);
    assert!(is_disturbed == (mine["windows"] == 0) && is_disturbed != (mine["at_least"] == true), "{mine}");
    assert_eq!((figure(&judgement, "cpu-per-request", "url/mine"), mine["version"].as_str()), (None, None));
    assert!(mine["answers"]["correct"].as_u64() > Some(0), "{mine}");
    let liar = &row(&judgement, "go/liar")["state"];
    assert_eq!(liar["cause"], "wrong-answers", "{liar}\n{said}");
    let said = scene.report(&[]);
    assert!(said.contains("url/mine") && said.contains("externally started"), "{said}");
}

#[test]
fn what_does_not_answer_is_a_row_and_the_run_goes_on() {
    let _place = place();
    let scene = Scene::new();
    let nobody = format!("gone=http://127.0.0.1:{}", free_port());
    let output = scene.quick_run("coin", &["none"]).args(["--url", &nobody]).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let judgement = scene.judgement();
    let gone = &row(&judgement, "url/gone")["state"];
    assert_eq!((&gone["is"], &gone["stage"]), (&"excluded".into(), &"start".into()), "{said}");
    assert_eq!(gone["log"], serde_json::Value::Null, "nothing was started that could have written one");
    assert!(row(&judgement, "script/none")["answers"]["correct"].as_u64() > Some(0), "{said}");
}

#[test]
fn a_server_that_runs_already_is_verified_alone() {
    let _place = place();
    let scene = Scene::new();
    let server = Server::start("none");
    let output = scene.velo(&["verify", "coin", "--url", &server.url("mine")]).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("verify 1 contender") && said.contains("url/mine  ok"), "{said}");
}

#[test]
fn what_cannot_be_asked_of_it_is_refused() {
    let scene = Scene::new();
    let refused = |arguments: &[&str], part: &str| {
        let output = scene.velo(arguments).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}:\n{said}");
        assert!(said.contains(part), "{arguments:?}:\n{said}");
    };
    refused(&["run", "users", "--url", "mine=http://127.0.0.1:1"], "files to read");
    refused(&["run", "coin", "--url", "go/gin=http://127.0.0.1:1"], "another contender of that name");
    refused(&["run", "coin", "--url", "http://127.0.0.1:1"], "NAME=URL");
    refused(&["run", "coin", "--url", "mine=https://127.0.0.1:1"], "velo load measures https");
}

const LONG: &str = r#"
question = "GET 1.5 MB: how long may an answer be?"
baseline = "script/files"
default = ["script/files"]
load = [{ connections = 4 }]

[[request]]
name = "long"
method = "GET"
path = "/long"
expect = { status = 200, length = 1_500_000 }

[[case]]
name = "a long answer"
like = "long"
"#;

/// What passed verification was no answer at all under load, where less of it was taken.
#[test]
fn an_answer_as_long_as_the_workload_expects_is_taken() {
    let _place = place();
    let scene = Scene::new();
    let files = scene.dir.path().join("files");
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("long"), vec![b'v'; 1_500_000]).unwrap();
    let start = format!("exec {} serve-files {} --port $PORT", program("velo").display(), files.display());
    let contender = scene.contender_on("long", "files", &start, "");
    let mut command = scene.velo(&["run", "long", "--quick", "--only", "script/*", "--workload"]);
    command
        .arg(scene.workload("long", LONG))
        .arg("--contender")
        .arg(&contender)
        .arg("--out")
        .arg(scene.out());
    let output = command.output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let run = read_run(&scene.out()).unwrap();
    let correct: u64 = run.windows.iter().map(|window| window.outcomes.correct).sum();
    let wrong: u64 = run.windows.iter().map(|window| window.outcomes.wrong_answer).sum();
    assert!(correct > 0, "{said}");
    assert_eq!(wrong, 0, "{said}");
}
