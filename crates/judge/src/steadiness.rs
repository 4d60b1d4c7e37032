//! Whether a contender's goodput held still while it was measured.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use velo_stats::{LaunchBlocks, STEADY_WITHIN, SteadyState, steadiness};

use crate::cell::{Cell, Cells};
use crate::figures::{Estimate, Quantity};
use crate::row::Row;
use crate::standing::LEAST_LAUNCHES;
use crate::verdict::{Check, Kind, Verdict};
use crate::words::percent;

/// The change of goodput over a launch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Steadiness {
    /// Goodput in the last third of a launch's blocks over that in its first third, what blocks did to all contenders taken
    /// out; `None` when no launch has both.
    pub change: Option<Estimate>,
    /// What follows.
    pub found: Steady,
}

/// What is known of a change over a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Steady {
    /// The whole interval lies within 2 %.
    Steady,
    /// The whole interval lies outside.
    Trend,
    /// Neither: not a pass.
    Unknown,
}

/// Sets the steadiness of all rows of a workload that have counted windows, and says what is to be said of it.
pub(crate) fn add(cells: &Cells<'_>, workload: &str, rows: &mut [Row]) {
    let measured: Vec<&Cell<'_>> =
        cells.of_workload(workload).filter(|cell| !cell.blocks.is_empty()).collect();
    let launches = by_launch(&measured);
    for (contender, cell) in measured.iter().enumerate() {
        let found = steadiness(&launches, contender);
        let found = Steadiness {
            change: found.change.map(Into::into),
            found: match found.state {
                SteadyState::Steady => Steady::Steady,
                SteadyState::Trend => Steady::Trend,
                SteadyState::Unknown => Steady::Unknown,
            },
        };
        if let Some(row) = rows.iter_mut().find(|row| row.contender == cell.record.manifest.name) {
            row.verdicts.extend(found.verdict(row.launches));
            row.steadiness = Some(found);
        }
    }
}

/// The logarithm of each contender's goodput, block by block, in every launch.
fn by_launch(measured: &[&Cell<'_>]) -> Vec<LaunchBlocks> {
    let mut launches: BTreeMap<u32, BTreeMap<u32, Vec<Option<f64>>>> = BTreeMap::new();
    for (contender, cell) in measured.iter().enumerate() {
        for ((launch, block), goodput) in cell.quantity(Quantity::Goodput) {
            let blocks = launches.entry(launch).or_default();
            let block = blocks.entry(block).or_insert_with(|| vec![None; measured.len()]);
            block[contender] = Some(goodput.ln());
        }
    }
    launches.into_values().map(|blocks| blocks.into_values().collect()).collect()
}

impl Steadiness {
    /// With too few launches nothing is ranked, and that is said already.
    fn verdict(&self, launches: u32) -> Option<Verdict> {
        let change = self.change.map_or(f64::NAN, |change| change.value - 1.0);
        let told =
            |kind, words: String| Some(Verdict::new(kind, Check::Steady, words).of(change, STEADY_WITHIN));
        match self.found {
            Steady::Steady => None,
            Steady::Trend => {
                let direction = if change > 0.0 { "rose" } else { "fell" };
                let change = percent(change.abs());
                told(
                    Kind::Warning,
                    format!("goodput {direction} by {change} from the first to the last third of a launch"),
                )
            }
            Steady::Unknown => {
                let within = percent(STEADY_WITHIN);
                let words =
                    format!("whether goodput held still over a launch, within {within}, is not known");
                (launches >= LEAST_LAUNCHES).then(|| told(Kind::Hint, words)).flatten()
            }
        }
    }
}
