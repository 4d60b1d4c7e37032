//! A gate on simulated runs of two revisions: what is called worse, better, within its bound, or not known.

use velo_fixtures::{SimulatedOpenLoop, contender_mut, generator_mut, two_revisions};
use velo_judge::gate::{
    Bound, GateQuestion, GateRun, GateSide, GateState, GateSubject, GateVerdict, SideState, USUAL_BOUNDS,
    gate_schema, is_decided, judge, look, parse_bounds, unmeasured,
};
use velo_model::{ContenderName, Figure};
use velo_record::{ContenderState, RatePurpose, RunState, Stage, Window};

fn shop() -> ContenderName {
    ContenderName::new("service/shop").unwrap()
}

fn question() -> GateQuestion {
    let at = |revision: &str| shop().at(revision).unwrap();
    GateQuestion {
        base: at("base"),
        head: at("head"),
        bounds: parse_bounds(USUAL_BOUNDS).unwrap(),
        accepted: Vec::new(),
    }
}

fn subject() -> GateSubject {
    let side = |revision: &str| GateSide {
        revision: revision.to_owned(),
        commit: "0".repeat(40),
        is_work_tree: false,
        state: SideState::Fit,
    };
    GateSubject {
        contender: shop(),
        workload: "coin".to_owned(),
        workload_differs: false,
        base: side("main"),
        head: side("HEAD"),
        accepted: Vec::new(),
        budget_ns: 180_000_000_000,
        seed: 1,
        started_at: "2026-11-29T20:00:00Z".to_owned(),
        command: vec!["gate".to_owned()],
    }
}

fn judged(head_per_s: f64, launches: u32) -> GateRun {
    let (file, windows) = two_revisions(head_per_s, launches);
    judge(&file, &windows, &question(), subject())
}

fn state(gate: &GateRun, figure: Figure) -> GateState {
    gate.figures.iter().find(|one| one.figure == figure).unwrap().state
}

#[test]
fn a_head_that_needs_more_is_worse_and_one_that_needs_less_better() {
    let worse = judged(36_000.0, 6);
    assert_eq!(worse.verdict, GateVerdict::Worse);
    assert_eq!(worse.launches, 6);
    let cpu = &worse.figures[0];
    let ratio = cpu.ratio.unwrap();
    assert!((ratio.value - 40.0 / 36.0).abs() < 0.03, "{ratio:?}");
    assert!(cpu.decided_after.is_some_and(|launch| launch <= 6) && cpu.p_worse.unwrap() < 0.001);
    assert!(worse.per_request.iter().any(|counted| counted.what == "context switches"));
    assert_eq!(judged(44_000.0, 6).verdict, GateVerdict::Better);
}

#[test]
fn alike_are_within_the_bounds_once_there_are_launches_enough() {
    let few = judged(40_000.0, 3);
    assert_eq!(few.verdict, GateVerdict::Undecided);
    let many = judged(40_000.0, 21);
    assert_eq!(many.verdict, GateVerdict::Within, "{:?}", many.figures);
    assert_eq!(state(&many, Figure::Goodput), GateState::Within);
}

#[test]
fn the_first_look_that_decides_does_so_for_good() {
    let (file, windows) = two_revisions(36_000.0, 21);
    let gate = judge(&file, &windows, &question(), subject());
    let decided = gate.figures[0].decided_after.unwrap();
    assert!(decided < 21, "{decided}");
    // Launches behind that look do not change it, nor the look's p-value.
    let early: Vec<Window> = windows.iter().filter(|window| window.launch <= decided).cloned().collect();
    let sooner = judge(&file, &early, &question(), subject());
    assert_eq!(sooner.figures[0].p_worse, gate.figures[0].p_worse);
    let found = look(&file, &early, &question(), decided);
    assert!(is_decided(&found), "{found:?}");
    assert!(!is_decided(&look(&file, &early, &question(), 3)), "no look comes so soon");
    assert!(!is_decided(&[]));
}

#[test]
fn an_accepted_figure_does_not_fail_the_gate_nor_end_it() {
    let (file, windows) = two_revisions(36_000.0, 6);
    let accepted = GateQuestion { accepted: vec![Figure::CpuPerRequest, Figure::Goodput], ..question() };
    let gate = judge(&file, &windows, &accepted, subject());
    assert_eq!(gate.verdict, GateVerdict::Accepted);
    assert!(gate.figures.iter().all(|figure| figure.is_accepted));
    let one = GateQuestion { accepted: vec![Figure::CpuPerRequest], ..question() };
    let found = look(&file, &windows, &one, 6);
    assert_eq!(found[0].state, GateState::Worse);
    assert_eq!(is_decided(&found), found[1].state != GateState::Undecided);
}

