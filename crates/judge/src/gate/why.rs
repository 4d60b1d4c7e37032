//! What each side needed for a request beside CPU time, as far as windows record it.

use std::collections::BTreeMap;

use velo_model::PartyRole;
use velo_record::Party;
use velo_stats::CONFIDENCE;

use super::numbers::{Side, Sides};
use super::result::PerRequest;
use crate::measure::estimate::Estimate;
use crate::measure::figures::{Launches, of_launch};
use crate::measure::launch_logs::estimate;

/// What both sides have, in the order to show it.
pub(super) fn of(sides: &Sides<'_, '_>) -> Vec<PerRequest> {
    let both = |what: &str, of: fn(&Side<'_, '_>) -> Option<Estimate>| {
        Some(PerRequest { what: what.to_owned(), base: of(&sides.base)?, head: of(&sides.head)? })
    };
    let counted = [
        both("context switches", |side| per_request(side, |contender| contender.context_switches)),
        both("instructions", |side| side.row.counters.instructions_per_request),
        both("cycles", |side| side.row.counters.cycles_per_request),
    ];
    counted.into_iter().flatten().collect()
}

/// Over the answers of the window; in each launch the median over blocks, then the mean over launches.
fn per_request(side: &Side<'_, '_>, counted: fn(&Party) -> Option<u64>) -> Option<Estimate> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for window in &side.cell.blocks {
        let answers = window.all().correct;
        let count = window.party(PartyRole::Contender).and_then(counted);
        if let Some(count) = count.filter(|count| *count > 0 && answers > 0) {
            launches.entry(window.launch).or_default().push(count as f64 / answers as f64);
        }
    }
    let launches: Launches =
        launches.into_iter().map(|(launch, of_blocks)| (launch, of_launch(&of_blocks))).collect();
    estimate(&launches, CONFIDENCE)
}
