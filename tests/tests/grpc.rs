//! `velo load --grpc`: flags, results, exit codes. What it makes of faults is in `faults_h2`.

use std::process::Command;

use serde_json::Value;
use velo_tests::faults_h2::{Fault, PROTO, Server};

use crate::harness::{Scene, alone, program, read_json, text};

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
    let _alone = alone();
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
    let _alone = alone();
    let (code, said, record) = call(Fault::GrpcStatusInTrailers, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(record["grpc_errors"], serde_json::json!([{ "code": 5, "name": "NOT_FOUND", "calls": 20 }]));
    assert!(said.contains("5 NOT_FOUND: 20") && said.contains("nothing is there"), "{said}");
    let (code, said, record) = call(Fault::GrpcTrailersOnly, &["--expect-grpc-status", "not_found"]);
    assert_eq!((code, record["outcomes"]["correct"].as_u64()), (Some(0), Some(200)), "{said}");
    assert!(record.get("grpc_errors").is_none(), "{record}");
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
