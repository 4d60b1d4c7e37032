use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Rows of values, as from a CSV file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The rows; at least one, all of the same length.
    pub rows: Vec<Vec<Vec<u8>>>,
    /// Which row comes next.
    pub pick: Pick,
}

/// Which row of a table comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// One after the other, over all workers, which take them in turn, and again from the first. Each request that
    /// uses the table goes through it for itself.
    #[default]
    InOrder,
    /// At random, each equally likely.
    Random,
}

/// A table of values from a CSV file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CsvTable {
    /// The file as it was named.
    pub file: String,
    /// The columns' names.
    pub columns: Vec<String>,
    /// Rows below the names.
    pub rows: usize,
    /// Rows are drawn at random, not one after the other.
    pub random: bool,
    /// The rows themselves, which a record leaves out.
    #[serde(skip)]
    pub cells: Option<Arc<Table>>,
}
