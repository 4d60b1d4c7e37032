use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::harness::{place, program, read_json, text};
use crate::schemas::assert_valid;

/// What the server saw: each connection's requests, head and body, as they came.
type Seen = Arc<Mutex<Vec<(usize, String)>>>;

/// A loopback server with a thread for each connection, which ends with the test's process.
pub(crate) struct Server {
    address: SocketAddr,
    seen: Seen,
}

impl Server {
    /// Answers each request with what `answer` makes of its head and body.
    pub(crate) fn start(answer: fn(&str) -> String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, seen) = (listener.local_addr().unwrap(), Seen::default());
        let own = Arc::clone(&seen);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let (mut stream, seen) = (stream.unwrap(), Arc::clone(&own));
                stream.set_nodelay(true).unwrap();
                thread::spawn(move || serve(&mut stream, number, &seen, answer));
            }
        });
        Self { address, seen }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<(usize, String)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The first line of each request, in the order of their coming.
    fn lines(&self) -> Vec<String> {
        self.seen().iter().map(|(_, request)| request.lines().next().unwrap_or_default().to_owned()).collect()
    }
}

/// The client may go away at any time.
fn serve(stream: &mut (impl Read + Write), number: usize, seen: &Seen, answer: fn(&str) -> String) {
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        while let Some(length) = request_length(&received) {
            let request = String::from_utf8_lossy(&received[..length]).into_owned();
            received.drain(..length);
            seen.lock().unwrap_or_else(PoisonError::into_inner).push((number, request.clone()));
            if stream.write_all(answer(&request).as_bytes()).is_err() || request.contains("Connection: close")
            {
                return;
            }
        }
        match stream.read(&mut buffer) {
            Ok(got) if got > 0 => received.extend_from_slice(&buffer[..got]),
            _ => return,
        }
    }
}

fn request_length(bytes: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes);
    let head = text.find("\r\n\r\n")? + 4;
    let length =
        text[..head].lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse::<usize>().ok());
    Some(head + length.unwrap_or(0)).filter(|&length| length <= bytes.len())
}

pub(crate) fn response(status: &str, media_type: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nETag: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// `/user/ID` is ID, `/json` is JSON, `/echo` is the body, `/missing` is not there, all else is `hello`.
pub(crate) fn usual(request: &str) -> String {
    let path = request.split(' ').nth(1).unwrap_or_default();
    let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    match path {
        "/json" => response("200 OK", "application/json; charset=utf-8", "{\"id\": 7, \"ok\": true}"),
        "/echo" => response("200 OK", "text/plain", body),
        "/missing" => response("404 Not Found", "text/plain", "no"),
        _ => response("200 OK", "text/plain", path.strip_prefix("/user/").unwrap_or("hello")),
    }
}

pub(crate) fn velo(arguments: &[&str]) -> Command {
    let mut command = Command::new(program("velo"));
    command.arg("load").args(arguments).stdin(Stdio::null()).env("NO_COLOR", "1");
    command
}

/// Runs to the end and returns the exit code, standard output and standard error.
pub(crate) fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = velo(arguments).output().unwrap();
    let owned = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), owned(&output.stdout), owned(&output.stderr))
}

