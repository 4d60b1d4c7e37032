//! Recorded runs, judged: what a judgement says of them stays the same to the last digit, however its types change. The README
//! of the runs says what each is.

mod comparison;
mod kinds;
mod lines;
mod normal;
mod rows;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use velo_judge::compare::{Snapshot, contenders, parse_conditions, runs};
use velo_judge::judge;
use velo_record::{Run, read_run};

const RENEW: &str = "UPDATE_RECORDED=1 cargo test -p velo-judge --test recorded";
/// The most that a run may take unpacked.
const MOST_BYTES: u64 = 64 << 20;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/runs")
}

/// Unpacks a run and reads it as any other is read.
fn read(name: &str) -> Run {
    let unpacked = tempfile::tempdir().expect("a temporary folder");
    for entry in std::fs::read_dir(folder().join(name)).expect("the run's folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "gz") {
            let mut packed = GzDecoder::new(File::open(&path).expect("a packed file")).take(MOST_BYTES);
            let name = path.file_stem().expect("a name");
            let mut file = File::create(unpacked.path().join(name)).expect("a file");
            std::io::copy(&mut packed, &mut file)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
    read_run(unpacked.path()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every run of the folder, by name.
fn names() -> Vec<String> {
    let entries =
        std::fs::read_dir(folder()).expect("the folder of the runs").map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().into_string().expect("a name")).collect();
    names.sort();
    names
}

/// Holds a text against that which is kept; what differs is added to `faults`.
fn hold(kept: &Path, text: &str, faults: &mut Vec<String>) {
    if std::env::var_os("UPDATE_RECORDED").is_some() {
        std::fs::write(kept, text).expect("the text is written");
    }
    let expected = std::fs::read_to_string(kept).unwrap_or_default();
    if expected == text {
        return;
    }
    let name = kept.strip_prefix(folder()).unwrap_or(kept).display();
    let missing = expected.lines().filter(|line| !text.lines().any(|other| other == *line));
    let new = text.lines().filter(|line| !expected.lines().any(|other| other == *line));
    faults.extend(missing.map(|line| format!("{name} - {line}")).take(10));
    faults.extend(new.map(|line| format!("{name} + {line}")).take(10));
    faults.push(format!("{name} differs"));
}

#[track_caller]
fn assert_same(faults: &[String]) {
    assert!(faults.is_empty(), "{}\nwhere that is meant: {RENEW}", faults.join("\n"));
}

#[test]
fn judgements_of_recorded_runs_stay_as_they_are() {
    let names = names();
    assert!(names.len() >= 20, "{names:?}");
    let mut faults = Vec::new();
    for name in names {
        let run = read(&name);
        let text = normal::judgement(&judge(&run.file, &run.windows));
        hold(&folder().join(&name).join("judgement.txt"), &text, &mut faults);
    }
    assert_same(&faults);
}

#[test]
fn comparisons_of_recorded_runs_stay_as_they_are() {
    let mut faults = Vec::new();
    for (before, after) in COMPARED {
        let [earlier, later] = [before, after].map(|name| {
            let run = read(name);
            Snapshot::of(&run.file, &run.windows)
        });
        let conditions = parse_conditions("regression:3%,cpu:5%").expect("conditions");
        let text = match runs(&earlier, &later, &conditions) {
            Ok(compared) => comparison::runs(&compared),
            Err(error) => format!("{error}\n"),
        };
        hold(&folder().join(format!("{before}-and-{after}.txt")), &text, &mut faults);
    }
    for name in BETWEEN {
        let run = read(name);
        let names: Vec<_> = run
            .file
            .contenders
            .iter()
            .filter(|record| record.twin_of.is_none())
            .map(|record| record.manifest.name.clone())
            .collect();
        let compared = contenders(&run.file, &run.windows, &names).expect("several contenders");
        let text = comparison::contenders(&compared);
        hold(&folder().join(format!("between-contenders-of-{name}.txt")), &text, &mut faults);
    }
    assert_same(&faults);
}

/// Two runs, the earlier one first.
const COMPARED: [(&str, &str); 6] = [
    ("before", "after"),
    ("before", "changed"),
    ("changed", "before"),
    ("before", "quick"),
    ("before", "coin"),
    ("simulated-before", "simulated-after"),
];

/// Runs whose contenders are compared with one another.
const BETWEEN: [&str; 5] = ["coin", "calls", "tasks", "download", "simulated-tasks"];
