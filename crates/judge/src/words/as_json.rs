//! Data that is written with what it says.

use std::fmt::Display;

use serde::{Serialize, Serializer};

/// Data with what it says.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct WithReason<T> {
    #[serde(flatten)]
    data: T,
    /// The same in words.
    reason: String,
}

/// What data says, in its place, where there are any.
pub(crate) fn some_in_words<T: Display, S: Serializer>(
    data: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    data.as_ref().map(ToString::to_string).serialize(serializer)
}

pub(crate) fn with_reason<T: Serialize + Display, S: Serializer>(
    data: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    WithReason { data, reason: data.to_string() }.serialize(serializer)
}
