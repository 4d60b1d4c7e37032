//! Courses that may end as soon as they are precise enough.

use velo_judge::Looked;
use velo_record::EndedBy;

use super::machine::world::Fault;
use super::*;

fn precise(models: &[(&str, Model)]) -> Course {
    let mut course = Course::new(models);
    course.options.precision = Some(0.05);
    course.options.budget = 60 * SECOND;
    course
}

/// After which launches the results were looked at, and whether they were enough.
fn looks(outcome: &Outcome) -> Vec<(u32, bool)> {
    let look = |event: &Event| match event {
        Event::Looked { launch, found } => Some((*launch, matches!(found, Looked::Precise { .. }))),
        _ => None,
    };
    outcome.events.iter().filter_map(look).collect()
}

fn two(noise: f64) -> [(&'static str, Model); 2] {
    [40_000.0, 20_000.0].map(|per_s| Model { noise, ..Model::new(per_s) }).map(|model| {
        let name = if model.per_s > 30_000.0 { "go/fast" } else { "go/slow" };
        (name, model)
    })
}

#[test]
fn a_run_ends_at_the_first_look_that_is_precise_enough() {
    let outcome = precise(&two(0.005)).run();
    let plan = outcome.file.plan.clone().expect("a plan");
    let looks = looks(&outcome);
    let first = plan.looks.first().expect("a look").launch;
    assert_eq!((first, plan.launches), (5, 12));
    assert_eq!(looks, [(first, true)]);
    assert_eq!(outcome.file.ended_by, Some(EndedBy::Precision { launch: first }));
    assert!(first < plan.launches);
    assert_eq!(outcome.windows.iter().map(|window| window.launch).max(), Some(first));
    assert!(outcome.file.contenders.iter().all(|record| record.state == ContenderState::Measured));
}

#[test]
fn one_that_does_not_get_precise_is_looked_at_as_planned_and_ends_with_its_plan() {
    // Alike, so that nothing separates them.
    let alike = ["go/one", "go/two"].map(|name| (name, Model { noise: 0.2, ..Model::new(40_000.0) }));
    let mut course = precise(&alike);
    course.options.precision = Some(0.001);
    let outcome = course.run();
    let plan = outcome.file.plan.clone().expect("a plan");
    let planned: Vec<(u32, bool)> = (plan.looks.iter())
        .filter(|look| look.launch < plan.launches)
        .map(|look| (look.launch, false))
        .collect();
    assert_eq!(planned, [(5, false), (8, false)]);
    assert_eq!(looks(&outcome), planned);
    assert_eq!(outcome.windows.iter().map(|window| window.launch).max(), Some(12));
    assert_eq!(outcome.file.ended_by, Some(EndedBy::Plan));
}

#[test]
fn who_was_excluded_holds_nobody_up() {
    let mut models = two(0.005).to_vec();
    models.push(("go/dies", Model::new(30_000.0).fault(2, Fault::DiesAfter(14_000))));
    let outcome = precise(&models).run();
    assert!(outcome.excluded("go/dies").is_some());
    assert!(matches!(outcome.file.ended_by, Some(EndedBy::Precision { .. })), "{:?}", looks(&outcome));
}

#[test]
fn without_a_precision_nobody_looks() {
    let mut course = precise(&two(0.005));
    course.options.precision = None;
    assert_eq!(looks(&course.run()), []);
}
