//! HTTP/1.1: its faults as cases, and the tools.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use super::case::Case;
use super::facts::Facts;
use super::read;
use super::tool::{Amount, Asked, RESULT_FILE, TIMEOUT_S, Tool, words};
use velo_tests::faults::{BODY, Fault, FaultServer, Row, Truth};

const CONNECTIONS: u64 = 16;
/// The script that makes wrk ask with HEAD, in the folder of files.
const HEAD_SCRIPT: &str = "head.lua";

impl Case for Row {
    const CONNECTIONS: u64 = CONNECTIONS;
    type Server = FaultServer;

    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> String {
        format!("{} {}", self.row, self.title)
    }

    fn is_numbered(&self) -> bool {
        Row::is_numbered(self)
    }

    fn requests(&self) -> u64 {
        self.requests
    }

    fn is_away(&self) -> bool {
        matches!(self.fault, Fault::ClosedPort | Fault::Outage)
    }

    fn prepare(&self, scratch: &Path) -> io::Result<()> {
        std::fs::write(scratch.join(HEAD_SCRIPT), "wrk.method = \"HEAD\"\n")
    }

    fn start(&self) -> io::Result<FaultServer> {
        FaultServer::start(self.fault)
    }

    fn address(server: &FaultServer) -> SocketAddr {
        server.address()
    }

    fn finish(&self, server: FaultServer) -> Facts {
        facts(self, &server.finish())
    }
}

/// What a server with that fault knows.
pub(super) fn facts(row: &Row, truth: &Truth) -> Facts {
    Facts {
        is_not_applicable: row.needs_http11 && truth.requests > 0 && truth.http10_requests == truth.requests,
        connections: truth.connections,
        requests: truth.requests,
        correct: truth.correct,
        broken: truth.truncated + truth.garbage + truth.lost + truth.wrong_bodies,
        unanswered: truth.unanswered + truth.endless,
        overlooked: 0,
        endless: truth.endless,
        // There is one request at once on a connection, so none behind an answer without end.
        is_deaf: false,
        unasked: truth.unasked,
        // A connection that ended unannounced may be told of as an error of the connection. When the server dies, nobody
        // knows how what was under way fared.
        unsure: truth.unasked
            + truth.unannounced
            + truth.after_close
            + truth.undelivered
            + truth.outages * CONNECTIONS,
        other_statuses: truth.other_statuses,
        statuses: truth.statuses.clone(),
        heads: 0,
        successes: 200..300,
        errors: 400..600,
        is_restless: truth.resets + truth.after_close > 0,
        outages: truth.outages,
        at_once: CONNECTIONS,
    }
}

/// The faults that leave something in a report to judge; a late answer is no failure.
pub fn cases() -> Vec<&'static Row> {
    let is_late = |row: &&Row| matches!(row.fault, Fault::Delay | Fault::Freeze | Fault::Bandwidth);
    Fault::ALL.iter().filter(|row| !is_late(row)).collect()
}

/// The tools that are installed; velo is the program given.
pub fn tools(velo: &Path) -> Vec<Tool<Row>> {
    let tools = [
        Some(Tool::velo(velo, velo_arguments, read::velo)),
        Tool::installed("wrk", wrk_arguments, read::wrk, &["-v"]).map(|wrk| Tool { timed_only: true, ..wrk }),
        Tool::installed("ab", ab_arguments, read::ab, &["-V"]),
        Tool::installed("h2load", h2load_arguments, read::h2load, &["--version"]),
        Tool::installed("oha", oha_arguments, read::oha, &["--version"]),
        Tool::installed("hey", hey_arguments, read::hey, &[]),
    ];
    tools.into_iter().flatten().collect()
}

fn velo_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments =
        words(["load", "-c", &CONNECTIONS.to_string(), "--timeout", &format!("{TIMEOUT_S}s")]);
    arguments.extend(asked.amount("-n", "-d", "s"));
    arguments.extend(["--json".to_owned(), RESULT_FILE.to_owned()]);
    if asked.case.head {
        arguments.extend(words(["-m", "HEAD"]));
    }
    match asked.case.fault {
        Fault::WrongBody => arguments.extend(words(["--expect-body", BODY])),
        Fault::NoContent => arguments.extend(words(["--expect-status", "204"])),
        Fault::NotModified => arguments.extend(words(["--expect-status", "304"])),
        _ => {}
    }
    arguments.push(asked.url());
    arguments
}

fn wrk_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let seconds = match asked.amount {
        Amount::Seconds(seconds) => seconds,
        // Longer than the timeout, so that it may strike.
        Amount::Requests(_) => TIMEOUT_S + 2,
    };
    let mut arguments = words(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{seconds}s")]);
    arguments.extend(words(["--timeout", &format!("{TIMEOUT_S}s")]));
    if asked.case.head {
        arguments.extend(words(["-s", HEAD_SCRIPT]));
    }
    arguments.push(asked.url());
    arguments
}

fn ab_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = words(["-q", "-k", "-c", &CONNECTIONS.to_string(), "-s", &TIMEOUT_S.to_string()]);
    arguments.extend(match asked.amount {
        Amount::Requests(count) => words(["-n", &count.to_string()]),
        // The count comes after the time, which sets one of its own.
        Amount::Seconds(seconds) => words(["-t", &seconds.to_string(), "-n", "100000000"]),
    });
    if asked.case.head {
        arguments.push("-i".to_owned());
    }
    arguments.push(asked.url());
    arguments
}

fn h2load_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = words(["--h1", "-c", &CONNECTIONS.to_string(), "-N", &TIMEOUT_S.to_string()]);
    arguments.extend(asked.amount("-n", "-D", ""));
    if asked.case.head {
        arguments.extend(words(["-H", ":method: HEAD"]));
    }
    arguments.push(asked.url());
    arguments
}

fn oha_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = words(["--no-tui", "--output-format", "json", "-c", &CONNECTIONS.to_string()]);
    arguments.extend(words(["-t", &format!("{TIMEOUT_S}s")]));
    arguments.extend(asked.amount("-n", "-z", "s"));
    if asked.case.head {
        arguments.extend(words(["-m", "HEAD"]));
    }
    arguments.push(asked.url());
    arguments
}

fn hey_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = words(["-c", &CONNECTIONS.to_string(), "-t", &TIMEOUT_S.to_string()]);
    arguments.extend(asked.amount("-n", "-z", "s"));
    if asked.case.head {
        arguments.extend(words(["-m", "HEAD"]));
    }
    arguments.push(asked.url());
    arguments
}
