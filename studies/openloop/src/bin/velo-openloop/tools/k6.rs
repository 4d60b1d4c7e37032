use std::process::Command;

use serde_json::Value;

use super::{Load, ns, number};
use crate::figures::Figures;
use crate::{CONNECTIONS, Outcome};

pub(super) fn prepare(load: &Load, command: &mut Command) -> Outcome<()> {
    let (per_s, seconds, url) = (load.per_s, load.seconds, load.url());
    let script = format!(
        "import http from 'k6/http';
export const options = {{
    scenarios: {{ load: {{
        executor: 'constant-arrival-rate', rate: {per_s}, timeUnit: '1s', duration: '{seconds}s',
        preAllocatedVUs: {CONNECTIONS}, maxVUs: {CONNECTIONS},
    }} }},
    summaryTrendStats: ['med', 'p(90)', 'p(99)', 'p(99.9)', 'max'],
    discardResponseBodies: true,
}};
export default function () {{ http.get('{url}'); }}
export function handleSummary(data) {{ return {{ stdout: JSON.stringify(data.metrics) }}; }}
"
    );
    let file = load.folder.join("k6.js");
    std::fs::write(&file, script)?;
    command.args(["run", "--quiet", "--no-usage-report"]).arg(file);
    Ok(())
}

pub(super) fn read(load: &Load, stdout: &str) -> Outcome<Figures> {
    let value: Value = serde_json::from_str(stdout)?;
    let time = |name| number(&value, &["http_req_duration", "values", name]).map(|ms| ns(ms / 1e3));
    let requests = number(&value, &["http_reqs", "values", "count"])?;
    // There only when there were any.
    let dropped = number(&value, &["dropped_iterations", "values", "count"]).unwrap_or(0.0);
    Ok(Figures {
        times: [time("med")?, time("p(90)")?, time("p(99)")?, time("p(99.9)")?, time("max")?].into(),
        achieved_per_s: Some(requests / f64::from(load.seconds)),
        send_lag_p99_ns: None,
        requests: requests as u64,
        failed: (number(&value, &["http_req_failed", "values", "passes"])? + dropped) as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::read as read_with;
    use super::*;

    #[test]
    fn its_json_is_understood() {
        let figures = read_with(
            read,
            r#"{"http_reqs":{"values":{"count":1960,"rate":980}},"http_req_failed":{"values":{"rate":0,"passes":4}},
            "dropped_iterations":{"values":{"count":40}},"http_req_duration":{"values":
            {"med":0.1,"p(90)":0.2,"p(99)":3,"p(99.9)":10,"max":20}}}"#,
        );
        let us = figures.times.all().map(|time| time.map(|ns| ns / 1000));
        assert_eq!(us, [100, 200, 3000, 10_000, 20_000].map(Some));
        assert_eq!((figures.requests, figures.failed, figures.achieved_per_s), (1960, 44, Some(980.0)));
    }
}
