use std::net::TcpListener;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::harness::{place, program, read_json, text};
use crate::load_command::{Server, judged, outcome, response, run, usual, velo};

/// A port that nobody listens on.
fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

#[test]
fn nothing_is_achieved_on_a_closed_port() {
    let _place = place();
    let line = ["-d", "1s", "-R", "200", "--fail-on", "achieved>=90%", &closed_port()];
    let (code, result) = judged(&line);
    assert_eq!(code, Some(1));
    let (record, figures) = (&result["record"], &result["figures"]);
    assert_eq!(record["sent"], 0);
    assert_eq!((figures["sent_per_s"].as_f64(), figures["achieved_share"].as_f64()), (Some(0.0), Some(0.0)));
    assert!(record["offered"].as_u64().unwrap() > 100, "{}", record["offered"]);
    assert_eq!(result["conditions"][0]["holds"], false, "{}", result["conditions"]);
    let verdicts = result["verdicts"].to_string();
    assert!(verdicts.contains("no-connection"), "{verdicts}");
}

#[test]
fn a_count_on_a_closed_port_is_given_up() {
    program("velo");
    let url = closed_port();
    for more in [&["-c", "2"][..], &["-c", "2", "--think", "100ms"], &["-c", "2", "-R", "50"]] {
        let began = Instant::now();
        let (code, out, said) = run(&[&["-n", "1000000", "--quiet"], more, &[&url]].concat());
        assert_eq!(code, Some(1), "{more:?}: {out}{said}");
        let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("given up after") && words.contains("of 1,000,000 requests tried"), "{out}");
        assert!(began.elapsed() < Duration::from_secs(60), "{more:?} took {:?}", began.elapsed());
    }
}

#[test]
fn heads_that_are_not_http_are_wrong_and_not_late() {
    let _place = place();
    let servers: [fn(&str) -> String; 4] = [
        |_| "HTTP/1.1 200 OK\nContent-Length: 2\n\nok".to_owned(),
        |_| "HTTP/1.1 200 OK\rContent-Length: 2\r\rok".to_owned(),
        |_| "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok".to_owned(),
        |_| "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\n\r\n".to_owned(),
    ];
    for (number, answer) in servers.into_iter().enumerate() {
        let server = Server::start(answer);
        let (_, result) = judged(&["-n", "10", "-c", "2", &server.url("/")]);
        let outcomes = &result["record"]["outcomes"];
        assert_eq!(outcome(&result, "wrong_answer"), 10, "{number}: {outcomes}");
    }
}

#[test]
fn an_odd_status_is_told_as_it_is() {
    let _place = place();
    let server = Server::start(|_| response("999 Odd", "text/plain", "no"));
    for more in [&[][..], &["--expect-status", "599"]] {
        let (code, result) = judged(&[&["-n", "10"], more, &[&server.url("/")]].concat());
        assert_eq!((code, outcome(&result, "http_error")), (Some(1), 10));
        assert_eq!(result["record"]["statuses"], serde_json::json!({ "999": 10 }));
    }
    let (_, out, _) = run(&["-n", "10", "--quiet", &server.url("/")]);
    assert!(out.contains("999: 10"), "{out}");
}

#[test]
fn connections_that_close_as_announced_are_not_missing() {
    let _place = place();
    let announced =
        |_: &str| "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".to_owned();
    let (usual, closing) = (Server::start(usual), Server::start(announced));
    for line in [
        &["-n", "2", "-c", "2", "-H", "Connection: close", &usual.url("/")][..],
        &["-n", "2", "-c", "2", "--no-keepalive", &usual.url("/")],
        &["-n", "2", "-c", "2", &closing.url("/")],
        &["-n", "200", "-c", "2", &closing.url("/")],
    ] {
        let (code, result) = judged(line);
        assert_eq!(code, Some(0), "{line:?}: {}", result["record"]["examples"]);
        let verdicts = result["verdicts"].to_string();
        assert!(!verdicts.contains("connections-missing"), "{line:?}: {verdicts}");
    }
}

#[test]
fn quiet_says_what_is_wrong_and_no_hints() {
    let _place = place();
    let server = Server::start(usual);
    let url = server.url("/");
    let (code, out, said) = run(&["-n", "10", &url]);
    assert!(code == Some(0) && !out.contains("hint"), "{out}");
    assert!(
        said.contains("hint       ~: not enough samples") && said.matches("hint ").count() == 1,
        "{said}"
    );
    let (code, out, said) = run(&["-n", "10", "-v", &url]);
    assert!(code == Some(0) && !out.contains("hint"), "{out}{said}");
    assert!(said.matches("hint ").count() == 3 && said.contains("bodies were not checked"), "{said}");
    let (code, out, said) = run(&["-n", "10", "-v", "--quiet", &url]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert!(!out.contains("hint"), "{out}");
    let (code, out, said) = run(&["-n", "10", "--quiet", "-t", "1000", &server.url("/")]);
    assert_eq!(code, Some(0), "{out}{said}");
    assert!(said.starts_with("warning: -t 1000"), "fewer threads than were asked for:\n{said}");
}

#[test]
fn a_page_shows_the_load_over_time_and_needs_no_scheme_or_known_letter() {
    let _place = place();
    let server = Server::start(usual);
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("load.html");
    let address = server.url("/").trim_start_matches("http://").to_owned();
    let line = [
        "-z",
        "3s",
        "-R",
        "50",
        "--no-tui",
        "--fail-on",
        "errors=0",
        "--html",
        page.to_str().unwrap(),
        &address,
    ];
    let (code, out, said) = run(&line);
    assert_eq!(code, Some(0), "{out}{said}");
    assert!(out.contains("statuses   200: "), "{out}");
    let page = std::fs::read_to_string(page).unwrap();
    let title = format!("<title>velo load http://{address}");
    assert!(page.contains(&title) && page.contains("<td>passed</td>") && !page.contains("<script"), "{page}");
    assert_eq!(page.matches("<svg").count(), 3, "percentiles, rates and times:\n{page}");
}

#[test]
fn a_signal_that_comes_twice_in_quick_succession_is_one() {
    let _place = place();
    let server = Server::start(usual);
    let dir = tempfile::tempdir().unwrap();
    for number in 0..24 {
        let json = dir.path().join(format!("{number}.json"));
        let before = server.seen().len();
        let mut command = velo(&["-d", "60s", "-c", "2", "--json"]);
        command.arg(&json).arg(server.url("/")).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = std::os::unix::process::CommandExt::process_group(&mut command, 0).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while server.seen().len() < before + 10 {
            assert!(Instant::now() < deadline, "the load begins");
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!json.exists(), "there is no file before there is a result");
        // As `timeout` does it: the process, then its group.
        let signal = [Signal::INT, Signal::TERM][number % 2];
        kill_process(Pid::from_child(&child), signal).unwrap();
        thread::sleep(Duration::from_micros([0, 200, 1_000, 4_000][number / 2 % 4]));
        // It may have ended by now.
        let _ = kill_process_group(Pid::from_child(&child), signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", text(&output));
        assert_eq!(read_json(&json)["record"]["interrupted"], true);
        assert!(text(&output).contains("interrupted after"), "the table is there:\n{}", text(&output));
    }
}

#[test]
fn a_load_that_is_killed_leaves_no_empty_file() {
    let _place = place();
    let server = Server::start(usual);
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("result.json");
    let mut command = velo(&["-d", "60s", "-c", "2", "--json"]);
    command.arg(&json).arg(server.url("/")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    while server.seen().len() < 10 {
        thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing in part");
}
