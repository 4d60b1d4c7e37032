use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use velo_record::{LoadRecord, Outcomes};
use velo_tests::child::{Ended, Finished, run};
use velo_tests::faults::{BODY, Fault, FaultServer, Truth, Tuning, refused_connections};

use crate::harness::{Scene, place, program, read_json, text};

/// Connections of every run.
const CONNECTIONS: u64 = 16;
/// Where nothing comes; elsewhere a slow machine must not make timeouts.
const SHORT_TIMEOUT_S: u64 = 2;
const LONG_TIMEOUT_S: u64 = 40;
/// What a run may take beyond its time, its timeouts and the server's absence, on however slow a machine.
const GRACE: Duration = Duration::from_secs(15);
/// An unoptimised program's own code is some 14 MB more.
const MOST_MEMORY_BYTES: u64 = if cfg!(debug_assertions) { 64_000_000 } else { 50_000_000 };
/// Long enough that on however slow a machine somebody tries to connect meanwhile.
const OUTAGE_S: u64 = 3;
/// Attempts to connect in a second for each connection.
const MOST_ATTEMPTS_PER_S: u64 = 200;

/// A class of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Correct,
    WrongAnswer,
    HttpError,
    Truncated,
    Timeout,
    ConnectError,
    ClosedByServer,
}

use Class::{ClosedByServer, ConnectError, Correct, HttpError, Timeout, Truncated, WrongAnswer};

impl Class {
    const ALL: [Self; 7] =
        [Correct, WrongAnswer, HttpError, Truncated, Timeout, ConnectError, ClosedByServer];

    fn of(self, outcomes: &Outcomes) -> u64 {
        match self {
            Correct => outcomes.correct,
            WrongAnswer => outcomes.wrong_answer,
            HttpError => outcomes.http_error,
            Truncated => outcomes.truncated,
            Timeout => outcomes.timeout,
            ConnectError => outcomes.connect_error,
            ClosedByServer => outcomes.closed_by_server,
        }
    }

    /// How many there must be, as the server knows; `None` for what it cannot know.
    fn in_truth(self, truth: &Truth, sent: u64) -> Option<u64> {
        Some(match self {
            // An answer with something behind it that nobody asked for is not the answer.
            Correct => truth.correct - truth.unasked,
            WrongAnswer => truth.wrong_bodies + truth.garbage + truth.endless + truth.unasked,
            HttpError => truth.other_statuses,
            Truncated => truth.truncated,
            Timeout => truth.unanswered,
            // A request that was on its way to a server that died was never read.
            ClosedByServer => {
                truth.lost + truth.after_close + truth.undelivered + sent.saturating_sub(truth.requests)
            }
            ConnectError => return None,
        })
    }
}

/// How many of a class a fault leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    /// As many.
    Is(u64),
    /// All that were sent.
    All,
    /// At least one.
    Some,
    /// None or more.
    Any,
}

use Count::{All, Any, Is};

/// A fault and what `velo load` is to make of it. A class that is not named must be empty.
struct Case {
    fault: Fault,
    arguments: &'static [&'static str],
    classes: &'static [(Class, Count)],
    /// No connection may be closed, by whichever side.
    keeps_connections: bool,
    /// A stretch in seconds instead of a number of requests.
    seconds: Option<u64>,
    /// Requests, where not as many as the fault's row says.
    requests: u64,
}

const fn case(fault: Fault, classes: &'static [(Class, Count)]) -> Case {
    Case { fault, arguments: &[], classes, keeps_connections: false, seconds: None, requests: 0 }
}

impl Case {
    const fn keeps(self) -> Self {
        Self { keeps_connections: true, ..self }
    }

    const fn with(self, arguments: &'static [&'static str]) -> Self {
        Self { arguments, ..self }
    }

    const fn of(self, requests: u64) -> Self {
        Self { requests, ..self }
    }

    const fn for_seconds(self, seconds: u64) -> Self {
        Self { seconds: Option::Some(seconds), ..self }
    }

    fn requests(&self) -> u64 {
        if self.requests > 0 { self.requests } else { self.fault.row().requests }
    }

    fn timeout_s(&self) -> u64 {
        match self.fault {
            Fault::NeverAnswers | Fault::StopsAnswering => SHORT_TIMEOUT_S,
            _ => LONG_TIMEOUT_S,
        }
    }
}

