//! The first call that a process ever gets.

use velo_load::{Caller, Example};
use velo_model::{CallCondition, PartyRole};
use velo_record::CallRecord;

use super::plan::{Asked, Plan, record};
use crate::course::near::near;
use crate::course::rig::Rig;
use crate::sides::origin::Peer;

/// The first call of a process; nothing when its answer is not right.
pub(super) fn first_call(
    rig: &Rig<'_>,
    asked: &Asked<'_>,
    peer: &Peer,
    condition: CallCondition,
) -> Option<CallRecord> {
    let plan = Plan::new(rig, asked, peer, (condition, 0)).ok()?;
    let made = near(&peer.network, rig.file.placement.cpus(PartyRole::Generator), || {
        let mut caller = Caller::new(plan.settings.clone());
        let example = Example::all(&plan.mix, plan.seed).next()?;
        let (response, times) = caller.call(&plan.mix, &example).ok()?;
        caller.close();
        plan.judge(&example, &response, &times).ok()?;
        Some(record(times, None))
    });
    made.ok().flatten()
}