/// Runs with `--json -` and returns the exit code and the result.
pub(crate) fn judged(arguments: &[&str]) -> (Option<i32>, Value) {
    let (code, out, said) = run(&[&["--quiet", "--json", "-"], arguments].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{out}{said}")))
}

pub(crate) fn outcome(result: &Value, class: &str) -> u64 {
    result["record"]["outcomes"][class].as_u64().unwrap()
}

#[test]
fn help_is_the_manual() {
    let (code, out, _) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for part in [
        "Load:",
        "Requests:",
        "Expectations:",
        "HTTPS:",
        "Exit codes:",
        "Examples:",
        "--fail-on",
        "docs/load.md",
    ] {
        assert!(out.contains(part), "{part}:\n{out}");
    }
}

#[test]
fn what_is_typed_wrong_is_explained() {
    let url = "http://127.0.0.1:9/";
    for (arguments, wanted) in [
        (&["-D", "10", url][..], "-d 10"),
        (&["-d", "{\"a\":1}", url], "--body"),
        (&["-t", "10s", url], "-d 10s"),
        (&["-T", "5s", url], "--timeout 5s"),
        (&["-s", "script.lua", url], "--request"),
        (&["--json", "{\"a\":1}", url], "--json-body"),
        (&["--http3", url], "QUIC"),
        (&["--h2", url], "--http2"),
        (&["--streams", "8", url], "--pipelining 8"),
        (&["--http2", "--pipelining", "2", url], "--pipelining"),
        (&["--http2", "--http1", url], "--http1"),
        (&["--http2", "-H", "Connection: close", url], "Connection"),
        (&["--http2", "--no-keepalive", "--streams", "2", url], "--streams"),
        (&["http://127.0.0.1:9/a b"], "/a%20b"),
        (&[], "<URL>"),
        (&["--fail-on", "p99<20", url], "p99<20ms"),
        (&["--compare-to", "nowhere.json", url], "nowhere.json"),
        (&["--requests-file", "nowhere.toml", url], "nowhere.toml"),
        (&["-R", "5", "--think", "1s", url], "--think"),
        (&["--json", "-", "--csv", "-", url], "--csv"),
        (&["--cacert", "ca.pem", url], "https://"),
        (&["--no-keepalive", "--pipelining", "2", url], "--pipelining"),
    ] {
        let (code, out, said) = run(arguments);
        assert_eq!(code, Some(2), "{arguments:?}:\n{said}");
        assert!(said.contains(wanted), "{arguments:?} names {wanted}:\n{said}");
        assert_eq!(out, "", "{arguments:?}: standard output is for results");
    }
}

#[test]
fn what_the_machine_does_not_give_is_an_unfit_environment() {
    let url = "http://127.0.0.1:9/";
    for (arguments, wanted) in [
        (&["--cpus", "1023", url][..], "--cpus"),
        (&["--csv", "/nonexistent/folder/out.csv", url], "/nonexistent/folder/out.csv"),
    ] {
        let (code, _, said) = run(arguments);
        assert_eq!(code, Some(3), "{arguments:?}:\n{said}");
        assert!(said.contains(wanted), "{arguments:?} names {wanted}:\n{said}");
    }
}

#[test]
fn a_count_is_exact_and_nothing_is_asked_before() {
    let _place = place();
    let server = Server::start(usual);
    let (code, out, said) = run(&["-n", "100", "-c", "4", "--expect-body", "hello", &server.url("/a?b=c")]);
    assert_eq!(code, Some(0), "{out}{said}");
    assert!(out.contains("100 of 100"), "{out}");
    assert!(said.contains("4 connections") && said.contains("GET /a?b=c"), "the plan is talk:\n{said}");
    assert!(!out.contains("seed"), "and not part of the result:\n{out}");
    let seen = server.seen();
    assert_eq!(seen.len(), 100, "each request once");
    assert_eq!(seen[0].1, format!("GET /a?b=c HTTP/1.1\r\nHost: {}\r\n\r\n", server.address));
    assert!(seen.iter().all(|(connection, _)| *connection < 4));

    let (code, out, said) = run(&["-n", "3", "--quiet", &server.url("/")]);
    assert_eq!((code, said.as_str()), (Some(0), ""), "--quiet says nothing");
    assert!(out.contains("3 of 3"), "{out}");
}

#[test]
fn a_server_without_http_2_is_recognised() {
    let _place = place();
    let server = Server::start(usual);
    let (code, result) = judged(&["-n", "5", "-c", "2", "--http2", "--streams", "3", &server.url("/")]);
    assert_eq!(code, Some(1));
    assert_valid("load.schema.json", &result);
    let settings = &result["record"]["settings"];
    assert_eq!((settings["protocol"].as_str(), settings["streams"].as_u64()), (Some("h2"), Some(3)));
    assert_eq!(outcome(&result, "correct"), 0, "{result}");
}

#[test]
fn the_result_as_json_is_what_the_schema_says() {
    let _place = place();
    let server = Server::start(usual);
    let url = server.url("/");
    let (code, result) =
        judged(&["-n", "50", "--seed", "7", "-H", "Authorization: Basic c2VjcmV0", "-H", "X: y", &url]);
    assert_eq!(code, Some(0));
    assert_valid("load.schema.json", &result);
    let record = &result["record"];
    assert_eq!((outcome(&result, "correct"), record["sent"].as_u64()), (50, Some(50)));
    assert_eq!(
        (record["settings"]["seed"].as_u64(), record["settings"]["most_requests"].as_u64()),
        (Some(7), Some(50))
    );
    assert_eq!(record["target"]["endpoints"][0], server.address.to_string());
    assert_eq!(record["statuses"]["200"], 50);
    let command = record["command"].to_string();
    assert!(
        !command.contains("c2VjcmV0") && command.contains("Authorization: ...") && command.contains("X: y"),
        "{command}"
    );
    assert!(server.seen()[0].1.contains("Authorization: Basic c2VjcmV0\r\n"), "but it is sent");
}

#[test]
fn nothing_that_works_is_a_failure_and_some_is_not() {
    let _place = place();
    let server = Server::start(usual);
    let (code, result) = judged(&["-n", "20", &server.url("/missing")]);
    assert_eq!((code, outcome(&result, "http_error")), (Some(1), 20));
    let (code, result) = judged(&["-n", "20", "--expect-body", "bye", &server.url("/")]);
    assert_eq!((code, outcome(&result, "wrong_answer")), (Some(1), 20));

    let several = ["-n", "40", "--in-order", "-c", "1", "--request", "GET /", "--request", "GET /missing"];
    let (code, result) = judged(&[several.as_slice(), &[&server.url("")]].concat());
    assert_eq!((code, outcome(&result, "correct"), outcome(&result, "http_error")), (Some(0), 20, 20));
    let (code, _) = judged(&[several.as_slice(), &["--fail-on", "errors=0", &server.url("")]].concat());
    assert_eq!(code, Some(1), "a condition forbids failures");
    let (code, _) =
        judged(&[several.as_slice(), &["--fail-on", "errors<=50%,p50<100s", &server.url("")]].concat());
    assert_eq!(code, Some(0), "conditions that hold");
}

#[test]
fn a_closed_port_ends_in_time_and_fails() {
    let _place = place();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    // Built before the clock starts.
    program("velo");
    for more in [&["-n", "20"][..], &["-d", "300ms"]] {
        let began = Instant::now();
        let (code, result) = judged(&[more, &["--timeout", "1s", &format!("http://{closed}/")]].concat());
        assert_eq!(code, Some(1), "{more:?}");
        assert!(
            outcome(&result, "connect_error") > 0 && outcome(&result, "correct") == 0,
            "{}",
            result["record"]["outcomes"]
        );
        assert!(began.elapsed() < Duration::from_secs(30), "{more:?} took {:?}", began.elapsed());
    }
}

#[test]
fn a_server_without_tls_is_told_apart() {
    let _place = place();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // As servers do with what is no request; the client may be gone already.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(response("400 Bad Request", "text/plain", "no").as_bytes());
        }
    });
    let (code, out, _) = run(&["-n", "1", "-k", "--quiet", &format!("https://{address}/")]);
    assert_eq!(code, Some(1));
    assert!(out.contains("http://"), "{out}");
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let _place = place();
    let server = Server::start(usual);
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("result.json");
    for signal in [Signal::INT, Signal::TERM] {
        let before = server.seen().len();
        let mut command = velo(&["-d", "60s", "-c", "2", "--json"]);
        command.arg(&json).arg(server.url("/")).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while server.seen().len() < before + 100 {
            assert!(Instant::now() < deadline, "the load begins");
            thread::sleep(Duration::from_millis(20));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output: Output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", text(&output));
        let result = read_json(&json);
        assert_eq!(result["record"]["interrupted"], true);
        assert!(outcome(&result, "correct") > 0);
        assert!(text(&output).contains("interrupted"), "the table says it:\n{}", text(&output));
    }
}

