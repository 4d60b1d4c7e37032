//! Single calls on servers that speak each protocol, next door and behind a link: exact counts and lower bounds.

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use velo_model::CallConnection;
use velo_record::{CallBlock, read_run};

use crate::harness::{Scene, place, program, text};
use crate::schemas::assert_valid;

const RTT_MS: u32 = 20;
const CALLS: usize = 4;

/// A workload with single calls under all conditions.
fn workload(scene: &Scene) -> PathBuf {
    let void = include_str!("../../workloads/void/workload.toml");
    let own = format!(
        r#"
[[calls]]
request     = "user"
protocols   = ["http1", "https1", "h2c", "h2"]
connections = ["new", "kept", "resumed"]
tls         = ["1.2", "1.3"]
rtt_ms      = [0, {RTT_MS}]
calls       = {CALLS}

[[calls]]
request     = "create"
protocols   = ["http1"]
connections = ["kept"]
sending     = ["apart-nagle"]
calls       = {CALLS}

"#
    );
    let dir = scene.out().with_file_name("hail");
    std::fs::create_dir_all(&dir).unwrap();
    // What was published is of contenders that are not here.
    let until = void.find("[[published]]").unwrap_or(void.len());
    let before = void[..until].replacen("ruby/rack-thin", "script/polyglot", 1);
    let listed = before.find("default").unwrap();
    let ends = listed + before[listed..].find(']').unwrap() + 1;
    let text = format!("{}default = [\"script/polyglot\"]{}{own}", &before[..listed], &before[ends..]);
    std::fs::write(dir.join("workload.toml"), text).unwrap();
    std::fs::write(dir.join("void.proto"), include_str!("../../workloads/void/void.proto")).unwrap();
    dir
}

fn contender(scene: &Scene, name: &str, speech: &str, protocols: &str) -> PathBuf {
    let start = format!("exec {} {speech}", program("speaking-server").display());
    scene.contender_on("hail", name, &start, &format!("protocols = {protocols}\nready_seconds = 5\n"))
}

fn run(scene: &Scene, contenders: &[PathBuf]) -> Output {
    let mut command = scene.velo(&["run", "hail", "--quick", "--single-calls=only", "--seed", "5"]);
    command.args(["--only", "script/*", "--workload"]).arg(workload(scene));
    command.arg("--out").arg(scene.out());
    for dir in contenders {
        command.arg("--contender").arg(dir);
    }
    command.output().unwrap()
}

/// A call's counts and times against the rules of its protocols.
fn check(block: &CallBlock) {
    let condition = &block.condition;
    assert_eq!(
        (block.wrong_answers, block.failed, &block.ended_early),
        (0, 0, &None),
        "{condition}: {block:?}"
    );
    assert_eq!(block.calls.len(), CALLS, "{condition}");
    for call in &block.calls {
        let trips = condition.least_round_trips();
        assert_eq!(call.round_trips, trips, "{condition}: {call:?}");
        let is_kept = condition.connection == CallConnection::Kept;
        assert_eq!(call.connect_ns.is_none(), is_kept, "{condition}");
        assert_eq!(call.handshake_ns.is_some(), !is_kept && condition.tls.is_some(), "{condition}");
        if let Some(agreed) = &call.tls {
            let wanted = format!("TLSv{}", condition.tls.unwrap().name());
            assert_eq!(agreed.version, wanted, "{condition}");
            assert_eq!(agreed.is_resumed, condition.connection == CallConnection::Resumed, "{condition}");
            let alpn = if condition.protocol.is_http2() { "h2" } else { "http/1.1" };
            assert_eq!(agreed.alpn.as_deref(), Some(alpn), "{condition}");
        }
        assert!(call.sent_bytes > 0 && call.received_bytes > 0, "{condition}");
        if condition.rtt_ms == 0 {
            assert_eq!((call.link_round_trips, call.link_bytes), (None, None));
            continue;
        }
        // By packets there may be more: a server that takes longer than the link does lets other packets come between.
        assert!(call.link_round_trips >= Some(trips), "{condition}: {call:?}");
        let (up, down) = call.link_bytes.unwrap();
        assert!(up > call.sent_bytes && down > call.received_bytes, "{condition}: {call:?}");
        let rtt_ns = condition.rtt_ns();
        for phase in [call.connect_ns, call.handshake_ns, Some(call.first_byte_ns)].into_iter().flatten() {
            assert!(phase >= rtt_ns, "{condition}: {call:?}");
        }
        assert!(call.whole_ns() >= rtt_ns * u64::from(trips), "{condition}: {call:?}");
    }
}

#[test]
fn a_call_takes_the_round_trips_of_its_protocols() {
    let _place = place();
    let scene = Scene::new();
    let all = "[\"http1\", \"https1\", \"h2c\", \"h2\"]";
    let dirs =
        [contender(&scene, "polyglot", "as-told", all), contender(&scene, "plain", "as-told", "[\"http1\"]")];
    let output = run(&scene, &dirs);
    let said = text(&output);
    let run = read_run(&scene.out()).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert!(run.windows.is_empty(), "nothing else was asked for");
    let left_out = &run.file.calls_left_out;
    if !left_out.is_empty() {
        eprintln!("skipped at a distance: {left_out:?}");
    }
    let count = |name: &str| run.file.calls.iter().filter(|block| block.contender.as_str() == name).count();
    // HTTP/1.1 and HTTP/2 in clear two each, over TLS six each; at two distances; two launches.
    let distances = if left_out.is_empty() { 2 } else { 1 };
    assert_eq!(
        (count("script/polyglot"), count("script/plain")),
        (2 * (16 * distances + 1), 2 * (2 * distances + 1))
    );
    run.file.calls.iter().for_each(check);
    // Without distance each protocol's process was asked for the first time.
    let cold = run.file.calls.iter().filter(|block| block.cold.is_some());
    assert!(cold.clone().all(|block| block.condition.connection == CallConnection::New));
    assert_eq!(cold.count(), 2 * (4 + 1), "one for each contender, protocol and launch");

    let lines = std::fs::read_to_string(scene.out().join("calls.ndjson")).unwrap();
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_valid("call.schema.json", &first);
    let judgement = scene.judgement();
    assert_valid("judgement.schema.json", &judgement);
    let conditions = judgement["workloads"][0]["calls"]["conditions"].as_array().unwrap();
    assert_eq!(conditions.len(), 16 * distances + 1);
    for under in conditions {
        for row in under["rows"].as_array().unwrap() {
            assert!(row["fault"].is_null() || row["counts_disturbed"] == true, "{row}");
        }
    }
    assert!(said.contains("calls    one at a time: 2 contenders, "), "{said}");
    let report = std::fs::read_to_string(scene.out().join("report.md")).unwrap();
    assert!(report.contains("One request at a time, nothing else in flight"), "{report}");
    assert!(report.contains("HTTP/2 over TLS 1.2, new connection, session resumed"), "{report}");
}

#[test]
fn calls_that_a_workload_does_not_have_are_refused() {
    let _place = place();
    let scene = Scene::new();
    let output = scene.velo(&["run", "void", "--single-calls"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("--single-calls: void asks for none"), "{}", text(&output));
}
