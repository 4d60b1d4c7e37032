use serde_json::{Value, json};
use velo_judge::gate::GateRun;
use velo_model::{Better, Unit};

use crate::number::{change, percent};

/// The head's figures for github-action-benchmark (`customSmallerIsBetter`). Goodput, of which more is
/// better, would be read the wrong way round there and is left out.
pub fn github_benchmark(gate: &GateRun) -> String {
    let entries: Vec<Value> = gate
        .figures
        .iter()
        .filter(|one| one.figure.row().better == Better::Less)
        .filter_map(|one| {
            let head = one.head?;
            let mut entry = json!({
                "name": format!("{} on {}: {}", gate.contender, gate.workload, one.figure.row().name),
                "unit": unit(one.figure.row().unit),
                "value": head.value,
            });
            if let Some(half) = head.relative_half_width() {
                entry["range"] = json!(format!("± {}", percent(half)));
            }
            if let Some(ratio) = one.ratio {
                entry["extra"] = json!(format!("{} against {}", change(ratio.value), gate.base.revision));
            }
            Some(entry)
        })
        .collect();
    format!("{:#}\n", Value::from(entries))
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::PerSecond => "1/s",
        Unit::Nanoseconds => "ns",
        Unit::Bytes => "bytes",
        Unit::Ratio => "ratio",
    }
}