#[test]
fn files_are_written_and_an_earlier_result_is_compared_with() {
    let _place = place();
    let server = Server::start(usual);
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (json, csv, log) = (path("result.json"), path("result.csv"), path("result.hlog"));
    std::fs::write(&csv, "x".repeat(100_000)).unwrap();
    let url = server.url("/");
    let (code, out, said) =
        run(&["-n", "120", "--json", &json, "--csv", &csv, "--hdr-log", &log, "--latency", &url]);
    assert_eq!(code, Some(0), "{out}{said}");
    assert!(out.contains("percentile"), "--latency shows the distribution:\n{out}");

    let result = read_json(json.as_ref());
    assert_eq!(outcome(&result, "correct"), 120);
    let csv = std::fs::read_to_string(csv).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0].len()), (2, rows[1].len()), "names and values, of this run alone");
    let column = rows[0].iter().position(|name| *name == "correct").unwrap();
    assert_eq!(rows[1][column], "120");
    assert_eq!(samples(&std::fs::read_to_string(log).unwrap())["service"], 120);

    let (code, out, _) = run(&["-n", "60", "-c", "3", "--compare-to", &json, &url]);
    assert_eq!(code, Some(0));
    for part in ["goodput", "connections", "before"] {
        assert!(out.contains(part), "{part}:\n{out}");
    }
    std::fs::write(&json, "{\"format\": 99}").unwrap();
    let (code, _, said) = run(&["-n", "1", "--compare-to", &json, &url]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--compare-to") && said.contains("99"), "{said}");
}

