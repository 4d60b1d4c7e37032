//! Courses in which contenders behave, or do not.

use std::collections::BTreeMap;

use velo_model::PartyRole;
use velo_record::{EndedBy, RunState, Stage};

use super::machine::world::Fault;
use super::*;
use crate::sides::origin::Peer;

const THREE: [&str; 3] = ["go/fast", "go/middle", "go/slow"];

fn three() -> Vec<(&'static str, Model)> {
    THREE.into_iter().zip([40_000.0, 30_000.0, 20_000.0].map(Model::new)).collect()
}

/// Three contenders of which the middle one has faults.
fn with(faults: &[(u32, Fault)]) -> Course {
    let mut models = three();
    models[1].1.faults = faults.to_vec();
    Course::new(&models)
}

#[test]
fn every_contender_has_its_planned_windows_in_interleaved_order() {
    let mut course = Course::new(&three());
    course.options.budget = 130 * SECOND;
    let outcome = course.run();
    assert!(outcome.failed.is_none());
    assert_eq!(outcome.file.state, RunState::Complete);
    assert_eq!(outcome.file.ended_by, Some(EndedBy::Plan));
    let plan = outcome.file.plan.clone().expect("a plan");
    assert!(plan.launches >= 5 && plan.blocks >= 5 && plan.not_ranked.is_none(), "{plan:?}");
    assert_eq!(plan.common_rates.len(), 1, "all are of one speed");
    let mut orders = BTreeSet::new();
    for launch in 1..=plan.launches {
        for block in 1..=plan.blocks {
            let order = outcome.block(launch, block);
            let all: BTreeSet<&str> = order.iter().map(String::as_str).collect();
            assert_eq!((order.len(), all), (3, BTreeSet::from(THREE)), "launch {launch}, block {block}");
            orders.insert(order);
        }
    }
    assert_eq!(orders.len(), 6, "all orders of three come up");
    let windows = plan.launches * (plan.blocks + plan.full_blocks()) * 3;
    assert_eq!(
        outcome.counted().len() as u32,
        windows,
        "each at full speed and in some blocks at the common rate"
    );
    // Positions count the windows of a block; the time on disk is that in which they were measured.
    assert!(outcome.counted().is_sorted_by_key(|window| (window.launch, window.block, window.position)));
    assert!(outcome.windows.is_sorted_by_key(|window| window.started_ns));
    for name in THREE {
        let record = outcome.record(name);
        assert_eq!(record.state, ContenderState::Measured);
        assert_eq!(record.launches.len() as u32, plan.launches);
        assert!(record.launches.iter().all(|own| own.stop.as_ref().is_some_and(|stop| stop.by_sigterm)));
        assert!(record.launches.iter().all(|own| own.startup_ns == Some(40_000_000)));
    }
    assert_eq!(outcome.world.lives(), THREE.map(|name| (name.to_owned(), plan.launches)).into());
}

#[test]
fn memory_of_all_is_read_before_the_first_is_ended() {
    let outcome = Course::new(&three()).run();
    for name in THREE {
        for own in &outcome.record(name).launches {
            assert_eq!(own.memory_steady_bytes, Some(20_000_000), "{name} in launch {}", own.launch);
        }
    }
}

#[test]
fn a_course_is_the_same_for_the_same_seed_and_another_for_another() {
    let windows = |seed| {
        let mut course = Course::new(&three());
        course.options.seed = seed;
        course.run().windows
    };
    assert_eq!(windows(1), windows(1));
    let order = |seed| -> Vec<ContenderName> {
        windows(seed).into_iter().filter(is_goodput).map(|window| window.contender).collect()
    };
    assert_ne!(order(1), order(2));
}

