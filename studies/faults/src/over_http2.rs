//! What the matrices of HTTP/2 and of gRPC share.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use super::case::Case;
use super::facts::Facts;
use super::read_grpc::of_http;
use super::tool::{Asked, RESULT_FILE, TIMEOUT_S, words};
use velo_tests::faults_h2::{Fault, GRPC_STATUS, PROTO, Row, Server, Truth};

/// Connections of every run.
pub(super) const CONNECTIONS: u64 = 4;
/// Where each answer may cost a timeout there are so few requests that a run of nothing but timeouts ends within its limit.
const FEW_REQUESTS: u64 = 24;
/// A row with more has answers that cost less.
const MANY_REQUESTS: u64 = 100;
/// The body of requests that have one, in the folder of files.
pub(super) const BODY_FILE: &str = "body";
/// What the server speaks in gRPC, there too.
pub(super) const PROTO_FILE: &str = "faults.proto";
/// What k6 runs, there too.
pub(super) const SCRIPT_FILE: &str = "k6.js";

impl Case for Row {
    const CONNECTIONS: u64 = CONNECTIONS;
    type Server = Server;

    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> String {
        let place = if self.is_numbered() { self.number.to_string() } else { "-".to_owned() };
        format!("{place} {}", self.does)
    }

    fn is_numbered(&self) -> bool {
        self.number > 0
    }

    fn requests(&self) -> u64 {
        if self.requests < MANY_REQUESTS { self.requests.min(FEW_REQUESTS) } else { self.requests }
    }

    fn is_away(&self) -> bool {
        false
    }

    fn prepare(&self, scratch: &Path) -> io::Result<()> {
        std::fs::write(scratch.join(BODY_FILE), vec![b'x'; self.body_bytes])?;
        std::fs::write(scratch.join(PROTO_FILE), PROTO)?;
        std::fs::write(scratch.join(SCRIPT_FILE), include_str!("k6.js"))
    }

    fn start(&self) -> io::Result<Server> {
        Server::start(self.fault)
    }

    fn address(server: &Server) -> SocketAddr {
        server.address()
    }

    fn finish(&self, server: Server) -> Facts {
        facts(self, &server.finish())
    }
}

/// What a server with that fault knows.
pub(super) fn facts(row: &Row, truth: &Truth) -> Facts {
    // A client says why it ends a connection, or is seen to open another one.
    let on_error = truth.client_go_aways.iter().filter(|(code, _)| **code != 0).map(|(_, count)| count).sum();
    let ended_early = truth.closes.max(on_error).max(truth.connections.saturating_sub(CONNECTIONS));
    let statuses = if row.is_grpc() { grpc_statuses(truth) } else { truth.statuses.clone() };
    let (successes, errors) = if row.is_grpc() { (0..1, 1..17) } else { (200..300, 400..600) };
    // What is only large breaks no rule: a client may take it or not.
    let is_large = matches!(row.fault, Fault::LongHeaderList | Fault::HpackBomb);
    let (large, malformed) = if is_large { (truth.malformed, 0) } else { (0, truth.malformed) };
    let doubtful = truth.doubtful + large;
    Facts {
        is_not_applicable: false,
        connections: truth.connections,
        requests: truth.requests,
        correct: truth.correct + doubtful,
        broken: truth.wrong_bodies + malformed + truth.truncated + truth.lost + truth.reset,
        unanswered: truth.unanswered + truth.unfinished() + truth.endless,
        // What stands on another stream, or breaks a rule that a client does not know, may be passed over.
        overlooked: malformed,
        endless: truth.endless,
        // It goes on sending, and reads nothing meanwhile.
        is_deaf: truth.endless > 0,
        unasked: 0,
        // What was refused may be sent again, since nobody looked at it. What was under way on a connection that ended was
        // lost with it.
        unsure: doubtful + truth.refused + truth.after_close + truth.undelivered + ended_early * row.streams,
        other_statuses: truth.other_statuses,
        statuses,
        // An answer that is spoilt or has no end may begin with a head that is right.
        heads: truth.malformed + truth.doubtful + truth.truncated + truth.endless + truth.unanswered,
        successes,
        errors,
        is_restless: truth.closes + truth.refused > 0,
        outages: 0,
        at_once: CONNECTIONS * row.streams,
    }
}