/// The samples of each tag of an HdrHistogram log.
fn samples(log: &str) -> BTreeMap<String, u64> {
    use base64::Engine as _;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    let mut samples = BTreeMap::new();
    for entry in IntervalLogIterator::new(log.as_bytes()) {
        let LogEntry::Interval(interval) = entry.unwrap_or_else(|_| panic!("a log:\n{log}")) else {
            continue;
        };
        let bytes = base64::engine::general_purpose::STANDARD.decode(interval.encoded_histogram()).unwrap();
        let histogram: hdrhistogram::Histogram<u64> =
            Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        samples.insert(interval.tag().unwrap().as_str().to_owned(), histogram.len());
    }
    samples
}

#[test]
fn json_on_standard_output_is_alone_there() {
    let _place = place();
    let server = Server::start(usual);
    let (code, out, said) = run(&["-n", "5", "--json", "-", &server.url("/")]);
    assert_eq!(code, Some(0));
    assert_eq!(outcome(&serde_json::from_str(&out).unwrap(), "correct"), 5);
    assert!(said.contains("5 of 5"), "the table is talk then:\n{said}");
}

#[test]
fn each_expectation_tells_right_from_wrong() {
    let _place = place();
    let server = Server::start(usual);
    let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    for (path, right, wrong) in [
        ("/", &["--expect-status", "200-204"][..], &["--expect-status", "201,3xx"][..]),
        ("/", &["--expect-header", "etag: x"], &["--expect-header", "ETag: y"]),
        ("/", &["--expect-header", "ETag"], &["--expect-header", "Server"]),
        ("/json", &["--expect-content-type", "application/json"], &["--expect-content-type", "text/plain"]),
        ("/", &["--expect-body", "hello"], &["--expect-body", "hell"]),
        ("/user/", &["--expect-empty"], &["--expect-length", "1"]),
        ("/", &["--expect-length", "1..5"], &["--expect-empty"]),
        ("/", &["--expect-same"], &["--expect-length", "6..9"]),
        ("/", &["--expect-regex", "^h.l+o$"], &["--expect-regex", "^ello"]),
        ("/", &["--expect-sha256", hello], &["--expect-sha256", &"0".repeat(64)]),
        ("/json", &["--expect-json", "{\"ok\":true,\"id\":7.0}"], &["--expect-json", "{\"ok\":true}"]),
        (
            "/json",
            &["--expect-json", "{\"id\": \"<int>\", \"ok\": \"<bool>\"}"],
            &["--expect-json", "{\"id\": \"<string>\", \"ok\": \"<any>\"}"],
        ),
    ] {
        let (code, result) = judged(&[&["-n", "10"], right, &[&server.url(path)]].concat());
        assert_eq!(
            (code, outcome(&result, "correct")),
            (Some(0), 10),
            "{right:?}: {}",
            result["record"]["examples"]
        );
        let (code, result) = judged(&[&["-n", "10"], wrong, &[&server.url(path)]].concat());
        assert_eq!((code, outcome(&result, "correct")), (Some(1), 0), "{wrong:?}");
    }
}

