use std::io::Read;
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use velo_judge::judge;
use velo_record::{RunState, read_run};

use crate::harness::{Scene, figure, left_running_in, place, program, read_json, text};
use crate::schemas::assert_valid;

const BYTES: u64 = 1_000_000;
/// What the honest client takes before it asks for anything.
const START_S: f64 = 0.2;

/// A workload of one small file, and clients that each misbehave in one way.
fn run(scene: &Scene, faults: &[&str]) -> Command {
    let workload = format!(
        "question = \"GET a file\"\nbaseline = \"script/none\"\ndefault = [\"script/none\"]\n\n\
         [[load]]\nname = \"one\"\nbytes = {BYTES}\niterations = 8\n"
    );
    let mut command = scene.velo(&["run", "tiny", "--seed", "7", "--budget", "10s", "--workload"]);
    command.arg(scene.workload("tiny", &workload)).arg("--out").arg(scene.out());
    for fault in faults {
        let start = if *fault == "none" { format!("sleep {START_S}; ") } else { String::new() };
        let program = program("scripted-client");
        let serve = format!("serve = '{start}SCRIPTED_BYTES={BYTES} exec {} {fault}'", program.display());
        command.arg("--contender").arg(client(scene, fault, &serve));
    }
    command
}

fn client(scene: &Scene, name: &str, command: &str) -> std::path::PathBuf {
    let dir = scene.dir.path().join("script").join(name);
    std::fs::create_dir_all(&dir).unwrap();
    let manifest = format!(
        "class = \"library\"\nworkloads = [\"tiny\"]\n{command}\nversion = \"echo 1.0\"\nready_seconds = 2\n"
    );
    std::fs::write(dir.join("contender.toml"), manifest).unwrap();
    dir
}

fn row<'a>(judgement: &'a Value, contender: &str) -> &'a Value {
    let rows = judgement["workloads"][0]["tasks"]["rows"].as_array().unwrap();
    let name = format!("script/{contender}");
    rows.iter().find(|row| row["contender"] == name.as_str()).unwrap_or_else(|| panic!("no row of {name}"))
}

fn got<'a>(judgement: &'a Value, case: &str, contender: &str) -> &'a str {
    let cases = judgement["workloads"][0]["strictness"].as_array().unwrap();
    let case = cases.iter().find(|one| one["case"] == case).unwrap_or_else(|| panic!("no case {case}"));
    let answers = case["answers"].as_array().unwrap();
    let name = format!("script/{contender}");
    let answer = answers.iter().find(|answer| answer["contender"] == name.as_str());
    answer.unwrap_or_else(|| panic!("no answer of {name}"))["got"].as_str().unwrap()
}