#[test]
fn the_measuring_keeps_to_its_budget_and_to_what_was_said() {
    for budget in [20, 40] {
        let mut course = Course::new(&three());
        course.options.budget = budget * SECOND;
        let outcome = course.run();
        let plan = outcome.file.plan.clone().expect("a plan");
        assert!(outcome.took <= budget * SECOND, "{budget} s: {:?}", outcome.took);
        let expected = Duration::from_nanos(plan.expected_ns);
        assert!(expected <= budget * SECOND && outcome.took.mul_f64(0.7) < expected, "{expected:?}");
        assert_eq!(u128::from(outcome.file.timings.measure_ns), outcome.took.as_nanos());
    }
}

#[test]
fn what_does_not_fit_a_budget_is_left_out_and_said() {
    let mut course = Course::new(&three());
    course.options.budget = SECOND;
    let outcome = course.run();
    let plan = outcome.file.plan.clone().expect("a plan");
    assert!(plan.not_ranked.is_some() && plan.needed_budget_s.is_some_and(|needed| needed > 1), "{plan:?}");
    assert_eq!(outcome.file.ended_by, Some(EndedBy::Plan));
    assert_eq!(outcome.block(1, 1).len(), 3, "there is something to see all the same");
}

#[test]
fn a_contender_that_dies_in_a_launch_is_excluded_and_the_others_go_on() {
    // It has its warm-up behind it, and some blocks.
    let outcome = with(&[(2, Fault::DiesAfter(14_000))]).run();
    assert_eq!(outcome.file.state, RunState::Complete);
    let ContenderState::Excluded { stage, reason, .. } = &outcome.record("go/middle").state else {
        panic!("{:?}", outcome.record("go/middle").state)
    };
    assert_eq!(*stage, Stage::Measure);
    assert!(reason.contains("it ended under load"), "{reason}");
    let launches = &outcome.record("go/middle").launches;
    assert_eq!(launches.len(), 2);
    assert_eq!(launches[1].ended_early.as_ref(), Some(reason));
    assert_eq!(outcome.launches_of("go/middle"), BTreeSet::from([1, 2]), "what it did before stands");
    let plan = outcome.file.plan.clone().expect("a plan");
    for other in ["go/fast", "go/slow"] {
        assert_eq!(outcome.record(other).state, ContenderState::Measured);
        let goodput = outcome.windows.iter().filter(|window| is_goodput(window));
        let own = goodput.filter(|window| window.contender == name(other)).count() as u32;
        assert_eq!(own, plan.launches * plan.blocks);
    }
    let told = |event: &&Event| matches!(event, Event::Excluded { .. });
    assert_eq!(outcome.events.iter().filter(told).count(), 1);
}

#[test]
fn one_that_never_starts_is_excluded_and_the_plan_is_that_of_the_others() {
    let mut course = with(&[(1, Fault::DoesNotStart)]);
    course.options.budget = 130 * SECOND;
    let outcome = course.run();
    assert!(outcome.excluded("go/middle").is_some_and(|reason| reason.contains("no correct answer")));
    assert!(outcome.launches_of("go/middle").is_empty());
    let plan = outcome.file.plan.clone().expect("a plan");
    let groups: Vec<_> = plan.common_rates.iter().flat_map(|group| group.contenders.clone()).collect();
    assert!(!groups.contains(&name("go/middle")) && groups.len() == 2, "{groups:?}");
    assert_eq!(outcome.block(1, 1).len(), 2);
    assert!(plan.launches >= 5, "what it was waited for does not count: {plan:?}");
}

#[test]
fn one_that_does_not_start_again_keeps_what_it_has() {
    let outcome = with(&[(3, Fault::DoesNotStart)]).run();
    assert!(outcome.excluded("go/middle").is_some());
    assert_eq!(outcome.launches_of("go/middle"), BTreeSet::from([1, 2]));
    assert_eq!(outcome.record("go/fast").state, ContenderState::Measured);
}