/// All 25 and what goes beyond them, and runs for a time where that ends otherwise.
const CASES: &[Case] = &[
    case(Fault::NeverAnswers, &[(Timeout, Is(64))]),
    case(Fault::ClosedPort, &[(ConnectError, Count::Some)]).for_seconds(4),
    case(Fault::NeverAnswers, &[(Timeout, Count::Some)]).for_seconds(1),
    case(Fault::StopsAnswering, &[(Correct, Count::Some), (Timeout, Count::Some)]),
    case(Fault::Outage, &[(Correct, Count::Some), (ConnectError, Count::Some), (ClosedByServer, Any)]),
    case(Fault::None, &[(Correct, Is(2_000))]).keeps().with(&["--expect-body", BODY]),
    case(Fault::WrongBody, &[(Correct, Is(1_980)), (WrongAnswer, Is(20))])
        .keeps()
        .with(&["--expect-body", BODY]),
    case(Fault::Status500, &[(Correct, Is(1_980)), (HttpError, Is(20))]).keeps(),
    case(Fault::Truncated, &[(Truncated, Is(2_000))]),
    case(Fault::ExtraBytes, &[(WrongAnswer, Is(2_000))]),
    case(Fault::TwoAnswers, &[(WrongAnswer, Is(2_000))]),
    case(Fault::EndlessHeader, &[(WrongAnswer, Is(64))]),
    case(Fault::EndlessHead, &[(WrongAnswer, Is(64))]),
    case(Fault::EndlessInterim, &[(WrongAnswer, Is(64))]),
    // A mebibyte of tiny chunks keeps a debug build busy; sixteen at once show the memory that it takes.
    case(Fault::EndlessChunks, &[(WrongAnswer, Is(16))]).of(16),
    case(Fault::EndlessChunks, &[(WrongAnswer, Is(64))]).with(&["--limit-body", "64k"]),
    case(Fault::EndlessChunks, &[(WrongAnswer, All)]).with(&["--limit-body", "64k"]).for_seconds(1),
    case(Fault::IdleClose, &[(Correct, Count::Some), (ClosedByServer, Any)]),
    case(Fault::RequestLost, &[(Correct, Is(1_960)), (ClosedByServer, Is(40))]),
    case(Fault::ConnectionClose, &[(Correct, Is(2_000))]),
    case(Fault::ResetInBody, &[(Correct, Is(1_960)), (Truncated, Is(40))]),
    case(Fault::Http10, &[(Correct, Is(2_000))]).with(&["--expect-body", BODY]),
    case(Fault::InterimAnswers, &[(Correct, Is(2_000))]).keeps().with(&["--expect-body", BODY]),
    case(Fault::EarlyHints, &[(Correct, Is(2_000))]).keeps().with(&["--expect-body", BODY]),
    case(Fault::ByteByByte, &[(Correct, Is(2_000))]).keeps().with(&["--expect-body", BODY]),
    case(Fault::Garbage, &[(WrongAnswer, Is(2_000))]),
    case(Fault::ChunkExtensions, &[(Correct, Is(2_000))]).keeps().with(&["--expect-body", BODY]),
    case(Fault::BlankInChunkSize, &[(Correct, Is(2_000))]).keeps().with(&["--expect-body", BODY]),
    case(Fault::NoContent, &[(Correct, Is(2_000))]).keeps().with(&["--expect-status", "204"]),
    case(Fault::NotModified, &[(Correct, Is(2_000))]).keeps().with(&["--expect-status", "304"]),
    case(Fault::HeadLength, &[(Correct, Is(2_000))]).keeps().with(&["-m", "HEAD"]),
    case(Fault::Unauthorized, &[(HttpError, Is(2_000))]).keeps(),
    case(Fault::Found, &[(HttpError, Is(2_000))]).keeps(),
    case(Fault::Delay, &[(Correct, Is(2_000))]).keeps(),
    case(Fault::Freeze, &[(Correct, All)]).keeps().with(&["-R", "500"]).for_seconds(3),
    case(Fault::Bandwidth, &[(Correct, Is(64))]).keeps(),
];

