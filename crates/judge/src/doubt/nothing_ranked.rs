//! Why nothing of a run is ranked.

use velo_record::{ContenderState, RunFile, RunState};

use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::measure::blocks::{Disturbed, Unfit};

/// Why nothing of a run is ranked; as JSON it is what it says.
#[derive(Debug, Clone, PartialEq)]
pub enum NothingRanked {
    /// Somebody stopped the run.
    Stopped,
    /// It has not ended, or could not say so.
    NotEnded,
    /// It was asked to be quick.
    QuickLook,
    /// Its plan does not allow it.
    Plan {
        /// Why not, as it was recorded.
        recorded: String,
    },
    /// Fewer launches were planned than a rank needs.
    FewPlanned {
        /// How many.
        launches: u32,
        /// How many it needs.
        needed: u32,
    },
    /// The generator is a debug build, whose figures no comparison of runs may rest on.
    DebugBuild,
    /// No plan was fixed.
    NoPlan,
    /// Nothing but single calls was measured.
    OnlyCalls,
    /// The machine spoilt too much.
    Disturbed(Unfit),
}

/// Why nothing is ranked, when nothing is.
pub(crate) fn of_run(file: &RunFile, disturbed: &Disturbed) -> Option<NothingRanked> {
    // What the person asked for or did explains the rest.
    of_tasks(file).or_else(|| of_plan(file)).or_else(|| disturbed.unfit().map(NothingRanked::Disturbed))
}

/// Why no task is ranked, when none is: tasks have no plan.
pub(crate) fn of_tasks(file: &RunFile) -> Option<NothingRanked> {
    match file.state {
        RunState::Interrupted => Some(NothingRanked::Stopped),
        RunState::Running => Some(NothingRanked::NotEnded),
        RunState::Complete => file.settings.quick.then_some(NothingRanked::QuickLook),
    }
}

fn of_plan(file: &RunFile) -> Option<NothingRanked> {
    let Some(plan) = &file.plan else {
        return match has_only_calls(file) {
            true => Some(NothingRanked::OnlyCalls),
            false => (!has_only_tasks(file)).then_some(NothingRanked::NoPlan),
        };
    };
    let recorded = plan.not_ranked.clone().map(|recorded| NothingRanked::Plan { recorded });
    let (launches, needed) = (plan.launches, LEAST_LAUNCHES);
    recorded.or_else(|| (launches < needed).then_some(NothingRanked::FewPlanned { launches, needed }))
}

/// Whether single calls were made, and no server was loaded.
pub(crate) fn has_only_calls(file: &RunFile) -> bool {
    file.plan.is_none() && !file.calls.is_empty()
}

/// Whether tasks were measured and no server was left to be.
fn has_only_tasks(file: &RunFile) -> bool {
    let is_out = |state: &ContenderState| {
        matches!(state, ContenderState::Excluded { .. } | ContenderState::Skipped { .. })
    };
    file.contenders.iter().any(|record| !record.tasks.is_empty())
        && file.contenders.iter().all(|record| !record.manifest.role.is_server() || is_out(&record.state))
}
