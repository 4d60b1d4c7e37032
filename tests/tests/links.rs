use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use velo_link::{LinkHandle, Options};

use crate::harness::{Scene, left_running_in, place, program, read_json, row, text};
use crate::killed::wait_for;

const LONG: Duration = Duration::from_secs(20);

/// A network namespace to start commands in, the far end of a link of its own; `None`, said why, where there can be no link.
pub(crate) fn somewhere() -> Option<LinkHandle> {
    let link = "rtt=0".parse().expect("a link");
    let opened = LinkHandle::open(&link, &Options::default());
    opened.inspect_err(|error| eprintln!("skipped: {error}\n  {}", error.cure())).ok()
}

#[test]
fn a_run_over_a_link_says_so_and_what_the_link_did() {
    let _place = place();
    if somewhere().is_none() {
        return;
    }
    let scene = Scene::new();
    let mut command = scene.quick_run("void", &["none"]);
    let output = command.args(["--link", "rtt=5ms,loss=0.1%", "--connections", "8"]).output().unwrap();
    let judgement = scene.judgement();
    let own = row(&judgement, "script/none");
    assert!(own["answers"]["correct"].as_u64().unwrap() > 0, "{}", text(&output));
    assert_eq!(own["answers"]["wrong_answer"], 0, "{}", text(&output));
    let link = &judgement["link"];
    assert_eq!(
        (&link["link"]["rtt_ns"], &link["link"]["loss"]),
        (&Value::from(5_000_000), &Value::from(0.001))
    );
    assert!(link["packets"].as_u64().unwrap() > 0 && link["busy_share"].as_f64().unwrap() > 0.0, "{link}");
    let run = read_json(&scene.out().join("run.json"));
    assert_eq!(run["workloads"][0]["load"]["link"]["rtt_ns"], 5_000_000);
    let overrides = run["settings"]["overrides"].to_string();
    assert!(overrides.contains("over the link rtt=5ms,loss=0.1% instead of no link on void"), "{overrides}");
    let windows = std::fs::read_to_string(scene.out().join("windows.ndjson")).unwrap();
    for line in windows.lines() {
        let window: Value = serde_json::from_str(line).unwrap();
        let link = &window["link"];
        let correct = window["outcomes"]["correct"].as_u64().unwrap();
        for way in ["up", "down"] {
            let packets = link[way]["packets"].as_u64().unwrap();
            assert!(packets >= correct, "{way}: a packet at least for each of {correct}: {link}");
        }
        // Each of 8 connections has at most one request in a round trip.
        let seconds = window["duration_ns"].as_f64().unwrap() / 1e9;
        assert!(correct as f64 <= 8.0 * (seconds / 0.005 + 1.0), "{correct} in {seconds} s");
    }
    let report = std::fs::read_to_string(scene.out().join("report.md")).unwrap();
    assert!(report.contains("8 connections over a link of 5 ms, 0.1 % loss"), "{report}");
}

