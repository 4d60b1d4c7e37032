use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::result::GateRun;

/// The JSON Schema of a [`GateRun`] as it is written: every member is there, missing figures as null.
pub fn gate_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<GateRun>().to_value()
}
