use serde_json::Value;
use velo_tests::child::Finished;

use super::{Amount, Completed, GREATEST_ID, Job, Tool, Workload, last_line, words};
use crate::settings::LOAD_CPU;

/// `velo load` as it comes: every value drawn, every answer checked.
pub(crate) const VELO: Tool = with_driver("velo", |job| arguments(job, "auto"));
/// The same on epoll.
pub(crate) const VELO_EPOLL: Tool = with_driver("velo, epoll", |job| arguments(job, "epoll"));
/// The same on io_uring.
pub(crate) const VELO_IO_URING: Tool = with_driver("velo, io_uring", |job| arguments(job, "io_uring"));

const REPORT: &str = "velo.json";

const fn with_driver(name: &'static str, arguments: fn(&Job) -> Vec<String>) -> Tool {
    Tool { name, program: "velo", version: &["--version"], arguments, completed }
}

fn arguments(job: &Job, driver: &str) -> Vec<String> {
    let mut arguments = words(&["load", "-t", "1", "--cpus", &LOAD_CPU.to_string(), "--driver", driver]);
    arguments.extend(words(&["-c", &job.connections.to_string(), "--json", &job.file(REPORT)]));
    match job.amount {
        Amount::Seconds(seconds) => arguments.extend(words(&["-d", &format!("{seconds}s")])),
        Amount::OneRequest => arguments.extend(words(&["-n", "1"])),
    }
    if job.pipelining > 1 {
        arguments.extend(words(&["--pipelining", &job.pipelining.to_string()]));
    }
    match job.workload {
        Workload::Coin => {
            arguments.extend(words(&[
                "-m",
                "POST",
                "--value",
                "bet=true|false",
                "--json-body",
                r#"{"bet": {bet}}"#,
            ]));
            arguments.extend(words(&["--expect-json", r#"{"win": "<bool>"}"#]));
            arguments.push(job.fixed_url());
        }
        Workload::User => {
            arguments.extend(words(&["--value", &format!("id=1..{GREATEST_ID}"), "--expect-body", "{id}"]));
            arguments.push(format!("{}/user/{{id}}", job.server));
        }
        Workload::Https => {
            arguments.extend(words(&["--insecure", "--expect-body", r#"{"win":false}"#]));
            arguments.push(job.fixed_url());
        }
    }
    arguments
}

fn completed(job: &Job, finished: &Finished) -> Result<Completed, String> {
    let file = job.folder.join(REPORT);
    // Its exit code says whether something failed, and wrong answers do; the report says what.
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("no report ({error}); {}: {}", finished.ended, last_line(finished)))?;
    // An old report must not be read as the next run's.
    std::fs::remove_file(&file).map_err(|error| format!("report stays: {error}"))?;
    count(&text)
}

fn count(report: &str) -> Result<Completed, String> {
    let report: Value = serde_json::from_str(report).map_err(|error| format!("no report: {error}"))?;
    let number = |pointer: &str| {
        report.pointer(pointer).and_then(Value::as_u64).ok_or_else(|| format!("no {pointer} in the report"))
    };
    let outcomes = report.pointer("/record/outcomes").and_then(Value::as_object);
    let outcomes = outcomes.ok_or("no /record/outcomes in the report")?;
    let unexpected = outcomes.iter().find(|(class, count)| {
        !["correct", "wrong_answer"].contains(&class.as_str()) && count.as_u64() != Some(0)
    });
    if let Some((class, count)) = unexpected {
        return Err(format!("{class}: {count}"));
    }
    let wrong = number("/record/outcomes/wrong_answer")?;
    let requests = number("/record/outcomes/correct")?
        + number("/record/warm_up/correct")?
        + number("/record/drained/correct")?
        + wrong;
    let sent = number("/record/sent")?;
    if sent != requests {
        return Err(format!("{sent} sent, but {requests} answered"));
    }
    let driver = match report.pointer("/record/driver").and_then(Value::as_str) {
        Some("epoll") => "epoll",
        Some("io_uring") => "io_uring",
        other => return Err(format!("no driver of velo's: {other:?}")),
    };
    Ok(Completed { requests, wrong: Some(wrong), driver: Some(driver) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(class: &str, failed: u64, sent: u64) -> String {
        format!(
            r#"{{"record": {{"driver": "epoll", "outcomes": {{"correct": 900, "wrong_answer": 2, "{class}": {failed}}}, "warm_up": {{"correct": 6}}, "drained": {{"correct": 2}}, "sent": {sent}}}}}"#
        )
    }

    #[test]
    fn reads_its_report() {
        assert_eq!(
            count(&report("timeout", 0, 910)),
            Ok(Completed { requests: 910, wrong: Some(2), driver: Some("epoll") })
        );
        assert_eq!(count(&report("timeout", 3, 913)), Err("timeout: 3".to_owned()));
        assert!(count(&report("timeout", 0, 911)).unwrap_err().contains("911 sent"));
        assert!(count("{}").is_err());
        assert!(count("").is_err());
    }
}
