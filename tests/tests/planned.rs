use std::collections::BTreeSet;

use velo_record::{ContenderState, EndedBy, Plan, RatePurpose, Run, RunState, Window, WindowKind, read_run};

use crate::harness::{Scene, place, text};

const CONTENDER: &str = "script/none";
const REFERENCE: &str = "script/reference";
const TWIN: &str = "script/reference-twin";

fn purpose(window: &Window) -> Option<RatePurpose> {
    window.paced().map(|paced| paced.purpose)
}

fn is_of_blocks(window: &Window) -> bool {
    window.kind() == WindowKind::Block || purpose(window) == Some(RatePurpose::CommonRate)
}

/// Launches with blocks; the others only measure latency.
fn launches(run: &Run, plan: &Plan) -> u32 {
    match run.file.ended_by {
        Some(EndedBy::Plan) => plan.launches,
        Some(EndedBy::Precision { launch } | EndedBy::Gate { launch }) => launch,
        None => panic!("nothing ended the run"),
    }
}

#[test]
fn a_run_leaves_every_window_that_its_plan_has() {
    let _place = place();
    let scene = Scene::new();
    let mut command = scene.velo(&["run", "coin", "--seed", "11", "--connections", "8", "--budget", "24s"]);
    command.args(["--precision", "50%", "--latency=8s", "--curve", "--only", "script/*", "--out"]);
    command.arg(scene.out());
    for contender in [scene.contender("none"), scene.reference()] {
        command.arg("--contender").arg(contender);
    }
    let output = command.output().unwrap();
    let run = read_run(&scene.out()).unwrap();
    assert_eq!(run.file.state, RunState::Complete, "{}", text(&output));
    for record in &run.file.contenders {
        assert_eq!(record.state, ContenderState::Measured, "{}", text(&output));
    }
    let plan = run.file.plan.as_ref().unwrap();
    assert_eq!(plan.looks.last().map(|look| look.launch), Some(plan.launches));

    the_looks_are_told(&run, plan, &text(&output));
    the_reference_has_a_twin(&run);
    blocks_are_whole(&run, plan);
    common_rates_are_common(&run, plan);
    the_proof_is_in_pairs(&run, plan);
    latency_has_launches_of_its_own(&run, plan);
    the_sweep_goes_upward(&run, plan);
}

/// Each look before the plan's end has a line, and so has what ended the run.
fn the_looks_are_told(run: &Run, plan: &Plan, printed: &str) {
    let last = launches(run, plan);
    let looks = plan.looks.iter().map(|look| look.launch).filter(|launch| *launch < plan.launches);
    for launch in looks.filter(|launch| *launch <= last) {
        let line = format!("look     after launch {launch}: ");
        let found = printed.lines().find(|told| told.starts_with(&line)).expect(&line);
        assert_eq!(found.ends_with("the run ends"), last == launch && last < plan.launches, "{found}");
    }
    let ended = match run.file.ended_by {
        Some(EndedBy::Precision { .. }) => format!("ended    after launch {last} of {}", plan.launches),
        _ => format!("ended    by its plan, after launch {last}"),
    };
    assert!(printed.contains(&ended), "{ended}: {printed}");
}

fn the_reference_has_a_twin(run: &Run) {
    let record = |name: &str| {
        run.file.contenders.iter().find(|record| record.manifest.name.as_str() == name).expect("a record")
    };
    let (reference, twin) = (record(REFERENCE), record(TWIN));
    assert_eq!(twin.twin_of.as_ref(), Some(&reference.manifest.name));
    assert_eq!((&twin.build, &twin.cases), (&reference.build, &reference.cases));
    assert_eq!(record(CONTENDER).twin_of, None);
}

fn blocks_are_whole(run: &Run, plan: &Plan) {
    let windows: Vec<&Window> =
        run.windows.iter().filter(|window| window.kind() == WindowKind::Block).collect();
    let with_references = launches(run, plan) * plan.full_blocks();
    assert_eq!(windows.len() as u32, launches(run, plan) * plan.blocks + 2 * with_references);
    for block in windows.chunk_by(|a, b| (a.launch, a.block) == (b.launch, b.block)) {
        let names: BTreeSet<&str> = block.iter().map(|window| window.contender.as_str()).collect();
        let everybody = BTreeSet::from([CONTENDER, REFERENCE, TWIN]);
        assert_eq!(names, if plan.is_full(block[0].block) { everybody } else { [CONTENDER].into() });
        assert!(block.iter().map(|window| window.position).eq(1..=block.len() as u32));
        let spun: Vec<bool> = block.iter().map(|window| !window.host.canary.is_empty()).collect();
        assert!(
            spun[0] && spun[1..].iter().all(|spun| !spun),
            "a spin once a block, before its first window"
        );
    }
    let of_blocks: Vec<&Window> = run.windows.iter().filter(|window| is_of_blocks(window)).collect();
    assert!(of_blocks.is_sorted_by_key(|window| (window.launch, window.block)), "block after block");
}

