//! Whether a figure held still.

use velo_model::Figure;
use velo_stats::number::percent;

pub(super) fn trend(figure: Figure, change_share: f64) -> String {
    let direction = if change_share > 0.0 { "rose" } else { "fell" };
    let by = percent(change_share.abs());
    format!("{} {direction} by {by} from the first to the last third of a launch", figure.row().name)
}

pub(super) fn unknown(figure: Figure, within_share: f64) -> String {
    let within = percent(within_share);
    format!("{} drift within launches not bounded to {within}", figure.row().name)
}

pub(super) fn task(change_share: f64) -> String {
    let direction = if change_share < 0.0 { "faster" } else { "slower" };
    let by = percent(change_share.abs());
    format!("not steady yet: still {by} {direction} in the last quarter of its iterations")
}
