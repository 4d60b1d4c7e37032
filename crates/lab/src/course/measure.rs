//! The measuring of a run: its tasks, then the launches of its servers, then single calls.

use velo_model::Role;
use velo_record::{RunFile, RunState};

use crate::LabError;
use crate::clock;
use crate::course::calls::Calls;
use crate::course::launches::Launches;
use crate::course::rig::Rig;
use crate::course::tasks::Tasks;
use crate::options::SingleCalls;
use crate::prepare::verify::Passed;
use crate::prepare::verify::VerifiedTask;

/// Measures, and returns the run as it ended, with what kept it from its end or from saying so in its folder.
pub(crate) fn measure(rig: Rig<'_>, passed: Passed) -> (RunFile, Option<LabError>) {
    let mut calls = Calls::of(&rig, &passed.servers);
    let is_only_calls = rig.options.single_calls == SingleCalls::Only;
    let is_client = |task: &VerifiedTask| rig.context.records[task.record].manifest.role == Role::Client;
    let has_only_clients =
        passed.servers.is_empty() && calls.is_empty() && passed.tasks.iter().all(is_client);
    let budget = has_only_clients.then_some(rig.options.budget);
    let own = if is_only_calls { Vec::new() } else { passed.tasks };
    let mut tasks = Tasks::of(own, rig.options.quick, budget);
    let mut launches = Launches::of(rig, if is_only_calls { Vec::new() } else { passed.servers });
    let result = all(&mut tasks, &mut launches, &mut calls);
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

/// All tasks, all launches and all single calls. Returns when they are done, nobody is left, or the run was asked to end.
fn all(tasks: &mut Tasks, launches: &mut Launches<'_>, calls: &mut Calls) -> Result<(), LabError> {
    if launches.rig.stopped() || (tasks.is_empty() && calls.is_empty() && !launches.may_go_on()) {
        return Ok(());
    }
    let began = launches.rig.now();
    tasks.tell(&mut launches.rig);
    if launches.may_go_on() {
        launches.tell_estimate();
        launches.tell_bursts();
    }
    calls.tell(&mut launches.rig);
    let result = tasks
        .measure(&mut launches.rig)
        .and_then(|()| launches.measure())
        .and_then(|()| calls.measure(&mut launches.rig));
    launches.rig.file.timings.measure_ns = launches.rig.context.clock.since(began).as_nanos() as u64;
    result
}
