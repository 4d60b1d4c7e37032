use std::collections::BTreeMap;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// The first file of an archive.
pub(super) const SUMS_FILE: &str = "SHA256SUMS";

/// The checksum of each other file, in hexadecimal digits.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sums(BTreeMap<String, String>);

impl Sums {
    /// Reads what [`Self::text`] writes; `None` where the text is anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().map(|line| {
            let (sum, name) = line.split_once("  ")?;
            Some((name.to_owned(), sum.to_owned()))
        });
        lines.collect::<Option<_>>().map(Self)
    }

    /// A line for each file, as `sha256sum --check` reads them.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect()
    }

    pub(super) fn insert(&mut self, name: &str, sum: String) {
        self.0.insert(name.to_owned(), sum);
    }

    pub(super) fn of(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// Reads through to another reader, and sums up what came.
pub(super) struct Summed<R> {
    inner: R,
    hash: Sha256,
}

impl<R: Read> Summed<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, hash: Sha256::new() }
    }

    /// The checksum of all that was read.
    pub(super) fn sum(self) -> String {
        self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(&buffer[..count]);
        Ok(count)
    }
}
