//! The JSON Schema in `schemas/` is that of the type, and what is written fits it.

use std::path::Path;

use velo_judge::simulate::{Simulated, Simulation};
use velo_judge::{judge, judgement_schema};

const REGENERATE: &str = "UPDATE_SCHEMAS=1 cargo test -p velo-judge --test schema";

#[test]
fn the_schema_is_that_of_the_type() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/judgement.schema.json");
    let text = format!("{:#}\n", judgement_schema());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("the schema is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "schemas/judgement.schema.json differs from the type; regenerate it: {REGENERATE}"
    );
}

#[test]
fn what_is_written_fits() {
    let (file, windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0).coin()]).run();
    let written = serde_json::to_value(judge(&file, &windows)).expect("JSON");
    let validator = jsonschema::draft202012::new(&judgement_schema()).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");

    let mut spoilt = written;
    spoilt["workloads"][0]["rows"][0]["goodput_per_s"]["value"] = serde_json::Value::Null;
    assert!(!validator.is_valid(&spoilt), "a figure that is there is a number");
}
