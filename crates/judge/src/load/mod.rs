//! Judges one stretch of load on one server: from its record to figures, verdicts, and whether conditions hold.

mod compare;
pub(crate) mod condition;
mod few;
mod figures;
mod hold;
pub(crate) mod parse;
mod result;
mod room;
mod verdicts;

pub use compare::{ComparedFigure, Difference, LoadComparison, Unit, compare};
pub use condition::{Condition, ConditionError};
pub use figures::{Headline, LoadFigures, Time};
pub use hold::ConditionResult;
pub use parse::parse_conditions;
#[cfg(feature = "schema")]
pub use result::load_schema;
pub use result::{FORMAT, LoadFileError, LoadResult, MAX_FILE_BYTES};

use velo_record::LoadRecord;

/// Judges a load by its record.
pub fn judge(record: LoadRecord, conditions: &[Condition]) -> LoadResult {
    let (figures, unreadable) = figures::of(&record);
    let mut verdicts = verdicts::of(&record, &figures, &unreadable);
    verdicts.extend(verdicts::exit_code(&record, &figures, conditions));
    let conditions = conditions.iter().map(|condition| hold::check(condition, &record, &figures)).collect();
    LoadResult { format: FORMAT, record, figures, verdicts, conditions }
}