#[test]
fn honest_clients_are_measured_and_each_liar_is_caught_by_the_rule_that_is_meant_for_it() {
    let _place = place();
    let scene = Scene::new();
    let liars = ["answers-early", "keeps-file", "truncates", "short-clock", "leaves-process"];
    let mut command = run(&scene, &[&["none"], &liars[..]].concat());
    // A process for each file: the same client, which a shell asks for one.
    let each = format!(
        "get = 'printf \"%s\\t%s\\n\" \"$URL\" \"$OUT\" | {} none >/dev/null'",
        program("scripted-client").display()
    );
    command.arg("--contender").arg(client(&scene, "each", &each));
    let output = command.output().unwrap();
    let said = text(&output);
    let mut recorded = read_run(&scene.out()).unwrap();
    assert_eq!(recorded.file.state, RunState::Complete, "{said}");
    assert_eq!(output.status.code(), Some(1), "a liar is exit code 1:\n{said}");
    assert_valid("run.schema.json", &read_json(&scene.out().join("run.json")));
    assert_valid("judgement.schema.json", &scene.judgement());
    // What others did to the machine meanwhile drops processes, and has nothing to do with what is tried here. But the lab's clock
    // runs on while others have the CPU that it reads it with, which looks as if a client's left time out.
    let was_busy = recorded
        .file
        .contenders
        .iter()
        .flat_map(|record| &record.tasks)
        .any(|process| process.others_share.is_some_and(|share| share >= 0.05));
    for process in recorded.file.contenders.iter_mut().flat_map(|record| &mut record.tasks) {
        (process.others_share, process.steal_share) = (None, None);
    }
    let judgement = serde_json::to_value(judge(&recorded.file, &recorded.windows)).unwrap();

    for honest in ["none", "each"] {
        let row = row(&judgement, honest);
        if was_busy && row["state"]["cause"] == "own-clock" {
            continue;
        }
        assert_eq!((row["iterations"].as_u64(), row["wrong_answers"].as_u64()), (Some(80), Some(0)), "{row}");
        let ns = |figure: &str| row[figure]["value"].as_f64().unwrap_or_else(|| panic!("no {figure}: {row}"));
        let series = |of: &str| figure(&judgement, of, &format!("script/{honest}"));
        assert!(ns("process_ns") > 0.0, "{row}");
        assert!(
            series("iteration-cold") > Some(0.0) && series("iteration-steady") > Some(0.0),
            "{judgement}"
        );
        assert!(row["server_cpu_share"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["memory_peak_bytes"].as_u64().unwrap() > 0, "{row}");
        if honest == "none" {
            assert!(ns("process_ns") > START_S * 1e9, "a process has a start: {row}");
        }
    }
    let reason = |liar: &str| {
        let state = &row(&judgement, liar)["state"];
        format!(
            "{}: {}",
            state["cause"].as_str().unwrap_or("excluded"),
            state["reason"].as_str().unwrap_or_default()
        )
    };
    for (liar, cause, words) in [
        // Without a request, before the last bytes or without them: which is seen first is a matter of microseconds.
        ("answers-early", "wrong-answers", "wrong answers: 30 of 80"),
        ("keeps-file", "wrong-answers", "it answered without a request"),
        ("truncates", "wrong-answers", "999000 bytes when it answered, expected 1000000"),
        ("short-clock", "", "it says"),
        ("leaves-process", "", "behind"),
    ] {
        let reason = reason(liar);
        assert!(reason.starts_with(cause) && reason.contains(words), "{liar}: {reason}");
    }
    assert_eq!(got(&judgement, "short-body", "none"), "error: failed to fill whole buffer");
    assert_eq!(got(&judgement, "not-found", "none"), "error: status 404");
    assert_eq!(got(&judgement, "stall", "none"), "hangs: no answer within 3 s");
    for case in ["close", "long-body"] {
        assert_eq!(got(&judgement, case, "none"), "whole file", "{case}");
    }
    assert!(left_running_in(&scene, "scripted-client").is_empty(), "nothing is left");
}

#[test]
fn files_are_served_whole_and_with_faults_until_ctrl_c() {
    let scene = Scene::new();
    let dir = scene.dir.path().join("served");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("a.bin"), vec![7; 10_000]).unwrap();
    let velo = || {
        let mut command = Command::new(program("velo"));
        command.arg("serve-files").stdin(Stdio::null());
        command
    };
    let mut server = velo().arg(&dir).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.take().unwrap()), &mut line)
        .unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().strip_suffix("/FILE").unwrap().to_owned();
    let get = |path: &str| {
        let mut connection = TcpStream::connect(&address).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        std::io::Write::write_all(
            &mut connection,
            format!("GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n").as_bytes(),
        )
        .unwrap();
        let mut bytes = Vec::new();
        connection.read_to_end(&mut bytes).unwrap();
        bytes
    };
    assert!(get("/a.bin").ends_with(&[7; 10_000]));
    let short = get("/short-body/a.bin");
    assert!(short.ends_with(&[7; 5_000]) && short.len() < 6_000);
    assert!(get("/../a.bin").starts_with(b"HTTP/1.1 404 "));
    kill_process(Pid::from_child(&server), Signal::INT).unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(130));
    let refused = velo().arg("no-such-folder").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).contains("expected a folder"), "{}", text(&refused));
}
