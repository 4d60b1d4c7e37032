//! Each tool's own report of requests, read.

use std::path::Path;

use serde_json::Value;

use super::report::{Listed, Report};
use super::tool::RESULT_FILE;
use velo_tests::child::Finished;

/// The first number after some words on the line that has them.
fn number_after(text: &str, words: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.split_once(words).map(|(_, rest)| rest))?;
    let digits = line.trim_start().split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The number before some words.
fn number_before(text: &str, words: &str) -> Option<u64> {
    let before = text.lines().find_map(|line| line.split_once(words).map(|(before, _)| before))?;
    before.trim_end().rsplit(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// The record in the file that it was asked to write.
pub(super) fn velo(_: &Finished, scratch: &Path) -> Option<Report> {
    velo_record(&velo_document(scratch)?)
}

/// The document that velo left.
pub(super) fn velo_document(scratch: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(scratch.join(RESULT_FILE)).ok()?).ok()
}

/// Its outcomes, and the statuses of HTTP.
pub(super) fn velo_record(document: &Value) -> Option<Report> {
    let record = document.get("record")?;
    let outcomes = record.get("outcomes")?;
    let outcome = |name: &str| outcomes.get(name).and_then(Value::as_u64);
    let mut listed = Vec::new();
    for (code, count) in record.get("statuses")?.as_object()? {
        let code = code.parse().ok()?;
        listed.push(Listed { codes: code..code + 1, count: count.as_u64()? });
    }
    Some(Report {
        succeeded: outcome("correct")?,
        other_statuses: outcome("http_error")?,
        timeouts: outcome("timeout")?,
        connect_errors: outcome("connect_error")?,
        // Not every version has a class of its own for what the server did not look at.
        broken: outcome("wrong_answer")?
            + outcome("truncated")?
            + outcome("closed_by_server")?
            + outcome("refused").unwrap_or(0),
        unnamed: outcome("dropped")?,
        listed,
    })
}

/// `N requests in ...`, `Socket errors: connect ...` and `Non-2xx or 3xx responses: ...`, the last two when there are any.
pub(super) fn wrk(finished: &Finished, _: &Path) -> Option<Report> {
    let text = &finished.stdout;
    let requests = number_before(text, " requests in ")?;
    let others = number_after(text, "Non-2xx or 3xx responses:").unwrap_or(0);
    let errors = text.lines().find_map(|line| line.trim().strip_prefix("Socket errors:")).unwrap_or_default();
    let errors_of = |kind: &str| number_after(errors, kind).unwrap_or(0);
    Some(Report {
        succeeded: requests.saturating_sub(others),
        other_statuses: others,
        timeouts: errors_of("timeout"),
        connect_errors: errors_of("connect"),
        broken: errors_of("read") + errors_of("write"),
        unnamed: 0,
        listed: vec![Listed { codes: 400..600, count: others }],
    })
}

/// `Complete requests:`, `Failed requests:` with their kinds, `Non-2xx responses:`.
pub(super) fn ab(finished: &Finished, _: &Path) -> Option<Report> {
    let text = &finished.stdout;
    let complete = number_after(text, "Complete requests:")?;
    let failed = number_after(text, "Failed requests:")?;
    let others = number_after(text, "Non-2xx responses:").unwrap_or(0);
    let kinds = text.lines().find(|line| line.trim().starts_with("(Connect:")).unwrap_or_default();
    let connect_errors = number_after(kinds, "Connect:").unwrap_or(0);
    Some(Report {
        succeeded: complete.saturating_sub(failed + others),
        other_statuses: others,
        timeouts: 0,
        connect_errors,
        broken: failed.saturating_sub(connect_errors),
        unnamed: 0,
        listed: vec![Listed { codes: 300..600, count: others }],
    })
}

/// `requests: ... succeeded, ... failed, ... errored, ... timeout`, each but the first a part of the one before it, and
/// `status codes: ...`.
pub(super) fn h2load(finished: &Finished, _: &Path) -> Option<Report> {
    let text = &finished.stdout;
    let of = |kind: &str| number_before(text, kind);
    let (succeeded, failed) = (of(" succeeded,")?, of(" failed,")?);
    let (errored, timeouts) = (of(" errored,")?, of(" timeout")?);
    let mut listed = Vec::new();
    for (class, words) in [(200, " 2xx"), (300, " 3xx"), (400, " 4xx"), (500, " 5xx")] {
        listed.push(Listed { codes: class..class + 100, count: of(words)? });
    }
    let redirects = listed[1].count;
    Some(Report {
        succeeded: succeeded.saturating_sub(redirects),
        other_statuses: redirects + failed.saturating_sub(errored),
        timeouts,
        connect_errors: 0,
        broken: 0,
        unnamed: errored.saturating_sub(timeouts),
        listed,
    })
}

/// JSON: `summary.successRate` is the share of answers that it calls successes, with any status.
pub(super) fn oha(finished: &Finished, _: &Path) -> Option<Report> {
    let document: Value = serde_json::from_str(&finished.stdout).ok()?;
    let counts = |key: &str| -> Option<Vec<(String, u64)>> {
        let counts = document.get(key)?.as_object()?;
        counts.iter().map(|(name, count)| Some((name.clone(), count.as_u64()?))).collect()
    };
    let mut report = Report::default();
    for (words, count) in counts("errorDistribution")? {
        report.add_error(&words, count);
    }
    let mut answers = 0;
    for (code, count) in counts("statusCodeDistribution")? {
        let code: u16 = code.parse().ok()?;
        answers += count;
        report.other_statuses += if (300..400).contains(&code) { count } else { 0 };
        report.listed.push(Listed { codes: code..code + 1, count });
    }
    // The rate is null when there was nothing to have a share of.
    let rate = document.get("summary")?.get("successRate")?.as_f64().unwrap_or(0.0);
    // What it cut off at the end of its time is in neither part of the rate.
    let successes = ((rate * (answers + report.failed()) as f64).round() as u64).min(answers);
    report.succeeded = successes.saturating_sub(report.other_statuses);
    report.other_statuses += answers - successes;
    Some(report)
}

/// `[200] 1980 responses` for each status, and `[20] words` for each error.
pub(super) fn hey(finished: &Finished, _: &Path) -> Option<Report> {
    let (_, rest) = finished.stdout.split_once("Status code distribution:")?;
    let (statuses, errors) = rest.split_once("Error distribution:").unwrap_or((rest, ""));
    let mut report = Report::default();
    let bracketed = |line: &str| -> Option<(u64, String)> {
        let (number, words) = line.trim().strip_prefix('[')?.split_once(']')?;
        Some((number.parse().ok()?, words.trim().to_owned()))
    };
    for (code, words) in statuses.lines().filter_map(bracketed) {
        let (code, count) = (u16::try_from(code).ok()?, words.split(' ').next()?.parse::<u64>().ok()?);
        if (200..300).contains(&code) {
            report.succeeded += count;
        } else {
            report.other_statuses += count;
        }
        report.listed.push(Listed { codes: code..code + 1, count });
    }
    for (count, words) in errors.lines().filter_map(bracketed) {
        report.add_error(&words, count);
    }
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(read: fn(&Finished, &Path) -> Option<Report>, stdout: &str) -> Option<Report> {
        read(&Finished::saying(stdout), Path::new("/nonexistent"))
    }

    fn listed(codes: std::ops::Range<u16>, count: u64) -> Listed {
        Listed { codes, count }
    }

    #[test]
    fn wrk_with_and_without_errors() {
        let plain = "Running 4s test\n  254502 requests in 5.00s, 20.15MB read\nRequests/sec:  50895.10\n";
        let report = said(wrk, plain).unwrap();
        assert_eq!((report.succeeded, report.failed()), (254_502, 0));
        let errors = "  1002 requests in 4.00s, 1MB read\n  Socket errors: connect 1, read 2, write 3, timeout 4\n  \
                      Non-2xx or 3xx responses: 10\n";
        let report = said(wrk, errors).unwrap();
        assert_eq!((report.succeeded, report.other_statuses), (992, 10));
        assert_eq!((report.connect_errors, report.broken, report.timeouts), (1, 5, 4));
        assert_eq!(said(wrk, "unable to connect\n"), None);
    }

    #[test]
    fn ab_with_and_without_failures() {
        let failures = "Complete requests:      2000\nFailed requests:        40\n   (Connect: 3, Receive: 0, Length: 37, \
                        Exceptions: 0)\nNon-2xx responses:      20\n";
        let report = said(ab, failures).unwrap();
        assert_eq!((report.succeeded, report.other_statuses), (1_940, 20));
        assert_eq!((report.connect_errors, report.broken), (3, 37));
        let report = said(ab, "Complete requests:      2000\nFailed requests:        0\n").unwrap();
        assert_eq!((report.succeeded, report.total()), (2_000, 2_000));
        assert_eq!(said(ab, "Benchmarking 127.0.0.1 (be patient)..."), None);
    }

    #[test]
    fn h2load_with_its_nested_counts() {
        let text = "finished in 53.64ms, 37284.91 req/s, 2.99MB/s\nrequests: 2000 total, 753 started, 738 done, 708 \
                    succeeded, 1292 failed, 1262 errored, 12 timeout\nstatus codes: 700 2xx, 8 3xx, 10 4xx, 20 5xx\n";
        let report = said(h2load, text).unwrap();
        assert_eq!((report.succeeded, report.other_statuses), (700, 38));
        assert_eq!((report.timeouts, report.unnamed, report.total()), (12, 1_250, 2_000));
        assert_eq!(report.listed[3], listed(500..600, 20));
        assert_eq!(said(h2load, "starting benchmark...\n"), None);
    }

    #[test]
    fn oha_calls_any_answer_a_success() {
        let text = r#"{"summary": {"successRate": 0.99, "total": 1.0}, "statusCodeDistribution": {"200": 1960, "500": 20},
            "errorDistribution": {"connection error": 12, "timeout": 7, "Connection refused (os error 111)": 1}}"#;
        let report = said(oha, text).unwrap();
        assert_eq!((report.succeeded, report.other_statuses), (1_980, 0));
        assert_eq!((report.broken, report.timeouts, report.connect_errors), (12, 7, 1));
        assert_eq!(report.listed, [listed(200..201, 1_960), listed(500..501, 20)]);
        let none = r#"{"summary": {"successRate": null}, "statusCodeDistribution": {}, "errorDistribution": {"timeout": 64}}"#;
        assert_eq!(said(oha, none).map(|report| (report.succeeded, report.timeouts)), Some((0, 64)));
        assert_eq!(said(oha, "Error: no\n"), None);
    }

    #[test]
    fn hey_lists_statuses_and_errors() {
        let text = "Summary:\n\nStatus code distribution:\n  [200]\t1940 responses\n  [302]\t20 responses\n\n\
                    Error distribution:\n  [30]\tGet \"http://h/\": EOF\n  [8]\tGet \"http://h/\": dial tcp h: connect: \
                    connection refused\n  [2]\tGet \"http://h/\": context deadline exceeded\n";
        let report = said(hey, text).unwrap();
        assert_eq!((report.succeeded, report.other_statuses), (1_940, 20));
        assert_eq!((report.broken, report.connect_errors, report.timeouts), (30, 8, 2));
        assert_eq!(report.listed, [listed(200..201, 1_940), listed(302..303, 20)]);
        assert_eq!(said(hey, "usage\n"), None);
    }

    #[test]
    fn velo_by_its_record() {
        let text = r#"{"format": 1, "record": {"statuses": {"200": 1950, "500": 20}, "outcomes": {"correct": 1930,
            "wrong_answer": 20, "http_error": 20, "truncated": 1, "timeout": 2, "connect_error": 3, "closed_by_server": 4,
            "dropped": 5}}}"#;
        let report = velo_record(&serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!((report.succeeded, report.other_statuses, report.timeouts), (1_930, 20, 2));
        assert_eq!((report.connect_errors, report.broken, report.unnamed), (3, 25, 5));
        assert_eq!(report.listed.len(), 2);
        let refused = text.replace(r#""dropped""#, r#""refused": 6, "dropped""#);
        let report = velo_record(&serde_json::from_str(&refused).unwrap()).unwrap();
        assert_eq!((report.broken, report.failed()), (31, 41));
        assert_eq!(velo_record(&Value::Null), None);
        assert_eq!(said(velo, ""), None, "no file, no report");
    }
}