#[test]
fn one_that_cannot_bear_to_be_connected_to_early_is_started_once_more() {
    let outcome = with(&[(1, Fault::CannotBearEarlyConnections)]).run();
    let launches = &outcome.record("go/middle").launches;
    let startups: Vec<Option<u64>> = launches.iter().map(|launch| launch.startup_ns).collect();
    assert_eq!(startups[0], None, "how long it takes is not known then");
    assert!(startups[1..].iter().all(Option::is_some));
    assert_eq!(outcome.record("go/middle").state, ContenderState::Measured);
}

#[test]
fn processes_that_change_end_a_launch_and_in_two_launches_the_contender() {
    let once = with(&[(2, Fault::ForksAfter(14_000))]).run();
    assert_eq!(once.record("go/middle").state, ContenderState::Measured);
    let early: BTreeMap<u32, &str> = (once.record("go/middle").launches.iter())
        .filter_map(|launch| Some((launch.launch, launch.ended_early.as_deref()?)))
        .collect();
    assert_eq!(early.keys().copied().collect::<Vec<_>>(), [2]);
    assert!(early[&2].contains("its processes changed under load"), "{early:?}");
    let plan = once.file.plan.clone().expect("a plan");
    assert_eq!(once.launches_of("go/middle"), (1..=plan.launches).collect(), "it is started again");
    let twice = with(&[(2, Fault::ForksAfter(14_000)), (3, Fault::ForksAfter(14_000))]).run();
    assert!(twice.excluded("go/middle").is_some_and(|reason| reason.ends_with("in 2 launches")));
    assert_eq!(twice.launches_of("go/middle"), BTreeSet::from([1, 2, 3]));
}

#[test]
fn one_that_forks_while_it_warms_up_has_no_fixed_number_of_processes() {
    let outcome = with(&[(1, Fault::ForksAfter(1_000))]).run();
    let reason = outcome.excluded("go/middle").expect("a reason");
    assert!(reason.starts_with("1 processes when it was verified and 2 after warm-up"), "{reason}");
    assert!(outcome.counted().iter().all(|window| window.contender != name("go/middle")));
}

#[test]
fn one_that_answers_nothing_is_given_up_after_three_windows() {
    let outcome = with(&[(1, Fault::IsSilent)]).run();
    assert!(outcome.excluded("go/middle").is_some_and(|reason| reason.starts_with("3 windows in a row")));
    let own = outcome.windows.iter().filter(|window| window.contender == name("go/middle"));
    assert_eq!(own.count(), 3);
}

#[test]
fn one_that_is_silent_in_the_short_first_windows_of_several_loads_is_waited_for() {
    let mut course = with(&[(1, Fault::IsSilentFor(SECOND))]);
    for name in ["second", "third", "fourth"] {
        course.add_load(name);
    }
    let outcome = course.run();
    assert_eq!(outcome.record("go/middle").state, ContenderState::Measured);
    let own = outcome.windows.iter().filter(|window| window.contender == name("go/middle"));
    let silent = own.take_while(|window| window.outcomes.correct == 0).count();
    assert!(silent > 3, "{silent}");
}

#[test]
fn one_that_does_not_leave_when_told_is_killed_and_excluded() {
    let outcome = with(&[(2, Fault::DoesNotLeave)]).run();
    assert!(outcome.excluded("go/middle").is_some_and(|reason| reason.contains("SIGTERM")));
    let stops: Vec<bool> = (outcome.record("go/middle").launches.iter())
        .filter_map(|launch| Some(launch.stop.as_ref()?.by_sigterm))
        .collect();
    assert_eq!(stops, [true, false]);
    assert_eq!(outcome.record("go/slow").state, ContenderState::Measured);
}

#[test]
fn without_what_loads_the_run_fails_and_keeps_what_it_has() {
    let course = Course::new(&three());
    course.world.lose_load_after(70);
    let outcome = course.run();
    assert!(matches!(outcome.failed, Some(LabError::Unfit { .. })), "{:?}", outcome.failed);
    assert_eq!((outcome.file.state, outcome.windows.len()), (RunState::Running, 70));
    assert!(outcome.world.abandoned() > 0);
}

