use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use velo_stats::Histogram;

use crate::RecordError;

/// A histogram of nanoseconds, as HdrHistogram's V2 encoding in base64.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EncodedHistogram(pub String);

impl EncodedHistogram {
    /// Encodes.
    pub fn new(histogram: &Histogram) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        Self(STANDARD.encode(histogram.to_bytes()))
    }

    /// Decodes; the empty text is the empty histogram.
    ///
    /// # Errors
    /// When the text is not an encoded histogram.
    pub fn decode(&self) -> Result<Histogram, RecordError> {
        if self.0.is_empty() {
            return Ok(Histogram::new());
        }
        let bytes = STANDARD.decode(&self.0).map_err(|error| RecordError::Histogram(error.to_string()))?;
        Histogram::from_bytes(&bytes).map_err(|error| RecordError::Histogram(error.to_string()))
    }
}
