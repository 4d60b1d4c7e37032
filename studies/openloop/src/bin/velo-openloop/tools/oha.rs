use std::process::Command;

use serde_json::Value;

use super::{Load, ns, number};
use crate::figures::Figures;
use crate::protocol::Protocol;
use crate::{CONNECTIONS, Outcome};

pub(super) fn prepare(load: &Load, command: &mut Command) -> Outcome<()> {
    command.args(["--no-tui", "--output-format", "json", "--latency-correction"]);
    if load.protocol == Protocol::H2c {
        command.arg("--http2");
    }
    command.args(["-c", &CONNECTIONS.to_string(), "-z", &format!("{}s", load.seconds)]);
    command.args(["-q", &load.per_s.to_string()]).arg(load.url());
    Ok(())
}

pub(super) fn read(_: &Load, stdout: &str) -> Outcome<Figures> {
    let value: Value = serde_json::from_str(stdout)?;
    let time = |name| number(&value, &["latencyPercentiles", name]).map(ns);
    let count = |name: &str, counts: fn(&str) -> bool| -> u64 {
        let entries = value.get(name).and_then(Value::as_object).into_iter().flatten();
        entries.filter(|(key, _)| counts(key)).filter_map(|(_, count)| count.as_u64()).sum()
    };
    // Requests under way at the end are no failures.
    let errors = count("errorDistribution", |error| error != "aborted due to deadline");
    Ok(Figures {
        times: [
            time("p50")?,
            time("p90")?,
            time("p99")?,
            time("p99.9")?,
            ns(number(&value, &["summary", "slowest"])?),
        ]
        .into(),
        achieved_per_s: Some(number(&value, &["summary", "requestsPerSec"])?),
        send_lag_p99_ns: None,
        requests: count("statusCodeDistribution", |_| true),
        failed: errors + count("statusCodeDistribution", |status| status != "200"),
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
            r#"{"summary":{"slowest":0.02,"requestsPerSec":999.5},
            "latencyPercentiles":{"p50":0.0001,"p90":0.0002,"p99":0.003,"p99.9":0.01},
            "statusCodeDistribution":{"200":1990,"500":9},
            "errorDistribution":{"aborted due to deadline":3,"connection refused":2}}"#,
        );
        let us = figures.times.all().map(|time| time.map(|ns| ns / 1000));
        assert_eq!(us, [100, 200, 3000, 10_000, 20_000].map(Some));
        assert_eq!((figures.requests, figures.failed, figures.achieved_per_s), (1999, 11, Some(999.5)));
    }
}
