//! Whatever a run's files hold, judging ends, does not panic, and writes no number that is not one.

use std::sync::LazyLock;

use proptest::prelude::*;
use velo_fixtures::{Simulated, SimulatedTask, Simulation, contender_mut, generator_mut};
use velo_judge::{judge, judgement_schema};
use velo_model::{Bound, Claim, ClaimFigure, Class, Figure, PublishedFigure, PublishedRow, Side, Subject};
use velo_record::{CoinCounts, EncodedHistogram, Placement, Purpose, RunFile, Window};

static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&judgement_schema()).expect("a schema"));

fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(50_000_000), any::<u64>()]
}

fn share() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        Just(None),
        Just(Some(0.0)),
        Just(Some(f64::MAX)),
        Just(Some(-1.0)),
        (0.0..2.0).prop_map(Some)
    ]
}

#[derive(Debug, Clone)]
struct Change {
    window: usize,
    field: u8,
    value: u64,
    share: Option<f64>,
}

fn change() -> impl Strategy<Value = Change> {
    (any::<usize>(), any::<u8>(), extreme(), share()).prop_map(|(window, field, value, share)| Change {
        window,
        field,
        value,
        share,
    })
}

fn apply(change: &Change, windows: &mut [Window]) {
    let at = change.window % windows.len();
    let (window, value) = (&mut windows[at], change.value);
    match change.field % 21 {
        0 => window.duration_ns = value,
        1 => window.outcomes.correct = value,
        2 => window.outcomes.wrong_answer = value,
        3 => window.outcomes.timeout = value,
        4 => window.outside.correct = value,
        5 => window.in_flight_request_ns = value,
        6 => window.clipped_service_ns = value,
        7 => window.parties.truncate((value % 3) as usize),
        8 => contender_mut(window).cpu_ns = (value != 1).then_some(value),
        9 => contender_mut(window).cpu_total_ns = (value != 1).then_some(value),
        10 => contender_mut(window).busy_threads = Some(value as u32),
        11 => contender_mut(window).cpu_by_process_ns = vec![value; (value % 4) as usize],
        12 => window.connections.completions = vec![value as u32; (value % 70) as usize],
        13 => window.connections.asked = value as u32,
        14 => {
            window.coin = Some(CoinCounts {
                draws: [[value, 1], [0, value]],
                successive: [[value; 2]; 2],
                lags: [[value; 2]; 8],
            });
        }
        15 => window.service_time = EncodedHistogram(format!("{value}")),
        16 => window.host.steal_share = change.share,
        17 => window.host.others_share = change.share,
        18 => generator_mut(window).cpu_ns = (value != 1).then_some(value),
        19 => (window.launch, window.block) = (value as u32, (value >> 32) as u32),
        _ => {
            let purposes = [Purpose::Cold { paced: None }, Purpose::WarmUp { paced: None }, Purpose::Block];
            window.purpose = purposes[(value % 3) as usize].clone();
        }
    }
}

