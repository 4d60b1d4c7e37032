use crate::harness::{Scene, place, row, text};

/// Each reads its file as it should until it has passed verification; then it keeps something.
#[test]
fn who_keeps_what_it_read_is_caught() {
    let _place = place();
    let scene = Scene::new();
    let mut command = scene
        .velo(&["run", "users", "--quick", "--seed", "7", "--only", "script/*", "--skip", "rust/*", "--out"]);
    command.arg(scene.out());
    for fault in ["none", "keeps-file", "keeps-users", "keeps-hash"] {
        command.arg("--contender").arg(scene.contender_for("users", fault));
    }
    let output = command.output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "rows that are worth nothing are exit code 1:\n{said}");
    let judgement = scene.judgement();
    let state = |name: &str| &row(&judgement, &format!("script/{name}"))["state"];
    let cause = |name: &str| state(name)["cause"].as_str().unwrap_or_default().to_owned();
    assert!(
        ["run", "not-server-bound", "not-measured"].contains(&cause("none").as_str()),
        "an honest server: {}",
        state("none")
    );
    assert_eq!(row(&judgement, "script/none")["answers"]["http_error"], 0);
    assert_eq!(cause("keeps-file"), "stale-data", "{}", state("keeps-file"));
    assert_eq!(cause("keeps-users"), "stale-data", "{}", state("keeps-users"));
    assert_eq!(cause("keeps-hash"), "wrong-answers", "{}", state("keeps-hash"));

    // What was read says the same, whatever the answers said.
    let run = velo_record::read_run(&scene.out()).unwrap();
    let share = |name: &str| {
        let own = run.windows.iter().filter(|window| window.contender.as_str() == name);
        let (read, needed) =
            own.filter_map(|window| Some((window, window.data?))).fold((0, 0), |sum, (window, data)| {
                let answers = window.all().correct;
                (sum.0 + data.read_bytes.unwrap(), sum.1 + answers * data.file_bytes)
            });
        read as f64 / needed as f64
    };
    assert!(share("script/none") >= 1.0, "{}", share("script/none"));
    assert!(share("script/keeps-file") < 0.9, "{}", share("script/keeps-file"));
    let versions: std::collections::BTreeSet<u32> =
        run.windows.iter().filter_map(|window| Some(window.data?.version)).collect();
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), [0, 1], "the file was changed in the run");
}

/// One that keeps its file from the start does not pass verification.
#[test]
fn who_never_reads_again_is_excluded_before_anything_is_measured() {
    let _place = place();
    let scene = Scene::new();
    let start = format!(
        "mkdir $WORK_DIR/data && cp $DATA_DIR/user.json $WORK_DIR/data/ && DATA_DIR=$WORK_DIR/data exec {} none",
        crate::harness::program("scripted-server").display()
    );
    let dir = scene.contender_on("users", "copies", &start, "");
    let mut command = scene.velo(&["verify", "users", "--contender"]);
    let output = command.arg(&dir).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("its files are read anew after a change"), "{said}");
}
