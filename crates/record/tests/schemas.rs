//! The JSON Schemas in `schemas/` are those of the types, and what is written fits them.

mod common;

use std::path::{Path, PathBuf};

use common::{calls, run_file, window};
use serde_json::Value;
use velo_record::{call_schema, run_schema, window_schema};

const REGENERATE: &str = "UPDATE_SCHEMAS=1 cargo test -p velo-record --test schemas";

fn checked_in(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name)
}

#[track_caller]
fn assert_checked_in(name: &str, schema: &Value) {
    let path = checked_in(name);
    let text = format!("{schema:#}\n");
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("the schema is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "schemas/{name} differs from the types; regenerate it: {REGENERATE}");
}

#[test]
fn schemas_are_those_of_the_types() {
    assert_checked_in("run.schema.json", &run_schema());
    assert_checked_in("window.schema.json", &window_schema());
    assert_checked_in("call.schema.json", &call_schema());
}

#[track_caller]
fn assert_fits(schema: &Value, value: &Value) {
    let validator = jsonschema::draft202012::new(schema).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn what_is_written_fits() {
    assert_fits(&run_schema(), &serde_json::to_value(run_file()).expect("JSON"));
    assert_fits(&window_schema(), &serde_json::to_value(window(1, 1)).expect("JSON"));
    assert_fits(&call_schema(), &serde_json::to_value(calls(1)).expect("JSON"));
}

/// A schema that took anything would pass the test above.
#[test]
fn what_is_not_a_record_does_not_fit() {
    let schema = window_schema();
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let good = serde_json::to_value(window(1, 1)).expect("JSON");
    for (member, bad) in [
        ("launch", Value::from("1")),
        ("duration_ns", Value::from(-1)),
        ("purpose", serde_json::json!({"is": "blok"})),
        ("outcomes", Value::Null),
        ("contender", Value::from(7)),
    ] {
        let mut changed = good.clone();
        changed[member] = bad;
        assert!(!validator.is_valid(&changed), "{member}");
        changed.as_object_mut().expect("an object").remove(member);
        assert!(!validator.is_valid(&changed), "without {member}");
    }
    let mut missing = good.clone();
    missing["parties"][1].as_object_mut().expect("an object").remove("cpu_ns");
    assert!(!validator.is_valid(&missing), "missing is null, not absent");
}
