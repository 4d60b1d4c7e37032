use serde::{Deserialize, Serialize};

use crate::TextTemplate;

/// A text made from a request's slots by a hash function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Digest {
    /// SHA-512 in lower-case hexadecimal digits.
    Sha512(TextTemplate),
}

impl Digest {
    /// What stands in `<sha512 TEXT>`; `None` for any other text.
    pub fn argument(text: &str) -> Option<&str> {
        text.strip_prefix("<sha512 ")?.strip_suffix('>')
    }
}
