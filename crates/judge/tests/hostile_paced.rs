//! Whatever windows of open loops and of proofs hold, judging ends, does not panic, and writes no number that is not one.

use std::sync::LazyLock;

use proptest::prelude::*;
use velo_fixtures::{Simulated, Simulation, contender_mut};
use velo_judge::{judge, judgement_schema};
use velo_record::{CostQuestion, EncodedHistogram, PacedWindow, Purpose, RatePurpose, RunFile, Window};
use velo_stats::Histogram;

static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&judgement_schema()).expect("a schema"));

fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(1_000), Just(u64::MAX), any::<u64>()]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(1_000.0),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        Just(f64::NAN),
        0.0..1e6
    ]
}

fn purpose() -> impl Strategy<Value = RatePurpose> {
    prop_oneof![
        3 => Just(RatePurpose::CommonRate),
        2 => (0_u32..3).prop_map(|percent| RatePurpose::Share { percent }),
        2 => (0_u32..6).prop_map(|point| RatePurpose::Curve { point }),
        1 => Just(RatePurpose::Search),
    ]
}

fn histogram() -> impl Strategy<Value = EncodedHistogram> {
    let of = |values: Vec<u64>| {
        let mut histogram = Histogram::new();
        values.into_iter().for_each(|value| histogram.record_many(value, 300));
        EncodedHistogram::new(&histogram)
    };
    prop_oneof![
        4 => proptest::collection::vec(extreme(), 0..4).prop_map(of),
        1 => Just(EncodedHistogram("no".to_owned())),
    ]
}

#[derive(Debug, Clone)]
struct Change {
    purpose: Purpose,
    figures: [u64; 6],
}

fn change() -> impl Strategy<Value = Change> {
    let paced = || {
        (purpose(), number(), extreme(), extreme(), histogram(), histogram()).prop_map(
            |(purpose, rate_per_s, offered, sent, response_time, send_lag)| PacedWindow {
                rate_per_s,
                purpose,
                offered,
                sent,
                response_time,
                send_lag,
            },
        )
    };
    let purpose = prop_oneof![
        3 => paced().prop_map(Purpose::Paced),
        2 => proptest::option::of(extreme()).prop_map(|slowed_ns| Purpose::Proof { slowed_ns }),
        1 => Just(Purpose::Block),
        1 => proptest::option::of(paced()).prop_map(|paced| Purpose::WarmUp { paced }),
    ];
    (purpose, proptest::array::uniform6(extreme())).prop_map(|(purpose, figures)| Change { purpose, figures })
}

fn run() -> (RunFile, Vec<Window>) {
    let mut simulation = Simulation::new(vec![
        Simulated::new("go/net-http", 40_000.0),
        Simulated::new("js/node-http", 30_000.0),
        Simulated::new("php/swoole", 900.0),
    ]);
    simulation.blocks = 4;
    simulation.run()
}

fn apply(change: &Change, window: &mut Window, is_extreme: bool) {
    window.purpose = change.purpose.clone();
    if is_extreme {
        let [correct, dropped, timeout, cpu_ns, duration_ns, launch] = change.figures;
        (window.outcomes.correct, window.outcomes.dropped) = (correct, dropped);
        (window.outcomes.timeout, window.duration_ns) = (timeout, duration_ns);
        (contender_mut(window).cpu_ns, contender_mut(window).cpu_total_ns) = (Some(cpu_ns), Some(cpu_ns));
        window.launch = launch as u32;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_values_are_judged(
        changes in proptest::collection::vec((change(), any::<prop::sample::Index>(), any::<bool>()), 0..60),
        target_rps in proptest::option::of(number()),
        price_per_core_hour in proptest::option::of(number()),
        users in proptest::option::of(extreme()),
        calls_per_user_per_year in proptest::option::of(extreme()),
    ) {
        let (mut file, mut windows) = run();
        for (change, at, is_extreme) in &changes {
            apply(change, at.get_mut(&mut windows), *is_extreme);
        }
        let question =
            CostQuestion { target_rps, price_per_core_hour, currency: None, users, calls_per_user_per_year };
        // A file cannot hold what is no number.
        let is_number = |value: Option<f64>| value.is_none_or(f64::is_finite);
        file.settings.cost = (is_number(target_rps) && is_number(price_per_core_hour)).then_some(question);
        let written = serde_json::to_value(judge(&file, &windows)).expect("JSON");
        // A number that is not one would be written as null, which the schema does not allow.
        let faults: Vec<String> = VALIDATOR.iter_errors(&written).map(|error| error.to_string()).collect();
        prop_assert!(faults.is_empty(), "{:?}", faults);
    }

    #[test]
    fn the_order_of_windows_says_nothing(
        changes in proptest::collection::vec((change(), any::<prop::sample::Index>()), 0..30),
    ) {
        let (file, mut windows) = run();
        for (change, at) in &changes {
            apply(change, at.get_mut(&mut windows), false);
        }
        let judged = judge(&file, &windows);
        windows.reverse();
        let turned = judge(&file, &windows);
        prop_assert_eq!(&turned.workloads[0].rows, &judged.workloads[0].rows);
        prop_assert_eq!(&turned.workloads[0].series, &judged.workloads[0].series);
        prop_assert_eq!(&turned.workloads[0].pairs, &judged.workloads[0].pairs);
    }
}
