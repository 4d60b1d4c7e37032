use crate::harness::{Scene, program, root, text};
use crate::schemas::assert_valid;

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Scene::new().velo(arguments).output().unwrap();
    (output.status.code(), text(&output))
}

#[test]
fn help_is_success_and_names_every_verb() {
    let (code, said) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for verb in ["run", "list", "verify", "show", "doctor", "report", "new", "completions"] {
        assert!(said.contains(verb), "{verb} is in the help:\n{said}");
    }
}

#[test]
fn what_is_typed_wrong_is_a_usage_error_that_says_what_to_do() {
    for (arguments, wanted) in [
        (&["run", "coyn"][..], "coin"),
        (&["run", "coin", "--only", "go/ginn"], "go/gin"),
        (&["run", "coin", "--budget", "soon"], "--budget"),
        (&["run", "coin", "--quick", "--budget", "3m"], "--budget"),
        (&["run", "coin", "--quick", "--precision", "2%"], "--precision"),
        (&["run", "coin", "--precision", "0.02"], "2%"),
        (&["run", "coin", "--as-published", "--latency"], "--latency"),
        (&["run", "coin", "--latency=soon"], "--latency"),
        (&["run", "coin", "--quick", "--curve"], "--curve"),
        (&["run", "coin", "--users", "1000"], "--calls"),
        (&["run", "coin", "--price", "cheap"], "--price"),
        (&["run"], "coin"),
        (&["run", "coin", "--server-cpus", "0", "--load-cpus", "0"], "--load-cpus"),
        (&["report", "nowhere"], "--root"),
        (&["report", "nowhere", "--svg", "x.svg", "--format", "json"], "--format"),
        (&["run", "coin", "--wrong-flag"], "--wrong-flag"),
    ] {
        let (code, said) = run(arguments);
        assert_eq!(code, Some(2), "{arguments:?}:\n{said}");
        assert!(said.contains(wanted), "{arguments:?} names {wanted}:\n{said}");
    }
}

/// With so few file descriptors a generator cannot open its connections, and would blame contenders for that.
#[test]
fn too_few_file_descriptors_are_told_before_anything_is_started() {
    let scene = Scene::new();
    let limited = |most: u32, arguments: &[&str]| {
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", &format!("ulimit -n {most} && exec \"$0\" \"$@\"")]);
        command.arg(program("velo")).arg("--root").arg(root()).args(arguments);
        command.arg("--contender").arg(scene.contender("none")).current_dir(scene.dir.path());
        let output = command.output().unwrap();
        (output.status.code(), text(&output))
    };
    let out = scene.out();
    let run = ["run", "coin", "--only", "script/*", "-c", "2000", "--out", out.to_str().unwrap()];
    let (code, said) = limited(1024, &run);
    assert!(
        said.contains("2000 connections need 2064 file descriptors, and this process may have 1024"),
        "{said}"
    );
    assert!(said.contains("ulimit -Hn 2064"), "{said}");
    assert_eq!(code, Some(3), "{said}");
    assert!(!out.exists(), "a run that never began leaves nothing:\n{said}");
    let (code, said) = limited(40, &["verify", "coin", "--only", "script/*"]);
    assert!(said.contains("1 connection needs 65 file descriptors, and this process may have 40"), "{said}");
    assert_eq!(code, Some(3), "{said}");
}

#[test]
fn a_strangers_file_or_folder_is_obeyed_only_when_it_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().join("here");
    std::fs::create_dir(&here).unwrap();
    let velo = |arguments: &[&str]| {
        let mut command = std::process::Command::new(program("velo"));
        let output = command.args(arguments).current_dir(&here).output().unwrap();
        (output.status.code(), text(&output))
    };
    let file = dir.path().join("velo.toml");
    std::fs::write(&file, "[load]\njson = \"victim\"\nnonsense = 1\n").unwrap();
    // A key that is not one shows who was read.
    assert!(velo(&["load"]).1.contains("unknown key `nonsense`"));
    // Nobody but root can give a file away.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let stranger = |path: &std::path::Path| std::os::unix::fs::chown(path, Some(65_533), None).unwrap();
    stranger(&file);
    for arguments in [&["load", "--quiet"][..], &["run", "coin"]] {
        let (code, said) = velo(arguments);
        assert!(said.contains("velo.toml: belongs to another user (uid 65533)"), "{said}");
        assert!(said.contains("--config") && said.contains("--no-config"), "{said}");
        assert_eq!(code, Some(2), "{said}");
    }
    assert!(!velo(&["load", "--no-config"]).1.contains("velo.toml"));
    assert!(velo(&["load", "--config", "../velo.toml"]).1.contains("unknown key `nonsense`"));

    let (workloads, contenders) = (dir.path().join("workloads"), dir.path().join("contenders"));
    std::fs::create_dir(&workloads).unwrap();
    std::fs::create_dir(&contenders).unwrap();
    assert_eq!(velo(&["list"]).0, Some(0));
    stranger(&contenders);
    let (code, said) = velo(&["list"]);
    assert!(
        said.contains("contenders: belongs to another user (uid 65533)") && said.contains("--root"),
        "{said}"
    );
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(velo(&["--root", "..", "list"]).0, Some(0));
}

