use serde_json::{Map, Value, json};
use velo_judge::gate::GateRun;
use velo_model::Figure;

/// The head's figures in Bencher's own JSON (Bencher Metric Format, adapter `json`): a benchmark of the
/// contender and the workload, and a measure for each figure that is known.
pub fn bencher(gate: &GateRun) -> String {
    let measures: Map<String, Value> = gate
        .figures
        .iter()
        .filter_map(|one| {
            let head = one.head?;
            let mut measure = json!({ "value": head.value });
            if let Some((low, high)) = head.interval() {
                measure["lower_value"] = json!(low);
                measure["upper_value"] = json!(high);
            }
            Some((name(one.figure), measure))
        })
        .collect();
    let benchmark = format!("{} on {}", gate.contender, gate.workload);
    let all = if measures.is_empty() { json!({}) } else { json!({ benchmark: measures }) };
    format!("{all:#}\n")
}

/// Bencher knows `throughput`; times are in nanoseconds as its `latency` is.
fn name(figure: Figure) -> String {
    match figure {
        Figure::Goodput => "throughput".to_owned(),
        other => other.row().name.to_lowercase().replace(' ', "-"),
    }
}
