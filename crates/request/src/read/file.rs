use std::path::Path;

use serde::Deserialize;
use toml::Spanned;
use velo_model::Request;

use super::reader::Reader;
use super::wire::{WireCsv, WireMap, WireRequest, WireValue};
use crate::error::SpecError;
use crate::source::SourceFile;

/// A file of requests, as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestsFile {
    /// The requests go one after the other, not at random by weight.
    #[serde(default)]
    pub in_order: bool,
    #[serde(default)]
    values: WireMap<WireValue>,
    #[serde(default)]
    csv: Vec<WireCsv>,
    request: Spanned<Vec<WireRequest>>,
}

impl RequestsFile {
    /// Reads a file; its values and requests are checked later.
    ///
    /// # Errors
    /// When it cannot be read, or is not TOML of the right keys.
    pub fn read(path: &Path) -> Result<(SourceFile, Self), SpecError> {
        let source = SourceFile::read(path)?;
        let wire = Self::of(&source)?;
        Ok((source, wire))
    }

    /// Reads a text.
    ///
    /// # Errors
    /// When it is not TOML of the right keys.
    pub fn of(source: &SourceFile) -> Result<Self, SpecError> {
        source.parse()
    }

    /// Its values, then its requests, with a reader of this file.
    ///
    /// # Errors
    /// When something of it cannot be sent or expected.
    pub fn requests(&self, reader: &mut Reader) -> Result<Vec<Request>, SpecError> {
        reader.values(&self.values)?;
        reader.csv(&self.csv)?;
        reader.requests(&self.request)
    }
}
