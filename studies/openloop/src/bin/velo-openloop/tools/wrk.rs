use std::process::Command;

use serde_json::Value;

use super::{Load, number};
use crate::figures::Figures;
use crate::{CONNECTIONS, Outcome};

const SCRIPT: &str = r#"function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        '{"p50_us":%d,"p90_us":%d,"p99_us":%d,"p999_us":%d,"max_us":%d,"requests":%d,"us":%d,"failed":%d}\n',
        latency:percentile(50), latency:percentile(90), latency:percentile(99), latency:percentile(99.9), latency.max,
        summary.requests, summary.duration,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"#;

/// It has no rate: it goes as fast as the server answers.
pub(super) fn prepare(load: &Load, command: &mut Command) -> Outcome<()> {
    let file = load.folder.join("wrk.lua");
    std::fs::write(&file, SCRIPT)?;
    command.args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{}s", load.seconds), "-s"]);
    command.arg(file).arg(load.url());
    Ok(())
}

pub(super) fn read(_: &Load, stdout: &str) -> Outcome<Figures> {
    let line = stdout.lines().rfind(|line| line.starts_with('{')).ok_or("its script printed nothing")?;
    let value: Value = serde_json::from_str(line)?;
    let count = |name| number(&value, &[name]).map(|count| count as u64);
    let time = |name| count(name).map(|us| Some(us * 1000));
    Ok(Figures {
        times: [time("p50_us")?, time("p90_us")?, time("p99_us")?, time("p999_us")?, time("max_us")?].into(),
        achieved_per_s: Some(number(&value, &["requests"])? / (number(&value, &["us"])? / 1e6)),
        send_lag_p99_ns: None,
        requests: count("requests")?,
        failed: count("failed")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::read as read_with;
    use super::*;

    #[test]
    fn the_line_of_its_script_is_understood() {
        let line = r#"{"p50_us":100,"p90_us":200,"p99_us":300,"p999_us":400,"max_us":500,"requests":9,"us":3000000,"failed":1}"#;
        let figures = read_with(read, &format!("Running 3s test\n{line}\n"));
        assert_eq!(figures.times.all(), [100_000, 200_000, 300_000, 400_000, 500_000].map(Some));
        assert_eq!((figures.requests, figures.failed, figures.achieved_per_s), (9, 1, Some(3.0)));
    }
}
