//! Comparisons, of which there are two: the same contenders across time, in two runs; and several contenders within one run.
//!
//! A launch is one number here as everywhere. Two runs share neither launches nor blocks, so theirs are two samples that were
//! drawn apart (Welch's t on logarithms). What the machine did between them cancels where both runs have the reference: then a
//! launch's number is the log ratio over the reference in the same blocks. Within one run the judge's own pairs are the answer.

mod changes;
mod comparable;
mod condition;
mod contenders;
mod hours;
mod identity;
mod result;
mod snapshot;
mod take;
mod tested;

pub use changes::runs;
pub use condition::{Condition, ConditionError, parse_conditions};
pub use contenders::contenders;
pub use hours::{HoursApart, Waiting, WaitingHours};
pub use identity::Difference;
#[cfg(feature = "schema")]
pub use result::comparison_schema;
pub use result::{
    Breach, Change, ChangeState, CompareError, ComparedContenders, ComparedRuns, ComparedWorkload,
    Comparison, ContenderPair, FORMAT, JudgedCondition, LevelChange, NotCompared, Ratio, Refused, RunHead,
    Untold,
};
#[cfg(feature = "schema")]
pub use snapshot::snapshot_schema;
pub use snapshot::{
    Fault, LaunchFigure, SNAPSHOT_FORMAT, Snapshot, SnapshotContender, SnapshotError, SnapshotHost,
    SnapshotPoint, SnapshotSeries, SnapshotSettings, SnapshotWorkload,
};
