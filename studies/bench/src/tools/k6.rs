use std::path::Path;

use serde_json::Value;
use velo_tests::child::Finished;

use super::{Amount, BET, Completed, GREATEST_ID, Job, Tool, Workload, expect_success, words};

/// k6 with one request an iteration, bodies of answers thrown away.
pub(crate) const K6: Tool = Tool { name: "k6", program: "k6", version: &["version"], arguments, completed };

fn arguments(job: &Job) -> Vec<String> {
    let mut arguments = words(&["run", "--quiet", "--no-usage-report", "--address", ""]);
    match job.amount {
        Amount::Seconds(seconds) => {
            arguments.extend(words(&[
                "--vus",
                &job.connections.to_string(),
                "--duration",
                &format!("{seconds}s"),
            ]));
        }
        Amount::OneRequest => arguments.extend(words(&["--vus", "1", "--iterations", "1"])),
    }
    let workload = match job.workload {
        Workload::Coin => "coin",
        Workload::User => "user",
        Workload::Https => "https",
    };
    arguments.extend(words(&[
        "-e",
        &format!("SERVER={}", job.server),
        "-e",
        &format!("WORKLOAD={workload}"),
    ]));
    arguments.push(job.file("k6.js"));
    arguments
}

fn completed(_job: &Job, finished: &Finished) -> Result<Completed, String> {
    expect_success(finished)?;
    let report: Value =
        serde_json::from_str(&finished.stdout).map_err(|error| format!("no report: {error}"))?;
    let failed = report.pointer("/http_req_failed/values/passes").and_then(Value::as_u64);
    match (report.pointer("/http_reqs/values/count").and_then(Value::as_u64), failed) {
        (Some(requests), Some(0)) => Ok(Completed::unchecked(requests)),
        (Some(_), Some(failed)) => Err(format!("{failed} failed")),
        _ => Err("no count".to_owned()),
    }
}

pub(super) fn write_script(folder: &Path) -> std::io::Result<()> {
    let script = format!(
        "import http from 'k6/http';
export const options = {{ discardResponseBodies: true, insecureSkipTLSVerify: true }};
const server = __ENV.SERVER;
const json = {{ headers: {{ 'Content-Type': 'application/json' }} }};
const requests = {{
  coin: () => http.post(server + '/coin', '{BET}', json),
  // One name for all, or k6 keeps figures for each id.
  user: () => http.get(server + '/user/' + (1 + Math.floor(Math.random() * {GREATEST_ID})), {{ tags: {{ name: 'user' }} }}),
  https: () => http.get(server + '/'),
}};
export default requests[__ENV.WORKLOAD];
export function handleSummary(data) {{ return {{ stdout: JSON.stringify(data.metrics) }}; }}
"
    );
    std::fs::write(folder.join("k6.js"), script)
}

#[cfg(test)]
mod tests {
    use super::super::job;
    use super::*;

    #[test]
    fn reads_its_report() {
        let job = job(Workload::Coin, Path::new("/f"));
        let report = |failed| {
            format!(
                r#"{{"http_reqs":{{"values":{{"count":13110,"rate":13065.6}}}},"http_req_failed":{{"values":{{"rate":0,"passes":{failed},"fails":13110}}}}}}"#
            )
        };
        assert_eq!(completed(&job, &Finished::saying(&report(0))), Ok(Completed::unchecked(13_110)));
        assert_eq!(completed(&job, &Finished::saying(&report(2))), Err("2 failed".to_owned()));
        assert!(completed(&job, &Finished::saying("")).is_err());
    }
}
