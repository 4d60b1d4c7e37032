use std::process::Output;

use serde_json::Value;

use crate::harness::{Scene, place, text};
use crate::schemas::assert_valid;

/// What `velo verify echo --strictness` says of two scripted servers, of which one has some of the optional operations.
fn strictness(scene: &Scene, format: &str) -> Output {
    let mut command = scene.velo(&["verify", "echo", "--strictness", "--format", format, "--contender"]);
    command.arg(scene.contender_for("echo", "none"));
    command.arg("--contender").arg(scene.contender_for("echo", "echo-leaks"));
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", text(output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("verify 2 contenders") && said.contains("verify: 2 ok, 0 failed"), "{said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn odd_input_is_a_table_over_all_contenders_and_nothing_else() {
    let _place = place();
    let scene = Scene::new();
    let tables: Value = serde_json::from_str(&stdout(&strictness(&scene, "json"))).unwrap();
    assert_valid("strictness.schema.json", &tables);
    assert_eq!((&tables[0]["workload"], tables.as_array().unwrap().len()), (&"echo".into(), 1));
    let answer = |case: &str, contender: &str| -> Value {
        let cases = tables[0]["cases"].as_array().unwrap();
        let case = cases.iter().find(|one| one["case"] == case).unwrap_or_else(|| panic!("no case {case}"));
        let answers = case["answers"].as_array().unwrap();
        answers.iter().find(|answer| answer["contender"] == contender).unwrap().clone()
    };
    let leak = answer("an unhandled error", "script/echo-leaks");
    assert_eq!(
        (&leak["status"], &leak["leaks"], &leak["is_expected"]),
        (&500.into(), &true.into(), &false.into())
    );
    assert!(leak["got"].as_str().unwrap().contains("velo-secret-detail"), "{leak}");
    let flags = answer("flags of 7, three that are set", "script/echo-leaks");
    assert_eq!((&flags["shown"], &flags["is_offered"]), (&"7".into(), &true.into()), "{flags}");
    for case in
        ["flags of 7, three that are set", "flags of abc", "an unhandled error", "nothing is returned"]
    {
        assert_eq!(answer(case, "script/none")["is_offered"], false, "{case}");
    }
    assert_eq!(answer("flags of abc", "script/echo-leaks")["is_offered"], true);
    let twice = answer("x twice", "script/none");
    assert_eq!((&twice["shown"], &twice["is_expected"]), (&"60".into(), &false.into()), "{twice}");

    let markdown = stdout(&strictness(&scene, "markdown"));
    assert!(markdown.starts_with("# velo strictness\n\n## echo: "), "{markdown}");
    let has_cell = |name: &str, cell: &str| {
        markdown
            .lines()
            .any(|line| line.starts_with(&format!("| {name} |")) && line.contains(&format!("| {cell} ")))
    };
    assert!(
        has_cell("script/echo-leaks", "500 leaks") && has_cell("script/none", "not offered"),
        "{markdown}"
    );
    assert!(has_cell("expected", "200 7") && has_cell("script/none", "200 60"), "{markdown}");

    let terminal = stdout(&strictness(&scene, "terminal"));
    assert!(terminal.lines().all(|line| line.chars().count() <= 80), "{terminal}");
    let words = terminal.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "an unhandled error GET /Perf/Throw; expected 500 500 leaks script/echo-leaks not offered script/none";
    assert!(words.contains(said), "{terminal}");
}

#[test]
fn a_workload_without_odd_input_and_a_format_without_a_table_are_refused() {
    let scene = Scene::new();
    for (arguments, part) in [
        (
            ["verify", "void", "--strictness"].as_slice(),
            "--strictness: void has no case with `required = false`",
        ),
        (&["verify", "echo", "--format", "json"], "--strictness"),
    ] {
        let output = scene.velo(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(part), "{}", text(&output));
    }
}
