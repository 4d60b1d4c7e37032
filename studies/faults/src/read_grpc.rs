//! Each tool's own report of calls of gRPC, read. What is listed by status is listed by `grpc-status`.

use std::path::Path;

use serde_json::Value;

use super::read::{velo_document, velo_record};
use super::report::{Listed, Report};
use velo_tests::child::Finished;

/// The codes as libraries for Go name them.
const NAMES: [&str; 17] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];
const DEADLINE_EXCEEDED: u16 = 4;
const UNAVAILABLE: u16 = 14;
/// Codes that no library of gRPC makes by itself (gRPC, "Status codes and their use"): the server sent them.
const FROM_SERVERS: [u16; 7] = [3, 5, 6, 9, 10, 11, 15];

/// What gRPC makes of a status of HTTP ("HTTP to gRPC Status Code Mapping").
pub(super) fn of_http(status: u16) -> u16 {
    match status {
        400 => 13,
        401 => 16,
        403 => 7,
        404 => 12,
        429 | 502..=504 => UNAVAILABLE,
        _ => 2,
    }
}

/// The code with such a name.
fn code_named(name: &str) -> Option<u16> {
    NAMES.iter().position(|known| *known == name).and_then(|code| u16::try_from(code).ok())
}

/// The status of HTTP that an error of a library for Go tells of: `HTTP status code 503`, and in later versions
/// `HTTP status code received from server: 503`.
fn http_status(words: &str) -> Option<u16> {
    let (_, rest) = words.split_once("HTTP status code")?;
    let rest = rest.trim_start_matches(" received from server:").trim_start();
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

impl Report {
    fn add_status(&mut self, code: u16, count: u64) {
        self.other_statuses += count;
        self.listed.push(Listed { codes: code..code + 1, count });
    }

    /// Calls that ended with a code other than OK, which the server may have sent or the client have made.
    fn add_code(&mut self, code: u16, words: &str, count: u64) {
        if http_status(words).is_some_and(|status| status >= 300) {
            // What it makes of the status is not what the server sent, but follows from it.
            self.add_status(code, count);
        } else if FROM_SERVERS.contains(&code) {
            self.add_status(code, count);
        } else if code == DEADLINE_EXCEEDED {
            self.timeouts += count;
        } else {
            self.add_error(words, count);
        }
    }
}

/// The record in the file that it was asked to write.
pub(super) fn velo(_: &Finished, scratch: &Path) -> Option<Report> {
    velo_calls(&velo_document(scratch)?)
}

fn velo_calls(document: &Value) -> Option<Report> {
    let mut report = velo_record(document)?;
    report.listed.retain(|listed| listed.codes.start >= 300);
    for listed in &mut report.listed {
        let code = of_http(listed.codes.start);
        listed.codes = code..code + 1;
    }
    let errors = document.get("record")?.get("grpc_errors").and_then(Value::as_array);
    for error in errors.into_iter().flatten() {
        let code = u16::try_from(error.get("code")?.as_u64()?).ok()?;
        report
            .listed
            .push(Listed { codes: code..code.saturating_add(1), count: error.get("calls")?.as_u64()? });
    }
    Some(report)
}

/// JSON: calls by the name of their code, and by the words of their error.
pub(super) fn ghz(finished: &Finished, _: &Path) -> Option<Report> {
    let document: Value = serde_json::from_str(&finished.stdout).ok()?;
    let succeeded = document.get("statusCodeDistribution")?.get("OK").and_then(Value::as_u64).unwrap_or(0);
    let mut report = Report { succeeded, ..Report::default() };
    for (words, count) in document.get("errorDistribution")?.as_object()? {
        let name = words.split_once("code = ").and_then(|(_, rest)| rest.split(' ').next());
        match name.and_then(code_named) {
            Some(code) => report.add_code(code, words, count.as_u64()?),
            None => report.add_error(words, count.as_u64()?),
        }
    }
    Some(report)
}

/// What the script counts.
pub(super) fn k6(finished: &Finished, _: &Path) -> Option<Report> {
    let document: Value = serde_json::from_str(&finished.stdout).ok()?;
    let mut report = Report::default();
    for (name, count) in document.as_object()? {
        let count = count.as_u64()?;
        match (name.as_str(), name.strip_prefix("http_")) {
            ("right", _) => report.succeeded += count,
            ("wrong" | "threw", _) => report.broken += count,
            (_, Some(code)) => report.add_status(code_named(code)?, count),
            (code, None) => report.add_code(code_named(code)?, "", count),
        }
    }
    Some(report)
}

/// JSON: calls by the state of health that they tell, all of them OK, and `ERROR` for all others.
pub(super) fn fortio(finished: &Finished, _: &Path) -> Option<Report> {
    let document: Value = serde_json::from_str(&finished.stdout).ok()?;
    let mut report = Report::default();
    for (name, count) in document.get("RetCodes")?.as_object()? {
        let count = count.as_u64()?;
        match name.as_str() {
            "SERVING" => report.succeeded += count,
            "ERROR" => report.unnamed += count,
            // An answer that says something else than was sent for the others.
            _ => report.broken += count,
        }
    }
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(read: fn(&Finished, &Path) -> Option<Report>, stdout: &str) -> Option<Report> {
        read(&Finished::saying(stdout), Path::new("/nonexistent"))
    }

    fn listed(code: u16, count: u64) -> Listed {
        Listed { codes: code..code + 1, count }
    }

    #[test]
    fn ghz_tells_codes_and_words() {
        let text = r#"{"date":"2026-11-25T08:32:58Z","endReason":"normal","count":46,"total":2170403,"average":289795,
            "errorDistribution":{"rpc error: code = NotFound desc = nothing is there":4,
            "rpc error: code = Internal desc = server closed the stream without sending trailers":5,
            "rpc error: code = DeadlineExceeded desc = context deadline exceeded":6,
            "rpc error: code = Unavailable desc = Service Unavailable: HTTP status code 503; transport: received the unexpected content-type \"text/html\"":7,
            "rpc error: code = Unknown desc = OK: HTTP status code 200; transport: received the unexpected content-type \"text/html\"":3,
            "rpc error: code = Unavailable desc = connection error: desc = \"transport: dial tcp 127.0.0.1:9: connect: connection refused\"":1},
            "statusCodeDistribution":{"OK":20,"NotFound":4,"Internal":5,"DeadlineExceeded":6,"Unavailable":8,"Unknown":3}}"#;
        let report = said(ghz, text).unwrap();
        assert_eq!((report.succeeded, report.other_statuses, report.timeouts), (20, 11, 6));
        assert_eq!((report.broken, report.connect_errors, report.total()), (8, 1, 46));
        let mut by_code = report.listed;
        by_code.sort_by_key(|listed| listed.codes.start);
        assert_eq!(by_code, [listed(5, 4), listed(14, 7)]);
        assert_eq!(said(ghz, "context deadline exceeded\n"), None);
    }

    #[test]
    fn k6_counts_what_its_script_counts() {
        let text = r#"{"right":20,"wrong":2,"threw":1,"DeadlineExceeded":3,"NotFound":4,"Internal":5,"http_Unavailable":6}"#;
        let report = said(k6, text).unwrap();
        assert_eq!((report.succeeded, report.broken, report.timeouts), (20, 8, 3));
        assert_eq!(report.other_statuses, 10);
        assert_eq!(report.listed, [listed(5, 4), listed(14, 6)]);
        assert_eq!(said(k6, ""), None);
        let script = include_str!("k6.js");
        assert!(
            NAMES[1..].iter().all(|name| script.contains(&format!("'{name}'"))),
            "each code has a counter"
        );
    }

    #[test]
    fn fortio_tells_states_and_errors() {
        let text = r#"{"RunType": "GRPC Health for ''", "ActualQPS": 11673.5, "ErrorsDurationHistogram": {"Count": 4},
            "RetCodes": {"ERROR": 4, "SERVING": 40, "UNKNOWN": 2}, "Destination": "127.0.0.1:18777", "Streams": 2}"#;
        let report = said(fortio, text).unwrap();
        assert_eq!((report.succeeded, report.unnamed, report.broken), (40, 4, 2));
        assert_eq!(said(fortio, ""), None);
    }

    #[test]
    fn velo_lists_codes_of_grpc() {
        let text = r#"{"record": {"statuses": {"200": 1990, "503": 10}, "grpc_errors": [{"code": 5, "name": "NOT_FOUND",
            "calls": 200}], "outcomes": {"correct": 1790, "wrong_answer": 0, "http_error": 210, "truncated": 0, "timeout": 0,
            "connect_error": 0, "closed_by_server": 0, "refused": 1, "dropped": 0}}}"#;
        let report = velo_calls(&serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!((report.succeeded, report.other_statuses, report.failed()), (1_790, 210, 1));
        assert_eq!(report.listed, [listed(14, 10), listed(5, 200)]);
        assert_eq!(said(velo, ""), None, "no file, no report");
    }

    #[test]
    fn statuses_of_http_in_words_of_errors() {
        assert_eq!(
            http_status("unexpected HTTP status code received from server: 503 (Service Unavailable)"),
            Some(503)
        );
        assert_eq!(http_status("OK: HTTP status code 200; transport"), Some(200));
        assert_eq!(http_status("unexpected EOF"), None);
    }
}
