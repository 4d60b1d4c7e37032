//! Courses with contenders that are fast where it counts alone.

use velo_judge::{Cause, ConsistencyOf, Judgement, Row, RowState, judge};

use super::machine::world::Fault;
use super::*;

/// An honest contender beside one that has a fault in some of its lives, judged.
fn judged(fault: Fault, lives: std::ops::RangeInclusive<u32>) -> (Outcome, Judgement) {
    let liar = Model { faults: lives.map(|life| (life, fault)).collect(), ..Model::new(30_000.0) };
    let mut course = Course::new(&[("go/honest", Model::new(30_000.0)), ("go/liar", liar)]);
    course.options.budget = 50 * SECOND;
    let outcome = course.run();
    let judgement = judge(&outcome.file, &outcome.windows);
    (outcome, judgement)
}

fn row<'a>(judgement: &'a Judgement, contender: &str) -> &'a Row {
    let mut rows = judgement.workloads[0].rows.iter();
    rows.find(|row| row.contender == name(contender)).expect("a row")
}

/// It is not ranked for that cause, and what was compared differs by more than its bound.
fn is_caught(judgement: &Judgement, is_meant: fn(&Cause) -> bool, of: ConsistencyOf) {
    let liar = row(judgement, "go/liar");
    let why = format!("{:?} {:?}", liar.state, liar.consistency);
    assert!(matches!(&liar.state, RowState::NotRanked { cause } if is_meant(cause)), "{why}");
    let mut findings = liar.consistency.iter().flat_map(|consistency| &consistency.findings);
    let finding = findings.find(|finding| finding.of == of).unwrap_or_else(|| panic!("{why}"));
    assert!(!finding.passed && finding.ratio > finding.bound, "{why}");
    let honest = row(judgement, "go/honest");
    assert!(
        honest.consistency.iter().flat_map(|consistency| &consistency.findings).all(|finding| finding.passed),
        "{:?}",
        honest.consistency
    );
}

#[test]
fn who_is_fast_in_counted_windows_alone_earns_no_rank() {
    let (outcome, judgement) = judged(Fault::IsSlowWithoutPause, 1..=50);
    let is_mostly_fast = |is_meant: fn(&Window) -> bool| {
        let own = outcome.windows.iter().filter(|window| window.contender == name("go/liar"));
        let (fast, slow): (Vec<f64>, Vec<f64>) = (own.filter(|window| is_meant(window)))
            .map(Window::goodput_per_s)
            .partition(|&per_s| per_s > 20_000.0);
        fast.len() > slow.len()
    };
    // Where two of its windows follow one another there is no pause.
    assert!(is_mostly_fast(is_goodput) && !is_mostly_fast(|window| window.kind() == WindowKind::WarmUp));
    is_caught(&judgement, |cause| matches!(cause, Cause::Inconsistent { .. }), ConsistencyOf::Blocks);
}

#[test]
fn who_is_fast_in_later_launches_alone_earns_no_rank() {
    let (outcome, judgement) = judged(Fault::IsSlow, 1..=3);
    let launches = outcome.file.plan.as_ref().map_or(0, |plan| plan.launches);
    assert!(launches > 3, "{launches}");
    is_caught(&judgement, |cause| matches!(cause, Cause::Unsteady { .. }), ConsistencyOf::Launches);
}
