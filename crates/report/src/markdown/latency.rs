use velo_judge::JudgedWorkload;

use super::document::{Document, Rows};
use crate::view::latency::{self, AtRate};

/// The second ranking: CPU time at one rate for all.
pub(super) fn add_equal_work(
    workload: &JudgedWorkload,
    nothing_ranked: Option<&str>,
    document: &mut Document,
) {
    let ranking = &workload.equal_work;
    if let Some(reason) = &ranking.left_out {
        if workload.rows.iter().any(|row| row.windows > 0) {
            document.paragraph(&format!("Equal work left out: {reason}."));
        }
        return;
    }
    document.heading(3, "Equal work");
    for group in &ranking.groups {
        document.paragraph(&latency::equal_work(group));
        let mut table = Rows::new("r l r r r r r");
        for row in &group.rows {
            table.row(latency::equal_work_row(row, group, workload).map(Some));
        }
        let headers = ["rank", "contender", "CPU/request", "per core-second", "CPUs used", "p50", "p99"];
        document.table(headers, table);
        let reasons = latency::not_ranked(group, workload, nothing_ranked);
        reasons.iter().for_each(|reason| document.item(reason));
        document.end();
    }
}

/// Response times at stated rates, and against the rate.
pub(super) fn add(workload: &JudgedWorkload, document: &mut Document) {
    let rows = latency::at_rates(workload);
    if !rows.is_empty() {
        document.heading(3, "Response time");
        document.paragraph("Open loop, Poisson; from the intended start to the last byte.");
        let mut table = Rows::new("l l r r r r r r r r r");
        rows.iter().for_each(|row| table.row(cells(row)));
        let headers = [
            "load",
            "contender",
            "rate/s",
            "sent",
            "p50",
            "p90",
            "p99",
            "p99.9",
            "service p99",
            "CPU/request",
            "CPUs used",
        ];
        document.table(headers, table);
    }
    for row in &workload.rows {
        if let Some(curve) = &row.curve {
            document.heading(3, &format!("Curve of {}", row.contender));
            document.paragraph(&latency::knee(curve));
            let mut table = Rows::new("r r r r");
            for figures in &curve.points {
                let (rate, p99) = latency::point(figures);
                let AtRate { achieved, utilisation, .. } = latency::at_rate(row, figures);
                table.row([Some(rate), Some(achieved), Some(p99), Some(utilisation)]);
            }
            document.table(["rate", "sent", "p99", "CPUs used"], table);
        }
    }
}

fn cells(row: &AtRate) -> [Option<String>; 11] {
    let times = row.times.as_ref();
    [
        Some(row.load.clone()),
        Some(row.contender.clone()),
        Some(row.rate.clone()),
        Some(row.achieved.clone()),
        times.map(|times| times.p50.clone()),
        times.map(|times| times.p90.clone()),
        Some(times.map_or_else(|| "not met".to_owned(), |times| times.p99.clone())),
        times.map(|times| times.p999.clone()),
        times.map(|times| times.service_p99.clone()),
        times.map(|times| times.cpu_with_interval.clone()),
        Some(row.utilisation.clone()),
    ]
}