/// By `grpc-status`, or by what gRPC makes of a status of HTTP.
fn grpc_statuses(truth: &Truth) -> BTreeMap<u16, u64> {
    let mut statuses = BTreeMap::new();
    let mut of_grpc = truth.other_statuses;
    for (&status, &count) in truth.statuses.iter().filter(|(status, _)| **status >= 300) {
        of_grpc = of_grpc.saturating_sub(count);
        *statuses.entry(of_http(status)).or_default() += count;
    }
    statuses.insert(0, truth.statuses.get(&200).copied().unwrap_or(0).saturating_sub(of_grpc));
    if of_grpc > 0 {
        *statuses.entry(GRPC_STATUS).or_default() += of_grpc;
    }
    statuses
}

/// The options of `velo load` that are the same for both.
pub(super) fn velo_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let case = asked.case;
    let mut arguments =
        words(["load", "-c", &CONNECTIONS.to_string(), "--streams", &case.streams.to_string()]);
    arguments.extend(words(["--timeout", &format!("{TIMEOUT_S}s"), "--json", RESULT_FILE]));
    arguments.extend(asked.amount("-n", "-d", "s"));
    arguments.extend(words(case.arguments.iter().copied()));
    arguments
}

#[cfg(test)]
mod tests {
    use super::super::judge::{Evidence, Grade, judge};
    use super::super::report::{Listed, Report};
    use super::*;
    use velo_tests::child::Ended;
    use velo_tests::faults_h2::{ALL, named};

    fn grade(name: &str, truth: &Truth, report: &Report) -> Grade {
        let row = named(name).unwrap();
        let evidence = Evidence {
            facts: facts(row, truth),
            refused: 0,
            asked: Some(row.requests()),
            ended: Ended::Exit(0),
            report: Some(report),
            complained: false,
        };
        judge(&evidence).grade
    }

    fn truth(requests: u64) -> Truth {
        Truth { connections: 4, begun: requests, requests, ..Truth::default() }
    }

    fn ok(succeeded: u64) -> Report {
        Report { succeeded, ..Report::default() }
    }

    #[test]
    fn every_fate_is_a_fact() {
        let truth = Truth {
            begun: 30,
            requests: 29,
            correct: 1,
            doubtful: 2,
            wrong_bodies: 3,
            malformed: 4,
            truncated: 5,
            endless: 2,
            unanswered: 1,
            lost: 1,
            reset: 2,
            refused: 3,
            after_close: 1,
            undelivered: 2,
            other_statuses: 2,
            ..Truth::default()
        };
        assert_eq!(truth.accounted(), truth.requests);
        let facts = facts(named("h2-none").unwrap(), &truth);
        assert_eq!((facts.correct, facts.broken, facts.unanswered, facts.unsure), (3, 15, 4, 8));
    }

    #[test]
    fn what_breaks_the_rules_must_fail() {
        let truth = Truth { malformed: 2_000, ..truth(2_000) };
        assert_eq!(grade("h2-no-status", &truth, &Report { broken: 2_000, ..ok(0) }), Grade::Right);
        assert_eq!(grade("h2-no-status", &truth, &ok(2_000)), Grade::Wrong);
        assert_eq!(grade("h2-no-status", &truth, &ok(0)), Grade::Silent);
        let listed = vec![Listed { codes: 200..300, count: 2_000 }];
        let seen = Report { broken: 2_000, listed, ..ok(0) };
        assert_eq!(grade("h2-no-status", &truth, &seen), Grade::Right, "a head that was right may be listed");
    }

    #[test]
    fn what_comes_beside_an_answer_may_spoil_it_or_not() {
        let doubtful = Truth { doubtful: 24, statuses: [(200, 24)].into(), ..truth(24) };
        let large = Truth { malformed: 24, ..truth(24) };
        for (name, truth) in [("h2-data-after-end", doubtful), ("h2-hpack-bomb", large)] {
            for succeeded in [0, 10, 24] {
                let report = Report { broken: 24 - succeeded, ..ok(succeeded) };
                assert_eq!(grade(name, &truth, &report), Grade::Right);
            }
            assert_eq!(grade(name, &truth, &ok(25)), Grade::Wrong);
            assert_eq!(grade(name, &truth, &ok(23)), Grade::Silent);
        }
    }