#[test]
fn goodput_that_the_generator_limits_is_left_out_and_said() {
    let (file, mut windows) = two_revisions(40_000.0, 8);
    for window in &mut windows {
        generator_mut(window).cpu_ns = Some(window.duration_ns);
        contender_mut(window).cpu_ns = Some(window.duration_ns / 2);
    }
    let gate = judge(&file, &windows, &question(), subject());
    assert_eq!(state(&gate, Figure::Goodput), GateState::Missing);
    assert!(gate.figures[1].reason.is_some());
    assert_ne!(state(&gate, Figure::CpuPerRequest), GateState::Missing);
}

#[test]
fn figures_of_launches_and_of_the_common_rate_have_bounds_too() {
    let (mut file, mut windows) = two_revisions(40_000.0, 21);
    let bounds =
        [Figure::Startup, Figure::Memory, Figure::ResponseP99].map(|figure| Bound { figure, share: 0.1 });
    let question = GateQuestion { bounds: bounds.to_vec(), ..question() };
    for launch in &mut file.contenders[1].launches {
        launch.memory_steady_bytes = launch.memory_steady_bytes.map(|bytes| bytes * 2);
    }
    let without = judge(&file, &windows, &question, subject());
    assert_eq!(state(&without, Figure::ResponseP99), GateState::Missing, "no windows at one rate");
    for name in [&question.base, &question.head] {
        SimulatedOpenLoop::new(RatePurpose::CommonRate, 5_000.0).add_to(&mut windows, name);
    }
    let gate = judge(&file, &windows, &question, subject());
    assert_eq!(state(&gate, Figure::Startup), GateState::Within);
    assert_eq!(state(&gate, Figure::Memory), GateState::Worse);
    assert_eq!(state(&gate, Figure::ResponseP99), GateState::Within);
    assert_eq!(gate.verdict, GateVerdict::Worse);
}

#[test]
fn a_side_that_is_broken_or_missing_decides() {
    let (file, windows) = two_revisions(40_000.0, 5);
    let broken = |side: usize| {
        let mut file = file.clone();
        let (reason, log) = ("it does not build".to_owned(), None);
        file.contenders[side].state = ContenderState::Excluded { stage: Stage::Build, reason, log };
        judge(&file, &[], &question(), subject()).verdict
    };
    assert_eq!([broken(0), broken(1)], [GateVerdict::BaseBroken, GateVerdict::HeadBroken]);
    let mut wrong = windows.clone();
    let head = wrong.iter_mut().find(|window| window.contender == question().head && window.block > 0);
    head.unwrap().outcomes.wrong_answer = 1;
    assert_eq!(judge(&file, &wrong, &question(), subject()).verdict, GateVerdict::HeadBroken);
    let mut skipped = file.clone();
    skipped.contenders[1].state = ContenderState::Skipped { reason: "no go".to_owned(), cure: None };
    assert_eq!(judge(&skipped, &[], &question(), subject()).verdict, GateVerdict::Unfit);
    let absent = || GateSide { state: SideState::Absent, ..subject().base };
    let without_base = |state, run| {
        let head = GateSide { state, ..subject().head };
        unmeasured(GateSubject { base: absent(), head, ..subject() }, run).verdict
    };
    assert_eq!(without_base(SideState::Fit, RunState::Complete), GateVerdict::New);
    assert_eq!(without_base(SideState::Fit, RunState::Interrupted), GateVerdict::Interrupted);
    let skipped = SideState::Skipped { reason: "no go".to_owned() };
    assert_eq!(without_base(skipped, RunState::Complete), GateVerdict::Unfit);
}

#[test]
fn one_that_was_stopped_says_so_unless_it_knew_already() {
    let (mut file, windows) = two_revisions(40_000.0, 5);
    file.state = RunState::Interrupted;
    let gate = judge(&file, &windows, &question(), subject());
    assert_eq!((gate.verdict, gate.launches), (GateVerdict::Interrupted, 4));
    let (mut file, windows) = two_revisions(30_000.0, 9);
    file.state = RunState::Interrupted;
    assert_eq!(judge(&file, &windows, &question(), subject()).verdict, GateVerdict::Worse);
}

#[test]
fn what_is_written_fits_the_schema() {
    let schema = gate_schema();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for gate in [judged(36_000.0, 6), unmeasured(subject(), RunState::Interrupted)] {
        let written = serde_json::to_value(&gate).unwrap();
        let faults: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?}");
        let mut spoilt = written;
        spoilt["verdict"] = "fine".into();
        assert!(!validator.is_valid(&spoilt));
    }
}
