//! A server's row as lines.

use velo_judge::{PacedFigures, Percentiles, Row};
use velo_model::Figure;
use velo_record::RatePurpose;

use crate::lines::{Lines, data, estimate, some};

/// `load`: that of the workload.
pub(crate) fn row(lines: &mut Lines, workload: &str, load: &str, row: &Row) {
    let about = format!("{workload} | {}", row.contender);
    let version = row.version.as_deref().unwrap_or("none");
    lines.say([&about, "is", &data(&row.class), &row.protocol.to_string(), version]);
    lines.say([&about, "state", &row.standing(), &data(&row.state)]);
    lines.say([&about, "counted", &format!("launches={} windows={}", row.launches, row.windows)]);
    lines.figure(&about, &data(&Figure::Goodput), load, row.goodput_per_s);
    lines.say([&about, "goodput is", if row.at_least { "at least" } else { "exact" }]);
    lines.figure(&about, &data(&Figure::CpuPerRequest), load, row.cpu_per_request_ns);
    lines.figure(&about, "instructions of a request", load, row.counters.instructions_per_request);
    lines.figure(&about, "cycles of a request", load, row.counters.cycles_per_request);
    lines.figure(&about, "score", load, row.against_baseline);
    let processes = &row.processes;
    let spans = format!("processes: {} threads: {}", data(&processes.processes), data(&processes.threads));
    lines.say([&about, "runs", &spans]);
    lines.figure(&about, &data(&Figure::Startup), "no load", processes.startup_ns);
    lines.number(&about, "memory, steady, bytes", processes.memory_steady_bytes);
    lines.number(&about, "memory, peak, bytes", processes.memory_peak_bytes);
    if let Some(cold) = &row.cold {
        lines.figure(&about, "cold goodput", load, cold.goodput_per_s);
        lines.figure(&about, "cold cpu-per-request", load, cold.cpu_per_request_ns);
        percentiles(lines, &about, "cold service time", cold.service_time.as_ref());
    }
    percentiles(lines, &about, "service time", row.service_time.as_ref());
    row.limit.iter().for_each(|limit| lines.say([&about, "limit", &data(limit)]));
    row.latency.iter().for_each(|paced| paced_figures(lines, &about, paced));
    if let Some(curve) = &row.curve {
        curve.points.iter().for_each(|paced| paced_figures(lines, &about, paced));
        lines.say([&about, "knee", &data(&curve.knee)]);
    }
    if let Some(steadiness) = &row.steadiness {
        let change = steadiness.change.map_or_else(|| "none".to_owned(), |change| estimate(&change));
        lines.say([&about, "steadiness", &data(&steadiness.figure), &data(&steadiness.found), &change]);
    }
    if let Some(consistency) = &row.consistency {
        let figure = data(&consistency.figure);
        consistency.findings.iter().for_each(|one| lines.say([&about, "consistency", &figure, &data(one)]));
    }
    lines.say([&about, "answers", &data(&row.answers)]);
    for (number, example) in row.wrong_examples.iter().enumerate() {
        lines.say([&about, &format!("wrong example {}", number + 1), example]);
    }
    lines.say([&about, "Little's law", &data(&row.littles_law)]);
    if let Some(coin) = &row.coin {
        lines.say([&about, "coin", if coin.fair { "fair" } else { "unfair" }]);
        coin.tests.iter().for_each(|test| lines.say([&about, "coin", &data(test)]));
        coin.scatter.iter().for_each(|test| lines.say([&about, "coin", &data(test)]));
    }
    row.fairness.iter().for_each(|fairness| lines.say([&about, "fairness", &data(fairness)]));
    lines.say([&about, "connections", &data(&row.connections)]);
    row.verdicts.iter().for_each(|verdict| lines.verdict(&about, verdict));
}

fn percentiles(lines: &mut Lines, about: &str, of: &str, percentiles: Option<&Percentiles>) {
    if let Some(percentiles) = percentiles {
        lines.say([about, of, &data(percentiles)]);
    }
}

/// Those at the common rate are called as the ranking by them is.
fn paced_figures(lines: &mut Lines, about: &str, paced: &PacedFigures) {
    let mut load = format!("open loop {:?}/s", paced.rate_per_s);
    if paced.purpose != RatePurpose::CommonRate {
        load += &format!(" for {}", data(&paced.purpose));
    }
    let counts = format!(
        "launches={} windows={} offered={} sent={} dropped={} unreadable={}",
        paced.launches, paced.windows, paced.offered, paced.sent, paced.dropped, paced.unreadable_histograms
    );
    let met = format!(
        "{} achieved={} behind={} utilisation={} generator={}",
        if paced.is_met { "met" } else { "not met" },
        some(paced.achieved_share),
        some(paced.behind_share),
        some(paced.utilisation),
        some(paced.generator_busy_share),
    );
    lines.say([about, &load, &counts, &met, &data(&paced.answers)]);
    lines.figure(about, &data(&Figure::CpuAtOneRate), &load, paced.cpu_per_request_ns);
    lines.figure(about, "service-p99", &load, paced.service_p99_ns);
    lines.number(about, &format!("send lag p99, ns | {load}"), paced.send_lag_p99_ns);
    let response = &paced.response;
    lines.say([
        about,
        "response",
        &load,
        &format!("samples={} max={}", response.samples, some(response.max_ns)),
    ]);
    lines.figure(about, "response-mean", &load, response.mean_ns);
    for (percentile, _, figure) in response.listed() {
        lines.figure(about, &format!("response-{percentile}"), &load, figure);
    }
}
