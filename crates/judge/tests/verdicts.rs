//! Each verdict fires on a scripted cause, and on nothing else; each figure of an open loop is what was put in.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use velo_fixtures::{Simulated, SimulatedOpenLoop, Simulation, contender_mut, generator_mut, paced_mut};
use velo_judge::{
    Basis, Check, Finding, Judgement, Kind, KneeReason, Pairs, ProofFound, Row, RowState, Series, Standing,
    Steadiness, Steady, judge, per_core_second,
};
use velo_model::{Class, ContenderName, Figure, PartyRole};
use velo_record::{
    Canary, CostQuestion, EncodedHistogram, Placement, Purpose, RatePurpose, RunFile, Window, WindowKind,
};
use velo_stats::Histogram;

/// The contender that something happens to.
const SUBJECT: &str = "go/net-http";

fn name(name: &str) -> ContenderName {
    ContenderName::new(name).unwrap()
}

fn quiet() -> Simulation {
    let mut simulation = Simulation::new(vec![
        Simulated::new(SUBJECT, 48_000.0).coin(),
        Simulated::new("js/node-http", 40_000.0).coin(),
        Simulated::new("java/jdk", 36_000.0).coin(),
        Simulated::new("php/swoole", 33_000.0).coin(),
        Simulated::new("ruby/agoo", 30_000.0).coin(),
        Simulated::new("rust/reference", 45_000.0).class(Class::Reference).coin(),
        Simulated::new("rust/reference-twin", 45_000.0)
            .class(Class::Reference)
            .twin_of("rust/reference")
            .coin(),
    ]);
    // So many that a percentile of 99.9 remains when blocks are dropped.
    simulation.blocks = 12;
    (simulation.noise_of_launches, simulation.noise_of_windows) = (0.002, 0.002);
    simulation
}

static QUIET: LazyLock<(RunFile, Vec<Window>)> = LazyLock::new(|| {
    let (file, mut windows) = quiet().run();
    // Reading histograms is most of the time that these tests take, and two contenders with them are enough.
    for window in &mut windows {
        if ![name(SUBJECT), name("js/node-http")].contains(&window.contender) {
            window.service_time = EncodedHistogram::default();
        }
    }
    (file, windows)
});

fn judged(change: impl FnOnce(&mut RunFile, &mut Vec<Window>)) -> Judgement {
    let (mut file, mut windows) = QUIET.clone();
    change(&mut file, &mut windows);
    judge(&file, &windows)
}

#[track_caller]
fn row<'j>(judgement: &'j Judgement, contender: &str) -> &'j Row {
    let found = judgement.workloads[0].rows.iter().find(|row| row.contender == name(contender));
    found.unwrap_or_else(|| panic!("no row for {contender}"))
}

fn of<'w>(windows: &'w mut [Window], contender: &str) -> impl Iterator<Item = &'w mut Window> {
    let contender = name(contender);
    windows.iter_mut().filter(move |window| window.contender == contender)
}

/// The counted windows of the subject.
fn subject(windows: &mut [Window]) -> impl Iterator<Item = &mut Window> {
    of(windows, SUBJECT).filter(|window| window.kind() == WindowKind::Block)
}

/// For each counted window of a contender one more of another kind.
fn add(windows: &mut Vec<Window>, contender: &str, make: impl Fn(&Window) -> Window) {
    let more: Vec<Window> = windows
        .iter()
        .filter(|window| window.kind() == WindowKind::Block && window.contender == name(contender))
        .map(make)
        .collect();
    windows.extend(more);
}

/// Half of the subject's highest rate.
fn half() -> SimulatedOpenLoop {
    SimulatedOpenLoop::new(RatePurpose::Share { percent: 50 }, 24_000.0)
}

/// The a common rate.
fn equal() -> SimulatedOpenLoop {
    SimulatedOpenLoop::new(RatePurpose::CommonRate, 15_000.0)
}

/// A pair for each block of the first launch, of which the slowed window serves this share; every other one is this much
/// off.
fn proof(windows: &mut Vec<Window>, slowed: f64, off: f64) {
    for half in [None, Some(500)] {
        let before = windows.len();
        add(windows, SUBJECT, |like| Window { purpose: Purpose::Proof { slowed_ns: half }, ..like.clone() });
        let mut number = 0;
        for window in &mut windows[before..] {
            number += 1;
            let off = if number % 2 == 0 { 1.0 + off } else { 1.0 };
            let share = if half.is_some() { slowed * off } else { 1.0 };
            window.outcomes.correct = (2_400.0 * share) as u64;
        }
    }
    windows.retain(|window| window.kind() != WindowKind::Proof || window.launch == 1);
}

