use serde_json::Value;
use velo_tests::child::Finished;

use super::{Amount, BET, Completed, Job, Tool, Workload, expect_success, words};

/// oha as it is cheapest: every request the same.
pub(crate) const OHA: Tool =
    Tool { name: "oha", program: "oha", version: &["--version"], arguments: fixed, completed };

/// oha with paths drawn from a pattern.
pub(crate) const OHA_RANDOM: Tool = Tool {
    name: "oha, random path by --rand-regex-url",
    program: "oha",
    version: &["--version"],
    arguments: random,
    completed,
};

fn fixed(job: &Job) -> Vec<String> {
    let mut arguments = common(job);
    arguments.push(job.fixed_url());
    arguments
}

fn random(job: &Job) -> Vec<String> {
    let mut arguments = common(job);
    // A dot stands for itself in its patterns.
    arguments.extend(["--rand-regex-url".to_owned(), format!("{}/user/[1-9][0-9]{{5}}", job.server)]);
    arguments
}

fn common(job: &Job) -> Vec<String> {
    let mut arguments = words(&["--no-tui", "--output-format", "json", "-c", &job.connections.to_string()]);
    match job.amount {
        Amount::Seconds(seconds) => arguments.extend(words(&["-z", &format!("{seconds}s")])),
        Amount::OneRequest => arguments.extend(words(&["-n", "1"])),
    }
    match job.workload {
        Workload::Coin => arguments.extend(words(&["-m", "POST", "-T", "application/json", "-d", BET])),
        Workload::Https => arguments.push("--insecure".to_owned()),
        Workload::User => {}
    }
    arguments
}

fn completed(_job: &Job, finished: &Finished) -> Result<Completed, String> {
    expect_success(finished)?;
    let report: Value =
        serde_json::from_str(&finished.stdout).map_err(|error| format!("no report: {error}"))?;
    let counts = |key: &str| report.get(key).and_then(Value::as_object);
    // What is in flight when the time is over is given up.
    let error = counts("errorDistribution")
        .and_then(|errors| errors.iter().find(|(text, _)| text.as_str() != "aborted due to deadline"));
    let other_code =
        counts("statusCodeDistribution").and_then(|codes| codes.iter().find(|(code, _)| *code != "200"));
    if let Some((what, count)) = error.or(other_code) {
        return Err(format!("{what}: {count}"));
    }
    let requests = report.pointer("/statusCodeDistribution/200").and_then(Value::as_u64);
    requests.map(Completed::unchecked).ok_or_else(|| "no count".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::job;
    use super::*;
    use std::path::Path;

    #[test]
    fn reads_its_report() {
        let job = job(Workload::Coin, Path::new("/f"));
        let report = r#"{"statusCodeDistribution": {"200": 37311}, "errorDistribution": {"aborted due to deadline": 15}}"#;
        assert_eq!(completed(&job, &Finished::saying(report)), Ok(Completed::unchecked(37_311)));
        for failed in [
            r#"{"statusCodeDistribution": {"200": 1, "403": 2}, "errorDistribution": {}}"#,
            r#"{"statusCodeDistribution": {"200": 1}, "errorDistribution": {"connection closed": 2}}"#,
            r#"{"statusCodeDistribution": {}, "errorDistribution": {}}"#,
            "",
        ] {
            assert!(completed(&job, &Finished::saying(failed)).is_err(), "{failed}");
        }
    }
}