#[test]
fn an_answer_must_have_the_requests_own_values() {
    let _place = place();
    let server = Server::start(usual);
    let ids = ["--value", "id=1..1000000"];
    for line in [
        &["--expect-body", "{id}", &server.url("/user/{id}")][..],
        &["--json-body", "{\"id\": {id}}", "--expect-json", "{\"id\":{id}}", &server.url("/echo")],
        &["--json-body", "{\"id\": \"{id}\"}", "--expect-json", "{\"id\":\"{id}\"}", &server.url("/echo")],
    ] {
        let (code, result) = judged(&[&["-n", "200"], ids.as_slice(), line].concat());
        assert_eq!(
            (code, outcome(&result, "correct")),
            (Some(0), 200),
            "{line:?}: {}",
            result["record"]["examples"]
        );
    }
    // This server answers each of these with the path of another user.
    let liar = Server::start(|_| response("200 OK", "text/plain", "1"));
    let line = ["-n", "200", "--expect-body", "{id}", &liar.url("/user/{id}")];
    let (_, result) = judged(&[ids.as_slice(), &line].concat());
    assert!(outcome(&result, "wrong_answer") >= 198, "{}", result["record"]["outcomes"]);
}

#[test]
fn values_are_sent_as_declared() {
    let _place = place();
    let server = Server::start(usual);
    let (code, _) = judged(&["-n", "200", "-c", "5", "--value", "n=counter:1", &server.url("/user/{n}")]);
    assert_eq!(code, Some(0));
    let numbers: BTreeSet<String> = server.lines().into_iter().collect();
    let all: BTreeSet<String> = (1..=200).map(|n| format!("GET /user/{n} HTTP/1.1")).collect();
    assert_eq!(numbers, all, "each number once");

    let dir = tempfile::tempdir().unwrap();
    let csv = dir.path().join("values.csv");
    std::fs::write(&csv, "id,name\n1,Ada\n2,\"B,b\"\n3,Eve\n").unwrap();
    let server = Server::start(usual);
    let csv = csv.display().to_string();
    let (code, _) =
        judged(&["-n", "4", "-c", "1", "--csv-values", &csv, "--body", "{id} {name}", &server.url("/echo")]);
    assert_eq!(code, Some(0));
    let bodies: Vec<String> =
        server.seen().iter().map(|(_, request)| request.rsplit('\n').next().unwrap().to_owned()).collect();
    assert_eq!(bodies, ["1 Ada", "2 B,b", "3 Eve", "1 Ada"]);
}

#[test]
fn the_same_seed_sends_the_same() {
    let _place = place();
    let lines = |seed: &str| {
        let server = Server::start(usual);
        let line =
            ["-n", "50", "-c", "1", "--seed", seed, "--value", "id=1..1000000", &server.url("/user/{id}")];
        assert_eq!(judged(&line).0, Some(0));
        server.lines()
    };
    assert_eq!(lines("5"), lines("5"));
    assert_ne!(lines("5"), lines("6"));
}

