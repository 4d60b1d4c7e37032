use serde::{Deserialize, Serialize};
use velo_record::{Bounds, LoadRecord};

use super::figures::{self, LoadFigures};
use super::hold::ConditionResult;
use super::parse::parse_conditions;
use super::verdicts;
use crate::doubt::verdict::Verdict;

/// The version of a load result's format; a reader refuses another.
pub const FORMAT: u32 = 2;
/// The longest file that is read. A result has a few histograms and a number for each connection: the largest are far
/// below.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// One stretch of load with what it comes to: what `velo load --json` writes and `--compare-to` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadResult {
    /// The version of the format.
    pub format: u32,
    /// What was asked and measured.
    pub record: LoadRecord,
    /// What it comes to.
    pub figures: LoadFigures,
    /// What the figures are worth.
    // Of a file that is read, by the rules of this version.
    #[serde(skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(!skip_deserializing))]
    pub verdicts: Vec<Verdict>,
    /// Whether the conditions of `--fail-on` hold, in their order.
    pub conditions: Vec<ConditionResult>,
}

/// Why a file is not a load result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadFileError {
    /// It is too long.
    #[error(
        "longer than {MAX_FILE_BYTES} bytes: not a load result; expected what `velo load` wrote with --json"
    )]
    TooLong,
    /// It was written by another version.
    #[error("format {0}, expected {FORMAT}: measure again with this version of velo")]
    Format(u64),
    /// It holds something else.
    #[error("not a load result: {0}; expected what `velo load` wrote with --json")]
    Json(String),
}

impl LoadResult {
    /// Reads what `--json` wrote. Any bytes get an answer; an error does not name the file.
    ///
    /// # Errors
    /// When the bytes are too many, of another format, or anything else than a load result.
    pub fn from_json(bytes: &[u8]) -> Result<Self, LoadFileError> {
        /// Looked at first, so that another version's file is named as one and not as a broken one.
        #[derive(Deserialize)]
        struct Versioned {
            format: u64,
        }

        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(LoadFileError::TooLong);
        }
        let Versioned { format } = serde_json::from_slice(bytes).map_err(|error| not_json(&error))?;
        if format != u64::from(FORMAT) {
            return Err(LoadFileError::Format(format));
        }
        Bounds::LOAD.check(bytes).map_err(|error| not_json(&error))?;
        let mut read: Self = serde_json::from_slice(bytes).map_err(|error| not_json(&error))?;
        let (figures, unreadable) = figures::of(&read.record);
        read.verdicts = verdicts::of(&read.record, &figures, &unreadable);
        let texts = read.conditions.iter().map(|condition| condition.text.as_str());
        let conditions: Vec<_> = texts.filter_map(|text| parse_conditions(text).ok()).flatten().collect();
        read.verdicts.extend(verdicts::exit_code(&read.record, &figures, &conditions));
        Ok(read)
    }

    /// Whether not a single answer of the stretch was correct; where no request of it had an outcome, none before and behind it.
    pub fn nothing_worked(&self) -> bool {
        let LoadRecord { outcomes, warm_up, drained, .. } = &self.record;
        outcomes.correct == 0 && (outcomes.failed() > 0 || (warm_up.correct == 0 && drained.correct == 0))
    }

    /// Whether some condition does not hold.
    pub fn has_failed_condition(&self) -> bool {
        self.conditions.iter().any(|condition| condition.holds == Some(false))
    }

    /// Whether some condition is undecided.
    pub fn has_undecided_condition(&self) -> bool {
        self.conditions.iter().any(|condition| condition.holds.is_none())
    }
}

/// What a damaged file holds may be long and unprintable.
fn not_json(error: &serde_json::Error) -> LoadFileError {
    let sentence = error.to_string();
    let short =
        sentence.chars().take(300).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    LoadFileError::Json(short.collect())
}

/// The JSON Schema of a [`LoadResult`] as it is written: every member is there, missing figures as null.
#[cfg(feature = "schema")]
pub fn load_schema() -> serde_json::Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<LoadResult>().to_value()
}
