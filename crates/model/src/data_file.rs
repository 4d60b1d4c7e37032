use serde::{Deserialize, Serialize};

use crate::TextTemplate;

/// A file that the lab makes and contenders read: a JSON array of records with drawn members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DataFile {
    /// Its name in `DATA_DIR`.
    pub file: String,
    /// Records.
    pub records: u32,
    /// One record; holds slots.
    pub record: TextTemplate,
    /// What changes from record to record.
    pub slots: Vec<DataSlot>,
}

/// A named part of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DataSlot {
    /// The name between braces.
    pub name: String,
    /// What it may hold.
    pub kind: DataSlotKind,
}

/// What a part of a record may hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DataSlotKind {
    /// A whole number that no other record has, below a million, in random order.
    Key,
    /// A lower-case word of 4 to 10 letters.
    Word,
    /// `true` or `false`.
    Bool,
    /// A whole number, both ends included.
    Int {
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
}