#[test]
fn several_requests_go_by_weight_or_in_order() {
    let _place = place();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("requests.toml");
    let requests = "in_order = true\n[values]\nbet = \"true|false\"\n\
                    [[request]]\nname = \"home\"\npath = \"/\"\nexpect.body = \"hello\"\n\
                    [[request]]\nname = \"coin\"\npath = \"/echo\"\njson = '{\"bet\": {bet}}'\nexpect.json = '{\"bet\": {bet}}'\n\
                    [[request]]\nname = \"gone\"\npath = \"/missing\"\nexpect.status = 404\n";
    std::fs::write(&path, requests).unwrap();
    let server = Server::start(usual);
    let path = path.display().to_string();
    let (code, result) = judged(&["-n", "30", "-c", "1", "--requests-file", &path, &server.url("")]);
    assert_eq!((code, outcome(&result, "correct")), (Some(0), 30), "{}", result["record"]["examples"]);
    let lines = server.lines();
    assert_eq!(
        &lines[..4],
        ["GET / HTTP/1.1", "POST /echo HTTP/1.1", "GET /missing HTTP/1.1", "GET / HTTP/1.1"]
    );
    assert!(server.seen()[1].1.contains("Content-Type: application/json\r\n"));
    let counts: Vec<(&str, u64)> = result["record"]["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|counts| (counts["name"].as_str().unwrap(), counts["correct"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [("home", 10), ("coin", 10), ("gone", 10)]);

    let server = Server::start(usual);
    let line = [
        "-n",
        "400",
        "--seed",
        "1",
        "--request",
        "3*GET /user/3",
        "--request",
        "GET /user/1",
        &server.url(""),
    ];
    assert_eq!(judged(&line).0, Some(0));
    let threes = server.lines().iter().filter(|line| line.contains("/user/3")).count();
    // 300 of 400 on average, with a standard deviation of 9.
    assert!((246..=354).contains(&threes), "{threes} of 400 at a weight of 3 in 4");
}

#[test]
fn a_connection_may_be_made_for_each_request() {
    let _place = place();
    let server = Server::start(usual);
    let (code, result) = judged(&["-n", "20", "-c", "2", "--no-keepalive", &server.url("/")]);
    assert_eq!((code, outcome(&result, "correct")), (Some(0), 20), "{}", result["record"]["examples"]);
    let seen = server.seen();
    let connections: BTreeSet<usize> = seen.iter().map(|(connection, _)| *connection).collect();
    assert_eq!((seen.len(), connections.len()), (20, 20));
    assert!(seen.iter().all(|(_, request)| request.contains("Connection: close\r\n")));
}

#[test]
fn an_open_loop_offers_what_was_asked() {
    let _place = place();
    let server = Server::start(usual);
    let (code, result) = judged(&["-R", "100", "-d", "1s", "--arrivals", "constant", &server.url("/")]);
    assert_eq!(code, Some(0));
    let record = &result["record"];
    assert_eq!(record["offered"], 100, "{}", record["outcomes"]);
    assert_eq!(record["settings"]["schedule"]["shape"], "100/s");
    assert_valid("load.schema.json", &result);

    let dir = tempfile::tempdir().unwrap();
    let offsets = dir.path().join("offsets");
    std::fs::write(&offsets, "0\n0.01\n20ms\n0.3\n").unwrap();
    let (code, result) = judged(&["--offsets", &offsets.display().to_string(), &server.url("/")]);
    assert_eq!(
        (code, outcome(&result, "correct"), result["record"]["offered"].as_u64()),
        (Some(0), 4, Some(4))
    );
}

#[test]
fn warm_up_is_not_counted() {
    let _place = place();
    let server = Server::start(usual);
    let (code, result) = judged(&["-d", "200ms", "--warm-up", "200ms", "-c", "2", &server.url("/")]);
    assert_eq!(code, Some(0));
    let outside = [&result["record"]["warm_up"], &result["record"]["drained"]]
        .map(|part| part["correct"].as_u64().unwrap());
    let outside: u64 = outside.iter().sum();
    let inside = outcome(&result, "correct");
    assert!(outside > 0 && inside > 0, "{outside} outside, {inside} inside");
    assert_eq!(server.seen().len() as u64, result["record"]["sent"].as_u64().unwrap());
}

#[test]
fn a_unix_socket_stands_for_the_host() {
    let _place = place();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("app.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let seen = Seen::default();
    let own = Arc::clone(&seen);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let (mut stream, seen) = (stream.unwrap(), Arc::clone(&own));
            thread::spawn(move || serve(&mut stream, number, &seen, usual));
        }
    });
    let path = path.display().to_string();
    let (code, result) =
        judged(&["-n", "20", "--unix", &path, "--expect-body", "7", "http://app.example/user/7"]);
    assert_eq!((code, outcome(&result, "correct")), (Some(0), 20), "{}", result["record"]["examples"]);
    assert_eq!(result["record"]["target"]["endpoints"][0], format!("unix:{path}"));
    assert!(seen.lock().unwrap()[0].1.contains("Host: app.example\r\n"));
}

#[test]
fn another_address_keeps_the_host() {
    let _place = place();
    let server = Server::start(usual);
    let url = format!("http://service.invalid:{}/", server.address.port());
    let (code, result) = judged(&["-n", "5", "--address", "127.0.0.1", &url]);
    assert_eq!((code, outcome(&result, "correct")), (Some(0), 5));
    assert!(server.seen()[0].1.contains(&format!("Host: service.invalid:{}\r\n", server.address.port())));
}

#[test]
fn a_name_with_a_closed_address_is_loaded_on_the_open_one() {
    let _place = place();
    let server = Server::start(usual);
    let (code, result) =
        judged(&["-n", "40", "-c", "4", &format!("http://localhost:{}/", server.address.port())]);
    assert_eq!((code, outcome(&result, "correct")), (Some(0), 40), "{}", result["record"]["outcomes"]);
    assert_eq!(result["record"]["target"]["endpoints"], serde_json::json!([server.address.to_string()]));
}

