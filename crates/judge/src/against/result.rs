//! What it comes to, as data: the JSON of `velo load --against`.

use serde::Serialize;
use velo_record::AgainstRecord;

use super::figure::{AgainstFigure, AgainstFigureName};
use super::finding::AgainstNote;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// Two running services, A against B.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstResult {
    /// [`FORMAT`].
    pub format: u32,
    /// What the intervals are of.
    pub intervals_of: IntervalScope,
    /// What was asked and measured.
    pub record: AgainstRecord,
    /// Blocks that count in goodput and CPU time.
    pub counted_blocks: u32,
    /// Blocks that do not, because others took too much CPU time; percentiles are of all blocks.
    pub dropped_blocks: u32,
    /// Batches of consecutive blocks, each with connections of its own, that intervals rest on; 0 where there are none.
    pub batches: u32,
    /// The share of the time of the generator's CPUs that others and the hypervisor took, 0 to 1; null where it is not
    /// known.
    pub taken_share: Option<f64>,
    /// The share of its CPUs' time that the generator used in windows on A, the median; null without blocks.
    pub generator_busy_a: Option<f64>,
    /// The same on B.
    pub generator_busy_b: Option<f64>,
    /// The figures that both have, or one of them.
    pub figures: Vec<AgainstFigure>,
    /// What else is to be known, the gravest first.
    pub notes: Vec<AgainstNote>,
    /// The conditions of `--fail-on`, in their order.
    pub conditions: Vec<AgainstConditionResult>,
}

/// What an interval is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum IntervalScope {
    /// These two processes as they run now, not the programs: another launch may differ by more.
    TheseProcesses,
}

/// Whether a condition of `--fail-on` holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstConditionResult {
    /// As it was typed: `goodput>-3%`.
    pub text: String,
    /// The ratio that it is about; null for failures.
    pub figure: Option<AgainstFigureName>,
    /// Failures of both, a count or a share from 0 to 1; null for a ratio.
    pub failures: Option<f64>,
    /// Whether it certainly holds, or certainly does not; null when undecided.
    pub holds: Option<bool>,
}

impl AgainstResult {
    /// Whether a side has not a single correct answer.
    pub fn nothing_worked(&self) -> bool {
        [&self.record.a, &self.record.b].iter().any(|side| side.outcomes.correct == 0)
    }

    /// Whether some condition certainly does not hold.
    pub fn has_failed_condition(&self) -> bool {
        self.conditions.iter().any(|condition| condition.holds == Some(false))
    }

    /// Whether some condition is undecided.
    pub fn has_undecided_condition(&self) -> bool {
        self.conditions.iter().any(|condition| condition.holds.is_none())
    }
}

/// The JSON Schema of an [`AgainstResult`] as it is written: every member is there, missing figures as null.
#[cfg(feature = "schema")]
pub fn against_schema() -> serde_json::Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<AgainstResult>().to_value()
}
