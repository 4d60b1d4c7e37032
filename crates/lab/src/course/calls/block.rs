//! Some calls on one contender under one condition.

use std::thread;
use std::time::Duration;

use velo_link::LinkHandle;
use velo_load::{Caller, Example};
use velo_model::{CallCondition, PartyRole};
use velo_record::CallBlock;

use super::group::Life;
use super::pace;
use super::plan::{Asked, Plan, record};
use crate::course::near::near;
use crate::course::rig::Rig;
use crate::host::network::Network;
use crate::progress::Stop;

/// Calls that fail one after the other before the block ends.
const FAILURES: u32 = 3;
/// Wrong answers that are kept in words.
const EXAMPLES: usize = 4;
/// One block over a network, which is not on disk yet; nothing when the run was asked to end meanwhile.
pub(super) fn measure(
    rig: &mut Rig<'_>,
    asked: &Asked<'_>,
    life: &mut Life,
    network: &Network,
    (condition, launch): (CallCondition, u32),
) -> Option<CallBlock> {
    let workload = asked.workload;
    let mut found = CallBlock {
        contender: rig.context.records[life.record].manifest.name.clone(),
        workload: workload.name.clone(),
        launch,
        condition,
        cold: life.cold.take_if(|(of, _)| *of == condition).map(|(_, call)| call),
        calls: Vec::new(),
        wrong_answers: 0,
        failed: 0,
        wrong_examples: Vec::new(),
        others_share: None,
        steal_share: None,
        ended_early: None,
    };
    let server = match &mut life.server {
        Ok(server) => server,
        Err(reason) => {
            found.ended_early = Some(reason.clone());
            return Some(found);
        }
    };
    let plan = match Plan::new(rig, asked, server.peer(), (condition, launch)) {
        Ok(plan) => plan,
        Err(reason) => {
            found.ended_early = Some(reason);
            return Some(found);
        }
    };
    rig.sampler.begin_block();
    server.thaw();
    let (cpus, stop) = (rig.file.placement.cpus(PartyRole::Generator).to_vec(), rig.context.stop);
    let mut turn = Turn {
        plan: &plan,
        examples: Example::all(&plan.mix, plan.seed),
        stop,
        failures: 0,
        found: &mut found,
    };
    let (pause, count) = (pace::pause(&condition), pace::calls(workload, &condition));
    let woken = match pace::wakes_near(&condition) {
        true => near(&life.distances.none, &cpus, || turn.calls(None, 0, pause, true)),
        false => Ok(true),
    };
    let made = match woken {
        Ok(true) => {
            near(network, &cpus, || turn.calls(network.link(), count, pause, !pace::wakes_near(&condition)))
        }
        woken => woken,
    };
    let died = server.is_running().err();
    server.freeze();
    let pids = server.pids();
    match made {
        Ok(true) => {}
        Ok(false) => return None,
        Err(error) => found.ended_early = Some(format!("no thread to call from: {error}")),
    }
    found.ended_early = died.or(found.ended_early);
    life.account(rig);
    let host = rig.sampler.sample(true, || pids);
    (found.others_share, found.steal_share) = (host.others_share, host.steal_share);
    Some(found)
}

/// The calls of a block, one after the other.
struct Turn<'a, E> {
    plan: &'a Plan,
    /// What is asked, call by call.
    examples: E,
    stop: &'a Stop,
    /// One after the other, up to now.
    failures: u32,
    found: &'a mut CallBlock,
}

impl<E: Iterator<Item = Example>> Turn<'_, E> {
    /// Calls that count, after one that does not where it `opens` what is kept or resumed and wakes who has waited for its turn. False
    /// when the run was asked to end.
    fn calls(&mut self, link: Option<&LinkHandle>, count: u32, pause: Duration, opens: bool) -> bool {
        let mut caller = Caller::new(self.plan.settings.clone());
        let mut goes_on = !opens || self.call(&mut caller, link, pause, false);
        for _ in 0..count {
            if !goes_on || self.found.ended_early.is_some() {
                break;
            }
            goes_on = self.call(&mut caller, link, pause, true);
        }
        caller.close();
        goes_on
    }

    /// One call; its answer is judged, and its times are kept where it counts. False when the run was asked to end.
    fn call(
        &mut self,
        caller: &mut Caller,
        link: Option<&LinkHandle>,
        pause: Duration,
        counts: bool,
    ) -> bool {
        let Some(example) = self.examples.next() else { return true };
        if self.stop.asked() {
            return false;
        }
        thread::sleep(pause);
        let mark = link.map(LinkHandle::mark);
        let answer = caller.call(&self.plan.mix, &example);
        let found = &mut *self.found;
        let wrong = match answer {
            Ok((response, times)) => match self.plan.judge(&example, &response, &times) {
                Ok(()) => {
                    self.failures = 0;
                    if counts {
                        found.calls.push(record(times, link.zip(mark)));
                    }
                    return true;
                }
                Err(why) => {
                    found.wrong_answers += 1;
                    why
                }
            },
            Err(error) => {
                found.failed += 1;
                self.failures += 1;
                error.to_string()
            }
        };
        if found.wrong_examples.len() < EXAMPLES {
            found.wrong_examples.push(wrong.clone());
        }
        if self.failures >= FAILURES {
            found.ended_early =
                Some(format!("{FAILURES} calls without an answer, one after the other: {wrong}"));
        }
        true
    }
}
