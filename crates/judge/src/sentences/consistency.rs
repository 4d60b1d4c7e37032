//! How the parts of a run differ.

use crate::doubt::consistency::{ConsistencyFinding, ConsistencyOf};
use crate::words::load::time_ns;
use crate::words::{percent, rate};
use velo_model::{Figure, FigureRow, Unit};
use velo_stats::number::digits;

impl ConsistencyFinding {
    /// `goodput fell by 30 % from the first launch to the last: 48,000/s, then 33,600/s`.
    pub fn in_words(&self, figure: Figure) -> String {
        let FigureRow { name: figure, unit, .. } = *figure.row();
        let text = |value: f64| match unit {
            Unit::PerSecond => rate(value, 3),
            Unit::Nanoseconds => time_ns(value, 3),
            Unit::Bytes | Unit::Ratio => digits(value, 3),
        };
        let (before, after) = (text(self.before), text(self.after));
        let change = self.ratio - 1.0;
        let direction = if change > 0.0 { "rose" } else { "fell" };
        let by = percent(change.abs());
        match self.of {
            ConsistencyOf::Blocks => {
                let proof = self.proof.map(|proof| format!(" and {} in the proof", text(proof)));
                format!(
                    "its counted windows are unlike its warm-up: {figure} {after} in them, {before} at the end of the warm-up{}",
                    proof.unwrap_or_default()
                )
            }
            ConsistencyOf::Launch => {
                format!(
                    "{figure} {direction} by {by} from the first to the last third of a launch: {before}, then {after}"
                )
            }
            ConsistencyOf::Launches => {
                format!(
                    "{figure} {direction} by {by} from the first launch to the last: {before}, then {after}"
                )
            }
        }
    }
}
