use serde_json::Value;

use crate::harness::{Scene, place, program, read_json, row, text};

/// A contender that says that it speaks these, a list in TOML.
fn speaking(scene: &Scene, name: &str, speech: &str, protocols: &str) -> std::path::PathBuf {
    let start = format!("exec {} {speech}", program("speaking-server").display());
    let more = format!("protocols = {protocols}\nready_seconds = 2\n");
    scene.contender_on("void", name, &start, &more)
}

const ALL: &str = "[\"http1\", \"https1\", \"h2c\", \"h2\"]";

#[test]
fn a_contender_is_verified_over_each_protocol() {
    let _place = place();
    let scene = Scene::new();
    let dir = speaking(&scene, "polyglot", "as-told", ALL);
    for protocol in ["http1", "https1", "h2c", "h2"] {
        let mut command = scene.velo(&["verify", "void", "--protocol", protocol, "--seed", "3"]);
        let output = command.arg("--contender").arg(&dir).output().unwrap();
        assert!(output.status.success(), "{protocol}: {}", text(&output));
        assert!(text(&output).contains("script/polyglot  ok"), "{protocol}: {}", text(&output));
    }
}

#[test]
fn one_that_does_not_speak_as_it_says_is_excluded() {
    let _place = place();
    let scene = Scene::new();
    for (name, speech, protocol, told) in [
        ("liar", "http1", "h2c", "script/liar  FAILED"),
        ("alpn", "http1", "h2", "no_application_protocol"),
        ("stranger", "own-certificate", "https1", "the certificate is not trusted"),
    ] {
        let dir = speaking(&scene, name, speech, ALL);
        let mut command = scene.velo(&["verify", "void", "--protocol", protocol]);
        let output = command.arg("--contender").arg(&dir).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output));
        let said = text(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&told), "{name}: {}", text(&output));
    }
}

#[test]
fn a_run_over_http2_has_streams_in_flight_and_says_so() {
    let _place = place();
    let scene = Scene::new();
    let mut command = scene.velo(&["run", "void", "--quick", "--seed", "5", "--protocol", "h2c"]);
    command.args(["--streams", "4", "--connections", "8", "--only", "script/*", "--skip", "rust/*", "--out"]);
    command.arg(scene.out());
    for dir in
        [speaking(&scene, "polyglot", "as-told", ALL), speaking(&scene, "plain", "as-told", "[\"http1\"]")]
    {
        command.arg("--contender").arg(dir);
    }
    let output = command.output().unwrap();
    let judgement = scene.judgement();
    let workload = &judgement["workloads"][0];
    assert_eq!((&workload["protocol"], &workload["streams"]), (&Value::from("h2c"), &Value::from(4)));
    let own = row(&judgement, "script/polyglot");
    assert!(own["answers"]["correct"].as_u64().unwrap() > 0, "{}", text(&output));
    assert_eq!(own["answers"]["wrong_answer"], 0, "{}", text(&output));
    let kept_busy = own["littles_law"]["kept_busy"].as_f64().unwrap();
    assert!(kept_busy > 0.5 && kept_busy < 1.5, "of connections times streams: {kept_busy}");
    let skipped = row(&judgement, "script/plain")["state"].to_string();
    assert!(skipped.contains("speaks http1 only"), "{skipped}");

    let run = read_json(&scene.out().join("run.json"));
    assert_eq!(run["workloads"][0]["load"]["protocol"], "h2c");
    let report = std::fs::read_to_string(scene.out().join("report.md")).unwrap();
    assert!(report.contains("HTTP/2 in clear, 8 connections x 4 streams"), "{report}");
}
