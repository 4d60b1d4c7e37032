//! Some calls on one contender under one condition.

use std::thread;
use std::time::Duration;

use velo_link::LinkHandle;
use velo_load::{Caller, Example};
use velo_record::CallBlock;
use velo_spec::{CallCondition, Workload};

use super::group::Life;
use super::near::near;
use super::plan::{Asked, Plan, record};
use crate::course::rig::Rig;
use crate::progress::Stop;

/// Between two calls, beside a round trip: what ends a connection has passed then, and nothing else is in flight.
const PAUSE: Duration = Duration::from_millis(2);
/// Calls that fail one after the other before the block ends.
const FAILURES: u32 = 3;
/// Wrong answers that are kept in words.
const EXAMPLES: usize = 4;
/// What a call takes beside its round trips, as long as nothing better is known.
const WORK: Duration = Duration::from_millis(3);

/// What a block takes at least.
pub(super) fn will_take(workload: &Workload, condition: &CallCondition) -> Duration {
    let rtt = Duration::from_nanos(condition.rtt_ns());
    let each = rtt * (condition.least_round_trips() + 1) + PAUSE + WORK;
    each * (calls(workload, condition) + 1)
}

fn calls(workload: &Workload, condition: &CallCondition) -> u32 {
    let own = workload.calls.iter().find(|settings| settings.conditions.contains(condition));
    own.map_or(0, |settings| settings.calls)
}

/// One block, which is not on disk yet; nothing when the run was asked to end meanwhile.
pub(super) fn measure(
    rig: &mut Rig<'_>,
    asked: &Asked<'_>,
    life: &mut Life,
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
    let (cpus, stop) = (rig.file.placement.load_cpus.clone(), rig.context.stop);
    let pause = PAUSE + Duration::from_nanos(condition.rtt_ns());
    let count = calls(workload, &condition);
    let network = server.peer().network.clone();
    let link = network.link();
    let made = near(&network, &cpus, || call(&plan, link, count, pause, stop, &mut found));
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

/// The calls, one after the other. False when the run was asked to end.
fn call(
    plan: &Plan,
    link: Option<&LinkHandle>,
    count: u32,
    pause: Duration,
    stop: &Stop,
    found: &mut CallBlock,
) -> bool {
    let mut caller = Caller::new(plan.settings.clone());
    let (mut failures, mut is_first) = (0, true);
    let mut examples = Example::all(&plan.mix, plan.seed);
    let mut left = count;
    while let Some(example) = (left > 0).then(|| examples.next()).flatten() {
        if stop.asked() {
            return false;
        }
        thread::sleep(pause);
        let mark = link.map(LinkHandle::mark);
        let answer = caller.call(&plan.mix, &example);
        // The one that opens what is kept or resumed, and wakes who has waited for its turn.
        let is_counted = !std::mem::take(&mut is_first);
        left -= u32::from(is_counted);
        let wrong = match answer {
            Ok((response, times)) => match plan.judge(&example, &response, &times) {
                Ok(()) => {
                    failures = 0;
                    if is_counted {
                        found.calls.push(record(times, link.zip(mark)));
                    }
                    continue;
                }
                Err(why) => {
                    found.wrong_answers += 1;
                    why
                }
            },
            Err(error) => {
                found.failed += 1;
                failures += 1;
                error.to_string()
            }
        };
        if found.wrong_examples.len() < EXAMPLES {
            found.wrong_examples.push(wrong.clone());
        }
        if failures >= FAILURES {
            found.ended_early =
                Some(format!("{FAILURES} calls without an answer, one after the other: {wrong}"));
            break;
        }
    }
    caller.close();
    true
}
