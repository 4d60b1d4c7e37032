use std::fs;

use crate::compare::{run_with_calls, velo};
use crate::harness::{Scene, text};

/// What a command prints, without what it says.
fn printed(scene: &Scene, arguments: &[&str], code: i32) -> String {
    let output = velo(scene, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}:\n{}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_archive_is_judged_elsewhere_as_its_folder_is() {
    let (here, elsewhere) = (Scene::new(), Scene::new());
    run_with_calls(&here, "before", 4);
    run_with_calls(&here, "slower", 24);
    let commands: [&[&str]; 4] = [
        &["report", "before", "--format", "json"],
        &["report", "before", "--format", "html"],
        &["compare", "before", "slower", "--fail-on", "calls:3%", "--format", "json"],
        &["compare", "before", "--between", "go/gin", "js/fastify"],
    ];
    let codes = [0, 0, 1, 0];
    let expected = commands.iter().zip(codes).map(|(command, code)| printed(&here, command, code));
    let expected: Vec<String> = expected.collect();
    assert!(expected[0].contains("js/fastify"));

    let said = text(&velo(&here, &["archive", "before"]));
    assert!(said.starts_with("archive: before.tar.gz\n"), "{said}");
    printed(&here, &["archive", "slower", "--out", "other.gz"], 0);
    for (from, to) in [("before.tar.gz", "before"), ("other.gz", "slower")] {
        fs::copy(here.dir.path().join(from), elsewhere.dir.path().join(to)).unwrap();
    }
    fs::remove_dir_all(here.dir.path().join("before")).unwrap();
    for ((command, code), expected) in commands.iter().zip(codes).zip(&expected) {
        assert_eq!(printed(&elsewhere, command, code), *expected, "{command:?}");
    }
    assert!(printed(&elsewhere, &["compare", "before", "--save", "snapshot.json"], 0).is_empty());
    assert_eq!(fs::read_dir(elsewhere.dir.path()).unwrap().count(), 3, "nothing is unpacked");
}

#[test]
fn what_is_no_archive_is_refused_with_what_to_do() {
    let scene = Scene::new();
    run_with_calls(&scene, "run", 4);
    printed(&scene, &["archive", "run", "--out", "a.gz"], 0);
    let whole = fs::read(scene.dir.path().join("a.gz")).unwrap();
    fs::write(scene.dir.path().join("half.gz"), &whole[..whole.len() / 2]).unwrap();
    fs::write(scene.dir.path().join("text.json"), "{}").unwrap();
    for (arguments, wanted) in [
        (&["archive", "a.gz"][..], "a.gz: it is an archive already"),
        (&["archive", "nowhere"], "nowhere: expected a run's folder"),
        (
            &["report", "text.json"],
            "text.json: expected a run's folder, with run.json in it, or an archive of one",
        ),
        (&["report", "half.gz"], "half.gz"),
        (&["compare", "half.gz", "run"], "copy"),
    ] {
        let output = velo(&scene, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}:\n{}", text(&output));
        assert!(text(&output).contains(wanted), "{arguments:?}:\n{}", text(&output));
    }
    let unfit = velo(&scene, &["archive", "run", "--out", "no/such/a.gz"]);
    assert_eq!(unfit.status.code(), Some(3), "{}", text(&unfit));
    assert!(text(&unfit).contains("no/such/a.gz cannot be written"), "{}", text(&unfit));
}
