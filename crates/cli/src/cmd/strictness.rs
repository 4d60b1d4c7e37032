//! `velo verify --strictness`: what contenders do with odd input, and clients with servers that misbehave.

use velo_judge::StrictnessTable;
use velo_model::Workload;
use velo_record::ContenderRecord;
use velo_report::{TerminalOptions, strictness};

use crate::args::StrictnessFormat;
use crate::exit::usage;
use crate::out;

/// The workloads that have odd input.
///
/// # Errors
/// When none has.
pub(super) fn with_odd_input(workloads: Vec<Workload>) -> anyhow::Result<Vec<Workload>> {
    let names: Vec<String> = workloads.iter().map(|workload| workload.name.clone()).collect();
    let has_some =
        |workload: &Workload| workload.cases.iter().any(|case| !case.required) || workload.download.is_some();
    let kept: Vec<Workload> = workloads.into_iter().filter(has_some).collect();
    if kept.is_empty() {
        return Err(usage(format!(
            "--strictness: {} has no case with `required = false`, and no clients\n  name a workload that has, as `velo verify echo --strictness`",
            names.join(", ")
        )));
    }
    Ok(kept)
}

/// Prints a table for each workload in which a contender answered.
pub(super) fn print(
    workloads: &[Workload],
    records: &[ContenderRecord],
    format: Option<StrictnessFormat>,
) -> anyhow::Result<()> {
    let tables = tables(workloads, records);
    out::print(&match format {
        None | Some(StrictnessFormat::Terminal) => {
            strictness::terminal(&tables, &TerminalOptions { colour: true, ..TerminalOptions::default() })
        }
        Some(StrictnessFormat::Markdown) => strictness::markdown(&tables),
        Some(StrictnessFormat::Json) => strictness::json(&tables),
    })
}

fn tables(workloads: &[Workload], records: &[ContenderRecord]) -> Vec<StrictnessTable> {
    let of = |workload: &Workload| StrictnessTable {
        workload: workload.name.clone(),
        cases: velo_judge::strictness(workload, records),
    };
    workloads.iter().map(of).filter(|table| !table.cases.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_without_odd_input_are_left_out_and_none_at_all_is_refused() {
        let plain = || crate::carried::void_named("plain");
        let mut odd = crate::carried::void_named("odd");
        odd.cases[0].required = false;
        let kept = with_odd_input(vec![plain(), odd]).expect("one has some");
        assert_eq!(kept.iter().map(|workload| workload.name.as_str()).collect::<Vec<_>>(), ["odd"]);
        let refused = with_odd_input(vec![plain()]).expect_err("it has none").to_string();
        assert!(refused.starts_with("--strictness: plain has no case"), "{refused}");
    }
}
