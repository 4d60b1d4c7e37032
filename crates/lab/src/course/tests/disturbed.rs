//! Courses on a machine that others use.

use velo_record::RunState;

use super::*;

fn two() -> Course {
    Course::new(&[("go/fast", Model::new(40_000.0)), ("go/slow", Model::new(20_000.0))])
}

fn told(outcome: &Outcome) -> Vec<usize> {
    let events = outcome.events.iter().enumerate();
    events.filter(|(_, event)| matches!(event, Event::Disturbed { .. })).map(|(at, _)| at).collect()
}

#[test]
fn on_a_quiet_machine_others_are_seen_to_do_nothing() {
    let outcome = two().run();
    let shares: Vec<f64> = outcome.counted().iter().filter_map(|window| window.host.others_share).collect();
    assert!(shares.len() > 20 && shares.iter().all(|&share| share < 0.02), "{shares:?}");
    assert!(told(&outcome).is_empty());
    assert_eq!(velo_judge::unfit_host(&outcome.file.placement, &outcome.windows), None);
}

#[test]
fn that_a_machine_spoils_its_blocks_is_said_once_after_the_first_launch() {
    let course = two();
    course.world.disturb_after(Duration::ZERO, 0.3);
    let outcome = course.run();
    assert_eq!(outcome.file.state, RunState::Complete, "it is measured all the same");
    let first_ends = outcome.events.iter().position(|event| matches!(event, Event::LaunchDone { .. }));
    let second = |event: &Event| matches!(event, Event::LaunchStarted { launch: 2, .. });
    let second_begins = outcome.events.iter().position(second);
    let [at] = told(&outcome)[..] else { panic!("{:?}", told(&outcome)) };
    assert!(first_ends < Some(at) && Some(at) < second_begins);
    let unfit =
        velo_judge::unfit_host(&outcome.file.placement, &outcome.windows).expect("most are disturbed");
    assert!(unfit.to_string().contains(" blocks do not count: "), "{unfit}");
    let nothing_ranked = velo_judge::judge(&outcome.file, &outcome.windows).nothing_ranked;
    let because = nothing_ranked.expect("nothing is ranked").to_string();
    assert!(because.contains(" blocks do not count: "), "{because}");
    let shares: Vec<f64> = outcome.counted().iter().filter_map(|window| window.host.others_share).collect();
    assert!(!shares.is_empty() && shares.iter().all(|share| (0.25..0.35).contains(share)), "{shares:?}");
    // Either side has a CPU, and others are on both alike.
    let sum = |of: fn(&Window) -> Option<i64>| outcome.counted().iter().filter_map(|w| of(w)).sum::<i64>();
    let elapsed = sum(|window| window.host.others_elapsed_ns.map(|ns| ns as i64)) as f64;
    for taken in [sum(|window| window.host.taken_server_ns), sum(|window| window.host.taken_load_ns)] {
        assert!((0.25..0.35).contains(&(taken as f64 / elapsed)), "{taken} of {elapsed}");
    }
}

#[test]
fn what_others_take_for_a_while_is_recorded_and_told_of_in_the_end() {
    let quiet = two().run();
    let course = two();
    // In the last tenth of its time alone.
    course.world.disturb_after(quiet.took * 9 / 10, 0.3);
    let outcome = course.run();
    let launches = outcome.file.plan.as_ref().map_or(0, |plan| plan.launches);
    let disturbed: BTreeSet<u32> = (outcome.counted().iter())
        .filter(|window| window.host.others_share.is_some_and(|share| share > 0.05))
        .map(|window| window.launch)
        .collect();
    assert!(disturbed.contains(&launches) && !disturbed.contains(&1), "{disturbed:?} of {launches}");
    assert!(
        told(&outcome).is_empty()
            && velo_judge::unfit_host(&outcome.file.placement, &outcome.windows).is_none()
    );
}
