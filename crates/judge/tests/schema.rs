//! The JSON Schemas in `schemas/` are those of the types, and what is written fits them.

use std::path::Path;

use serde_json::Value;
use velo_fixtures::against::two_services;
use velo_fixtures::load::{closed_loop, open_loop};
use velo_fixtures::{Simulated, Simulation};
use velo_judge::against::{self, against_schema};
use velo_judge::compare::{comparison_schema, snapshot_schema};
use velo_judge::gate::gate_schema;
use velo_judge::load::{self, load_schema, parse_conditions};
use velo_judge::{judge, judgement_schema, strictness_schema};

const REGENERATE: &str = "UPDATE_SCHEMAS=1 cargo test -p velo-judge --test schema";

#[track_caller]
fn assert_checked_in(name: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
    let text = format!("{schema:#}\n");
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("the schema is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "schemas/{name} differs from the type; regenerate it: {REGENERATE}");
}

#[track_caller]
fn assert_fits(schema: &Value, value: &Value) {
    let validator = jsonschema::draft202012::new(schema).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

fn is_valid(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::new(schema).expect("a schema").is_valid(value)
}

#[test]
fn the_schemas_are_those_of_the_types() {
    assert_checked_in("judgement.schema.json", &judgement_schema());
    assert_checked_in("strictness.schema.json", &strictness_schema());
    assert_checked_in("gate.schema.json", &gate_schema());
    assert_checked_in("load.schema.json", &load_schema());
    assert_checked_in("against.schema.json", &against_schema());
    assert_checked_in("snapshot.schema.json", &snapshot_schema());
    assert_checked_in("comparison.schema.json", &comparison_schema());
}

#[test]
fn what_is_written_fits() {
    let (file, windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0).coin()]).run();
    let written = serde_json::to_value(judge(&file, &windows)).expect("JSON");
    assert_fits(&judgement_schema(), &written);

    let mut spoilt = written;
    spoilt["workloads"][0]["series"][0]["points"][0]["estimate"]["value"] = Value::Null;
    assert!(!is_valid(&judgement_schema(), &spoilt), "a figure that is there is a number");
}

#[test]
fn a_load_that_is_written_fits() {
    let conditions = parse_conditions("p99<20ms,p99.99<1s,errors=1").expect("conditions");
    for record in [open_loop(1_000, 1), closed_loop(1)] {
        let written = serde_json::to_value(load::judge(record, &conditions)).expect("JSON");
        assert_fits(&load_schema(), &written);
        let mut spoilt = written.clone();
        spoilt["figures"].as_object_mut().expect("an object").remove("littles_law");
        assert!(!is_valid(&load_schema(), &spoilt), "missing is null, not absent");
        let mut spoilt = written;
        spoilt["record"]["settings"]["schedule"]["model"] = Value::from("half-open");
        assert!(!is_valid(&load_schema(), &spoilt), "an unknown load model");
    }
}

#[test]
fn two_services_that_are_written_fit() {
    let conditions = against::parse_conditions("goodput>-3%,errors=0", false).expect("conditions");
    let mut record = two_services(0.9, 60, 1);
    record.b.service.ended = true;
    let written = serde_json::to_value(against::judge(record, &conditions)).expect("JSON");
    assert_fits(&against_schema(), &written);
    let mut spoilt = written;
    spoilt["intervals_of"] = Value::from("the-programs");
    assert!(!is_valid(&against_schema(), &spoilt), "an interval is of these processes alone");
}
