use velo_judge::JudgedWorkload;

use super::document::{Document, Rows};
use crate::number::{plus_minus, rate, ratio};

/// What the CPU counted; nothing where it counted nothing.
pub(super) fn add(workload: &JudgedWorkload, document: &mut Document) {
    let mut table = Rows::new("l r r r");
    for row in &workload.rows {
        let (instructions, cycles) = (row.counters.instructions_per_request, row.counters.cycles_per_request);
        if instructions.is_none() && cycles.is_none() {
            continue;
        }
        let counted = |estimate: Option<velo_judge::Estimate>| {
            estimate.map(|estimate| {
                let interval = plus_minus(&estimate, rate).unwrap_or_default();
                format!("{} {interval}", rate(estimate.value)).trim_end().to_owned()
            })
        };
        let per_cycle = instructions
            .zip(cycles)
            .filter(|(_, cycles)| cycles.value > 0.0)
            .map(|(instructions, cycles)| ratio(instructions.value / cycles.value));
        table.row([Some(row.contender.to_string()), counted(instructions), counted(cycles), per_cycle]);
    }
    document.table(["counters", "instructions/request", "cycles/request", "instructions/cycle"], table);
}