#[test]
fn the_limit_of_file_descriptors_is_raised_or_explained() {
    let _place = place();
    let server = Server::start(usual);
    let limited = |limits: &str| {
        let line = format!("{limits}; exec \"$0\" load -n 100 -c 100 --quiet {}", server.url("/"));
        Command::new("sh").arg("-c").arg(line).arg(program("velo")).output().unwrap()
    };
    let raised = limited("ulimit -Sn 70");
    assert_eq!(raised.status.code(), Some(0), "{}", text(&raised));
    let explained = limited("ulimit -n 80");
    assert_eq!(explained.status.code(), Some(3), "{}", text(&explained));
    assert!(text(&explained).contains("ulimit -Hn 164"), "{}", text(&explained));
}

#[test]
fn a_server_that_says_nothing_is_a_timeout_and_ends_in_time() {
    let _place = place();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let kept: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
    let own = Arc::clone(&kept);
    thread::spawn(move || {
        for stream in listener.incoming() {
            own.lock().unwrap().push(stream.unwrap());
        }
    });
    program("velo");
    let began = Instant::now();
    let (code, result) = judged(&["-n", "4", "-c", "4", "--timeout", "300ms", &format!("http://{address}/")]);
    assert_eq!((code, outcome(&result, "timeout")), (Some(1), 4), "{}", result["record"]["outcomes"]);
    assert!(began.elapsed() < Duration::from_secs(20), "took {:?}", began.elapsed());
}

#[test]
fn clashes_between_tools_print_a_hint() {
    let _place = place();
    let server = Server::start(usual);
    let (code, _, said) = run(&["-n", "4", "-k", "-t", "500", &server.url("/")]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("hint: -k") && said.contains("warning: -t 500"), "{said}");
}

#[test]
fn a_load_that_reaches_nobody_ends_after_a_second() {
    let _place = place();
    program("velo");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let began = Instant::now();
    let output = velo(&["-d", "100s", &format!("http://{closed}/")]).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(began.elapsed() < Duration::from_secs(90), "{said}");
    for part in ["given up after ", "no connection could be opened", "Connection refused"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // No TLS is spoken there.
    let server = Server::start(|_| String::new());
    let url = server.url("/").replace("http:", "https:");
    let output = velo(&["-d", "100s", &url]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
}

#[test]
fn a_server_that_is_still_starting_is_waited_for() {
    let _place = place();
    program("velo");
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut child = velo(&["--wait-for", "60s", "-n", "1", "-c", "1", &format!("http://{address}/")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = [0; 11];
    child.stderr.as_mut().unwrap().read_exact(&mut told).unwrap();
    assert_eq!(&told, b"waiting for");
    let listener = TcpListener::bind(address).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let ok = |_: &str| "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned();
            thread::spawn(move || serve(&mut stream.unwrap(), 0, &Seen::default(), ok));
        }
    });
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let output = velo(&["--wait-for", "0.3s", "-n", "1", "http://127.0.0.1:1/"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "waited for in vain: {}", text(&output));
}

#[test]
fn a_failing_answer_is_shown_and_one_request_with_all_of_it() {
    let _place = place();
    program("velo");
    let server = Server::start(|_| {
        let body = "no \x1b[2Jsuch\u{202e} thing";
        format!("HTTP/1.1 404 Not Found\r\nX-Why: because\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    });
    let output = velo(&["-n", "1", "-v", "--json-body", "{\"a\": 1}", &server.url("/x")]).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let parts = [
        "> POST /x HTTP/1.1\n",
        "> Content-Type: application/json\n",
        "> {\"a\": 1}\n",
        "< status 404\n< X-Why: because\n",
        "no \\u{1b}[2Jsuch\\u{202e} thing\n",
        "404 where 2xx was expected: \"no \\u{1b}[2Jsuch",
    ];
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
    let sent = server.seen().len();
    let output = velo(&["--dry-run", "--request", "GET /a", "--request", "POST /b x", &server.url("")])
        .output()
        .unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    for part in ["nothing is sent", "\nGET /a HTTP/1.1\nHost: ", "\nPOST /b HTTP/1.1\n", "\n\nx\n"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(server.seen().len(), sent, "something was sent");
}