#[test]
fn two_links_or_a_server_elsewhere_are_refused() {
    let _place = place();
    let scene = Scene::new();
    let mut command = scene.velo(&["run", "void", "--link", "20ms"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("expected as in rtt=20ms,rate=100mbit,loss=0.1%"), "{}", text(&output));
    let mut command = scene.velo(&["run", "void", "--link", "rtt=1ms", "--url", "mine=http://127.0.0.1:1"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("cannot be put behind the link rtt=1ms"), "{}", text(&output));
}

/// A workload that names a link.
const FAR: &str = r#"
question = "how far?"
baseline = "script/none"
default = ["script/none"]

[[load]]
connections = 4

[run]
link = "rtt=20ms"

[[request]]
name = "root"
method = "GET"
path = "/"
expect = { status = 200, body = "" }

[[case]]
name = "an empty body"
like = "root"
"#;

/// Runs `velo` where there is no TUN device: the file of one is hidden in a mount namespace.
fn without_tun(arguments: &str) -> Option<std::process::Output> {
    let script =
        format!("mount --bind /dev/null /dev/net/tun && exec {} {arguments}", program("velo").display());
    let output =
        Command::new("unshare").args(["--mount", "sh", "-c", &script]).stdin(Stdio::null()).output().ok()?;
    let is_hidden = !text(&output).contains("unshare:") && !text(&output).contains("mount:");
    if !is_hidden {
        eprintln!("skipped: /dev/net/tun cannot be hidden here: {}", text(&output));
    }
    is_hidden.then_some(output)
}

#[test]
fn where_no_link_can_be_had_it_is_said_what_is_missing() {
    let _place = place();
    let scene = Scene::new();
    let Some(output) = without_tun("link rtt=1ms -- true") else { return };
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("a TUN device is refused"), "{}", text(&output));
    assert!(text(&output).contains("/dev/net/tun, and root or user namespaces"), "{}", text(&output));

    // A workload that names a link is measured without it, and the result is marked.
    let dir = scene.workload("far", FAR);
    let contender = scene.contender_for("far", "none");
    let arguments = format!(
        "--root {} run far --workload {} --contender {} --only 'script/*' --quick --out {}",
        crate::harness::root().display(),
        dir.display(),
        contender.display(),
        scene.out().display()
    );
    let output = without_tun(&arguments).expect("it could be hidden before");
    assert!(text(&output).contains("warning  without the link rtt=20ms"), "{}", text(&output));
    let run = read_json(&scene.out().join("run.json"));
    assert_eq!(run["workloads"][0]["load"].get("link"), None, "{}", text(&output));
    assert!(run["settings"]["overrides"].to_string().contains("at a round-trip time of 0"));
}

/// `velo link` in a namespace, with a server, and the address that it printed.
fn start(place: &LinkHandle, scene: &Scene, mark: &str) -> (Child, SocketAddr) {
    let server = format!("sleep {mark} & exec {} none", program("scripted-server").display());
    let velo = program("velo");
    let spawn = || {
        Command::new(velo)
            .args(["link", "rtt=10ms", "--", "env", "HOST=127.0.0.1", "PORT=3000", "sh", "-c", &server])
            .current_dir(scene.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    };
    let mut child = place.far().within(spawn).flatten().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line}"));
    (child, address.parse().unwrap())
}

fn devices(place: &LinkHandle) -> usize {
    let table =
        place.far().within(|| std::fs::read_to_string("/proc/thread-self/net/dev")).flatten().unwrap();
    table.lines().filter(|line| line.trim_start().starts_with("velo")).count()
}

#[test]
fn a_server_of_ones_own_is_reached_over_a_link_and_nothing_is_left_of_it() {
    let _place = place();
    let Some(place) = somewhere() else { return };
    let scene = Scene::new();
    for (signal, mark, code) in [(Signal::INT, "86421", Some(130)), (Signal::KILL, "86422", None)] {
        let (mut child, address) = start(&place, &scene, mark);
        let running = || {
            [format!("sleep {mark}"), "scripted-server none".to_owned()]
                .map(|mark| left_running_in(&scene, &mark).len())
        };
        assert!(address.to_string().starts_with("198.18."), "{address}");
        assert_eq!((address.port(), devices(&place)), (3000, 2), "one of them leads to the test");
        let connect = || TcpStream::connect_timeout(&address, LONG);
        let began = Instant::now();
        let mut stream = place.far().within(connect).flatten().unwrap();
        assert!(began.elapsed() >= Duration::from_millis(10));
        let began = Instant::now();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200");
        assert!(began.elapsed() >= Duration::from_millis(10));
        assert!(running().iter().all(|&count| count > 0), "{:?}", running());
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), code);
        wait_for("an end without a rest", LONG, || running() == [0, 0] && devices(&place) == 1);
    }
}

#[test]
fn the_end_of_the_command_is_that_of_the_link() {
    let _place = place();
    let Some(place) = somewhere() else { return };
    let velo = program("velo");
    for (script, code, told) in [("exit 0", 0, "to it    "), ("exit 7", 1, "sh ended (exit status: 7)")] {
        let run =
            || Command::new(&velo).args(["link", "rtt=1ms", "--apart", "--", "sh", "-c", script]).output();
        let output = place.far().within(run).flatten().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        assert!(text(&output).contains(told), "{}", text(&output));
        assert!(text(&output).contains("within   nsenter --net=/proc/"), "{}", text(&output));
    }
    let run = || Command::new(&velo).args(["link", "rtt=1ms", "--", "/no/such/program"]).output();
    let output = place.far().within(run).flatten().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output).contains("/no/such/program cannot be started"), "{}", text(&output));
}
