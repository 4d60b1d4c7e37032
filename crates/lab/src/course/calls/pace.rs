//! Who is called under which conditions, how often and with which pauses; so how long it takes at least, which is known before
//! anything is started.

use std::time::Duration;

use velo_model::{CallCondition, CallConnection, Contender, Protocol, Workload};

use crate::options::RunOptions;

/// Launches of each contender: one more than a comparison needs, since others may disturb one.
const LAUNCHES: u32 = 6;
/// Of a quick look.
const QUICK_LAUNCHES: u32 = 2;
/// What starting and ending a contender takes, as long as nothing better is known.
const START: Duration = Duration::from_secs(1);
/// Calls before those that are counted, on a connection that is kept and without a link: a run-time may compile meanwhile.
const WARM_UP: Duration = Duration::from_secs(1);
const QUICK_WARM_UP: Duration = Duration::from_millis(200);
/// Between two calls: the server has seen the end of the one before and is done with it.
const PAUSE: Duration = Duration::from_millis(2);
/// What a call takes beside its round trips, as long as nothing better is known.
const WORK: Duration = Duration::from_millis(3);

/// How often each contender is launched.
pub(super) fn launches(options: &RunOptions) -> u32 {
    if options.quick { QUICK_LAUNCHES } else { LAUNCHES }
}

/// How long a contender is warmed up in each launch.
pub(super) fn warm_up(options: &RunOptions) -> Duration {
    if options.quick { QUICK_WARM_UP } else { WARM_UP }
}

/// Calls that count under a condition, in each launch.
pub(super) fn calls(workload: &Workload, condition: &CallCondition) -> u32 {
    let own = workload.calls.iter().find(|settings| settings.conditions.contains(condition));
    own.map_or(0, |settings| settings.calls)
}

/// Between two calls. On a connection that is kept a round trip longer, so that nothing of the call before is on its way. Where a
/// connection is opened the end of the one before is at the server a round trip before anything that it has to answer.
pub(super) fn pause(condition: &CallCondition) -> Duration {
    match condition.connection {
        CallConnection::Kept => PAUSE + Duration::from_nanos(condition.rtt_ns()),
        CallConnection::New | CallConnection::Resumed => PAUSE,
    }
}

/// Whether the call that does not count is made without distance. What it does to a process that has waited for its turn is the
/// same, and where each call has a connection to itself it leaves nothing else.
pub(super) fn wakes_near(condition: &CallCondition) -> bool {
    condition.rtt_ms > 0 && condition.connection == CallConnection::New
}

/// What the calls of a launch on one contender take at least.
fn block(workload: &Workload, condition: &CallCondition) -> Duration {
    let rtt = Duration::from_nanos(condition.rtt_ns());
    let each = rtt * condition.least_round_trips() + pause(condition) + WORK;
    let first = if wakes_near(condition) { PAUSE + WORK } else { each };
    first + each * calls(workload, condition)
}

/// The conditions under which a request is called in one protocol: what contenders are started once for in a launch.
pub(super) struct Sort {
    pub(super) protocol: Protocol,
    /// Which request of the workload, by its index.
    pub(super) request: usize,
    pub(super) conditions: Vec<CallCondition>,
}

/// Those of a workload, in its order.
pub(super) fn sorts(workload: &Workload) -> Vec<Sort> {
    let mut sorts: Vec<Sort> = Vec::new();
    for settings in &workload.calls {
        for &condition in &settings.conditions {
            let (protocol, request) = (condition.protocol, settings.request);
            match sorts.iter_mut().find(|sort| (sort.protocol, sort.request) == (protocol, request)) {
                Some(known) => known.conditions.push(condition),
                None => sorts.push(Sort { protocol, request, conditions: vec![condition] }),
            }
        }
    }
    sorts
}

/// Whether a contender is called under a condition.
pub(super) fn is_called(contender: &Contender, workload: &Workload, condition: &CallCondition) -> bool {
    let is_reached = match contender.runs_at {
        None => contender.is_called_over(condition.protocol),
        // It stays where it is, and speaks what the run asks of it.
        Some(_) => condition.rtt_ms == 0 && condition.protocol == workload.load.protocol,
    };
    workload.is_for(contender) && is_reached
}

/// How long the calls of all launches take at least, on contenders that are not skipped.
pub(crate) fn will_take(options: &RunOptions, workloads: &[Workload], contenders: &[&Contender]) -> Duration {
    let of_sort = |workload: &Workload, sort: &Sort| {
        let of_one = |contender: &&Contender| -> Duration {
            let called = sort.conditions.iter().filter(|condition| is_called(contender, workload, condition));
            let blocks: Duration = called.map(|condition| block(workload, condition)).sum();
            if blocks.is_zero() { blocks } else { START + warm_up(options) + blocks }
        };
        contenders.iter().map(of_one).sum::<Duration>()
    };
    let of_workload =
        |workload: &Workload| sorts(workload).iter().map(|sort| of_sort(workload, sort)).sum::<Duration>();
    workloads.iter().map(of_workload).sum::<Duration>() * launches(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(text: &str) -> CallCondition {
        text.parse().expect("a condition")
    }

    #[test]
    fn only_a_connection_that_is_kept_waits_for_what_is_on_its_way() {
        let pauses = ["http1 new 100ms", "h2 resumed 100ms", "http1 kept 100ms", "http1 kept"]
            .map(|text| pause(&condition(text)).as_millis());
        assert_eq!(pauses, [2, 2, 102, 2]);
    }

    #[test]
    fn what_opens_something_that_later_calls_use_goes_over_the_link() {
        let near = ["http1 new 100ms", "h2 resumed 100ms", "http1 kept 100ms", "http1 new"]
            .map(|text| wakes_near(&condition(text)));
        assert_eq!(near, [true, false, false, false]);
    }
}
