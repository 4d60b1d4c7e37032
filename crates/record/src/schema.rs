use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use crate::{CallBlock, RunFile, Window};

/// The JSON Schema of `run.json`.
pub fn run_schema() -> Value {
    schema_of::<RunFile>()
}

/// The JSON Schema of a line of `windows.ndjson`.
pub fn window_schema() -> Value {
    schema_of::<Window>()
}

/// The JSON Schema of a line of `calls.ndjson`.
pub fn call_schema() -> Value {
    schema_of::<CallBlock>()
}

/// The contract is that of what is written: every member is there, missing figures as null.
fn schema_of<T: JsonSchema>() -> Value {
    let generator: SchemaGenerator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}
