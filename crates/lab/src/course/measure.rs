//! The measuring of a run: its kinds of measurement, one after the other.

use velo_model::Role;
use velo_record::{RunFile, RunState};

use crate::LabError;
use crate::clock;
use crate::course::calls::Calls;
use crate::course::launches::Launches;
use crate::course::plan::Kind;
use crate::course::rig::Rig;
use crate::course::tasks::Tasks;
use crate::options::SingleCalls;
use crate::prepare::verify::{Passed, VerifiedTask};

/// Measures, and returns the run as it ended, with what kept it from its end or from saying so in its folder.
pub(crate) fn measure(mut rig: Rig<'_>, passed: Passed) -> (RunFile, Option<LabError>) {
    let kinds = kinds(&rig, passed);
    let result = all(&mut rig, kinds);
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

/// Every kind of measurement, in the order in which they are measured.
fn kinds(rig: &Rig<'_>, passed: Passed) -> Vec<Box<dyn Kind>> {
    let calls = Calls::of(rig, &passed.servers);
    let is_client = |task: &VerifiedTask| rig.context.records[task.record].manifest.role == Role::Client;
    let has_only_clients =
        passed.servers.is_empty() && calls.is_empty() && passed.tasks.iter().all(is_client);
    let budget = has_only_clients.then_some(rig.options.budget);
    let Passed { servers, tasks } = match rig.options.single_calls {
        SingleCalls::Only => Passed { servers: Vec::new(), tasks: Vec::new() },
        SingleCalls::No | SingleCalls::Yes => passed,
    };
    vec![
        Box::new(Tasks::of(tasks, rig.options.quick, budget)),
        Box::new(Launches::of(rig, servers)),
        Box::new(calls),
    ]
}

/// Returns when all is measured, or the run was asked to end.
fn all(rig: &mut Rig<'_>, mut kinds: Vec<Box<dyn Kind>>) -> Result<(), LabError> {
    kinds.retain(|kind| !kind.is_empty());
    if rig.stopped() || kinds.is_empty() {
        return Ok(());
    }
    let began = rig.now();
    kinds.iter().for_each(|kind| kind.tell(rig));
    let result = kinds.iter_mut().try_for_each(|kind| if rig.stopped() { Ok(()) } else { kind.measure(rig) });
    rig.file.timings.measure_ns = rig.context.clock.since(began).as_nanos() as u64;
    result
}
