//! Courses that are asked to end.

use velo_record::{RunState, StopRecord};

use super::*;

fn two() -> Course {
    Course::new(&[("go/fast", Model::new(40_000.0)), ("go/slow", Model::new(20_000.0))])
}

/// What holds of every run that was asked to end, whenever that was.
fn check_interrupted(outcome: &Outcome) {
    assert!(outcome.failed.is_none());
    assert_eq!(outcome.file.state, RunState::Interrupted);
    assert!(outcome.file.ended_at.is_some());
    for record in &outcome.file.contenders {
        assert!(!matches!(record.state, ContenderState::Excluded { .. }), "it has not failed: {record:?}");
        for launch in &record.launches {
            let stop: &StopRecord = launch.stop.as_ref().expect("who was started was ended");
            assert!(stop.by_sigterm);
        }
    }
}

#[test]
fn at_whatever_time_it_is_asked_what_was_measured_is_on_disk_and_nothing_runs_on() {
    let whole = two().quick().run();
    let steps = 40;
    let mut counts = BTreeSet::new();
    for step in 0..steps {
        let course = two().quick();
        course.world.stop_after(whole.took * step / steps);
        let outcome = course.run();
        check_interrupted(&outcome);
        // What was measured before is what the whole run has measured until then.
        let count = outcome.windows.len();
        assert_eq!(outcome.windows, whole.windows[..count], "step {step}");
        assert!(outcome.took < whole.took + SECOND);
        counts.insert(count);
    }
    assert!(counts.len() > 20, "{counts:?}");
}

/// In each phase of a run that has all of them.
#[test]
fn in_each_phase_it_ends_in_order() {
    let phases: [IsMeant; 10] = [
        |event| matches!(event, Event::Estimated { .. }),
        |event| matches!(event, Event::LaunchStarted { launch: 1, .. }),
        |event| matches!(event, Event::WarmingUp { launch: 2, .. }),
        |event| matches!(event, Event::Planned(_)),
        |event| matches!(event, Event::Proving { .. }),
        |event| matches!(event, Event::Window { launch: 2, block: 2, .. }),
        |event| matches!(event, Event::Turn { .. }),
        |event| matches!(event, Event::LaunchDone { launch: 2, .. }),
        |event| matches!(event, Event::Searching { .. }),
        |event| matches!(event, Event::Window { part: crate::Part::Curve, .. }),
    ];
    for (number, is_meant) in phases.into_iter().enumerate() {
        // The generator is busy with the fast one, so that there is a proof.
        let mut course =
            Course::new(&[("go/fast", Model::new(250_000.0)), ("go/slow", Model::new(20_000.0))]);
        course.options.latency = Some(30 * SECOND);
        course.options.curve = true;
        course.workload().bursts = vec![burst(100, true)];
        course.stop_at(is_meant);
        let outcome = course.run();
        check_interrupted(&outcome);
        let after = outcome.events.iter().skip_while(|event| !is_meant(event)).skip(1);
        let measured =
            after.filter(|event| matches!(event, Event::Window { .. } | Event::Turn { .. })).count();
        assert_eq!(measured, 0, "phase {number}: no window is begun after that");
        assert!(outcome.events.iter().any(is_meant), "phase {number} was not seen");
        let has_windows = !outcome.windows.is_empty();
        assert_eq!(has_windows, number > 1, "phase {number}");
    }
}

#[test]
fn one_that_is_asked_to_end_before_it_begins_starts_nobody() {
    let course = two();
    course.stop.flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let outcome = course.run();
    check_interrupted(&outcome);
    assert!(outcome.world.lives().is_empty() && outcome.events.is_empty());
}
