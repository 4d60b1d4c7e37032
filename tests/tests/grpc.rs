//! `velo load --grpc`: flags, results, exit codes. What it makes of faults is in `faults_h2`.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use velo_tests::faults_h2::{Fault, PROTO, Server};

use crate::faults_h2::drivers;
use crate::harness::{Scene, place, program, read_json, text};
use crate::reference::{Reference, method};

/// A scene with the protos of the fault server.
fn scene() -> Scene {
    let scene = Scene::new();
    std::fs::write(scene.dir.path().join("faults.proto"), PROTO).unwrap();
    scene
}

fn velo(scene: &Scene, arguments: &[&str]) -> Command {
    let mut command = Command::new(program("velo"));
    command.args(arguments).current_dir(scene.dir.path());
    command
}

/// Calls a server with one fault; the exit code, what was printed, and the record.
fn call(fault: Fault, arguments: &[&str]) -> (Option<i32>, String, Value) {
    let (scene, server) = (scene(), Server::start(fault).unwrap());
    let url = format!("http://{}", server.address());
    let mut command = velo(&scene, &["load", "--grpc", "faults.Faults/Ask", "--proto", "faults.proto"]);
    command.args(["-c", "2", "--streams", "4", "-n", "200", "--json", "out.json", "--html", "out.html"]);
    let output = command.args(arguments).arg(&url).output().unwrap();
    server.finish();
    let json = scene.dir.path().join("out.json");
    assert!(json.exists(), "{}", text(&output));
    let page = std::fs::read_to_string(scene.dir.path().join("out.html")).unwrap();
    (output.status.code(), text(&output) + &page, read_json(&json)["record"].take())
}

#[test]
fn calls_with_drawn_values_are_checked_and_told_of() {
    let _place = place();
    let arguments = ["--value", "id=1..100000", "--data", "{\"text\": \"ask-{id}\"}", "--deadline", "30s"];
    let (code, said, record) = call(
        Fault::GrpcNone,
        &[
            &arguments[..],
            &["--metadata", "authorization: secret", "--expect-json", "{\"win\": true, \"number\": 0}"],
        ]
        .concat(),
    );
    assert_eq!((code, record["outcomes"]["correct"].as_u64()), (Some(0), Some(200)), "{said}");
    assert!(said.contains("gRPC") && said.contains("faults.Faults/Ask"), "{said}");
    let settings = &record["settings"];
    assert_eq!((&settings["protocol"], &settings["streams"]), (&Value::from("grpc"), &Value::from(4)));
    assert_eq!(settings["grpc"]["method"], "faults.Faults/Ask");
    assert_eq!(
        (&settings["grpc"]["deadline_ns"], &settings["timeout_ns"]),
        (&30_000_000_000u64.into(), &5_000_000_000u64.into())
    );
    assert!(!record["command"].to_string().contains("secret"), "{}", record["command"]);
}

