use crate::harness::{Scene, text};

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
