//! Whether a gate that is under way needs to go on.

use velo_model::Figure;
use velo_record::{RunFile, Window};

use super::figures;
use super::numbers::Sides;
use super::question::GateQuestion;
use super::result::{GateFigure, GateState};
use crate::run::judge::judge_run;

/// What a look has found of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookedFigure {
    /// Which.
    pub figure: Figure,
    /// What is known of it.
    pub state: GateState,
    /// The head's over the base's; `None` where there is no number.
    pub ratio: Option<f64>,
    /// A change for the worse is accepted.
    pub is_accepted: bool,
}

/// Looks at a run after this launch, in the order of the question's figures; empty when a side has no place
/// in it.
pub fn look(file: &RunFile, windows: &[Window], question: &GateQuestion, launch: u32) -> Vec<LookedFigure> {
    let run = judge_run(file, windows);
    let Some(sides) = Sides::of(&run, &question.base, &question.head) else { return Vec::new() };
    let planned = file.plan.as_ref().map_or(0, |plan| plan.launches);
    figures::of(&sides, question, &question.looks(planned), launch).iter().map(LookedFigure::of).collect()
}

/// Whether what was found is enough: a figure is worse, and that is not accepted, or all of them are known.
pub fn is_decided(found: &[LookedFigure]) -> bool {
    let is_worse = |one: &LookedFigure| one.state == GateState::Worse && !one.is_accepted;
    let is_open = |one: &LookedFigure| one.state == GateState::Undecided;
    let has_number = found.iter().any(|one| one.state != GateState::Missing);
    has_number && (found.iter().any(is_worse) || !found.iter().any(is_open))
}

impl LookedFigure {
    fn of(figure: &GateFigure) -> Self {
        let ratio = figure.ratio.map(|ratio| ratio.value);
        Self { figure: figure.figure, state: figure.state, ratio, is_accepted: figure.is_accepted }
    }
}
