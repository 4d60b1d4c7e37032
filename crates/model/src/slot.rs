use serde::{Deserialize, Serialize};

/// A named part of a request that is drawn anew for each request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slot {
    /// The name between braces in the templates.
    pub name: String,
    /// What it may hold.
    pub kind: SlotKind,
}

/// What a slot may hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SlotKind {
    /// `true` or `false`, equally likely.
    Bool,
    /// A whole number, both ends included, written in decimal; each equally likely.
    Int {
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
    /// The same of a range that begins below 0.
    Signed {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of these texts, each equally likely.
    Choice(Vec<String>),
    /// One more with each request.
    Counter {
        /// The first value.
        first: u64,
    },
    /// A column of a CSV table.
    Cell {
        /// Which table of the definition, from 0.
        table: usize,
        /// Which column, from 0.
        column: usize,
    },
    /// The value that a slot of a data file has in one of its records.
    Data {
        /// Which data file of the workload, from 0.
        file: usize,
        /// Which slot of the file, from 0.
        slot: usize,
    },
}