/// A cause and the checks that see it: beside the subject's row and beside the run.
struct Case {
    cause: &'static str,
    change: fn(&mut RunFile, &mut Vec<Window>),
    row: &'static [(Check, Kind)],
    run: &'static [(Check, Kind)],
    is_ranked: bool,
}

const CASES: &[Case] = &[
    Case { cause: "nothing", change: |_, _| {}, row: &[], run: &[], is_ranked: true },
    Case {
        cause: "the generator is slow",
        change: |_, windows| {
            for window in subject(windows) {
                generator_mut(window).cpu_ns = Some(window.duration_ns * 97 / 100);
                contender_mut(window).cpu_ns = Some(window.duration_ns / 2);
            }
        },
        row: &[(Check::Limit, Kind::Warning)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "the server is capped below its CPU",
        change: |_, windows| {
            subject(windows)
                .for_each(|window| contender_mut(window).cpu_ns = Some(window.duration_ns * 6 / 10));
        },
        row: &[(Check::Limit, Kind::Warning)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "it spins without load",
        change: |file, _| file.contenders[0].idle_cpu_share = Some(1.0),
        row: &[(Check::Limit, Kind::Warning)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "whether it spins without load is not known",
        change: |file, _| file.contenders[0].idle_cpu_share = None,
        row: &[(Check::Limit, Kind::Hint)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "one worker is full while the other waits",
        change: |file, windows| {
            file.placement =
                Placement::new([(PartyRole::Contender, vec![0, 2]), (PartyRole::Generator, vec![1])]);
            for window in windows {
                // The others keep both CPUs busy.
                contender_mut(window).cpu_ns = Some(window.duration_ns * 2);
                contender_mut(window).busy_threads = Some(2);
                if window.contender == name(SUBJECT) {
                    let stretch = window.settling_ns + window.duration_ns + window.drain_ns;
                    contender_mut(window).cpu_ns = Some(window.duration_ns * 3 / 2);
                    contender_mut(window).cpu_by_process_ns = vec![stretch * 95 / 100, stretch * 55 / 100];
                }
            }
        },
        row: &[(Check::Limit, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "slowing the generator lowers goodput",
        change: |_, windows| proof(windows, 0.93, 0.01),
        row: &[(Check::Limit, Kind::Warning), (Check::Proof, Kind::Warning)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "slowing the generator changes nothing",
        change: |_, windows| proof(windows, 1.0, 0.01),
        row: &[],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "slowing the generator tells nothing",
        change: |_, windows| proof(windows, 0.95, 0.08),
        row: &[(Check::Proof, Kind::Hint)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "a connection is starved",
        change: |_, windows| subject(windows).for_each(|window| window.connections.completions[6] = 0),
        row: &[(Check::Fairness, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "connections are missing",
        change: |_, windows| subject(windows).for_each(|window| window.connections.established = 63),
        row: &[(Check::Connections, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "goodput rises over each launch",
        change: |_, windows| {
            for window in subject(windows) {
                let rise = 1.0 + 0.08 * f64::from(window.block - 1) / 11.0;
                window.outcomes.correct = (window.outcomes.correct as f64 * rise) as u64;
            }
        },
        row: &[(Check::Steady, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "goodput jumps about in each launch",
        change: |_, windows| {
            for window in subject(windows) {
                let is_up = (window.launch + window.block / 7).is_multiple_of(2);
                let correct = window.outcomes.correct;
                window.outcomes.correct = if is_up { correct * 104 / 100 } else { correct };
            }
        },
        row: &[(Check::Steady, Kind::Hint)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "the hypervisor steals in one of twelve blocks",
        change: |_, windows| {
            for window in windows.iter_mut().filter(|window| window.block == 3) {
                window.host.steal_share = Some(0.2);
            }
        },
        row: &[],
        run: &[(Check::Host, Kind::Hint)],
        is_ranked: true,
    },
    Case {
        cause: "another program uses the CPUs in one of twelve blocks",
        change: |_, windows| {
            for window in windows.iter_mut().filter(|window| window.block == 3) {
                window.host.others_share = Some(0.2);
            }
        },
        row: &[],
        run: &[(Check::Host, Kind::Hint)],
        is_ranked: true,
    },
    Case {
        cause: "a CPU is slower in one of five launches",
        change: |_, windows| {
            for window in windows.iter_mut().filter(|window| window.position == 1) {
                let duration_ns = if window.launch == 3 { 125_000 } else { 100_000 };
                window.host.canary = vec![Canary { cpu: 0, duration_ns }];
            }
        },
        row: &[],
        run: &[(Check::Host, Kind::Warning)],
        is_ranked: true,
    },
    Case {
        cause: "others take some of the CPU time",
        change: |file, windows| {
            let cpus = file.placement.cpus(PartyRole::Generator).len() as i64;
            for window in windows {
                window.host.others_elapsed_ns = Some(100_000_000);
                window.host.taken_server_ns = Some(0);
                window.host.taken_load_ns = Some(cpus * 1_500_000);
            }
        },
        row: &[],
        run: &[(Check::Host, Kind::Hint)],
        is_ranked: true,
    },
    Case {
        cause: "A and A' differ",
        change: |_, windows| {
            for window in of(windows, "rust/reference-twin") {
                window.outcomes.correct = window.outcomes.correct * 103 / 100;
            }
        },
        row: &[],
        run: &[(Check::Control, Kind::Warning)],
        is_ranked: true,
    },
    Case {
        cause: "an answer is wrong",
        change: |_, windows| subject(windows).next().unwrap().outcomes.wrong_answer = 1,
        row: &[(Check::Correctness, Kind::Error)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "an answer is wrong in an open loop",
        change: |_, windows| {
            add(windows, SUBJECT, |like| half().window(like));
            windows.last_mut().unwrap().outcomes.wrong_answer = 1;
        },
        row: &[(Check::Correctness, Kind::Error)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "the coin always shows what was bet",
        change: |_, windows| {
            for window in of(windows, SUBJECT) {
                window.coin.as_mut().unwrap().draws = [[500, 0], [0, 500]];
            }
        },
        row: &[(Check::Coin, Kind::Error)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "requests fail",
        change: |_, windows| subject(windows).for_each(|window| window.outcomes.truncated = 20),
        row: &[(Check::Failures, Kind::Error)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "few requests fail",
        change: |_, windows| subject(windows).next().unwrap().outcomes.truncated = 20,
        row: &[(Check::Failures, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "service times are too long for what is in flight",
        change: |_, windows| {
            for window in subject(windows) {
                window.clipped_service_ns = window.in_flight_request_ns * 12 / 10;
            }
        },
        row: &[(Check::LittlesLaw, Kind::Error)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "more is in flight than service times tell of",
        change: |_, windows| {
            for window in subject(windows) {
                window.in_flight_request_ns = window.in_flight_request_ns * 12 / 10;
            }
        },
        row: &[(Check::LittlesLaw, Kind::Error)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "the two counters disagree in one window",
        change: |_, windows| subject(windows).next().unwrap().clipped_service_ns /= 2,
        row: &[(Check::LittlesLaw, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "the generator holds back",
        change: |_, windows| {
            for window in subject(windows) {
                window.in_flight_request_ns = window.in_flight_request_ns * 9 / 10;
                window.clipped_service_ns = window.in_flight_request_ns;
            }
        },
        row: &[(Check::HeldBack, Kind::Hint)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "there are too few service times for a percentile",
        change: |_, windows| {
            let mut few = Histogram::new();
            few.record_many(1_000_000, 100);
            subject(windows).for_each(|window| window.service_time = EncodedHistogram::new(&few));
        },
        row: &[(Check::Samples, Kind::Hint)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "a histogram cannot be read",
        change: |_, windows| {
            let mut many = Histogram::new();
            many.record_many(1_000_000, 300);
            subject(windows).for_each(|window| window.service_time = EncodedHistogram::new(&many));
            subject(windows).next().unwrap().service_time = EncodedHistogram("no".to_owned());
        },
        row: &[(Check::Record, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "an open loop as it should be",
        change: |_, windows| add(windows, SUBJECT, |like| half().window(like)),
        row: &[],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "the offered rate is not met",
        change: |_, windows| {
            add(windows, SUBJECT, |like| {
                let mut window = half().window(like);
                paced_mut(&mut window.purpose).sent = 390;
                window.outcomes.dropped = 10;
                window
            });
        },
        row: &[(Check::Offered, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "one request is never sent",
        change: |_, windows| {
            add(windows, SUBJECT, |like| half().window(like));
            let last = windows.last_mut().unwrap();
            (paced_mut(&mut last.purpose).sent, last.outcomes.dropped) = (399, 1);
        },
        row: &[(Check::Offered, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "an overload that is sent late",
        change: |_, windows| {
            let late = SimulatedOpenLoop {
                shortest_ns: 5_150_000,
                longest_ns: 5_250_000,
                send_lag_ns: 5_000_000,
                ..half()
            };
            late.add_to(windows, &name(SUBJECT));
        },
        row: &[(Check::Offered, Kind::Warning), (Check::SendLag, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "requests of an open loop fail",
        change: |_, windows| {
            add(windows, SUBJECT, |like| half().window(like));
            windows.last_mut().unwrap().outcomes.timeout = 3;
        },
        row: &[(Check::Failures, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "requests are sent late",
        change: |_, windows| {
            add(windows, SUBJECT, |like| SimulatedOpenLoop { send_lag_ns: 101_000, ..half() }.window(like));
        },
        row: &[(Check::SendLag, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "there are too few response times for a percentile",
        change: |_, windows| {
            add(windows, SUBJECT, |like| SimulatedOpenLoop { requests: 100, ..half() }.window(like));
        },
        row: &[(Check::Samples, Kind::Hint)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "a curve goes beyond what can be met",
        change: |_, windows| {
            add(windows, SUBJECT, |like| {
                let mut window = SimulatedOpenLoop {
                    purpose: RatePurpose::Curve { point: 9 },
                    send_lag_ns: 9_000_000,
                    ..half()
                }
                .window(like);
                paced_mut(&mut window.purpose).sent = 200;
                (window.outcomes.dropped, window.outcomes.timeout) = (200, 50);
                window
            });
        },
        row: &[],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "all blocks of an open loop are disturbed",
        change: |_, windows| {
            add(windows, SUBJECT, |like| {
                let mut window = half().window(like);
                // Launches of their own, after those with counted blocks.
                window.launch += 5;
                window.host.steal_share = Some(0.2);
                window
            });
        },
        row: &[(Check::Host, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "the warm-up ends at its cap",
        change: |file, _| file.contenders[0].launches[1].warm_up[0].steady = false,
        row: &[(Check::WarmUp, Kind::Hint)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "a launch ends early",
        change: |file, _| file.contenders[0].launches[1].ended_early = Some("a worker died".to_owned()),
        row: &[(Check::Launches, Kind::Warning)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "it may run on the generator's CPU",
        change: |file, _| file.contenders[0].launches[1].cpus_read_back = vec![0, 1],
        row: &[(Check::Placement, Kind::Warning)],
        run: &[],
        is_ranked: false,
    },
    Case {
        cause: "SIGTERM does not stop it",
        change: |file, _| file.contenders[0].launches[1].stop.as_mut().unwrap().by_sigterm = false,
        row: &[(Check::Stop, Kind::Hint)],
        run: &[],
        is_ranked: true,
    },
    Case {
        cause: "the generator is a debug build",
        change: |file, _| file.identity.build = "debug".to_owned(),
        row: &[],
        run: &[(Check::Build, Kind::Error)],
        is_ranked: true,
    },
    Case {
        cause: "a guard is overridden",
        change: |file, _| file.settings.overrides = vec!["2 connections".to_owned()],
        row: &[],
        run: &[(Check::Overrides, Kind::Warning)],
        is_ranked: true,
    },
];

#[test]
fn each_cause_fires_its_checks_and_no_other() {
    let checks = |verdicts: &[velo_judge::Verdict]| -> BTreeSet<(Check, Kind)> {
        verdicts.iter().map(|verdict| (verdict.check, verdict.kind)).collect()
    };
    let set = |expected: &[(Check, Kind)]| -> BTreeSet<(Check, Kind)> { expected.iter().copied().collect() };
    for case in CASES {
        let judgement = judged(case.change);
        let cause = case.cause;
        assert_eq!(checks(&judgement.verdicts), set(case.run), "{cause}: {:?}", judgement.verdicts);
        let found = row(&judgement, SUBJECT);
        assert_eq!(checks(&found.verdicts), set(case.row), "{cause}: {:?}", found.verdicts);
        assert_eq!(
            matches!(found.state, RowState::Ranked { .. }),
            case.is_ranked,
            "{cause}: {:?}",
            found.state
        );
        for other in judgement.workloads[0].rows.iter().filter(|row| row.contender != name(SUBJECT)) {
            assert!(other.verdicts.is_empty(), "{cause}: {}: {:?}", other.contender, other.verdicts);
        }
    }
}

// Limits and steadiness as data

#[test]
fn a_generator_that_matters_is_the_limit_and_the_figure_says_how_much() {
    let judgement = judged(|_, windows| proof(windows, 0.93, 0.01));
    let finding = row(&judgement, SUBJECT).limit.clone().unwrap();
    assert_eq!(finding.at_limit, [PartyRole::Generator]);
    let proof = finding.proof.unwrap();
    assert_eq!((proof.found, proof.pairs, proof.slowed_ns), (ProofFound::GeneratorMatters, 12, 500));
    let ratio = proof.ratio.unwrap();
    assert!((ratio - 0.93 * 1.01_f64.sqrt()).abs() < 0.001, "{ratio}");
    assert!(proof.low.unwrap() < ratio && ratio < proof.high.unwrap() && proof.high.unwrap() < 0.98);
    let words = "slowing the generator by 0.5 µs a request cost 6.5 %";
    assert_eq!(finding.in_words(), words);
    let row = row(&judgement, SUBJECT);
    assert!(row.at_least && row.standing() == format!("not ranked: {words}"));
    let verdict = row.verdicts.iter().find(|verdict| verdict.check == Check::Proof).unwrap();
    assert_eq!((verdict.figure, verdict.bound), (Some(ratio), Some(0.98)));
    assert_eq!(verdict.finding, Finding::GeneratorMatters { slowed_ns: 500, cost_share: Some(1.0 - ratio) });
}

#[test]
fn what_confirms_the_limit_is_noted_and_without_pairs_there_is_nothing() {
    let judgement = judged(|_, windows| proof(windows, 1.0, 0.01));
    let finding = row(&judgement, SUBJECT).limit.clone().unwrap();
    assert_eq!(
        (finding.is_contenders(), finding.proof.unwrap().found),
        (true, ProofFound::GeneratorDoesNotMatter)
    );
    assert!(finding.in_words().ends_with("; slowing the generator by 0.5 µs a request did not cost 2.0 %"));
    assert_eq!(row(&judged(|_, _| {}), SUBJECT).limit.as_ref().unwrap().proof, None);
    // Half a pair is none.
    let judgement = judged(|_, windows| {
        proof(windows, 0.5, 0.0);
        windows.retain(|window| window.kind() != WindowKind::Proof || window.slowed_ns().is_none());
    });
    let proof = row(&judgement, SUBJECT).limit.as_ref().unwrap().proof.unwrap();
    assert_eq!((proof.pairs, proof.ratio, proof.found), (0, None, ProofFound::Unresolved));
}

#[test]
fn the_change_over_a_launch_is_recovered() {
    let judgement = judged(|_, windows| {
        for window in subject(windows) {
            let fall = 1.0 - 0.09 * f64::from(window.block - 1) / 11.0;
            window.outcomes.correct = (window.outcomes.correct as f64 * fall) as u64;
        }
    });
    let steadiness = row(&judgement, SUBJECT).steadiness.unwrap();
    assert_eq!(steadiness.found, Steady::Trend);
    // From the middle of blocks 1 to 4 to that of blocks 9 to 12.
    let change = steadiness.change.unwrap();
    assert!(
        (change.value - (1.0 - 0.09 * 9.5 / 11.0) / (1.0 - 0.09 * 1.5 / 11.0)).abs() < 0.004,
        "{change:?}"
    );
    assert_eq!(steadiness.figure, Figure::Goodput);
    assert_eq!(row(&judgement, "java/jdk").steadiness.unwrap().found, Steady::Steady);
}

#[test]
fn at_a_stated_rate_it_is_cpu_time_that_must_hold_still() {
    let rate_per_s = 15_000.0;
    // All but one fall, as compilers do that are still at work; the one that does not is not accused of rising.
    let compiled = [SUBJECT, "java/jdk", "php/swoole", "ruby/agoo"];
    let judgement = judged(|file, windows| {
        file.workloads[0].load.rate_per_s = Some(rate_per_s);
        for contender in compiled.into_iter().chain(["js/node-http"]) {
            add(windows, contender, |like| equal().window(like));
        }
        windows.retain(|window| window.kind() == WindowKind::Paced);
        for window in windows.iter_mut().filter(|window| window.contender != name("js/node-http")) {
            let fall = 1.0 - 0.5 * f64::from(window.block - 1) / 11.0;
            contender_mut(window).cpu_total_ns =
                contender_mut(window).cpu_total_ns.map(|ns| (ns as f64 * fall) as u64);
        }
    });
    let of = |contender| row(&judgement, contender).steadiness.unwrap();
    for contender in compiled {
        let Steadiness { figure, change, found } = of(contender);
        assert_eq!((figure, found), (Figure::CpuPerRequest, Steady::Trend), "{contender}");
        let change = change.unwrap().value;
        let truth = (1.0 - 0.5 * 9.5 / 11.0) / (1.0 - 0.5 * 1.5 / 11.0);
        assert!((change - truth).abs() < 0.02, "{contender}: {change} in place of {truth}");
        let verdict =
            row(&judgement, contender).verdicts.iter().find(|verdict| verdict.check == Check::Steady);
        let Finding::Trend { figure, change_share } = verdict.expect("said").finding else {
            panic!("{contender}")
        };
        assert_eq!((figure, change_share), (Figure::CpuPerRequest, change - 1.0), "{contender}");
    }
    assert_ne!(of("js/node-http").found, Steady::Trend);
}

// Open loops

#[test]
fn response_times_at_a_rate_are_what_was_put_in() {
    let judgement = judged(|_, windows| {
        add(windows, SUBJECT, |like| half().window(like));
        add(windows, SUBJECT, |like| equal().window(like));
        add(windows, SUBJECT, |like| {
            SimulatedOpenLoop { purpose: RatePurpose::Search, ..half() }.window(like)
        });
    });
    let latency = &row(&judgement, SUBJECT).latency;
    assert_eq!(latency.len(), 2, "tries are no figures");
    assert_eq!(latency[0].purpose, RatePurpose::CommonRate);
    let half = &latency[1];
    assert_eq!((half.rate_per_s, half.launches, half.windows), (24_000.0, 5, 60));
    assert_eq!(
        (half.offered, half.sent, half.achieved_share, half.is_met),
        (24_000, 24_000, Some(1.0), true)
    );
    let close = |value: Option<velo_judge::Estimate>, expected: f64| {
        let value = value.unwrap();
        assert!((value.value / expected - 1.0).abs() < 0.002, "{value:?}, expected {expected}");
        assert_eq!(value.launches, 5);
    };
    close(half.response.p50_ns, 199_750.0);
    close(half.response.p90_ns, 239_750.0);
    close(half.response.p99_ns, 248_750.0);
    close(half.response.p999_ns, 249_750.0);
    close(half.response.mean_ns, 199_875.0);
    close(half.service_p99_ns, 248_750.0);
    assert_eq!(half.response.samples, 24_000);
    // Times that are the same in all launches have intervals of no width.
    let p99 = half.response.p99_ns.unwrap();
    assert_eq!((p99.low, p99.high), (Some(p99.value), Some(p99.value)));
    // 0.99 of a CPU at 48,000 requests/s is 20.6 µs; 400 of those in 50 ms use 16.5 %.
    assert!((half.cpu_per_request_ns.unwrap().value / 20_625.0 - 1.0).abs() < 0.01);
    assert!((half.utilisation.unwrap() - 0.165).abs() < 0.005);
    assert!(half.send_lag_p99_ns.unwrap().abs_diff(20_000) < 20);
    // Twice 20 µs of 50 ms.
    assert!((half.behind_share.unwrap() - 0.000_8).abs() < 0.000_01);
}

#[test]
fn the_knee_is_where_response_times_pass_three_times_those_of_an_idle_server() {
    let judgement = judged(|_, windows| {
        for point in 1..=10 {
            add(windows, SUBJECT, |like| {
                let mut window = SimulatedOpenLoop {
                    purpose: RatePurpose::Curve { point },
                    rate_per_s: 4_800.0 * f64::from(point),
                    ..half()
                }
                .window(like);
                let mut response = Histogram::new();
                // Of a queue with one server: 1 / (1 - utilisation).
                response.record_many((100_000.0 / (1.05 - f64::from(point) / 10.0)) as u64, 400);
                let paced = paced_mut(&mut window.purpose);
                paced.response_time = EncodedHistogram::new(&response);
                if point == 10 {
                    (paced.sent, window.outcomes.dropped) = (300, 100);
                }
                window
            });
        }
    });
    let row = row(&judgement, SUBJECT);
    assert!(row.latency.is_empty());
    let curve = row.curve.as_ref().unwrap();
    assert_eq!(curve.points.len(), 10);
    assert!(curve.points[..9].iter().all(|point| point.is_met) && !curve.points[9].is_met);
    let knee = curve.knee.unwrap();
    // Idle is the second of ten, 1 / 0.85; three times that lies between 1 / 0.35 and 1 / 0.25.
    assert!((knee.idle_p99_ns / 117_647.0 - 1.0).abs() < 0.002, "{knee:?}");
    assert_eq!((knee.rate_per_s, knee.end), (4_800.0 * 7.0, KneeReason::Slow));
}

// Equal work and cost

/// Each rate with what contenders need there.
fn at_common_rates(judgement: &Judgement) -> Vec<&Series> {
    judgement.workloads[0].series.iter().filter(|series| series.of == Figure::CpuAtOneRate).collect()
}

fn rates(groups: &[&Series]) -> Vec<f64> {
    groups.iter().filter_map(|group| group.under.rate_per_s()).collect()
}

fn ranks(group: &Series) -> Vec<(&str, Option<u32>, Option<u32>)> {
    group.points.iter().map(|point| (point.contender.as_str(), point.best, point.worst)).collect()
}

fn pairs_at<'j>(judgement: &'j Judgement, group: &Series) -> &'j Pairs {
    judgement.workloads[0].pairs_by(group.of, Some(group.under)).expect("pairs")
}

#[test]
fn cost_is_ranked_at_one_rate_for_all_whoever_was_the_limit() {
    let judgement = judged(|_, windows| {
        for window in subject(windows) {
            generator_mut(window).cpu_ns = Some(window.duration_ns * 97 / 100);
            contender_mut(window).cpu_ns = Some(window.duration_ns / 2);
        }
        for contender in [SUBJECT, "js/node-http", "java/jdk", "rust/reference"] {
            add(windows, contender, |like| equal().window(like));
        }
    });
    assert!(matches!(row(&judgement, SUBJECT).state, RowState::NotRanked { .. }), "by goodput");
    let groups = at_common_rates(&judgement);
    assert_eq!(rates(&groups), [15_000.0]);
    let one = Some(1);
    let expected = [
        (SUBJECT, one, one),
        ("js/node-http", Some(2), Some(2)),
        ("java/jdk", Some(3), Some(3)),
        ("rust/reference", None, None),
    ];
    assert_eq!(ranks(groups[0]), expected);
    assert_eq!(
        groups[0].points[3].reason.as_ref().map(ToString::to_string).as_deref(),
        Some("the reference, never ranked")
    );
    let first = groups[0].points[0].estimate;
    assert!((first.value / 20_625.0 - 1.0).abs() < 0.01);
    assert!((per_core_second(first).unwrap().value / 48_485.0 - 1.0).abs() < 0.01);
    let pairs = pairs_at(&judgement, groups[0]);
    assert_eq!(pairs.level, 0.05);
    let pair = &pairs.compared[0];
    assert_eq!((pair.under.as_str(), pair.over.as_str()), (SUBJECT, "js/node-http"));
    assert_eq!((pair.state, pairs.compared.len(), pairs.separated), (Standing::Separated, 3, 3));
    let ratio = pair.ratio.unwrap();
    assert!((ratio.value / 1.2 - 1.0).abs() < 0.005 && ratio.low.unwrap() > 1.0, "{pair:?}");
    assert!(pair.simultaneous_low.unwrap() <= ratio.low.unwrap());
    assert!(pair.simultaneous_high.unwrap() >= ratio.high.unwrap());
}

#[test]
fn contenders_of_different_rates_are_no_pairs() {
    let judgement = judged(|_, windows| {
        for contender in [SUBJECT, "js/node-http"] {
            add(windows, contender, |like| equal().window(like));
        }
        for contender in ["php/swoole", "ruby/agoo"] {
            add(windows, contender, |like| SimulatedOpenLoop { rate_per_s: 900.0, ..equal() }.window(like));
        }
    });
    let groups = at_common_rates(&judgement);
    assert_eq!(rates(&groups), [15_000.0, 900.0]);
    let (one, two) = ((Some(1), Some(1)), (Some(2), Some(2)));
    assert_eq!(ranks(groups[1]), [("php/swoole", one.0, one.1), ("ruby/agoo", two.0, two.1)]);
    assert!(groups.iter().all(|group| pairs_at(&judgement, group).compared.len() == 1));
}

#[test]
fn what_is_not_told_apart_shares_a_rank_and_what_cannot_be_used_has_none() {
    let judgement = judged(|_, windows| {
        for contender in [SUBJECT, "js/node-http", "java/jdk", "php/swoole", "ruby/agoo"] {
            add(windows, contender, |like| equal().window(like));
        }
        let paced = |window: &&mut Window| window.kind() == WindowKind::Paced;
        for window in of(windows, "js/node-http").filter(paced) {
            // Now and then it is cheaper, now and then dearer than the subject.
            let turn = if window.launch.is_multiple_of(2) { 0.80 } else { 0.86 };
            contender_mut(window).cpu_total_ns =
                contender_mut(window).cpu_total_ns.map(|cpu| (cpu as f64 * turn) as u64);
        }
        for window in of(windows, "java/jdk").filter(paced) {
            (paced_mut(&mut window.purpose).sent, window.outcomes.dropped) = (380, 20);
        }
        of(windows, "php/swoole").next().unwrap().outcomes.wrong_answer = 1;
        windows.retain(|window| {
            window.contender != name("ruby/agoo") || window.kind() != WindowKind::Paced || window.launch < 5
        });
    });
    let rows = &at_common_rates(&judgement)[0].points;
    let both = (Some(1), Some(2));
    let mut tied = vec![(rows[0].contender.as_str(), rows[0].best, rows[0].worst)];
    tied.push((rows[1].contender.as_str(), rows[1].best, rows[1].worst));
    tied.sort_unstable();
    assert_eq!(tied, [(SUBJECT, both.0, both.1), ("js/node-http", both.0, both.1)]);
    let reason = |contender: &str| {
        let row = rows.iter().find(|row| row.contender == name(contender)).unwrap();
        assert_eq!((row.best, row.worst), (None, None));
        row.reason.clone().unwrap().to_string()
    };
    assert_eq!(
        reason("java/jdk"),
        "it did not meet the rate: 95 % sent, 0.1 % behind at the end, 0.0 % failed"
    );
    assert!(rows.iter().all(|row| row.contender != name("php/swoole")), "its answers were wrong");
    assert_eq!(reason("ruby/agoo"), "4 launches, and ranks need 5");
}

#[test]
fn without_windows_at_one_rate_the_second_ranking_is_left_out() {
    let judgement = judged(|_, windows| add(windows, SUBJECT, |like| half().window(like)));
    assert!(at_common_rates(&judgement).is_empty());
    let quick = judged(|file, windows| {
        add(windows, SUBJECT, |like| equal().window(like));
        file.settings.quick = true;
    });
    let point = &at_common_rates(&quick)[0].points[0];
    assert_eq!(
        (point.best, point.reason.as_ref().map(ToString::to_string).as_deref()),
        (None, Some("quick look"))
    );
}

#[test]
fn a_load_is_turned_into_cores_money_and_hours() {
    let asked = CostQuestion {
        target_rps: Some(100_000.0),
        price_per_core_hour: Some(0.04),
        currency: Some("EUR".to_owned()),
        users: Some(10_000),
        calls_per_user_per_year: Some(1_000),
    };
    let question = asked.clone();
    let judgement = judged(|file, windows| {
        file.settings.cost = Some(question);
        add(windows, SUBJECT, |like| equal().window(like));
    });
    let cost = judgement.workloads[0].cost.as_ref().unwrap();
    assert_eq!(cost.question, asked);
    let names: Vec<&str> = cost.rows.iter().map(|row| row.contender.as_str()).collect();
    assert_eq!(names, [SUBJECT, "js/node-http", "java/jdk", "php/swoole", "ruby/agoo"], "the cheapest first");
    let close = |found: Option<velo_judge::Estimate>, expected: f64| {
        let found = found.unwrap().value;
        assert!((found / expected - 1.0).abs() < 0.01, "{found}, expected {expected}");
    };
    let subject = &cost.rows[0];
    assert_eq!(subject.cpu_basis, Basis::EqualWork { rate_per_s: 15_000.0 });
    assert_eq!(subject.waiting_basis, Some(Basis::EqualWork { rate_per_s: 15_000.0 }));
    close(subject.requests_per_core_second, 48_485.0);
    close(subject.cores, 2.0625);
    // 20.6 µs x 1e6 are 0.00573 core-hours.
    close(subject.price_per_million, 0.04 * 20.625 / 3_600.0);
    // 200 µs x 1,000 x 10,000 are 2,000 s.
    close(subject.waiting_hours_per_year, 199_875.0 * 1e7 / 3.6e12);
    // The others have closed loops only.
    assert_eq!(cost.rows[1].cpu_basis, Basis::Saturation { connections: 64 });
    assert_eq!(cost.rows[1].waiting_basis, Some(Basis::Saturation { connections: 64 }));
    assert!(cost.rows[1].waiting_hours_per_year.unwrap().value > 1.0);
}

#[test]
fn what_was_not_asked_is_not_answered() {
    assert_eq!(judged(|_, _| {}).workloads[0].cost, None);
    let judgement = judged(|file, _| {
        file.settings.cost = Some(CostQuestion {
            target_rps: Some(-1.0),
            price_per_core_hour: Some(f64::MAX),
            users: Some(u64::MAX),
            ..CostQuestion::default()
        });
    });
    let row = &judgement.workloads[0].cost.as_ref().unwrap().rows[0];
    assert_eq!((row.cores, row.waiting_hours_per_year, row.waiting_basis), (None, None, None));
    assert!(row.price_per_million.is_some_and(|price| price.value.is_finite()));
}
