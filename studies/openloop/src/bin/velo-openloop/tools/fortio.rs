use std::process::Command;

use serde_json::Value;

use super::{Load, ns, number};
use crate::figures::Figures;
use crate::{CONNECTIONS, Outcome};

pub(super) fn prepare(load: &Load, command: &mut Command) -> Outcome<()> {
    // Its histogram's finest resolution, and starts spread over the threads.
    command.args(["load", "-quiet", "-uniform", "-r", "0.00001", "-p", "50,90,99,99.9", "-json", "-"]);
    command.args(["-c", &CONNECTIONS.to_string(), "-t", &format!("{}s", load.seconds)]);
    command.args(["-qps", &load.per_s.to_string()]).arg(load.url());
    Ok(())
}

pub(super) fn read(_: &Load, stdout: &str) -> Outcome<Figures> {
    let value: Value = serde_json::from_str(stdout)?;
    let percentiles = value.pointer("/DurationHistogram/Percentiles").and_then(Value::as_array);
    let time = |percentile: f64| {
        let entry = percentiles?.iter().find(|entry| entry["Percentile"].as_f64() == Some(percentile))?;
        ns(entry["Value"].as_f64()?)
    };
    let codes = value.get("RetCodes").and_then(Value::as_object).ok_or("its output has no RetCodes")?;
    let count = |right: bool| -> u64 {
        codes
            .iter()
            .filter(|(code, _)| (*code == "200") == right)
            .filter_map(|(_, count)| count.as_u64())
            .sum()
    };
    let max = number(&value, &["DurationHistogram", "Max"])?;
    Ok(Figures {
        times: [time(50.0), time(90.0), time(99.0), time(99.9), ns(max)].into(),
        achieved_per_s: Some(number(&value, &["ActualQPS"])?),
        send_lag_p99_ns: None,
        requests: count(true) + count(false),
        failed: count(false),
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
            r#"{"ActualQPS":968.3,"RetCodes":{"200":1984,"-1":2},"DurationHistogram":{"Max":0.02,"Percentiles":[
            {"Percentile":50,"Value":0.0001},{"Percentile":90,"Value":0.0002},{"Percentile":99,"Value":0.003},
            {"Percentile":99.9,"Value":0.01}]}}"#,
        );
        let us = figures.times.all().map(|time| time.map(|ns| ns / 1000));
        assert_eq!(us, [100, 200, 3000, 10_000, 20_000].map(Some));
        assert_eq!((figures.requests, figures.failed, figures.achieved_per_s), (1986, 2, Some(968.3)));
    }
}
