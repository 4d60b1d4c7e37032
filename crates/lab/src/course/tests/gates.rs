//! Courses of two revisions that end as soon as what is asked of them is known.

use velo_judge::gate::{GateQuestion, USUAL_BOUNDS, parse_bounds};
use velo_record::EndedBy;

use super::machine::world::Fault;
use super::*;

/// A base of 40,000/s and a head of so many.
fn gate(head: Model) -> Course {
    let mut course =
        Course::new(&[("go/base", Model { noise: 0.01, ..Model::new(40_000.0) }), ("go/head", head)]);
    let (base, head) = (name("go/base"), name("go/head"));
    course.options.gate =
        Some(GateQuestion { base, head, bounds: parse_bounds(USUAL_BOUNDS).unwrap(), accepted: Vec::new() });
    course.options.schedule = TurnOrder::Alternating;
    course.options.budget = 200 * SECOND;
    course
}

fn head(per_s: f64) -> Model {
    Model { noise: 0.01, ..Model::new(per_s) }
}

#[test]
fn a_gate_ends_at_the_first_look_that_knows() {
    let outcome = gate(head(30_000.0)).run();
    let plan = outcome.file.plan.clone().expect("a plan");
    assert_eq!((plan.blocks, plan.looks.first().map(|look| look.launch)), (40, Some(4)));
    assert!(plan.launches > 4, "{plan:?}");
    assert_eq!(outcome.file.ended_by, Some(EndedBy::Gate { launch: 4 }));
    let looked = |event: &Event| match event {
        Event::GateLooked { launch, is_decided, .. } => Some((*launch, *is_decided)),
        _ => None,
    };
    assert_eq!(outcome.events.iter().filter_map(looked).collect::<Vec<_>>(), [(4, true)]);
    assert_eq!(outcome.windows.iter().map(|window| window.launch).max(), Some(4));
}

#[test]
fn the_two_are_neighbours_in_turn() {
    let outcome = gate(head(30_000.0)).run();
    for block in 1..40 {
        let (this, next) = (outcome.block(1, block), outcome.block(1, block + 1));
        assert_eq!((&this[0], &this[1]), (&next[1], &next[0]), "block {block}");
    }
}

#[test]
fn without_both_sides_there_is_nothing_to_measure() {
    let outcome = gate(head(40_000.0).fault(2, Fault::DiesAfter(14_000))).run();
    assert!(outcome.excluded("go/head").is_some());
    let last = outcome.windows.iter().map(|window| window.launch).max();
    assert!(last.is_some_and(|launch| launch < 4), "the base alone is not measured to the end: {last:?}");

    let mut course = gate(head(40_000.0));
    course.passed.servers.truncate(1);
    assert!(course.run().windows.is_empty());
}
