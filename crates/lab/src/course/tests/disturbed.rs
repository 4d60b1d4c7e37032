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
    assert_eq!(velo_judge::unfit_host(&outcome.file.settings, &outcome.windows), None);
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
    let unfit = velo_judge::unfit_host(&outcome.file.settings, &outcome.windows).expect("most are disturbed");
    assert!(unfit.to_string().starts_with("the host was disturbed in "), "{unfit}");
    let nothing_ranked = velo_judge::judge(&outcome.file, &outcome.windows).nothing_ranked;
    let because = nothing_ranked.expect("nothing is ranked").to_string();
    assert!(because.starts_with("the host was disturbed in "), "{because}");
    let shares: Vec<f64> = outcome.counted().iter().filter_map(|window| window.host.others_share).collect();
    assert!(!shares.is_empty() && shares.iter().all(|share| (0.25..0.35).contains(share)), "{shares:?}");
}

#[test]
fn blocks_that_others_disturb_are_dropped_and_the_others_stand() {
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
            && velo_judge::unfit_host(&outcome.file.settings, &outcome.windows).is_none()
    );
}