#[test]
fn help_of_a_command_and_the_version_are_commands_too() {
    let (code, said) = run_alone(&["help", "run"]);
    assert!(code == Some(0) && said.contains("--budget <TIME>"), "{said}");
    let (code, said) = run_alone(&["version"]);
    assert!(code == Some(0) && said.starts_with("velo "), "{said}");
    let (_, said) = run_alone(&["doctor", "--help"]);
    assert!(!said.contains("--root"), "{said}");
}

/// Without `--root`.
fn run_alone(arguments: &[&str]) -> (Option<i32>, String) {
    let output = std::process::Command::new(program("velo")).args(arguments).output().unwrap();
    (output.status.code(), text(&output))
}

#[test]
fn a_dry_run_says_how_long_single_calls_take() {
    let scene = Scene::new();
    let said = |more: &[&str]| {
        let mut command = scene.velo(&["run", "users", "--dry-run", "--only", "rust/axum"]);
        let said = text(&command.args(more).output().unwrap());
        // Where lines end depends on the numbers in them.
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let all = said(&[]);
    assert!(all.contains("single calls") && all.contains("(at least "), "{all}");
    let only = said(&["--single-calls=only"]);
    assert!(only.contains("time single calls (at least "), "{only}");
    assert!(only.contains("in addition to building"), "{only}");
    assert!(!said(&["--single-calls=no"]).contains("single calls"), "none are asked for");
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let scene = Scene::new();
    let mut command = scene.velo(&["run", "coin", "--dry-run", "--seed", "7", "--only", "script/*", "--out"]);
    let output = command.arg(scene.out()).arg("--contender").arg(scene.contender("slow")).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for wanted in [
        "nothing is built, started or measured; seed 7",
        "script/slow",
        "about 3:00 to measure",
        "the common rate",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
    assert!(!scene.out().exists());
}

#[test]
fn a_config_file_holds_flags_and_those_that_are_typed_win() {
    let scene = Scene::new();
    let file = scene.dir.path().join("velo.toml");
    std::fs::write(&file, "[run]\nworkloads = [\"coin\"]\nbudget = \"7m\"\nonly = \"go/gin\"\n").unwrap();
    let said = |arguments: &[&str]| text(&scene.velo(arguments).output().unwrap());
    let found = said(&["run", "--dry-run"]);
    assert!(found.contains("config   velo.toml: budget, only, workloads"), "{found}");
    assert!(found.contains("about 7:00 to measure"), "{found}");
    assert!(said(&["run", "--dry-run", "--budget", "9m"]).contains("about 9:00 to measure"));
    assert!(said(&["run", "--dry-run", "--no-config"]).contains("velo run needs a workload"));
    std::fs::write(&file, "[run]\nbudget = \"7m\"\nbudgett = 1\n").unwrap();
    let output = scene.velo(&["run", "coin"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("velo.toml:3: unknown key `budgett`"), "{}", text(&output));
}

#[test]
fn the_list_as_json_is_what_the_schema_says() {
    let output = Scene::new().velo(&["list", "--json"]).output().unwrap();
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_valid("list.schema.json", &list);
    assert!(list["workloads"].as_array().unwrap().iter().any(|workload| workload["name"] == "coin"));
    assert!(list["contenders"].as_array().unwrap().iter().any(|one| one["name"] == "rust/reference"));
}

#[test]
fn show_prints_the_exact_bytes() {
    let (code, said) = run(&["show", "coin"]);
    assert_eq!(code, Some(0), "{said}");
    for part in [
        "POST /coin HTTP/1.1\\r\\n",
        "Content-Type: application/json\\r\\n",
        "Content-Length: 1",
        "{\"bet\": ",
    ] {
        assert!(said.contains(part), "{part}:\n{said}");
    }
}

#[test]
fn cpus_that_are_not_there_are_an_unfit_environment() {
    let scene = Scene::new();
    let mut command = scene.velo(&["run", "coin", "--only", "script/*", "--load-cpus", "1023"]);
    command.arg("--contender").arg(scene.contender("none")).arg("--out").arg(scene.out());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("--load-cpus"), "{}", text(&output));
}

#[test]
fn a_list_may_be_of_one_workload() {
    let list = |arguments: &[&str]| Scene::new().velo(&["list"]).args(arguments).output().unwrap();
    let output = list(&["void"]);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("  void  ") && !said.contains("POST a bet"), "{said}");
    assert!(said.contains("go/net-http") && !said.contains("java/okhttp"), "{said}");
    assert!(text(&list(&["nothing"])).contains("no workload `nothing`"));
    let said = text(&list(&["void", "--default"]));
    assert!(said.contains("go/net-http") && said.contains("rust/reference"), "{said}");
    assert!(!said.contains("js/node-http"), "it answers void, and is not measured by default: {said}");
}
