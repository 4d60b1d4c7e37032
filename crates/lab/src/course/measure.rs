//! The measuring of a run: its tasks, then the launches of its servers.

use velo_record::{RunFile, RunState};

use crate::LabError;
use crate::clock;
use crate::course::launches::Launches;
use crate::course::rig::Rig;
use crate::course::tasks::Tasks;
use crate::prepare::verify::Passed;

/// Measures, and returns the run as it ended, with what kept it from its end or from saying so in its folder.
pub(crate) fn measure(rig: Rig<'_>, passed: Passed) -> (RunFile, Option<LabError>) {
    let mut tasks = Tasks::of(passed.tasks, rig.options.quick);
    let mut launches = Launches::of(rig, passed.servers);
    let result = all(&mut tasks, &mut launches);
    let mut rig = launches.rig;
    rig.file.state = match &result {
        Err(_) => RunState::Running,
        Ok(()) if rig.stopped() => RunState::Interrupted,
        Ok(()) => RunState::Complete,
    };
    rig.file.ended_at = Some(clock::today());
    // A full disk may take no more, and what was measured is told all the same.
    let saved = rig.save();
    let failed = result.and(saved).err();
    (rig.file, failed)
}

/// All tasks and all launches. Returns when they are done, nobody is left, or the run was asked to end.
fn all(tasks: &mut Tasks, launches: &mut Launches<'_>) -> Result<(), LabError> {
    if launches.rig.stopped() || (tasks.is_empty() && !launches.may_go_on()) {
        return Ok(());
    }
    let began = launches.rig.now();
    tasks.tell(&mut launches.rig);
    if launches.may_go_on() {
        launches.tell_estimate();
        launches.tell_bursts();
    }
    let result = tasks.measure(&mut launches.rig).and_then(|()| launches.measure());
    launches.rig.file.timings.measure_ns = launches.rig.context.clock.since(began).as_nanos() as u64;
    result
}
