use std::path::Path;

use velo_record::{Run, read_run};

use crate::harness::{Scene, place, read_json, text};

fn names(run: &Run) -> Vec<String> {
    run.file.contenders.iter().map(|record| record.manifest.name.to_string()).collect()
}

/// One launch of two blocks of `script/none` and the reference.
fn measured(scene: &Scene) -> Run {
    let mut command = scene.velo(&["run", "coin", "--seed", "11", "--connections", "8", "--plan", "1x2"]);
    command.args([
        "--warm-up",
        "500ms",
        "--budget",
        "20s",
        "--only",
        "script/*",
        "--skip",
        "rust/*",
        "--out",
    ]);
    command.arg(scene.out());
    for contender in [scene.contender("none"), scene.reference()] {
        command.arg("--contender").arg(contender);
    }
    let output = command.output().unwrap();
    let run = read_run(&scene.out()).unwrap_or_else(|error| panic!("{error}: {}", text(&output)));
    let plan = run.file.plan.as_ref().unwrap();
    assert_eq!((plan.launches, plan.blocks), (1, 2), "{}", text(&output));
    assert!(plan.not_ranked.is_some(), "too few launches for ranks");
    run
}

fn like(scene: &Scene, flags: &[&str]) -> (Option<i32>, String) {
    let mut command = scene.velo(&["run", "--like"]);
    let output = command.arg(scene.out()).args(flags).output().unwrap();
    (output.status.code(), text(&output))
}

fn edited(path: &Path, edit: impl FnOnce(&mut serde_json::Value)) {
    let mut value = read_json(path);
    edit(&mut value);
    std::fs::write(path, value.to_string()).unwrap();
}

#[test]
fn an_earlier_run_is_measured_again_and_what_differs_is_named_before() {
    let _place = place();
    let scene = Scene::new();
    let before = measured(&scene);
    let out = scene.dir.path().join("again");
    let (_, said) = like(&scene, &["--out", out.to_str().unwrap()]);
    let after = read_run(&out).unwrap_or_else(|error| panic!("{error}: {said}"));
    let differs: Vec<&str> = said.lines().filter(|line| line.starts_with("differs  ")).collect();
    assert!(said.contains("like     ") && differs.iter().all(|line| line.contains("common rates")), "{said}");
    assert_eq!(names(&after), names(&before), "{said}");
    let asked = |run: &Run| {
        let plan = run.file.plan.as_ref().unwrap();
        let workload = &run.file.workloads[0];
        (
            (run.file.settings.seed, run.file.settings.budget_ns, plan.launches, plan.blocks),
            (workload.name.clone(), workload.hash.clone(), workload.load.connections),
        )
    };
    assert_eq!(asked(&after), asked(&before), "{said}");
    // Whether they can serve it by then is another matter.
    let rates = before.file.plan.iter().flat_map(|plan| &plan.common_rates);
    let mut distinct: Vec<f64> = rates.map(|rate| rate.rate_per_s).collect();
    distinct.dedup();
    match distinct[..] {
        [only] => assert!(after.file.command.contains(&format!("--equal-rate={only}")), "{said}"),
        _ => assert!(!said.contains("--equal-rate="), "{said}"),
    }
    assert!(!after.file.command.iter().any(|word| word.starts_with("--like")), "it stands for itself");

    let changed = scene.dir.path().join("script/none/NOTES");
    std::fs::write(changed, "another version").unwrap();
    std::fs::remove_dir_all(scene.dir.path().join("script/reference")).unwrap();
    edited(&scene.out().join("run.json"), |run| run["host"]["hostname"] = "elsewhere".into());
    let (code, said) = like(&scene, &["--connections", "4", "--quick", "--dry-run"]);
    assert_eq!(code, Some(0), "{said}");
    for line in [
        "differs  host: elsewhere, now ",
        "differs  script/none: its folder has changed since\n",
        "differs  script/reference: not here, and left out\n",
        "load     4 connections",
        "seed 11",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("--connections=8") && !said.contains("--plan="), "what is typed wins: {said}");

    std::fs::remove_dir_all(scene.dir.path().join("script/none")).unwrap();
    let (code, said) = like(&scene, &["--dry-run"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("none of its contenders is here: script/none, script/reference"), "{said}");
    edited(&scene.out().join("run.json"), |run| run["command"] = vec!["gate"].into());
    let (code, said) = like(&scene, &["--dry-run"]);
    assert!(code == Some(2) && said.contains("measured by another command"), "{said}");
    let output = scene.velo(&["run", "--like", "nowhere"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}
