//! The control: the same program measured as if it were two, A and A'. Their ratio must be 1.

use serde::Serialize;
use velo_model::{ContenderName, Figure};
use velo_record::ContenderState;
use velo_stats::CONFIDENCE;

use crate::doubt::finding::Finding;
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::measure::cell::{Cell, Cells};
use crate::measure::estimate::Estimate;

/// A program against itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Control {
    /// A.
    pub contender: ContenderName,
    /// A': the same program, with processes of its own.
    pub twin: ContenderName,
    /// Goodput of A' over that of A, paired by block; the interval is one of 95 %.
    pub ratio: Option<Estimate>,
    /// Half of the interval's width, relative to the ratio: what this run cannot tell from nothing.
    pub noise_floor: Option<f64>,
    /// Whether the interval holds 1. Of good runs 5 % fail.
    pub holds_one: Option<bool>,
    /// Why there is no interval.
    pub reason: Option<String>,
}

/// The controls of a workload.
pub(crate) fn of_workload(cells: &Cells<'_>, workload: &str) -> Vec<Control> {
    let control = |twin: &Cell<'_>| {
        let contender = twin.record.twin_of.as_ref()?;
        let own = cells.get(workload, contender);
        let ratio = own.and_then(|own| twin.over(own, Figure::Goodput).estimate(CONFIDENCE));
        let interval = ratio.and_then(|ratio| ratio.interval());
        Some(Control {
            contender: contender.clone(),
            twin: twin.record.manifest.name.clone(),
            ratio,
            noise_floor: ratio.and_then(|ratio| ratio.relative_half_width()),
            holds_one: interval.map(|(low, high)| low <= 1.0 && 1.0 <= high),
            reason: interval.is_none().then(|| reason(twin)),
        })
    };
    cells.of_workload(workload).filter_map(control).collect()
}

fn reason(twin: &Cell<'_>) -> String {
    let name = &twin.record.manifest.name;
    match &twin.record.state {
        ContenderState::Excluded { reason, .. } => format!("{name} was excluded: {reason}"),
        ContenderState::Skipped { reason, .. } => format!("{name} was skipped: {reason}"),
        ContenderState::Pending | ContenderState::Measured => {
            "fewer than three launches have both A and A'".to_owned()
        }
    }
}

/// The warning that a control failed, or that there is none though it was planned.
pub(crate) fn verdict(control: &Control, workload: &str) -> Option<Verdict> {
    if let Some(reason) = control.reason.clone() {
        let finding = Finding::NoiseFloorUnknown { workload: workload.to_owned(), reason };
        return Some(Verdict::new(Kind::Hint, Check::Control, finding));
    }
    let ratio = control.ratio.filter(|_| control.holds_one == Some(false))?;
    let finding = Finding::ControlFailed {
        workload: workload.to_owned(),
        contender: control.contender.clone(),
        difference_share: (ratio.value - 1.0).abs(),
        half_width_share: control.noise_floor,
    };
    Some(Verdict::new(Kind::Warning, Check::Control, finding).of(ratio.value, 1.0))
}
