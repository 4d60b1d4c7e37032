//! What is written is read again, whole or after a kill.

mod common;

use std::fs::{self, OpenOptions};
use std::io::Write;

use common::{calls, run_file, window};
use proptest::prelude::*;
use tempfile::TempDir;
use velo_record::{EncodedHistogram, Outcomes, Purpose, RecordError, RunState, RunWriter, Window, read_run};
use velo_stats::Histogram;

/// A run with this many windows.
fn written(windows: u32) -> (TempDir, RunWriter) {
    let dir = tempfile::tempdir().expect("a folder");
    let mut writer = RunWriter::create(&dir.path().join("run"), &run_file()).expect("a run");
    for block in 1..=windows {
        writer.append(&window(1, block)).expect("a window");
    }
    writer.sync().expect("on disk");
    (dir, writer)
}

#[test]
fn a_run_is_read_as_it_was_written() {
    let (_dir, writer) = written(3);
    let run = read_run(writer.dir()).expect("a run");
    assert_eq!(run.file, run_file());
    assert_eq!(run.windows, (1..=3).map(|block| window(1, block)).collect::<Vec<_>>());
    assert!(!run.incomplete_tail);
}

#[test]
fn single_calls_lie_in_a_file_of_their_own() {
    let (_dir, mut writer) = written(1);
    assert!(!writer.dir().join("calls.ndjson").exists(), "a run without calls has no such file");
    let all: Vec<_> = (1..=3).map(calls).collect();
    for block in &all {
        writer.append_calls(block).expect("calls");
    }
    writer.sync().expect("on disk");
    writer.update(&run_file()).expect("written");
    let run = read_run(writer.dir()).expect("a run");
    assert_eq!((run.file.calls.as_slice(), run.windows.len()), (all.as_slice(), 1));
    assert_eq!(calls(1).calls[0].whole_ns(), 1_240_000);
    // Killed within a line.
    let path = writer.dir().join("calls.ndjson");
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, &text[..text.len() - 5]).expect("written");
    let run = read_run(writer.dir()).expect("a run");
    assert_eq!((run.file.calls.as_slice(), run.incomplete_tail), (&all[..2], true));
}

#[test]
fn the_run_file_is_replaced_whole() {
    let (_dir, mut writer) = written(0);
    let mut file = run_file();
    file.state = RunState::Complete;
    file.ended_at = Some("2026-11-21T10:34:00Z".to_owned());
    writer.update(&file).expect("written");
    assert_eq!(read_run(writer.dir()).expect("a run").file, file);
    let mut names: Vec<_> = fs::read_dir(writer.dir())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["logs", "run.json", "windows.ndjson"]);
}

#[test]
fn a_run_is_never_written_over() {
    let (_dir, writer) = written(1);
    let error = RunWriter::create(writer.dir(), &run_file()).map(|_| ()).expect_err("it was written over");
    assert!(matches!(error, RecordError::Io { .. }), "{error}");
    assert_eq!(read_run(writer.dir()).expect("a run").windows.len(), 1);
}

#[test]
fn logs_lie_in_the_runs_folder() {
    let (_dir, writer) = written(0);
    let path = writer.log_path("../go-gin.stderr");
    assert_eq!(path.parent(), Some(writer.dir().join("logs").as_path()));
    fs::write(path, "text").expect("a log");
}

/// A run killed while it wrote: its file cut at any byte.
#[test]
fn a_torn_tail_is_left_out_and_said() {
    let (_dir, writer) = written(2);
    let path = writer.dir().join("windows.ndjson");
    let whole = fs::read(&path).expect("windows");
    let first_line = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    for kept in [0, 1, first_line - 1, first_line, first_line + 1, whole.len() - 1, whole.len()] {
        fs::write(&path, &whole[..kept]).expect("cut");
        let run = read_run(writer.dir()).expect("a run");
        let lines = whole[..kept].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(run.windows.len(), lines, "{kept}");
        assert_eq!(run.incomplete_tail, ![0, first_line, whole.len()].contains(&kept), "{kept}");
    }
}