#[test]
fn one_that_runs_already_is_measured_and_neither_seen_nor_ended() {
    let mut course = Course::new(&three());
    let peer = Peer::own(([127, 0, 0, 1], 80).into(), None, Default::default());
    course.passed.servers[1] =
        Verified { record: 1, origin: Origin::Running { peer, found: None }, stop_ns: 0, processes: 0 };
    let outcome = course.run();
    let record = outcome.record("go/middle");
    assert_eq!(record.state, ContenderState::Measured);
    assert!(record.launches.iter().all(|launch| launch.stop.is_none() && launch.processes.is_none()));
    let (own, others): (Vec<&Window>, Vec<&Window>) =
        outcome.counted().into_iter().partition(|window| window.contender == name("go/middle"));
    assert!(
        own.iter().all(|window| window.outcomes.correct > 0 && window.cpu_ns(PartyRole::Contender).is_none())
    );
    assert!(others.iter().all(|window| window.cpu_ns(PartyRole::Contender).is_some()));
    // What it uses cannot be told from what others use.
    assert!(outcome.windows.iter().all(|window| window.host.others_share.is_none()));
}

#[test]
fn when_nobody_is_left_the_run_ends() {
    let outcome = Course::new(&[("go/only", Model::new(1e4).fault(2, Fault::DiesAfter(3_000)))]).run();
    assert_eq!((outcome.file.state, outcome.file.ended_by), (RunState::Complete, None));
    assert_eq!(outcome.launches_of("go/only"), BTreeSet::from([1, 2]));
}

#[test]
fn a_contiguous_schedule_takes_one_contender_after_the_other() {
    let mut course = Course::new(&three());
    course.options.schedule = TurnOrder::Contiguous;
    let outcome = course.run();
    let first: Vec<&ContenderName> = (outcome.windows.iter())
        .filter(|window| is_goodput(window) && window.launch == 1)
        .map(|window| &window.contender)
        .collect();
    let mut runs = first.clone();
    runs.dedup();
    assert_eq!(runs.len(), 3, "{runs:?}");
}

#[test]
fn a_compiler_that_is_taken_by_surprise_when_loads_change_has_seen_that_in_the_warm_up() {
    let mut models = three();
    for (_, model) in &mut models {
        model.faults = (1..=50).map(|life| (life, Fault::AdaptsFor(24))).collect();
    }
    let mut course = Course::new(&models);
    course.options.budget = 60 * SECOND;
    course.add_load("other");
    let outcome = course.run();
    let plan = outcome.file.plan.clone().expect("a plan");
    assert!(plan.launches >= 2 && plan.blocks >= 5, "{plan:?}");
    for (text, model) in &models {
        let own = || outcome.windows.iter().filter(|window| window.contender == name(text));
        for window in own().filter(|window| is_goodput(window)) {
            let share = window.goodput_per_s() / model.per_s;
            assert!(share > 0.95, "launch {}, block {}: {share}", window.launch, window.block);
        }
        let in_turn: Vec<&str> = own()
            .filter(|window| matches!(window.kind(), WindowKind::Cold | WindowKind::WarmUp))
            .map(|window| window.workload.as_str())
            .collect();
        let (pairs, rest) = in_turn.as_chunks::<2>();
        assert!(
            rest.is_empty() && pairs.iter().all(|pair| pair == &pairs[0] && pair[0] != pair[1]),
            "{in_turn:?}"
        );
        for launch in &outcome.record(text).launches {
            let windows: Vec<u32> = launch.warm_up.iter().map(|own| own.windows).collect();
            assert!(windows.len() == 2 && windows[0] == windows[1], "{windows:?}");
            assert!(launch.warm_up.iter().all(|own| own.steady));
        }
    }
}