fn common_rates_are_common(run: &Run, plan: &Plan) {
    let last = launches(run, plan);
    let windows = || {
        run.windows
            .iter()
            .filter(move |window| window.launch <= last && purpose(window) == Some(RatePurpose::CommonRate))
    };
    let blocks = last * plan.full_blocks();
    if plan.common_rates.is_empty() {
        assert!(!plan.left_out.is_empty() || plan.not_ranked.is_some(), "it is said: {plan:?}");
        assert_eq!(windows().count(), 0);
    }
    for group in &plan.common_rates {
        for contender in &group.contenders {
            let own: Vec<&Window> = windows().filter(|window| window.contender == *contender).collect();
            assert_eq!(own.len() as u32, blocks, "{contender}");
            for window in own {
                assert!(plan.has_common_rate_in(window.block), "block {}", window.block);
                let paced = window.paced().unwrap();
                assert_eq!(paced.rate_per_s, group.rate_per_s);
                assert!(window.position > 3 && paced.offered > 0 && paced.sent <= paced.offered, "{paced:?}");
            }
        }
    }
}

fn the_proof_is_in_pairs(run: &Run, plan: &Plan) {
    let windows: Vec<&Window> =
        run.windows.iter().filter(|window| window.kind() == WindowKind::Proof).collect();
    // Of those for whom the generator was busy, which on a busy machine may be anybody.
    let proven: BTreeSet<&str> = windows.iter().map(|window| window.contender.as_str()).collect();
    assert_eq!(windows.len(), proven.len() * 2 * plan.proof_pairs as usize);
    assert!(plan.proof_pairs == 0 || !proven.is_empty(), "it was planned");
    for pair in windows.chunks(2) {
        assert!(pair.iter().all(|window| window.launch == 1 && window.contender.as_str() != TWIN));
        assert_eq!((pair[0].block, &pair[0].contender), (pair[1].block, &pair[1].contender));
        assert_eq!([pair[0].position, pair[1].position], [2 * pair[0].block - 1, 2 * pair[0].block]);
        let mut slowed = [pair[0].slowed_ns(), pair[1].slowed_ns()];
        slowed.sort_unstable();
        assert_eq!(slowed, [None, Some(500)]);
    }
    let place = |kind: WindowKind| run.windows.iter().position(|window| window.kind() == kind);
    assert!(windows.is_empty() || place(WindowKind::Proof) < place(WindowKind::Block));
}

fn latency_has_launches_of_its_own(run: &Run, plan: &Plan) {
    let after = |window: &&Window| window.launch > launches(run, plan);
    assert!(run.windows.iter().filter(after).all(|window| window.contender.as_str() != TWIN));
    assert!(run.windows.iter().filter(after).all(|window| window.kind() != WindowKind::Block));
    let at = |wanted: RatePurpose| -> Vec<&Window> {
        run.windows.iter().filter(after).filter(|window| purpose(window) == Some(wanted)).collect()
    };
    for name in [CONTENDER, REFERENCE] {
        let own = |windows: Vec<&Window>| {
            windows.into_iter().filter(|window| window.contender.as_str() == name).count()
        };
        assert!((1..=6).contains(&own(at(RatePurpose::Search))), "{name}");
        assert!(own(at(RatePurpose::CommonRate)) >= 1, "{name}");
    }
    for share in [50, 80].map(|percent| RatePurpose::Share { percent }) {
        for window in at(share) {
            assert!(window.duration_ns >= 1_000_000_000 && window.outcomes.correct > 0);
        }
    }
}

fn the_sweep_goes_upward(run: &Run, plan: &Plan) {
    for name in [CONTENDER, REFERENCE] {
        let points: Vec<(u32, f64)> = run
            .windows
            .iter()
            .filter(|window| window.launch > launches(run, plan) && window.contender.as_str() == name)
            .filter_map(|window| match purpose(window)? {
                RatePurpose::Curve { point } => Some((point, window.paced()?.rate_per_s)),
                _ => None,
            })
            .collect();
        assert!(points.iter().map(|(point, _)| *point).eq(0..10), "{name}: {points:?}");
        assert!(points.is_sorted_by(|a, b| a.1 < b.1), "{name}: {points:?}");
    }
}