fn base() -> (RunFile, Vec<Window>) {
    let mut simulation = Simulation::new(vec![
        Simulated::new("ruby/rack-thin", 8_000.0).coin(),
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("go/gin", 38_000.0).on("go/net-http"),
        Simulated::new("rust/reference", 900_000.0).class(Class::Reference),
    ]);
    simulation.blocks = 2;
    let (mut file, windows) = simulation.run();
    let side = |index: usize| Side {
        workload: "coin".to_owned(),
        contender: file.contenders[index].manifest.name.clone(),
    };
    let claim = |figure, subject| Claim {
        says: String::new(),
        figure,
        subject,
        printed: None,
        bound: Bound { low: Some(1.0), high: None },
    };
    file.workloads[0].claims = vec![
        claim(ClaimFigure::SCORE, Subject::Order(vec![side(2), side(1), side(0)])),
        claim(ClaimFigure::of(Figure::CpuPerRequest), Subject::Ratio(side(1), side(2))),
    ];
    (file, windows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_values_are_judged(changes in proptest::collection::vec(change(), 0..60), idle in share(), startup in extreme()) {
        let (mut file, mut windows) = base();
        changes.iter().for_each(|change| apply(change, &mut windows));
        file.contenders[1].idle_cpu_share = idle;
        file.contenders[1].launches[0].startup_ns = Some(startup);
        file.contenders[1].launches[1].memory_steady_bytes = Some(startup);
        let judgement = judge(&file, &windows);
        // A number that is not one would be written as null, which the schema does not allow.
        let written = serde_json::to_value(&judgement).expect("JSON");
        let faults: Vec<String> = VALIDATOR.iter_errors(&written).map(|error| error.to_string()).collect();
        prop_assert!(faults.is_empty(), "{:?}", faults);
        let optional_numbers = written.to_string();
        prop_assert!(!optional_numbers.contains("NaN") && !optional_numbers.contains("inf"));
    }

    #[test]
    fn any_values_of_tasks_are_judged(
        changes in proptest::collection::vec((any::<usize>(), any::<u8>(), extreme(), share()), 0..40),
    ) {
        let (mut file, windows) = base();
        let tasks = ["rust/program", "go/program", "ruby/program"].map(|name| SimulatedTask::new(name, 4e6, 3e6));
        SimulatedTask::add(&tasks, &mut file, 1);
        let side = |name: &str| Side {
            workload: "coin".to_owned(),
            contender: velo_model::ContenderName::new(name).expect("a name"),
        };
        for figure in [ClaimFigure::of(Figure::IterationCold), ClaimFigure::of(Figure::IterationSteady)] {
            file.workloads[0].claims.push(Claim {
                says: String::new(),
                figure,
                subject: Subject::Order(vec![side("ruby/program"), side("go/program"), side("rust/program")]),
                printed: None,
                bound: Bound { low: Some(1.0), high: None },
            });
        }
        file.workloads[0].published.push(PublishedRow {
            row: String::new(),
            contender: Some(side("go/program").contender),
            not_measured: None,
            figure: PublishedFigure::IterationMs(f64::MAX),
        });
        for (at, field, value, share) in changes {
            let record = file.contenders.iter_mut().rev().nth(at % 3).expect("a task");
            let processes = record.tasks.len();
            let Some(process) = record.tasks.get_mut(at % processes.max(1)) else { continue };
            let iterations = process.iterations.len();
            match field % 14 {
                0 => process.iterations.clear(),
                1 => process.iterations.truncate((value % 4) as usize),
                2 => process.iterations.iter_mut().for_each(|iteration| iteration.own_ns = value),
                3 => process.iterations.iter_mut().for_each(|iteration| iteration.outside_ns = value),
                4 if iterations > 0 => process.iterations[at % iterations].own_ns = value,
                5 => process.wrong_answers = value,
                6 => process.parties[0].cpu_ns = (value != 1).then_some(value),
                7 => process.memory_peak_bytes = Some(value),
                8 => process.file_bytes = value,
                9 => process.read_bytes = Some(value),
                10 => (process.others_share, process.steal_share) = (share, share),
                11 => process.process = value as u32,
                12 => process.ended_early = Some("\u{1b}[31m".to_owned()),
                _ => record.tasks.clear(),
            }
        }
        let written = serde_json::to_value(judge(&file, &windows)).expect("JSON");
        let faults: Vec<String> = VALIDATOR.iter_errors(&written).map(|error| error.to_string()).collect();
        prop_assert!(faults.is_empty(), "{:?}", faults);
    }

    #[test]
    fn any_part_of_a_run_is_judged_and_the_order_of_windows_says_nothing(keep in any::<u64>(), turn in any::<bool>()) {
        let (file, mut windows) = base();
        let mut bits = keep;
        windows.retain(|_| {
            bits = bits.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            bits % 3 > 0
        });
        let judged = judge(&file, &windows);
        if turn {
            windows.reverse();
        }
        prop_assert_eq!(judge(&file, &windows).workloads[0].rows.clone(), judged.workloads[0].rows.clone());
    }
}

#[test]
fn an_empty_run_is_judged() {
    let (mut file, _) = base();
    file.workloads.clear();
    file.contenders.clear();
    file.placement = Placement::default();
    let judgement = judge(&file, &[]);
    assert!(judgement.workloads.is_empty() && judgement.answers.requests() == 0);
}