    #[test]
    fn what_is_on_another_stream_may_be_waited_for_in_vain() {
        let truth = Truth { malformed: 20, correct: 4, statuses: [(200, 4)].into(), ..truth(24) };
        let waited = |timeouts| Report { timeouts, ..ok(4) };
        assert_eq!(grade("h2-headers-on-old-stream", &truth, &waited(20)), Grade::Right);
        assert_eq!(grade("h2-headers-on-old-stream", &truth, &waited(0)), Grade::Silent);
        assert_eq!(
            grade("h2-headers-on-old-stream", &truth, &Report { timeouts: 21, ..ok(3) }),
            Grade::Wrong
        );
    }

    #[test]
    fn behind_an_answer_without_end_nothing_is_read() {
        let truth = Truth { endless: 4, ..truth(4) };
        let report = Report { timeouts: 24, ..ok(0) };
        assert_eq!(grade("h2-ping-flood", &truth, &report), Grade::Right);
        assert_eq!(grade("h2-ping-flood", &truth, &Report { timeouts: 25, ..ok(0) }), Grade::Wrong);
        let silent = Truth { unanswered: 4, ..self::truth(4) };
        assert_eq!(grade("h2-never-answers", &silent, &report), Grade::Wrong, "it reads on");
    }

    #[test]
    fn a_run_of_timeouts_ends_within_its_limit() {
        for row in ALL.iter().filter(|row| row.requests < MANY_REQUESTS) {
            let rounds = row.requests().div_ceil(CONNECTIONS * row.streams);
            assert!(rounds * u64::from(TIMEOUT_S) < super::super::LIMIT.as_secs(), "{}", row.name);
        }
    }

    #[test]
    fn what_was_refused_may_be_sent_again() {
        let first = Truth { correct: 1_800, refused: 200, statuses: [(200, 1_800)].into(), ..truth(2_000) };
        assert_eq!(grade("h2-refuses-streams", &first, &Report { broken: 200, ..ok(1_800) }), Grade::Right);
        assert_eq!(grade("h2-refuses-streams", &first, &ok(1_800)), Grade::Silent);
        let again = Truth { correct: 2_000, refused: 222, statuses: [(200, 2_000)].into(), ..truth(2_222) };
        assert_eq!(grade("h2-refuses-streams", &again, &ok(2_000)), Grade::Right);
    }

    #[test]
    fn a_connection_takes_with_it_what_was_under_way_and_no_more() {
        let truth = Truth { malformed: 4, client_go_aways: [(1, 4)].into(), ..truth(4) };
        let failed = |count| Report { unnamed: count, ..ok(0) };
        // Eight streams on each of four connections; the rest was never sent.
        assert_eq!(grade("h2-upper-case-name", &truth, &failed(2_000)), Grade::Wrong);
        let facts = facts(named("h2-upper-case-name").unwrap(), &truth);
        assert_eq!(facts.broken + facts.unsure, 36);
        // The end of all connections that were wanted is none before its time.
        let truth = Truth { client_go_aways: [(0, 4)].into(), ..truth };
        assert_eq!(super::facts(named("h2-upper-case-name").unwrap(), &truth).unsure, 0);
    }

    #[test]
    fn statuses_are_those_of_grpc() {
        let truth = Truth {
            correct: 1_800,
            other_statuses: 200,
            statuses: [(200, 2_000)].into(),
            ..self::truth(2_000)
        };
        let facts = facts(named("grpc-status-in-trailers").unwrap(), &truth);
        assert_eq!(facts.statuses, [(0, 1_800), (5, 200)].into());
        let listed = vec![Listed { codes: 5..6, count: 200 }];
        let report = Report { other_statuses: 200, listed, ..ok(1_800) };
        assert_eq!(grade("grpc-status-in-trailers", &truth, &report), Grade::Right);
        let unnamed = Report { unnamed: 200, ..ok(1_800) };
        assert_ne!(grade("grpc-status-in-trailers", &truth, &unnamed), Grade::Right);
        let truth = Truth { other_statuses: 2_000, statuses: [(503, 2_000)].into(), ..self::truth(2_000) };
        let listed = vec![Listed { codes: 14..15, count: 2_000 }];
        let report = Report { other_statuses: 2_000, listed, ..ok(0) };
        assert_eq!(grade("grpc-http-error", &truth, &report), Grade::Right);
    }
}
