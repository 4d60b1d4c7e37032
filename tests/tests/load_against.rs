use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::harness::{place, program};
use crate::load_command::{Server, response, run, usual, velo};
use crate::schemas::assert_valid;

/// Runs with `--json -` and returns the exit code and the result, which is what its schema says.
fn compared(arguments: &[&str]) -> (Option<i32>, Value) {
    let (code, out, said) = run(&[&["--quiet", "--json", "-"], arguments].concat());
    let result = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}\n{out}{said}"));
    assert_valid("against.schema.json", &result);
    (code, result)
}

fn figure<'r>(result: &'r Value, name: &str) -> &'r Value {
    let mut figures = result["figures"].as_array().unwrap().iter();
    figures
        .find(|figure| figure["figure"] == name)
        .unwrap_or_else(|| panic!("no {name}: {}", result["figures"]))
}

fn finds(result: &Value, of: &str, what: &str) -> bool {
    let mut notes = result["notes"].as_array().unwrap().iter();
    notes.any(|note| note["of"] == of && note["finding"].to_string().contains(what))
}

/// A server of another process, which answers as it should.
struct Scripted {
    child: Child,
    port: u16,
}

impl Scripted {
    fn start() -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program("scripted-server"));
        command.arg("none").env("HOST", "127.0.0.1").env("PORT", port.to_string());
        let child = command.stdin(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "it does not listen");
            thread::sleep(Duration::from_millis(10));
        }
        Self { child, port }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn two_ports_of_one_process_are_as_fast_as_each_other() {
    let _place = place();
    let (a, b) = (Server::start(usual), Server::start(usual));
    let bounds = "goodput>-95%,goodput<2000%,errors=0";
    let (code, result) =
        compared(&["-d", "2s", "-c", "4", "--fail-on", bounds, "--against", &b.url("/"), &a.url("/")]);
    // Where others have the machine nothing is certain, and where they do not it is within.
    assert_eq!(code, Some(0), "{}", result["conditions"]);
    let record = &result["record"];
    assert_eq!(
        (&record["planned_blocks"], record["blocks"].as_array().unwrap().len()),
        (&Value::from(40), 40)
    );
    let order: Vec<bool> =
        record["blocks"].as_array().unwrap().iter().map(|block| block["a_first"] == true).collect();
    assert_eq!(order[..4], [true, false, true, false]);
    let goodput = figure(&result, "goodput");
    let ratio = goodput["ratio"]["value"].as_f64().unwrap();
    assert!((0.05..21.0).contains(&ratio), "{goodput}");
    if let Some((low, high)) = goodput["ratio"]["low"].as_f64().zip(goodput["ratio"]["high"].as_f64()) {
        // An interval of 95 % misses 1 now and then; never by a factor.
        assert!(low / 3.0 <= 1.0 && 1.0 <= high * 3.0, "{goodput}");
    }
    assert_eq!(result["intervals_of"], "these-processes");
    let own = Value::from(vec![std::process::id()]);
    assert_eq!([&record["a"]["service"]["pids"], &record["b"]["service"]["pids"]], [&own; 2]);
    assert!(result["notes"].to_string().contains("same-processes"), "{}", result["notes"]);
    let seen = [&a, &b].map(|server| server.seen().len() as u64);
    for (side, seen) in ["a", "b"].into_iter().zip(seen) {
        let counted = record[side]["outcomes"]["correct"].as_u64().unwrap();
        assert!(counted > 0 && counted <= seen, "{side}: {counted} of {seen}");
    }
}

