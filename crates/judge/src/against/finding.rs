//! What may be found of two services beside their figures.

use serde::Serialize;

use super::figure::{AgainstFigureName, Which};
use crate::doubt::finding::Finding;
use crate::doubt::verdict::Kind;

/// A remark about one side, or both.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstNote {
    /// The side that it is about; null for both.
    pub of: Option<Which>,
    /// How grave it is.
    pub kind: Kind,
    /// What was found.
    pub finding: AgainstFinding,
}

/// What was found, with its figures. Shares are parts of 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case", tag = "is")]
pub enum AgainstFinding {
    /// What any load would be told.
    OfLoad {
        /// That.
        finding: Finding,
    },
    /// No connection could be opened, so that nothing was measured.
    NotReached,
    /// No answer came, right or wrong.
    NothingAnswered,
    /// It was asked to end before its time.
    Interrupted {
        /// Blocks until then.
        blocks: u64,
        /// Blocks that were planned; 0: it was still warming up.
        of: u64,
    },
    /// A process of it ended meanwhile: the figures are of more than one launch.
    Ended,
    /// It has no CPU time.
    CpuUnknown {
        /// Why, in words.
        reason: String,
    },
    /// Both are answered by the same processes.
    SameProcesses,
    /// The generator was the limit.
    GeneratorBusy {
        /// Of its CPUs' time.
        share: f64,
    },
    /// The machine was busy.
    Taken {
        /// Of the time of the generator's CPUs, by others and the hypervisor.
        share: f64,
        /// What is allowed for it in goodput and times, as a share of the ratio.
        allowance: f64,
    },
    /// What others took is not known, so that nothing is allowed for it.
    TakenUnknown,
    /// Blocks do not count because others took too much.
    Dropped {
        /// How many.
        blocks: u64,
        /// Of all.
        of: u64,
        /// They are most: all count, and there is no interval.
        most: bool,
    },
    /// There are too few blocks for an interval.
    FewBlocks {
        /// How many count.
        blocks: u64,
        /// How many are needed.
        least: u64,
    },
    /// A percentile has no interval for want of samples.
    FewSamples {
        /// Which.
        figure: AgainstFigureName,
    },
}
