//! Whether a figure held still.

use velo_judge::SteadyFigure;
use velo_stats::number::percent;

pub(super) fn name(figure: SteadyFigure) -> &'static str {
    match figure {
        SteadyFigure::Goodput => "goodput",
        SteadyFigure::CpuPerRequest => "CPU time per request",
    }
}

pub(super) fn trend(figure: SteadyFigure, change_share: f64) -> String {
    let direction = if change_share > 0.0 { "rose" } else { "fell" };
    let by = percent(change_share.abs());
    format!("{} {direction} by {by} from the first to the last third of a launch", name(figure))
}

pub(super) fn unknown(figure: SteadyFigure, within_share: f64) -> String {
    let within = percent(within_share);
    format!("{} drift within launches not bounded to {within}", name(figure))
}

pub(super) fn task(change_share: f64) -> String {
    let direction = if change_share < 0.0 { "faster" } else { "slower" };
    let by = percent(change_share.abs());
    format!("not steady yet: still {by} {direction} in the last quarter of its iterations")
}
