use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::{Judgement, StrictnessTable};

/// The JSON Schema of a [`Judgement`] as it is written: every member is there, missing figures as null.
pub fn judgement_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<Judgement>().to_value()
}

/// The JSON Schema of what `velo verify --strictness` writes: a table for each workload.
pub fn strictness_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<Vec<StrictnessTable>>().to_value()
}
