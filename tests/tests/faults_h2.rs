use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use velo_record::{LoadRecord, Outcomes};
use velo_tests::child::{Ended, Finished, run};
use velo_tests::faults_h2::{ALL, Class, Count, Fault, PROTO, Row, Server, Truth};

use crate::harness::{Scene, place, program, read_json, text};

/// Connections of every run.
const CONNECTIONS: u64 = 4;
/// Where nothing comes; elsewhere a slow machine must not make timeouts.
const SHORT_TIMEOUT_S: u64 = 2;
const LONG_TIMEOUT_S: u64 = 40;
/// What a run may take beyond its timeouts, on however slow a machine.
const GRACE: Duration = Duration::from_secs(20);
/// An unoptimised program's own code is some 14 MB more.
const MOST_MEMORY_BYTES: u64 = if cfg!(debug_assertions) { 64_000_000 } else { 50_000_000 };

fn counted(class: Class, outcomes: &Outcomes) -> u64 {
    match class {
        Class::Correct => outcomes.correct,
        Class::WrongAnswer => outcomes.wrong_answer,
        Class::HttpError => outcomes.http_error,
        Class::Truncated => outcomes.truncated,
        Class::Timeout => outcomes.timeout,
        Class::ClosedByServer => outcomes.closed_by_server,
        Class::Refused => outcomes.refused,
    }
}

/// A run with everything that is known of it.
struct Run {
    finished: Finished,
    record: LoadRecord,
    truth: Truth,
}

fn timeout_s(row: &Row) -> u64 {
    if row.waits { SHORT_TIMEOUT_S } else { LONG_TIMEOUT_S }
}