#[test]
fn any_other_bad_line_is_an_error_with_its_place() {
    for bad in ["\n", "{}\n", "null\n", "{\"contender\": 1}\n", "\u{0}\u{0}\n"] {
        let (_dir, mut writer) = written(1);
        let path = writer.dir().join("windows.ndjson");
        OpenOptions::new()
            .append(true)
            .open(&path)
            .expect("windows")
            .write_all(bad.as_bytes())
            .expect("written");
        writer.append(&window(1, 2)).expect("a window");
        let error = read_run(writer.dir()).map(|_| ()).expect_err("it was read").to_string();
        assert!(error.starts_with(&format!("{}:2: ", path.display())), "{error}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let (_dir, writer) = written(0);
    for name in ["windows.ndjson", "run.json"] {
        fs::remove_file(writer.dir().join(name)).expect("removed");
        let error = read_run(writer.dir()).map(|_| ()).expect_err("it was read").to_string();
        assert!(error.contains(name), "{error}");
    }
}

/// Without a writer a pipe would be waited for without end.
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused() {
    for name in ["windows.ndjson", "run.json"] {
        let (_dir, writer) = written(0);
        let path = writer.dir().join(name);
        fs::remove_file(&path).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        let error = read_run(writer.dir()).map(|_| ()).expect_err("it was read");
        let RecordError::Io { path: named, source } = &error else { panic!("{error}") };
        assert_eq!(named, &path);
        assert_eq!(source.to_string(), "it is a pipe; expected a regular file");
    }
}

#[test]
fn a_list_beyond_its_bound_is_named_with_its_place() {
    let (_dir, writer) = written(1);
    let path = writer.dir().join("windows.ndjson");
    let mut text = fs::read_to_string(&path).expect("windows");
    let spans = vec!["{\"sent_ns\":0,\"done_ns\":0,\"is_correct\":true}"; 1_001].join(",");
    let second = text.replacen('{', &format!("{{\"spans\":[{spans}],"), 1);
    text.push_str(&second);
    fs::write(&path, text).expect("windows");
    let error = read_run(writer.dir()).map(|_| ()).expect_err("it was read").to_string();
    let expected =
        format!("{}:2: `spans` has more than 1000 items: not a file that velo wrote", path.display());
    assert!(error.starts_with(&expected), "{error}");

    let mut file = run_file();
    file.contenders = vec![file.contenders[0].clone(); 257];
    let error =
        RunWriter::create(&writer.dir().join("other"), &file).map(|_| ()).expect_err("it was written");
    let RecordError::Io { source, .. } = &error else { panic!("{error}") };
    assert!(source.to_string().starts_with("`contenders` has more than 256 items"), "{source}");
}

/// Eight workloads, 60 contenders, 40 launches, 10 blocks of a window and one at a rate for all: no plan has more of those.
#[test]
fn the_largest_honest_run_is_within_the_bounds() {
    // Service times over two and a half decades, most of them near one another, as those of a closed loop are.
    let mut histogram = Histogram::new();
    (0..2_000).for_each(|place| histogram.record(1_000_000 + place * place / 8));
    (0..85).for_each(|place| histogram.record((1.07_f64.powi(place) * 1e6) as u64));
    let service_time = EncodedHistogram::new(&histogram);
    let at_a_rate = Window { service_time: service_time.clone(), ..window(40, 100) };
    let block = Window { purpose: Purpose::Block, ..at_a_rate.clone() };
    let bytes = |window| serde_json::to_vec(window).expect("JSON").len() as u64;
    let (of_a_block, of_one_at_a_rate) = (bytes(&block), bytes(&at_a_rate));
    let windows = 8 * 60 * 40 * 10;
    let all = windows * (of_a_block + of_one_at_a_rate);
    assert!(all < (2 << 30) / 5 * 4, "{of_a_block}, {of_one_at_a_rate}");

    let mut file = run_file();
    let mut contender = file.contenders[0].clone();
    contender.notes = Some("# \"as it is\"\n".repeat(32 * 1024 / 14));
    contender.launches = vec![contender.launches[0].clone(); 40];
    file.contenders = vec![contender; 60];
    let (_dir, mut writer) = written(0);
    writer.update(&file).expect("within the bounds");
    let bytes_of_run = fs::metadata(writer.dir().join("run.json")).expect("a file").len();
    assert!(bytes_of_run < (32 << 20) / 2, "{bytes_of_run}");
    assert_eq!(read_run(writer.dir()).expect("a run").file, file);
}

#[test]
fn a_window_too_long_to_be_read_is_not_written() {
    let (_dir, mut writer) = written(1);
    let long = Window { wrong_examples: vec!["x".repeat(5 << 20)], ..window(1, 2) };
    assert!(matches!(writer.append(&long), Err(RecordError::TooLong { .. })));
    assert_eq!(read_run(writer.dir()).expect("a run").windows.len(), 1);
}

#[test]
fn histograms_are_kept_in_text() {
    let mut histogram = Histogram::new();
    assert_eq!(EncodedHistogram::new(&histogram).0, "");
    [1, 1000, 1_000_000_007].into_iter().for_each(|value| histogram.record(value));
    assert_eq!(EncodedHistogram::new(&histogram).decode().expect("a histogram"), histogram);
    assert_eq!(EncodedHistogram::default().decode().expect("a histogram"), Histogram::new());
    for bad in ["!", "AAAA", "HISTFAAA"] {
        assert!(matches!(EncodedHistogram(bad.to_owned()).decode(), Err(RecordError::Histogram(_))), "{bad}");
    }
}

#[test]
fn figures_of_a_window() {
    let window = window(1, 1);
    assert_eq!(window.goodput_per_s(), 20_000.0);
    assert_eq!(window.cpu_per_request_ns(), Some(50_000.0));
    let made_up = Outcomes { timeout: u64::MAX, truncated: u64::MAX, ..Outcomes::default() };
    assert_eq!(made_up.failed(), u64::MAX);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Damage anywhere in either file: an answer, never a panic, and no window that was not there.
    #[test]
    fn damaged_files_get_an_answer(
        in_windows: bool,
        place: prop::sample::Index,
        length in 0..60_usize,
        insert in prop::collection::vec(any::<u8>(), 0..8),
    ) {
        let (_dir, writer) = written(2);
        let path = writer.dir().join(if in_windows { "windows.ndjson" } else { "run.json" });
        let mut bytes = fs::read(&path).expect("a file");
        let start = place.index(bytes.len());
        let end = (start + length).min(bytes.len());
        bytes.splice(start..end, insert);
        fs::write(&path, &bytes).expect("damaged");
        match read_run(writer.dir()) {
            Ok(run) => prop_assert!(run.windows.len() <= 2),
            Err(error) => prop_assert!(error.to_string().len() < 1000, "{error}"),
        }
    }

    #[test]
    fn counts_survive(correct: u64, cpu in any::<Option<u64>>(), steal in prop::option::of(0.0..1.0_f64)) {
        let mut one = window(1, 1);
        one.outcomes.correct = correct;
        one.parties[1].cpu_ns = cpu;
        one.host.steal_share = steal;
        let (_dir, mut writer) = written(0);
        writer.append(&one).expect("a window");
        prop_assert_eq!(read_run(writer.dir()).expect("a run").windows, vec![one]);
    }
}

#[test]
fn outcomes_of_before_had_none_refused() {
    let before = r#"{"correct": 5, "wrong_answer": 0, "http_error": 0, "truncated": 0, "timeout": 0,
        "connect_error": 0, "closed_by_server": 2, "dropped": 1}"#;
    let outcomes: Outcomes = serde_json::from_str(before).unwrap();
    assert_eq!(outcomes, Outcomes { correct: 5, closed_by_server: 2, dropped: 1, ..Outcomes::default() });
}
