//! Whether a contender's figure held still while it was measured: goodput, or CPU time per request where the load's rate is stated.

use std::collections::BTreeMap;

use serde::Serialize;
use velo_model::{ContenderName, Figure};
use velo_stats::{LaunchBlocks, SteadyState, steadiness};

use crate::measure::cell::{Cell, Cells};
use crate::measure::estimate::Estimate;
use crate::measure::figures::{Blocks, figure_of_speed};

/// The change of a figure over a launch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steadiness {
    /// Goodput of a closed loop, where what a block did to all contenders is taken out; CPU time per request of a workload with a stated
    /// rate, where nothing is: it depends little on the machine's drift, and compilers at work in most of the contenders would else be
    /// taken for a drift of the others.
    pub figure: Figure,
    /// The figure in the last third of a launch's blocks over that in its first third; `None` when no launch has both.
    pub change: Option<Estimate>,
    /// What follows.
    pub found: Steady,
}

/// What is known of a change over a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Steady {
    /// The whole interval lies within 2 %.
    Steady,
    /// The whole interval lies outside.
    Trend,
    /// Neither: not a pass.
    Unknown,
}

/// What is found of the contenders of a workload, with the launches that it rests on: goodput first, then CPU time per request at
/// the load's own rate, where it has one.
pub(crate) fn of_workload<'c>(
    cells: &'c Cells<'_>,
    workload: &str,
) -> Vec<(&'c ContenderName, Steadiness, usize)> {
    let measured: Vec<&Cell<'_>> =
        cells.of_workload(workload).filter(|cell| !cell.blocks.is_empty()).collect();
    let together =
        by_launch(&measured.iter().map(|cell| cell.of_blocks(Figure::Goodput)).collect::<Vec<_>>());
    let mut all = Vec::new();
    for (contender, cell) in measured.iter().enumerate() {
        let (found, launches) = find(Figure::Goodput, &together, contender);
        all.push((&cell.record.manifest.name, found, launches));
    }
    for cell in cells.of_workload(workload) {
        let Some(rate_per_s) = cell.workload.load.rate_per_s else { continue };
        let figure = figure_of_speed(cell.workload);
        let blocks = cell.of_rate(figure, rate_per_s);
        if !blocks.is_empty() {
            let (found, launches) = find(figure, &by_launch(&[blocks]), 0);
            all.push((&cell.record.manifest.name, found, launches));
        }
    }
    all
}

fn find(figure: Figure, launches: &[LaunchBlocks], contender: usize) -> (Steadiness, usize) {
    let found = steadiness(launches, contender);
    let found = Steadiness {
        figure,
        change: found.change.map(Into::into),
        found: match found.state {
            SteadyState::Steady => Steady::Steady,
            SteadyState::Trend => Steady::Trend,
            SteadyState::Unknown => Steady::Unknown,
        },
    };
    let own = launches.iter().filter(|blocks| blocks.iter().any(|block| block[contender].is_some()));
    (found, own.count())
}

/// The logarithm of each contender's figure, block by block, in every launch.
fn by_launch(measured: &[Blocks]) -> Vec<LaunchBlocks> {
    let mut launches: BTreeMap<u32, BTreeMap<u32, Vec<Option<f64>>>> = BTreeMap::new();
    for (contender, figures) in measured.iter().enumerate() {
        for (&(launch, block), figure) in figures {
            let blocks = launches.entry(launch).or_default();
            let block = blocks.entry(block).or_insert_with(|| vec![None; measured.len()]);
            block[contender] = Some(figure.ln());
        }
    }
    launches.into_values().map(|blocks| blocks.into_values().collect()).collect()
}
