use serde_json::Value;
use velo_tests::child::Finished;

use super::{Amount, BET, Completed, Job, Tool, Workload, expect_success, words};

/// fortio with its own fast client; the same path each time.
pub(crate) const FORTIO: Tool =
    Tool { name: "fortio", program: "fortio", version: &["version"], arguments, completed };

const REPORT: &str = "fortio.json";

fn arguments(job: &Job) -> Vec<String> {
    // A rate of 0 is as fast as it can.
    let mut arguments = words(&["load", "-quiet", "-loglevel", "error", "-qps", "0"]);
    arguments.extend(words(&["-c", &job.connections.to_string(), "-json", &job.file(REPORT)]));
    match job.amount {
        Amount::Seconds(seconds) => arguments.extend(words(&["-t", &format!("{seconds}s")])),
        Amount::OneRequest => arguments.extend(words(&["-n", "1"])),
    }
    if job.workload == Workload::Coin {
        arguments.extend(words(&["-payload", BET, "-content-type", "application/json"]));
    }
    arguments.push(job.fixed_url());
    arguments
}

fn completed(job: &Job, finished: &Finished) -> Result<Completed, String> {
    expect_success(finished)?;
    let file = job.folder.join(REPORT);
    let text = std::fs::read_to_string(&file).map_err(|error| format!("no report: {error}"))?;
    // An old report must not be read as the next run's.
    std::fs::remove_file(&file).map_err(|error| format!("report stays: {error}"))?;
    count(&text)
}

fn count(report: &str) -> Result<Completed, String> {
    let report: Value = serde_json::from_str(report).map_err(|error| format!("no report: {error}"))?;
    let codes = report.get("RetCodes").and_then(Value::as_object).ok_or("no count")?;
    if let Some((code, count)) = codes.iter().find(|(code, _)| *code != "200") {
        return Err(format!("code {code}: {count}"));
    }
    codes.get("200").and_then(Value::as_u64).map(Completed::unchecked).ok_or_else(|| "no count".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_its_report() {
        assert_eq!(count(r#"{"RetCodes": {"200": 116142}}"#), Ok(Completed::unchecked(116_142)));
        assert!(count(r#"{"RetCodes": {"200": 1, "-1": 4}}"#).is_err());
        assert!(count(r#"{"RetCodes": {}}"#).is_err());
        assert!(count("").is_err());
    }
}
