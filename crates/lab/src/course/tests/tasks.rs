//! Courses of tasks: programs without a server.

use velo_model::{Digest, TaskSettings};
use velo_record::RunState;

use super::machine::world::Fault;
use super::*;
use crate::prepare::verify::VerifiedTask;

/// Tasks that each answer so many lines a second, all of which have passed.
fn tasks(models: &[(&str, Model)]) -> Course {
    let mut course = Course::new(models);
    let line = || TextTemplate::fixed("a line");
    course.workload().task =
        Some(TaskSettings { request: 0, input: line(), output: Digest::Sha512(line()), iterations: 20 });
    for record in &mut course.file.contenders {
        record.manifest.role = velo_model::Role::Task;
    }
    let verified =
        |record| VerifiedTask { record, built: built(), workload: 0, expected: Duration::from_millis(500) };
    course.passed = Passed { servers: Vec::new(), tasks: (0..models.len()).map(verified).collect() };
    course
}

fn order(outcome: &Outcome) -> Vec<(u32, String)> {
    let process = |event: &Event| match event {
        Event::TaskProcess { process, contender, .. } => Some((*process, contender.to_string())),
        _ => None,
    };
    outcome.events.iter().filter_map(process).collect()
}

#[test]
fn every_task_has_its_processes_one_in_each_round() {
    let outcome = tasks(&[("go/fast", Model::new(100.0)), ("go/slow", Model::new(50.0))]).run();
    assert_eq!(outcome.file.state, RunState::Complete);
    let order = order(&outcome);
    assert_eq!(order.len(), 20);
    for (round, both) in order.chunks(2).enumerate() {
        assert!(both.iter().all(|(process, _)| *process == round as u32 + 1));
        assert_ne!(both[0].1, both[1].1);
    }
    for (text, ms) in [("go/fast", 10.0), ("go/slow", 20.0)] {
        let record = outcome.record(text);
        assert_eq!((&record.state, record.tasks.len()), (&ContenderState::Measured, 10));
        for process in &record.tasks {
            assert_eq!((process.iterations.len(), process.wrong_answers), (20, 0));
            assert_eq!(process.ended_early, None);
            let each = process.iterations.iter().map(|iteration| iteration.own_ns as f64 / 1e6 / ms);
            assert!(each.into_iter().all(|ratio| (0.98..1.02).contains(&ratio)));
        }
    }
}

#[test]
fn one_that_breaks_off_in_two_processes_is_excluded_and_the_others_go_on() {
    let dies = Model::new(50.0).fault(2, Fault::DiesAfter(5)).fault(4, Fault::DiesAfter(5));
    let outcome = tasks(&[("go/fast", Model::new(100.0)), ("go/dies", dies)]).run();
    assert!(outcome.excluded("go/dies").is_some_and(|reason| reason.ends_with("in 2 processes")));
    let iterations: Vec<usize> =
        outcome.record("go/dies").tasks.iter().map(|process| process.iterations.len()).collect();
    assert_eq!(iterations, [20, 5, 20, 5], "what it did is in the record");
    assert_eq!(outcome.record("go/fast").tasks.len(), 10);
}

#[test]
fn one_that_does_not_start_is_excluded() {
    let dead = Model::new(50.0).fault(1, Fault::DoesNotStart);
    let outcome = tasks(&[("go/fast", Model::new(100.0)), ("go/dead", dead)]).run();
    assert_eq!(outcome.excluded("go/dead"), Some("it cannot be started"));
    assert_eq!(outcome.record("go/fast").state, ContenderState::Measured);
}

#[test]
fn at_whatever_time_it_is_asked_to_end_whole_processes_are_kept() {
    let two = || tasks(&[("go/fast", Model::new(100.0)), ("go/slow", Model::new(50.0))]);
    let whole = two().run();
    for step in 0..20 {
        let course = two();
        course.world.stop_after(whole.took * step / 20);
        let outcome = course.run();
        assert_eq!(outcome.file.state, RunState::Interrupted);
        for record in &outcome.file.contenders {
            assert!(record.tasks.iter().all(|process| process.iterations.len() == 20), "step {step}");
            assert!(!matches!(record.state, ContenderState::Excluded { .. }), "{:?}", record.state);
        }
    }
}

#[test]
fn a_machine_that_others_use_spoils_processes_and_that_is_said() {
    let course = tasks(&[("go/fast", Model::new(10.0)), ("go/slow", Model::new(5.0))]);
    course.world.disturb_after(Duration::ZERO, 0.3);
    let outcome = course.run();
    assert!(outcome.events.iter().any(|event| matches!(event, Event::Disturbed { .. })));
}