fn load(row: &Row, driver: &str, folder: &Path) -> Result<Run, String> {
    let server = Server::start(row.fault).map_err(|error| error.to_string())?;
    let json = folder.join("out.json");
    let mut command = Command::new(program("velo"));
    if row.is_grpc() {
        let proto = folder.join("faults.proto");
        std::fs::write(&proto, PROTO).map_err(|error| error.to_string())?;
        command.args(["load", "--grpc", "faults.Faults/Ask", "--data", r#"{"text": "heads"}"#]);
        command.args(["--expect-json", r#"{"win": true}"#, "--proto"]).arg(proto);
    } else {
        command.args(["load", "--http2"]);
    }
    command.args(["-c", &CONNECTIONS.to_string(), "--driver", driver]);
    command.args(["--streams", &row.streams.to_string(), "-n", &row.requests.to_string()]);
    command.args(["--timeout", &format!("{}s", timeout_s(row)), "--json"]).arg(&json);
    if row.body_bytes > 0 {
        let body = folder.join("body");
        std::fs::write(&body, vec![b'x'; row.body_bytes]).map_err(|error| error.to_string())?;
        command.args(["-m", "POST", "--body", &format!("@{}", body.display())]);
    }
    command.args(row.arguments).arg(format!("http://{}/", server.address())).current_dir(folder);
    let finished = run(&mut command, Duration::from_secs(120)).map_err(|error| error.to_string())?;
    let truth = server.finish();
    if !json.exists() {
        return Err(format!("no result: {:?}\n{}{}", finished.ended, finished.stdout, finished.stderr));
    }
    let record =
        serde_json::from_value(read_json(&json)["record"].take()).map_err(|error| error.to_string())?;
    Ok(Run { finished, record, truth })
}

/// Everything that is wrong with a run, in words.
fn complaints(row: &Row, run: &Run) -> Vec<String> {
    let Run { finished, record, truth } = run;
    let mut wrong = Vec::new();
    let mut must = |holds: bool, what: String| {
        if !holds {
            wrong.push(what);
        }
    };
    let outcomes = &record.outcomes;
    let sent = record.sent;

    // Each in its class, in the number that the server knows.
    for class in Class::ALL {
        let counted = counted(class, outcomes);
        let (fewest, most) = class.in_truth(row.fault, truth, sent);
        let known = (fewest..=most).contains(&counted);
        must(known, format!("{counted} {class:?}, the server knows of {fewest} to {most}"));
        let expected = row.classes.iter().find(|(named, _)| *named == class).map(|(_, count)| *count);
        let expected = expected.unwrap_or(Count::Is(0));
        must(expected.holds(counted, row.requests), format!("{counted} {class:?}, expected {expected:?}"));
    }
    must(outcomes.connect_error == 0, format!("{} connect errors", outcomes.connect_error));
    must(outcomes.dropped == 0, format!("{} dropped", outcomes.dropped));
    let told = outcomes.correct + outcomes.failed();
    must(told == row.requests, format!("{told} outcomes of {} requests", row.requests));
    for (status, count) in &truth.statuses {
        // Of an answer that is cut, or spoilt by what comes beside it, the status may have been counted or not.
        let whole = truth.truncated + truth.doubtful + truth.malformed == 0;
        let told = record.statuses.get(status).copied().unwrap_or(0);
        must(!whole || told == *count, format!("{told} answers with status {status}, {count} were"));
    }

    // What was sent was read, and nothing was sent twice.
    must(truth.accounted() == truth.requests, format!("the server lost count: {truth:?}"));
    must(truth.begun <= sent, format!("{sent} sent, the server read {}", truth.begun));
    let known = CONNECTIONS + record.connections.reconnects;
    must(truth.connections <= known, format!("{} connections opened, {known} known", truth.connections));
    if row.keeps_connections {
        let opened = truth.connections;
        must(opened == CONNECTIONS, format!("{opened} connections for answers that keep them"));
    }
    // It keeps to what the server says.
    must(truth.over_limit == 0, format!("{} requests beyond the server's limit", truth.over_limit));
    let overrun = truth.window_violations;
    must(overrun == 0, format!("{overrun} frames beyond the server's windows"));
    must(truth.other_protocols == 0, format!("{} connections without a preface", truth.other_protocols));
    if row.fault == Fault::UnknownFrames {
        // What is pinged with the last answers may find the load at its end.
        let unanswered = truth.correct.saturating_sub(truth.pongs);
        must(
            unanswered <= CONNECTIONS * row.streams,
            format!("{unanswered} of {} pings unanswered", truth.correct),
        );
    }

    // It ends in time and says so by its exit code.
    let code = Ended::Exit(if outcomes.correct > 0 { 0 } else { 1 });
    must(finished.ended == code, format!("{:?}, expected {code:?}\n{}", finished.ended, finished.stderr));
    let at_once = CONNECTIONS * row.streams;
    let rounds = u32::try_from(outcomes.timeout.div_ceil(at_once)).unwrap_or(u32::MAX);
    let most = Duration::from_secs(SHORT_TIMEOUT_S) * rounds + GRACE;
    must(finished.wall <= most, format!("took {:?}, at most {most:?} expected", finished.wall));

    // No spin, bounded memory.
    let most = Duration::from_secs(2) + Duration::from_micros(5_000 * sent);
    must(finished.cpu() <= most, format!("{:?} of CPU time, at most {most:?} expected", finished.cpu()));
    let own_account = record.peak_memory_bytes.unwrap_or(u64::MAX);
    let peak = finished.peak_memory_beyond_ours().map_or(own_account, |bytes| bytes.max(own_account));
    must(peak < MOST_MEMORY_BYTES, format!("{peak} bytes of memory"));
    wrong
}

/// The drivers that this kernel gives.
pub(crate) fn drivers() -> Vec<&'static str> {
    let server = Server::start(Fault::None).unwrap();
    let url = format!("http://{}/", server.address());
    let works = |driver: &&str| {
        let output = Command::new(program("velo"))
            .args(["load", "--http2", "-n", "1", "--driver", driver, &url])
            .output()
            .unwrap();
        let unfit = *driver != "epoll" && output.status.code() == Some(3);
        assert!(output.status.success() || unfit, "{driver}: {}", text(&output));
        output.status.success()
    };
    ["epoll", "io_uring"].into_iter().filter(works).collect()
}

#[test]
fn every_fault_of_http2_and_grpc_is_counted_in_its_class() {
    let _place = place();
    let drivers = drivers();
    let mut left: Vec<(&Row, &str)> =
        ALL.iter().flat_map(|row| drivers.iter().map(move |driver| (row, *driver))).collect();
    // Most of the time is spent waiting, so the rows share it; those that wait longest come first.
    left.sort_by_key(|(row, _)| !row.waits);
    let (left, wrong) = (Mutex::new(left.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let scene = Scene::new();
                loop {
                    let next = left.lock().unwrap().next();
                    let Some((row, driver)) = next else { break };
                    let found = match load(row, driver, scene.dir.path()) {
                        Ok(run) => complaints(row, &run),
                        Err(what) => vec![what],
                    };
                    let _ = std::fs::remove_file(scene.dir.path().join("out.json"));
                    let named = format!("{} {}, {driver}", row.number, row.name);
                    wrong.lock().unwrap().extend(found.into_iter().map(|what| format!("{named}: {what}")));
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
