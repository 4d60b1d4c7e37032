use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{Scene, place, program, row, text};

/// A service of gRPC that lies after so many calls.
fn contender(scene: &Scene, workload: &str, lie: &str, honest_calls: u64) -> PathBuf {
    let start = format!("exec {} {lie} {honest_calls}", program("lying-grpc-server").display());
    let more = "protocols = [\"grpc\", \"grpcs\"]\nready_seconds = 5\n";
    scene.contender_on(workload, lie, &start, more)
}

/// What the load of a test is over: beside the second, services of gRPC are spoken to over TLS, with the lab's own certificates.
const IN_CLEAR: &str = "http1";
const OVER_TLS: &str = "https1";

/// What `velo verify` says of a service that lies from its second call on: the first is the one that shows that it is ready.
fn verified(workload: &str, lie: &str, protocol: &str) -> (Option<i32>, String) {
    let _place = place();
    let scene = Scene::new();
    let mut command = scene.velo(&["verify", workload, "--seed", "3", "--protocol", protocol, "--contender"]);
    let output = command.arg(contender(&scene, workload, lie, 1)).output().unwrap();
    let said = text(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    (output.status.code(), said)
}

/// A required case fails, and says what came.
#[track_caller]
fn fails(workload: &str, lie: &str, case: &str, came: &str) {
    fails_over(IN_CLEAR, workload, lie, case, came);
}

#[track_caller]
fn fails_over(protocol: &str, workload: &str, lie: &str, case: &str, came: &str) {
    let (code, said) = verified(workload, lie, protocol);
    assert_eq!(code, Some(1), "{lie}: {said}");
    assert!(said.contains(&format!("script/{lie} FAILED: {workload}, {case}: ")), "{lie}: {said}");
    assert!(said.contains(came), "{lie}, expected `{came}`: {said}");
}

const INDEX: &str = "Index answers with an empty message";
const GET: &str = "Get answers with the id";

#[test]
fn an_honest_service_passes_every_case() {
    for (workload, protocol) in
        [("void", IN_CLEAR), ("void", OVER_TLS), ("coin", IN_CLEAR), ("users", IN_CLEAR)]
    {
        let (code, said) = verified(workload, "none", protocol);
        assert!(code == Some(0) && said.contains("script/none ok"), "{workload}, {protocol}: {said}");
    }
}

#[test]
fn a_wrong_message_with_status_0_fails_the_case_that_asks_for_it() {
    fails("users", "wrong-message", "a password is hashed", "0000");
    fails("void", "wrong-message", INDEX, "field 15");
    fails_over(OVER_TLS, "void", "wrong-message", INDEX, "field 15");
}

#[test]
fn a_field_that_the_proto_does_not_have_fails_the_first_case() {
    fails("void", "unknown-field", INDEX, "field 15, which user.Empty does not have");
    fails("coin", "unknown-field", "a bet is answered", "field 15, which coin.Outcome does not have");
}

#[test]
fn the_answer_to_the_call_before_fails_the_first_call_with_another_value() {
    fails("users", "keeps-message", "a password is hashed", "instead of");
}

#[test]
fn status_0_where_a_call_is_to_be_refused_fails_the_case_of_the_refusal() {
    fails("coin", "never-refuses", "no bet: {}", "grpc-status 0 instead of 3");
    fails("users", "never-refuses", "a user who is not there", "grpc-status 0 instead of 5");
    fails("void", "never-refuses", "a method that the service does not have", "grpc-status 0 instead of 12");
}

#[test]
fn status_0_in_the_head_and_no_message_fails_the_first_case() {
    fails("void", "no-message", INDEX, "grpc-status 0 and no message");
}

#[test]
fn status_0_in_the_head_before_a_message_fails_the_first_case() {
    fails("void", "status-first", INDEX, "grpc-status in the head, and more behind it");
}

#[test]
fn an_answer_without_trailers_fails_the_first_case() {
    fails("void", "no-trailers", INDEX, "a message and no trailers, so that there is no grpc-status");
}

#[test]
fn trailers_without_a_status_fail_the_first_case() {
    fails("void", "no-status", INDEX, "trailers without grpc-status");
}

#[test]
fn a_prefix_that_promises_more_fails_the_first_case() {
    fails("void", "prefix-too-long", INDEX, "a message that is shorter than its prefix says");
}

#[test]
fn a_prefix_that_leaves_out_bytes_fails_the_first_case_with_a_message_of_some() {
    fails("void", "prefix-too-short", GET, "bytes behind the message that are no message");
}

#[test]
fn bytes_behind_the_message_fail_the_first_case() {
    fails("void", "bytes-behind", INDEX, "bytes behind the message that are no message");
}

#[test]
fn two_messages_for_one_fail_the_first_case() {
    fails("void", "two-messages", INDEX, "more than one message for a unary call");
}

#[test]
fn a_compressed_flag_that_nothing_was_agreed_for_fails_the_first_case() {
    fails("void", "compressed-flag", INDEX, "a message that says it is compressed, without grpc-encoding");
}

#[test]
fn gzip_that_the_call_did_not_accept_fails_the_first_case() {
    fails("void", "gzip", INDEX, "a compressed message, which the call did not accept");
}

/// Measures services that pass verification and lie after it; the judgement, and what was printed.
fn measured(workload: &str, lies: &[&str], protocol: &str) -> (Value, String) {
    let scene = Scene::new();
    // More than the conformance cases ask. A slow machine hashes few passwords.
    let honest_calls = if workload == "users" { 60 } else { 300 };
    let mut command = scene.velo(&[
        "run",
        workload,
        "--quick",
        "--seed",
        "7",
        "--protocol",
        protocol,
        "--only",
        "script/*",
        "--skip",
        "rust/*",
        "--out",
    ]);
    command.arg(scene.out());
    for lie in lies {
        command.arg("--contender").arg(contender(&scene, workload, lie, honest_calls));
    }
    let said = text(&command.output().unwrap());
    (scene.judgement(), said)
}

/// An honest service may be measured: on a busy machine it may also not be seen to be the limit, or all its blocks may be dropped.
#[track_caller]
fn is_honest((judgement, said): &(Value, String)) {
    let own = row(judgement, "script/none");
    let cause = own["state"]["cause"].as_str().unwrap_or_default();
    assert!(["run", "not-server-bound", "not-measured"].contains(&cause), "{}\n{said}", own["state"]);
    assert!(own["answers"]["correct"].as_u64() > Some(0), "{own}\n{said}");
    for class in ["wrong_answer", "http_error"] {
        assert_eq!(own["answers"][class], 0, "{own}\n{said}");
    }
}

/// The row is worth nothing, since answers were wrong under load, and the report says how.
#[track_caller]
fn is_wrong((judgement, said): &(Value, String), lie: &str, came: &str) {
    let state = &row(judgement, &format!("script/{lie}"))["state"];
    assert_eq!(state["cause"], "wrong-answers", "{lie}: {state}\n{said}");
    assert!(state["reason"].as_str().unwrap_or_default().contains(came), "{lie}, `{came}`: {state}\n{said}");
}

#[test]
fn lies_that_begin_under_load_are_wrong_answers() {
    let _place = place();
    let lies = [
        ("seldom-wrong", ""),
        ("unknown-field", "field 15"),
        ("no-message", "grpc-status 0 and no message"),
        ("no-trailers", "no trailers"),
        ("prefix-too-long", "shorter than its prefix"),
        ("bytes-behind", "bytes behind the message"),
        ("compressed-flag", "without grpc-encoding"),
        ("gzip", "did not accept"),
    ];
    let names: Vec<&str> = ["none"].into_iter().chain(lies.iter().map(|(lie, _)| *lie)).collect();
    let run = measured("void", &names, IN_CLEAR);
    is_honest(&run);
    for (lie, came) in lies {
        is_wrong(&run, lie, came);
    }
    // Those that it answered as it should count as correct, and change nothing.
    assert!(row(&run.0, "script/seldom-wrong")["answers"]["correct"].as_u64() > Some(0), "{}", run.1);
}

#[test]
fn a_lie_that_begins_under_load_is_a_wrong_answer_over_tls_too() {
    let _place = place();
    let run = measured("void", &["none", "no-trailers"], OVER_TLS);
    is_honest(&run);
    is_wrong(&run, "no-trailers", "no trailers");
    assert_eq!(row(&run.0, "script/no-trailers")["protocol"], "grpcs", "{}", run.1);
}

#[test]
fn a_hash_of_the_call_before_is_a_wrong_answer() {
    let _place = place();
    let run = measured("users", &["none", "keeps-message"], IN_CLEAR);
    is_honest(&run);
    is_wrong(&run, "keeps-message", "");
}

#[test]
fn a_toss_that_always_wins_is_no_fair_coin() {
    let _place = place();
    let run = measured("coin", &["none", "always-wins"], IN_CLEAR);
    is_honest(&run);
    let state = &row(&run.0, "script/always-wins")["state"];
    assert_eq!(state["cause"], "unfair-coin", "{state}\n{}", run.1);
}