/// A run with everything that is known of it.
struct Run {
    finished: Finished,
    record: LoadRecord,
    truth: Truth,
    /// Connections that the kernel refused meanwhile, where it tells.
    refused: Option<u64>,
}

fn load(case: &Case, driver: &str, folder: &Path) -> Result<Run, String> {
    let tuning = Tuning { outage: Duration::from_secs(OUTAGE_S), ..Tuning::default() };
    let server = FaultServer::start_at(([127, 0, 0, 1], 0).into(), case.fault, tuning)
        .map_err(|error| error.to_string())?;
    let json = folder.join("out.json");
    let mut command = Command::new(program("velo"));
    command.args(["load", "-c", &CONNECTIONS.to_string(), "--driver", driver]);
    command.args(["--timeout", &format!("{}s", case.timeout_s()), "--json"]);
    command.arg(&json).args(case.arguments).current_dir(folder);
    match case.seconds {
        Some(seconds) => command.args(["-d", &format!("{seconds}s")]),
        None => command.args(["-n", &case.requests().to_string()]),
    };
    command.arg(format!("http://{}/", server.address()));
    let before = refused_connections();
    let finished = run(&mut command, Duration::from_secs(120)).map_err(|error| error.to_string())?;
    let refused = refused_connections().zip(before).map(|(after, before)| after - before);
    let truth = server.finish();
    if !json.exists() {
        return Err(format!("no result: {:?}\n{}{}", finished.ended, finished.stdout, finished.stderr));
    }
    let record =
        serde_json::from_value(read_json(&json)["record"].take()).map_err(|error| error.to_string())?;
    Ok(Run { finished, record, truth, refused })
}

/// Everything that is wrong with a run, in words.
fn complaints(case: &Case, run: &Run) -> Vec<String> {
    let Run { finished, record, truth, refused } = run;
    let mut wrong = Vec::new();
    let mut must = |holds: bool, what: String| {
        if !holds {
            wrong.push(what);
        }
    };
    // What was under way at the end of a stretch may end after it.
    let mut outcomes = record.outcomes;
    outcomes.add(&record.drained);
    let sent = record.sent;

    // Each in its class, in the number that the server knows.
    for class in Class::ALL {
        let counted = class.of(&outcomes);
        if let Some(known) = class.in_truth(truth, sent) {
            must(counted == known, format!("{counted} {class:?}, the server knows of {known}"));
        }
        let expected =
            case.classes.iter().find(|(named, _)| *named == class).map_or(Is(0), |(_, count)| *count);
        let holds = match expected {
            Is(count) => counted == count,
            All => counted == sent,
            Count::Some => counted > 0,
            Any => true,
        };
        must(holds, format!("{counted} {class:?}, expected {expected:?}"));
    }
    // On a slow machine the last requests of a rate may find no free connection.
    let has_rate = case.fault == Fault::Freeze;
    must(outcomes.dropped == 0 || has_rate, format!("{} dropped", outcomes.dropped));
    let most = if case.seconds.is_some() { CONNECTIONS } else { 0 };
    must(record.drained.requests() <= most, format!("{:?} drained", record.drained));
    // Each request has one outcome: sent or without a connection.
    let asked = sent + outcomes.connect_error + outcomes.dropped;
    let told = outcomes.correct + outcomes.failed();
    must(told == asked, format!("{told} outcomes of {asked} requests"));
    for (status, count) in &truth.statuses {
        // Of an answer that is cut or endless the status may have been counted or not.
        let whole = truth.truncated + truth.endless == 0;
        let told = record.statuses.get(status).copied().unwrap_or(0);
        must(!whole || told == *count, format!("{told} answers with status {status}, {count} were"));
    }

    // What was sent was read, and nothing was sent twice.
    must(truth.accounted() == truth.requests, format!("the server lost count: {truth:?}"));
    let unread = if truth.outages > 0 { CONNECTIONS } else { 0 };
    must(
        truth.requests <= sent && sent <= truth.requests + unread,
        format!("{sent} sent, the server read {}", truth.requests),
    );
    if case.seconds.is_none() {
        must(asked == case.requests(), format!("{asked} requests"));
    }
    let late = truth.after_close;
    must(late == 0 || case.fault == Fault::IdleClose, format!("{late} sent on a connection that had ended"));
    let opened = truth.connections;
    let known = CONNECTIONS + record.connections.reconnects;
    must(opened <= known, format!("{opened} connections opened, {known} known"));
    if case.keeps_connections {
        must(opened == CONNECTIONS, format!("{opened} connections for answers that keep them"));
    }

    // It ends in time and says so by its exit code.
    let worked = outcomes.correct > 0;
    let code = Ended::Exit(if worked { 0 } else { 1 });
    must(finished.ended == code, format!("{:?}, expected {code:?}\n{}", finished.ended, finished.stderr));
    // One round of timeouts for each time that every connection was left without an answer.
    let rounds = u32::try_from(truth.unanswered.div_ceil(CONNECTIONS)).unwrap_or(u32::MAX);
    let stretch = case.seconds.map_or(Duration::ZERO, Duration::from_secs);
    let away = Duration::from_secs(OUTAGE_S * truth.outages);
    let most = stretch + Duration::from_secs(SHORT_TIMEOUT_S) * rounds + away + GRACE;
    must(finished.wall <= most, format!("took {:?}, at most {most:?} expected", finished.wall));

    // No busy retry, no spin, bounded memory.
    let attempts = outcomes.connect_error;
    let seconds = finished.wall.as_secs() + 1;
    if let Some(refused) = *refused {
        must(
            attempts <= refused,
            format!("{attempts} attempts to connect counted, the kernel refused {refused}"),
        );
        // The kernel counts those of the cases beside this one too, which is little beside a busy retry.
        let most = MOST_ATTEMPTS_PER_S * CONNECTIONS * seconds;
        let away = attempts > 0;
        must(!away || refused <= most, format!("{refused} refused in {seconds} s, at most {most} expected"));
    }
    let most = Duration::from_secs(1) + Duration::from_micros(2_000 * sent + 500 * attempts);
    must(finished.cpu() <= most, format!("{:?} of CPU time, at most {most:?} expected", finished.cpu()));
    let own_account = record.peak_memory_bytes.unwrap_or(u64::MAX);
    let peak = finished.peak_memory_beyond_ours().map_or(own_account, |bytes| bytes.max(own_account));
    must(peak < MOST_MEMORY_BYTES, format!("{peak} bytes of memory"));
    wrong
}

