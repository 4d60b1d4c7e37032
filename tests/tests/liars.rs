use crate::harness::{Scene, place, row, text, without_control_groups};

/// Each liar answers correctly until it has passed verification.
#[test]
fn every_liar_is_caught_and_the_run_goes_on() {
    let _place = place();
    let scene = Scene::new();
    let liars = [
        "none",
        "always-wins",
        "always-true",
        "once-per-second",
        "two-and-two",
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
    for liar in ["always-wins", "always-true", "once-per-second", "two-and-two"] {
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

/// Where the kernel has sets of CPUs for control groups it cannot leave; elsewhere it is seen in each window.
#[test]
fn one_that_leaves_its_cpus_cannot_or_is_not_ranked() {
    let _place = place();
    let scene = Scene::new();
    let output = scene.quick_run("void", &["leaves-cpus", "none"]).output().unwrap();
    check_cpus(&scene, &text(&output));
}

/// The same where no control group can be made.
#[test]
fn one_that_leaves_its_cpus_without_control_groups_is_not_ranked() {
    let _place = place();
    let scene = Scene::new();
    let mut command = scene.quick_run("void", &["leaves-cpus", "none"]);
    let mut hidden = without_control_groups(&command);
    let output = hidden.as_mut().unwrap_or(&mut command).output().unwrap();
    if hidden.is_some() {
        let run = crate::harness::read_json(&scene.out().join("run.json"));
        assert_eq!(run["cpu_accounting"], "schedstat", "{}", text(&output));
    }
    check_cpus(&scene, &text(&output));
}

fn check_cpus(scene: &Scene, said: &str) {
    let run = crate::harness::read_json(&scene.out().join("run.json"));
    let placement = run["placement"].as_array().unwrap();
    let own = &placement.iter().find(|party| party["role"] == "contender").unwrap()["cpus"];
    let own = own.as_array().unwrap();
    let record = run["contenders"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["manifest"]["name"] == "script/leaves-cpus");
    let stayed = record.unwrap()["launches"]
        .as_array()
        .unwrap()
        .iter()
        .all(|launch| launch["cpus_read_back"].as_array().unwrap().iter().all(|cpu| own.contains(cpu)));
    let judgement = scene.judgement();
    let liar = &row(&judgement, "script/leaves-cpus")["state"];
    if stayed {
        assert_ne!(liar["cause"], "outside-cpus", "{said}");
    } else {
        assert_eq!(liar["cause"], "outside-cpus", "{said}");
        let reason = liar["reason"].as_str().unwrap();
        assert!(reason.contains("outside of its CPU") && reason.contains("it used"), "{reason}");
    }
    assert_ne!(row(&judgement, "script/none")["state"]["cause"], "outside-cpus", "an honest server");
}

#[test]
fn a_constant_answer_for_a_user_is_wrong() {
    let _place = place();
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

/// A wrong sum fails a conformance case; a name that is another's is seen only where requests meet.
#[test]
fn an_echo_of_something_else_is_caught() {
    let _place = place();
    let scene = Scene::new();
    let mut command = scene.quick_run("echo", &[]);
    for liar in ["none", "echo-ignores-e", "echo-drops-sign", "echo-shares-name"] {
        command.arg("--contender").arg(scene.contender_for("echo", liar));
    }
    let output = command.output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "an excluded contender is exit code 1:\n{said}");
    let judgement = scene.judgement();
    let failed_cases = |liar: &str| -> Vec<String> {
        let run = crate::harness::read_json(&scene.out().join("run.json"));
        let contenders = run["contenders"].as_array().unwrap();
        let record =
            contenders.iter().find(|one| one["manifest"]["name"] == format!("script/{liar}")).unwrap();
        let cases = record["cases"].as_array().unwrap().iter();
        let failed = cases.filter(|case| case["required"] == true && case["passed"] == false);
        failed.map(|case| case["case"].as_str().unwrap().to_owned()).collect()
    };
    let (ignores_e, drops_sign) = (failed_cases("echo-ignores-e"), failed_cases("echo-drops-sign"));
    assert!(["e is 3", "e is 4"].iter().all(|case| ignores_e.iter().any(|failed| failed == case)), "{said}");
    assert!(!ignores_e.iter().any(|failed| failed == "e is 2"), "{said}");
    assert!(drops_sign.iter().any(|failed| failed == "both numbers below 0"), "{said}");
    assert!(!drops_sign.iter().any(|failed| failed.starts_with("e is")), "{said}");
    for liar in ["echo-ignores-e", "echo-drops-sign"] {
        assert_eq!(row(&judgement, &format!("script/{liar}"))["state"]["is"], "excluded", "{said}");
    }
    assert!(
        failed_cases("echo-shares-name").is_empty(),
        "one request at a time is answered rightly:\n{said}"
    );

    // Both loads: a connection for each request, and connections that are kept.
    let workloads = judgement["workloads"].as_array().unwrap();
    let names: Vec<&str> = workloads.iter().map(|workload| workload["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["echo", "echo-kept"], "{said}");
    assert_eq!(
        (&workloads[0]["requests_per_connection"], workloads[1].get("requests_per_connection")),
        (&1.into(), None)
    );
    for workload in workloads {
        let rows = workload["rows"].as_array().unwrap();
        let row = |name: &str| rows.iter().find(|row| row["contender"] == format!("script/{name}")).unwrap();
        let liar = row("echo-shares-name");
        assert_eq!(
            liar["state"]["cause"], "wrong-answers",
            "{}: {}\n{said}",
            workload["name"], liar["state"]
        );
        let honest = &row("none")["answers"];
        assert_eq!(honest["wrong_answer"], 0, "{said}");
        assert!(honest["correct"].as_u64() > Some(0), "{}: {honest}\n{said}", workload["name"]);
    }
}
