//! Whatever a load's record or file holds, reading and judging end, do not panic, and write no number that is not one.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;
use velo_fixtures::load::{closed_loop, open_loop};
use velo_judge::load::{Condition, LoadResult, compare, judge, load_schema, parse_conditions};
use velo_record::{EncodedHistogram, LoadRecord, LoadSchedule};

static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&load_schema()).expect("a schema"));

static OPEN: LazyLock<LoadRecord> = LazyLock::new(|| open_loop(100, 10));
static CLOSED: LazyLock<LoadRecord> = LazyLock::new(|| closed_loop(1));

fn conditions() -> Vec<Condition> {
    let all = "p50<1ms,p99.99>1s,max<1s,mean=0us,send-lag.p99<1us,handshake.max<1s,rate>1k,achieved>99%,errors=0,\
               errors<1%,wrong=0,timeouts<1%,refused<1%,dropped=0,generator<85%";
    parse_conditions(all).expect("conditions")
}

fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(50_000_000), any::<u64>()]
}

fn apply(record: &mut LoadRecord, field: u8, value: u64) {
    let settings = &mut record.settings;
    match field % 24 {
        0 => record.duration_ns = value,
        1 => record.outcomes.correct = value,
        2 => record.outcomes.wrong_answer = value,
        3 => record.outcomes.timeout = value,
        4 => record.outcomes.dropped = value,
        5 => record.warm_up.correct = value,
        6 => record.in_flight_request_ns = value,
        7 => record.clipped_service_ns = value,
        8 => record.generator_cpu_ns = vec![value; (value % 3) as usize],
        9 => record.offered = value,
        10 => record.connections.completions = vec![value as u32; (value % 70) as usize],
        11 => settings.connections = value as u32,
        12 => settings.pipelining = value as u32,
        13 => settings.warm_up_ns = value,
        14 => settings.most_requests = Some(value),
        15 => settings.duration_ns = (value != 1).then_some(value),
        16 => record.connections.reconnects = value,
        17 => record.connections.no_port = value,
        18 => record.connections.established = value as u32,
        19 => record.service_time = EncodedHistogram(format!("{value}")),
        20 => record.response_time = EncodedHistogram::default(),
        21 => record.sent_bytes = value,
        22 => {
            settings.schedule = match value {
                0 => LoadSchedule::Closed { think_ns: u64::MAX },
                1 => LoadSchedule::Closed { think_ns: 0 },
                _ => LoadSchedule::Open {
                    shape: "\x1b".to_owned(),
                    spacing: String::new(),
                    expected: f64::MAX,
                },
            }
        }
        _ => (record.interrupted, settings.busy_poll) = (value.is_multiple_of(2), value.is_multiple_of(3)),
    }
}

fn changed(changes: &[(u8, u64)], open: bool) -> LoadRecord {
    let mut record = if open { OPEN.clone() } else { CLOSED.clone() };
    changes.iter().for_each(|(field, value)| apply(&mut record, *field, *value));
    record
}

/// Every place in a value, as the path to it.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, value) in inner {
        let path = format!("{path}/{name}");
        places(value, &path, found);
        found.push(path);
    }
}

fn json() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(Value::from(f64::MAX)),
        Just(Value::from(f64::MIN)),
        extreme().prop_map(Value::from),
        Just(Value::from(-1)),
        any::<bool>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        Just(serde_json::json!([{}, [0, 1]])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_values_are_judged(changes in prop::collection::vec((any::<u8>(), extreme()), 0..30), open in any::<bool>()) {
        let result = judge(changed(&changes, open), &conditions());
        // A number that is not one would be written as null, which the schema does not allow everywhere.
        let written = serde_json::to_value(&result).expect("JSON");
        let faults: Vec<String> = VALIDATOR.iter_errors(&written).map(|error| error.to_string()).collect();
        prop_assert!(faults.is_empty(), "{:?}", faults);
        let text = serde_json::to_string(&result).expect("JSON");
        prop_assert!(!text.contains("NaN") && !text.contains("inf "), "{}", text);
        prop_assert_eq!(LoadResult::from_json(text.as_bytes()), Ok(result), "what is written is read as it was");
    }

    #[test]
    fn a_file_with_anything_in_any_place_gets_an_answer(
        changes in prop::collection::vec((any::<prop::sample::Index>(), json()), 1..4),
        open in any::<bool>(),
    ) {
        let good = judge(changed(&[], open), &conditions());
        let mut value = serde_json::to_value(&good).expect("JSON");
        for (place, new) in changes {
            let mut found = Vec::new();
            places(&value, "", &mut found);
            if !found.is_empty() {
                let path: &String = place.get(&found);
                *value.pointer_mut(path).expect("a place that was found") = new;
            }
        }
        if let Ok(read) = LoadResult::from_json(value.to_string().as_bytes()) {
            for comparison in [compare(&good, &read), compare(&read, &good)] {
                let finite = |figure: Option<f64>| figure.is_none_or(f64::is_finite);
                prop_assert!(comparison.figures.iter().all(|figure| finite(figure.ratio) && finite(figure.now)));
            }
            judge(read.record, &conditions());
        }
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(LoadResult::from_json(&bytes).is_err());
    }
}

#[test]
fn a_file_that_is_cut_off_is_refused() {
    let written = serde_json::to_vec(&judge(open_loop(100, 1), &conditions())).expect("JSON");
    for end in (0..written.len()).step_by(997) {
        assert!(LoadResult::from_json(&written[..end]).is_err(), "{end}");
    }
    let deep = b"[".repeat(1 << 20);
    assert!(LoadResult::from_json(&deep).is_err());
}