fn named(case: &Case, driver: &str) -> String {
    let row = case.fault.row();
    let time = case.seconds.map(|seconds| format!(" for {seconds} s")).unwrap_or_default();
    format!("{} {}{time}, {driver}", row.row, row.name)
}

/// The drivers that this kernel gives.
fn drivers() -> Vec<&'static str> {
    let server = FaultServer::start(Fault::None).unwrap();
    let url = format!("http://{}/", server.address());
    let works = |driver: &&str| {
        let output = Command::new(program("velo"))
            .args(["load", "-n", "1", "--driver", driver, &url])
            .output()
            .unwrap();
        let unfit = *driver != "epoll" && output.status.code() == Some(3);
        assert!(output.status.success() || unfit, "{driver}: {}", text(&output));
        output.status.success()
    };
    ["epoll", "io_uring"].into_iter().filter(works).collect()
}

#[test]
fn every_fault_is_counted_in_its_class() {
    let _place = place();
    let drivers = drivers();
    let left: Vec<(&Case, &str)> =
        CASES.iter().flat_map(|case| drivers.iter().map(move |driver| (case, *driver))).collect();
    // Most of the time is spent waiting, so the cases share it; those that wait longest come first.
    let (left, wrong) = (Mutex::new(left.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let scene = Scene::new();
                loop {
                    let next = left.lock().unwrap().next();
                    let Some((case, driver)) = next else { break };
                    let found = match load(case, driver, scene.dir.path()) {
                        Ok(run) => complaints(case, &run),
                        Err(what) => vec![what],
                    };
                    let _ = std::fs::remove_file(scene.dir.path().join("out.json"));
                    let named = named(case, driver);
                    wrong.lock().unwrap().extend(found.into_iter().map(|what| format!("{named}: {what}")));
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_numbered_fault_has_a_case() {
    for row in Fault::ALL {
        assert!(CASES.iter().any(|case| case.fault == row.fault), "{}", row.name);
    }
}