#[test]
fn cpu_time_is_of_the_process_that_listens() {
    let _place = place();
    let (a, b) = (Scripted::start(), Scripted::start());
    let (code, result) = compared(&["-d", "1s", "--against", &b.url(), &a.url()]);
    assert_eq!(code, Some(0));
    for (side, server) in [("a", &a), ("b", &b)] {
        let service = &result["record"][side]["service"];
        assert_eq!(service["pids"], Value::from(vec![server.child.id()]), "{service}");
        assert_eq!(
            (&service["name"], &service["ended"]),
            (&Value::from("scripted-server"), &Value::from(false))
        );
        assert!(figure(&result, "cpu")[side].as_f64().unwrap() > 0.0);
    }
    // Named, the process need not be the one that listens.
    let other = b.child.id().to_string();
    let (_, named) = compared(&["-d", "300ms", "--pid", &other, "--against", &b.url(), &a.url()]);
    assert_eq!(named["record"]["a"]["service"]["pids"], Value::from(vec![b.child.id()]));
}

#[test]
fn wrong_answers_of_either_are_named() {
    let _place = place();
    let (a, b) = (Server::start(usual), Server::start(|_| response("200 OK", "text/plain", "good bye")));
    let line = ["-d", "500ms", "--expect-body", "hello", "--against", &b.url("/"), &a.url("/")];
    let (code, result) = compared(&line);
    assert_eq!(code, Some(1), "B has no correct answer");
    assert!(finds(&result, "b", "wrong-answers"), "{}", result["notes"]);
    assert!(!finds(&result, "a", "wrong-answers"), "{}", result["notes"]);
    let (code, out, _) = run(&line);
    assert_eq!(code, Some(1));
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("B, for example: body \"good bye\" instead of \"hello\""), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
}

#[test]
fn one_that_is_not_there_ends_it() {
    let _place = place();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::start(usual);
    let (code, result) =
        compared(&["-d", "60s", "--against", &format!("http://{closed}/"), &server.url("/")]);
    assert_eq!(code, Some(1));
    assert!(finds(&result, "b", "not-reached"), "{}", result["notes"]);
    assert_eq!(result["record"]["blocks"], Value::from(Vec::<u8>::new()));
}

#[test]
fn what_is_undecided_is_an_error_only_when_that_is_asked() {
    let _place = place();
    let (a, b) = (Server::start(usual), Server::start(usual));
    // Two blocks have no interval.
    let line = ["-d", "100ms", "--fail-on", "cpu<50%", "--against", &b.url("/"), &a.url("/")];
    let (code, _, said) = run(&line);
    assert_eq!(code, Some(0));
    assert!(said.contains("undecided"), "{said}");
    assert_eq!(run(&[&["--strict"], &line[..]].concat()).0, Some(4));
    let errors = ["-d", "100ms", "--fail-on", "errors>0", "--against", &b.url("/"), &a.url("/")];
    assert_eq!(run(&errors).0, Some(1));
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let _place = place();
    let (a, b) = (Server::start(usual), Server::start(usual));
    let mut command =
        velo(&["-d", "10m", "--live", "plain", "--json", "-", "--against", &b.url("/"), &a.url("/")]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(" blocks: A ") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0, "it ended");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    // What it still says must have somewhere to go.
    let rest = thread::spawn(move || std::io::read_to_string(said));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", rest.join().unwrap().unwrap());
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["record"]["interrupted"], true);
    let blocks = result["record"]["blocks"].as_array().unwrap().len();
    assert!(blocks > 0 && blocks < 12_000, "{blocks}");
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    program("velo");
    let told = |more: &[&str]| {
        let (code, _, said) = run(&[more, &["--against", ":2", ":1"]].concat());
        assert_eq!(code, Some(2), "{more:?}: {said}");
        said
    };
    for (more, wanted) in [
        (&["-n", "100"][..], "--requests"),
        (&["--ramp", "1..2 over 1s"], "--ramp"),
        (&["--csv", "x.csv"], "--csv"),
        (&["--fail-on", "p99<20ms"], "as in `p99<10%`"),
        (&["-R", "5", "--fail-on", "goodput>-3%"], "an open loop offers both the same rate"),
        (&["-d", "2h"], "expected at most 1h"),
        (&["--pid", "4294967295"], "there is no such process"),
    ] {
        let said = told(more);
        assert!(said.contains(wanted), "{more:?}: {said}");
    }
    let (code, _, said) = run(&["--against-pid", "1", ":1"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--against"), "{said}");
}
