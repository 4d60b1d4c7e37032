use velo_judge::JudgedWorkload;

use super::page::Page;
use super::table::Table;
use crate::terminal::style::Style;
use crate::view::latency::{self, AtRate};

/// The second ranking: CPU time at one rate for all. That there is none is said where something was measured.
pub(super) fn print_equal_work(workload: &JudgedWorkload, nothing_ranked: Option<&str>, page: &mut Page) {
    let ranking = &workload.equal_work;
    if let Some(reason) = &ranking.left_out {
        if workload.rows.iter().any(|row| row.windows > 0) {
            page.blank();
            page.labelled("equal work", Style::Strong, 12, &format!("left out: {reason}"), Style::Faint);
        }
        return;
    }
    for group in &ranking.groups {
        page.blank();
        page.labelled("equal work", Style::Strong, 12, &latency::equal_work(group), Style::Faint);
        let headers = vec!["rank", "contender", "CPU/request", "per core-s", "used", "p50", "p99"];
        let mut table = Table::new(headers);
        for row in &group.rows {
            table.row(latency::equal_work_row(row, group, workload).to_vec());
        }
        table.print(page);
        for reason in latency::not_ranked(group, workload, nothing_ranked) {
            page.labelled("", Style::Plain, 2, &reason, Style::Faint);
        }
    }
}

/// Response times at shares of the contenders' own highest rates, and against the rate. Those at equal work stand in its
/// table.
pub(super) fn print(workload: &JudgedWorkload, page: &mut Page) {
    let mut rows = latency::at_rates(workload);
    rows.retain(|row| !row.is_equal_work);
    if !rows.is_empty() {
        page.blank();
        let what = "open loop, Poisson; from the intended start to the last byte";
        page.labelled("response time", Style::Strong, 15, what, Style::Faint);
        let headers = vec!["load", "contender", "rate/s", "p50", "p99", "p99.9", "CPU/request"];
        let mut table = Table::new(headers);
        rows.iter().for_each(|row| table.row(cells(row)));
        table.print(page);
    }
    for row in &workload.rows {
        if let Some(curve) = &row.curve {
            page.blank();
            page.labelled("curve", Style::Strong, 7, row.contender.as_str(), Style::Plain);
            page.labelled("", Style::Plain, 2, &latency::knee(curve), Style::Plain);
            page.labelled("", Style::Plain, 2, &latency::points(curve), Style::Faint);
        }
    }
}

fn cells(row: &AtRate) -> Vec<String> {
    let unknown = || "-".to_owned();
    let times = match &row.times {
        Some(times) => [&times.p50, &times.p99, &times.p999, &times.cpu_per_request].map(String::clone),
        None => [unknown(), "not met".to_owned(), unknown(), unknown()],
    };
    let first = [row.load.clone(), row.contender.clone(), row.rate.clone()];
    first.into_iter().chain(times).collect()
}
