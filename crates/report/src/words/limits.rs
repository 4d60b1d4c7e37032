//! What limited goodput, and whether the generator matters.

use velo_judge::LimitFinding;
use velo_stats::number::percent;

pub(super) fn bottleneck(finding: &LimitFinding) -> String {
    let words = finding.in_words();
    if finding.is_contenders() && finding.uneven { format!("uneven: {words}") } else { words }
}

pub(super) fn matters(slowed_ns: u64, cost_share: Option<f64>) -> String {
    format!("{} cost {}", slowing(slowed_ns), percent(cost_share.unwrap_or(f64::NAN)))
}

pub(super) fn unresolved(slowed_ns: u64, within_share: f64) -> String {
    format!(
        "generator headroom test inconclusive (+{} µs per request, resolution {})",
        slowed_ns as f64 / 1e3,
        percent(within_share)
    )
}

fn slowing(slowed_ns: u64) -> String {
    format!("slowing the generator by {} µs a request", slowed_ns as f64 / 1e3)
}
