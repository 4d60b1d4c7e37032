use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use velo_fixtures::{Simulated, SimulatedCalls, Simulation};
use velo_record::{RunFile, Window};

use crate::harness::{self, program, read_json, text};

fn simulated() -> (RunFile, Vec<Window>) {
    let contenders = vec![Simulated::new("go/gin", 40_000.0), Simulated::new("js/fastify", 30_000.0)];
    Simulation { blocks: 3, ..Simulation::new(contenders) }.run()
}

/// Puts a simulated run of a day into `results/<folder>`.
fn write_run(results: &Path, folder: &str, day: u32, change: impl FnOnce(&mut RunFile)) -> PathBuf {
    let (mut file, windows) = simulated();
    file.started_at = format!("2026-11-{day:02}T10:31:02Z");
    change(&mut file);
    let dir = results.join(folder);
    harness::write_run(&dir, &file, &windows);
    dir
}

fn velo_site(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program("velo"));
    command.arg("site").args(arguments).current_dir(dir).stdin(Stdio::null()).output().unwrap()
}

/// Every file below a folder, by its path within.
fn files(dir: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut left = vec![dir.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                found.insert(path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn a_site_shows_the_calls_of_the_newest_run_that_has_some() {
    let scene = tempfile::tempdir().unwrap();
    let results = scene.path().join("results");
    write_run(&results, "2026-11-20T10-31-02-Host", 20, |file| {
        let conditions = ["h2 new 100ms", "h2 kept 100ms", "http1 kept"].map(|text| text.parse().unwrap());
        let all = [SimulatedCalls::new("go/gin", 1_000_000), SimulatedCalls::new("js/fastify", 4_000_000)];
        SimulatedCalls::add(&all, file, &conditions, 5, 8);
    });
    write_run(&results, "2026-11-21T10-31-02-Host", 21, |_| ());
    let output = velo_site(scene.path(), &["results"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let page = fs::read_to_string(scene.path().join("site/workloads/coin.html")).unwrap();
    let (_, calls) = page.split_once("<h2>Single calls</h2>").expect("a part about calls");
    assert!(calls.contains("2026-11-20 10:31"), "the run that they are of");
    for part in ["Round trip of 100 ms, TLS 1.3", "No distance", ">kept<", ">new<", ">302 ms", ">101 ms"] {
        assert!(calls.contains(part), "{part}: {calls}");
    }
}

#[test]
fn a_site_of_runs_leads_from_page_to_page() {
    let scene = tempfile::tempdir().unwrap();
    let results = scene.path().join("results");
    write_run(&results, "2026-11-20T10-31-02-Host", 20, |_| ());
    write_run(&results, "2026-11-21T10-31-02-Host", 21, |_| ());
    let apart =
        write_run(scene.path(), "<script>..", 22, |file| file.workloads[0].name = "../../<b>".to_owned());
    let output = velo_site(scene.path(), &["results", apart.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "site/index.html\n");
    let site = scene.path().join("site");
    let found = files(&site);
    let wanted = [
        "contenders/go/gin.html",
        "contenders/js/fastify.html",
        "index.html",
        "runs/2026-11-20t10-31-02-host/index.html",
        "runs/2026-11-20t10-31-02-host/page.html",
        "runs/2026-11-21t10-31-02-host/index.html",
        "runs/2026-11-21t10-31-02-host/page.html",
        "runs/script/index.html",
        "runs/script/page.html",
        "velo-site.json",
        "workloads/b.html",
        "workloads/coin.html",
    ];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), wanted);

    let mut links = 0;
    for page in found.iter().filter(|path| path.ends_with(".html") && !path.ends_with("page.html")) {
        let text = fs::read_to_string(site.join(page)).unwrap();
        for href in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let (path, part) = href.split_once('#').unwrap_or((href, ""));
            let target = site.join(page).parent().unwrap().join(path);
            let target =
                fs::read_to_string(&target).unwrap_or_else(|error| panic!("{href} in {page}: {error}"));
            assert!(part.is_empty() || target.contains(&format!("id=\"{part}\"")), "{href} in {page}");
            links += 1;
        }
    }
    assert!(links > 40, "{links} links");
    let run = fs::read_to_string(site.join("runs/script/page.html")).unwrap();
    let told = velo_report_of(&apart);
    assert_eq!(run, told, "a run's page with switches is the one that velo report makes");
    assert_eq!(files(scene.path()).iter().filter(|path| path.contains("velo-new")).count(), 0);
}

fn velo_report_of(dir: &Path) -> String {
    let mut command = Command::new(program("velo"));
    let output = command.arg("report").arg(dir).args(["--format", "html"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_old_site_is_replaced_and_what_others_put_there_stays() {
    let scene = tempfile::tempdir().unwrap();
    let results = scene.path().join("results");
    let first = write_run(&results, "2026-11-20", 20, |_| ());
    write_run(&results, "2026-11-21", 21, |_| ());
    let site = scene.path().join("public/site");
    let arguments = ["results", "--out", "public/site"];
    assert_eq!(velo_site(scene.path(), &arguments).status.code(), Some(0));
    assert!(site.join("runs/2026-11-20/index.html").is_file());

    fs::write(site.join("CNAME"), "velo.example").unwrap();
    fs::create_dir_all(site.join(".git/objects")).unwrap();
    fs::write(site.join(".git/HEAD"), "ref").unwrap();
    fs::write(site.join("runs/2026-11-20/notes.txt"), "kept").unwrap();
    // Killed while it wrote: its traces are no obstacle.
    let leftover = scene.path().join("public/.site.velo-new");
    fs::create_dir(&leftover).unwrap();
    fs::write(leftover.join("index.html"), "half of a pa").unwrap();
    let marker = r#"{"format": 1, "unfinished": true, "runs": [], "files": []}"#;
    fs::write(leftover.join("velo-site.json"), marker).unwrap();
    fs::remove_dir_all(first).unwrap();
    let output = velo_site(scene.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let found: Vec<String> =
        files(&site).into_iter().filter(|path| !path.starts_with("contenders/")).collect();
    assert_eq!(
        found,
        [
            ".git/HEAD",
            "CNAME",
            "index.html",
            "runs/2026-11-20/notes.txt",
            "runs/2026-11-21/index.html",
            "runs/2026-11-21/page.html",
            "velo-site.json",
            "workloads/coin.html"
        ]
    );
    assert!(site.join(".git/objects").is_dir());
    assert_eq!(fs::read_dir(scene.path().join("public")).unwrap().count(), 1, "nothing is left beside it");
    let marker = read_json(&site.join("velo-site.json"));
    assert_eq!((marker["format"].as_u64(), marker["runs"][0].as_str()), (Some(1), Some("2026-11-21")));

    // A file of another in the place of a new one.
    write_run(&results, "2026-11-22", 22, |_| ());
    fs::create_dir(site.join("runs/2026-11-22")).unwrap();
    fs::write(site.join("runs/2026-11-22/index.html"), "mine").unwrap();
    let before = files(&site);
    let output = velo_site(scene.path(), &arguments);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("runs/2026-11-22/index.html"), "{}", text(&output));
    assert_eq!(files(&site), before, "the old site stands");
    fs::create_dir(&leftover).unwrap();
    fs::write(leftover.join("mine"), "mine").unwrap();
    let output = velo_site(scene.path(), &arguments);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains(".site.velo-new"), "{}", text(&output));
    fs::remove_dir_all(&leftover).unwrap();
    assert_eq!(fs::read_dir(scene.path().join("public")).unwrap().count(), 1);
}

#[test]
fn a_folder_of_others_is_refused() {
    let scene = tempfile::tempdir().unwrap();
    write_run(scene.path(), "run", 20, |_| ());
    let site = scene.path().join("site");
    fs::create_dir(&site).unwrap();
    for marker in [None, Some("{}"), Some(r#"{"format": 99, "runs": [], "files": []}"#)] {
        if let Some(marker) = marker {
            fs::write(site.join("velo-site.json"), marker).unwrap();
        }
        let output = velo_site(scene.path(), &["run"]);
        assert_eq!(output.status.code(), Some(2), "{marker:?}: {}", text(&output));
        assert!(text(&output).contains("--out site"), "{}", text(&output));
        assert!(!site.join("index.html").exists());
    }
    let output = velo_site(scene.path(), &["run", "--out", "run/run.json"]);
    assert_eq!(output.status.code(), Some(2), "a file is no site: {}", text(&output));
}

/// A marker that somebody made up, and links that lead out: nothing outside of the site is written or removed.
#[cfg(unix)]
#[test]
fn nothing_outside_of_the_site_is_touched() {
    let scene = tempfile::tempdir().unwrap();
    write_run(scene.path(), "run", 20, |_| ());
    let outside = scene.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("coin.html"), "mine").unwrap();
    assert_eq!(velo_site(scene.path(), &["run"]).status.code(), Some(0));
    let site = scene.path().join("site");
    let marker =
        r#"{"format": 1, "runs": [], "files": ["../outside/coin.html", "old/coin.html", "index.html"]}"#;
    fs::write(site.join("velo-site.json"), marker).unwrap();
    std::os::unix::fs::symlink(&outside, site.join("old")).unwrap();
    fs::remove_dir_all(site.join("workloads")).unwrap();
    fs::remove_dir_all(site.join("contenders")).unwrap();
    fs::remove_dir_all(site.join("runs")).unwrap();
    let output = velo_site(scene.path(), &["run"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(fs::read_to_string(outside.join("coin.html")).unwrap(), "mine");
    assert!(fs::symlink_metadata(site.join("old")).unwrap().is_symlink(), "it was not ours, so it stays");

    fs::remove_dir_all(site.join("workloads")).unwrap();
    std::os::unix::fs::symlink(&outside, site.join("workloads")).unwrap();
    let output = velo_site(scene.path(), &["run"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("site/workloads"), "{}", text(&output));
    assert_eq!(fs::read_to_string(outside.join("coin.html")).unwrap(), "mine");
}

#[test]
fn an_archive_stands_for_its_run() {
    let scene = tempfile::tempdir().unwrap();
    let run = write_run(&scene.path().join("results"), "good", 20, |_| ());
    let mut command = Command::new(program("velo"));
    let output = command.arg("archive").arg(&run).current_dir(scene.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    for (arguments, folder) in
        [(["results", "--out", "of-run"], "of-run"), (["good.tar.gz", "--out", "of-archive"], "of-archive")]
    {
        let output = velo_site(scene.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert_eq!(
            read_json(&scene.path().join(folder).join("velo-site.json"))["runs"],
            serde_json::json!(["good"])
        );
    }
    let page =
        |folder: &str| fs::read_to_string(scene.path().join(folder).join("workloads/coin.html")).unwrap();
    assert_eq!(page("of-run"), page("of-archive"));
}

#[test]
fn a_broken_run_is_named_and_left_out() {
    let scene = tempfile::tempdir().unwrap();
    let results = scene.path().join("results");
    write_run(&results, "good", 20, |_| ());
    let broken = write_run(&results, "broken", 21, |_| ());
    fs::write(broken.join("run.json"), "{\"format\": 1,\n").unwrap();
    let torn = write_run(&results, "without-windows", 22, |_| ());
    fs::remove_file(torn.join("windows.ndjson")).unwrap();
    let output = velo_site(scene.path(), &["results"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    for part in
        ["note: results/broken is left out: ", "run.json:2", "note: results/without-windows is left out: "]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(read_json(&scene.path().join("site/velo-site.json"))["runs"], serde_json::json!(["good"]));

    fs::remove_dir_all(results.join("good")).unwrap();
    for arguments in
        [&["results", "--out", "other"][..], &["nowhere", "--out", "other"], &["site", "--out", "other"]]
    {
        let output = velo_site(scene.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output));
        assert!(text(&output).contains(arguments[0]), "{}", text(&output));
        let beside: Vec<_> =
            fs::read_dir(scene.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(beside.len(), 2, "nothing was made: {beside:?}");
    }
}
