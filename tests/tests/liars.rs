use crate::harness::{Scene, alone, row, text};

/// Each liar answers correctly until it has passed verification.
#[test]
fn every_liar_is_caught_and_the_run_goes_on() {
    let _alone = alone();
    let scene = Scene::new();
    let liars = [
        "none",
        "always-wins",
        "always-true",
        "once-per-second",
        "wrong-body",
        "truncated",
        "double",
        "endless",
        "silent-connections",
        "random-close",
        "dies",
        "ignores-sigterm",
        "forks",
        "errors",
    ];
    let output = scene.quick_run("coin", &liars).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "an excluded contender is exit code 1:\n{said}");
    let judgement = scene.judgement();
    let state = |liar: &str| &row(&judgement, &format!("script/{liar}"))["state"];
    let cause = |liar: &str| state(liar)["cause"].as_str().unwrap_or_default().to_owned();
    let reason = |liar: &str| state(liar)["reason"].as_str().unwrap_or_default().to_owned();

    // On a busy machine an honest server may also not be seen to be the limit, or all its blocks may be dropped.
    assert!(
        ["run", "not-server-bound", "not-measured"].contains(&cause("none").as_str()),
        "an honest server: {}",
        state("none")
    );
    assert_eq!(row(&judgement, "script/none")["answers"]["wrong_answer"], 0);
    for liar in ["always-wins", "always-true", "once-per-second"] {
        assert_eq!(cause(liar), "unfair-coin", "{liar}: {}", state(liar));
    }
    for liar in ["wrong-body", "double"] {
        assert_eq!(cause(liar), "wrong-answers", "{liar}: {}", state(liar));
    }
    for liar in ["truncated", "silent-connections", "random-close", "errors"] {
        assert_eq!(cause(liar), "failures", "{liar}: {}", state(liar));
    }
    let answers =
        |liar: &str, class: &str| row(&judgement, &format!("script/{liar}"))["answers"][class].as_u64();
    assert!(answers("truncated", "truncated") > Some(0));
    assert!(answers("silent-connections", "timeout") > Some(0));
    assert!(answers("random-close", "closed_by_server") > Some(0));
    assert!(answers("errors", "http_error") > Some(0));
    for liar in ["endless", "dies", "ignores-sigterm", "forks"] {
        assert_eq!(state(liar)["is"], "excluded", "{liar}: {}", state(liar));
    }
    assert!(reason("dies").contains("exit status: 3"), "{}", reason("dies"));
    assert!(reason("ignores-sigterm").contains("SIGTERM"), "{}", reason("ignores-sigterm"));
    assert!(reason("forks").contains("processes"), "{}", reason("forks"));
    for liar in liars {
        assert!(said.contains(&format!("script/{liar}")), "the table names {liar}:\n{said}");
    }
}

#[test]
fn a_constant_answer_for_a_user_is_wrong() {
    let _alone = alone();
    let scene = Scene::new();
    let output = scene.quick_run("void", &["constant-id", "none"]).output().unwrap();
    let judgement = scene.judgement();
    let liar = row(&judgement, "script/constant-id");
    assert_eq!(liar["state"]["cause"], "wrong-answers", "{}", text(&output));
    let share =
        liar["answers"]["wrong_answer"].as_f64().unwrap() / liar["answers"]["correct"].as_f64().unwrap();
    assert!((0.3..0.7).contains(&share), "one route in three is wrong, half of what is right: {share}");
    assert_eq!(row(&judgement, "script/none")["answers"]["wrong_answer"], 0);
}