#[test]
fn another_status_is_counted_by_code_and_name() {
    let _place = place();
    let (code, said, record) = call(Fault::GrpcStatusInTrailers, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(record["grpc_errors"], serde_json::json!([{ "code": 5, "name": "NOT_FOUND", "calls": 20 }]));
    assert!(said.contains("5 NOT_FOUND: 20") && said.contains("nothing is there"), "{said}");
    let (code, said, record) = call(Fault::GrpcTrailersOnly, &["--expect-grpc-status", "not_found"]);
    assert_eq!((code, record["outcomes"]["correct"].as_u64()), (Some(0), Some(200)), "{said}");
    assert!(record.get("grpc_errors").is_none(), "{record}");
}

/// CANCEL, as RST_STREAM has it.
const CANCEL: u32 = 8;

#[test]
fn a_call_ends_at_its_deadline_and_the_server_is_told() {
    let _place = place();
    const DEADLINE: Duration = Duration::from_millis(300);
    // Nothing at all, and a message without the trailers that end a call.
    let faults = [Fault::GrpcStalls, Fault::NeverAnswers];
    for (fault, driver) in drivers().into_iter().flat_map(|driver| faults.map(|fault| (fault, driver))) {
        let (scene, server) = (scene(), Server::start(fault).unwrap());
        let mut command = velo(&scene, &["load", "--grpc", "faults.Faults/Ask", "--proto", "faults.proto"]);
        command.args(["-c", "2", "--streams", "4", "-n", "16", "--json", "out.json", "--driver", driver]);
        command.args(["--deadline", "300ms"]).arg(format!("http://{}", server.address()));
        let begun = Instant::now();
        let output = command.output().unwrap();
        let took = begun.elapsed();
        let truth = server.finish();
        assert_eq!(output.status.code(), Some(1), "{fault:?}, {driver}: {}", text(&output));
        let record = read_json(&scene.dir.path().join("out.json"))["record"].take();
        let outcomes: velo_record::Outcomes = serde_json::from_value(record["outcomes"].clone()).unwrap();
        assert_eq!((outcomes.timeout, outcomes.requests()), (16, 16), "{fault:?}, {driver}: {outcomes:?}");
        assert_eq!(record["connections"]["reconnects"], 0, "each call is given up alone");
        // Two rounds of eight at once.
        assert!(took >= 2 * DEADLINE, "{fault:?}, {driver}: {took:?}");
        assert_eq!(truth.requests, 16);
        // What would be said last may be the end of the connection instead.
        let resets: Vec<_> = truth.client_resets.into_iter().collect();
        assert!(matches!(resets[..], [(CANCEL, 8..=16)]), "{fault:?}, {driver}: {resets:?}");
    }
}

#[test]
fn what_a_server_refuses_has_a_class_and_a_condition_of_its_own() {
    let _place = place();
    let (code, said, record) = call(Fault::GrpcRefuses, &["--fail-on", "refused=0"]);
    assert_eq!(code, Some(1), "{said}");
    assert_eq!((&record["outcomes"]["refused"], &record["outcomes"]["correct"]), (&json!(20), &json!(180)));
    for part in ["20 refused by the server", "refused 20 is not 0"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (code, said, record) = call(Fault::GrpcNone, &["--fail-on", "refused=0,errors=0"]);
    assert_eq!((code, &record["outcomes"]["refused"]), (Some(0), &json!(0)), "{said}");
}

/// Calls the reference server, and leaves the record beside the protos.
fn call_reference(scene: &Scene, name: &str, arguments: &[&str], url: &str) -> (Output, Value) {
    let json = scene.dir.path().join("out.json");
    let _ = std::fs::remove_file(&json);
    let mut command = velo(scene, &[]);
    command.args(method(name)).args(["-c", "2", "--streams", "8", "--json", "out.json"]);
    let output = command.args(arguments).arg(url).output().unwrap();
    let record = if json.exists() { read_json(&json)["record"].take() } else { Value::Null };
    (output, record)
}

#[test]
fn calls_and_streams_go_in_clear_and_over_tls() {
    let _place = place();
    let scene = Scene::new();
    for is_https in [false, true] {
        let server = Reference::start(&scene, is_https);
        let scheme = if is_https { "https" } else { "http" };
        let url = format!("{scheme}://127.0.0.1:{}", server.port);
        let trust: &[&str] = if is_https { &["--cacert", "authority.pem"] } else { &[] };
        for driver in drivers() {
            let unary: &[&str] = &[
                "--data",
                r#"{"data": "aGVhZHM="}"#,
                "--expect-json",
                r#"{"data": "aGVhZHM="}"#,
                "-n",
                "400",
                "--driver",
                driver,
            ];
            let (output, record) = call_reference(&scene, "Echo", &[unary, trust].concat(), &url);
            assert_eq!(output.status.code(), Some(0), "{url}, {driver}: {}", text(&output));
            assert_eq!(record["outcomes"]["correct"], 400, "{url}, {driver}: {}", text(&output));
            assert_eq!(record["settings"]["grpc"]["server_streams"], false);
            assert_eq!(record["target"]["tls"]["version"].is_string(), is_https, "{}", record["target"]);

            let stream: &[&str] = &[
                "--data",
                r#"{"messages": 20, "bytes": 100}"#,
                "--expect-messages",
                "20",
                "-n",
                "100",
                "--driver",
                driver,
            ];
            let (output, record) = call_reference(&scene, "Stream", &[stream, trust].concat(), &url);
            assert_eq!(output.status.code(), Some(0), "{url}, {driver}: {}", text(&output));
            assert_eq!(record["outcomes"]["correct"], 100, "{url}, {driver}: {}", text(&output));
            assert_eq!(record["messages"], 2_000, "{url}, {driver}");
            assert_eq!(record["settings"]["grpc"]["server_streams"], true);
            assert_eq!(record["target"]["tls"]["version"].is_string(), is_https, "{}", record["target"]);
        }
        if is_https {
            let (output, record) = call_reference(&scene, "Empty", &["-n", "8"], &url);
            assert_eq!(output.status.code(), Some(1), "{}", text(&output));
            assert!(text(&output).contains("the certificate is not trusted"), "{}", text(&output));
            assert_eq!((&record["sent"], &record["outcomes"]["correct"]), (&json!(0), &json!(0)));
        }
    }
}

#[test]
fn a_dry_run_shows_the_call_and_sends_none() {
    let scene = scene();
    let mut command =
        velo(&scene, &["load", "--grpc", "faults.Faults.Ask", "--proto", "faults.proto", "--dry-run"]);
    command.args(["--data", "{\"text\": \"{n}\"}", "--value", "n=7..7", "--deadline", "200ms", ":9"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    for part in [
        "unary",
        ":path: /faults.Faults/Ask",
        "grpc-timeout: 200000u",
        "{\"text\":\"7\"}",
        "00000000030a0137",
    ] {
        assert!(text(&output).contains(part), "{part}:\n{}", text(&output));
    }
}

#[test]
fn what_does_not_fit_a_method_is_explained() {
    let scene = scene();
    let proto = ["--proto", "faults.proto"];
    for (arguments, wanted) in [
        (&["--grpc", "faults.Faults/Ask"][..], "--reflect"),
        (&["--grpc", "Ask", proto[0], proto[1]], "package.Service/Method"),
        (&["--grpc", "faults.Faults/Aks", proto[0], proto[1]], "there are: Ask"),
        (&["--grpc", "faults.Faults/Ask", "--proto", "none.proto"], "none.proto"),
        (&["--grpc", "faults.Faults/Ask", "--protoset", "faults.proto"], "--protoset"),
        (&["--grpc", "faults.Faults/Ask", proto[0], proto[1], "--data", "{\"txt\": 1}"], "--data"),
        (&["--grpc", "faults.Faults/Ask", proto[0], proto[1], "--messages", "2"], "client streams"),
        (&["--grpc", "faults.Faults/Ask", proto[0], proto[1], "--expect-messages", "2"], "server streams"),
        (
            &["--grpc", "faults.Faults/Ask", proto[0], proto[1], "--expect-status", "200"],
            "--expect-grpc-status",
        ),
        (&["--grpc", "faults.Faults/Ask", proto[0], proto[1], "--expect-grpc-status", "LOST"], "NOT_FOUND"),
        (&["--data", "{}"], "--body"),
        (&["--gzip"], "Accept-Encoding"),
    ] {
        let output = velo(&scene, &["load"]).args(arguments).arg("http://127.0.0.1:9").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output));
        assert!(text(&output).contains(wanted), "{arguments:?}: {}", text(&output));
    }
}
