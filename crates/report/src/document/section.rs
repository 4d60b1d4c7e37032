use schemars::JsonSchema;
use serde::Serialize;

use super::block::Block;

/// A part with its heading.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Section {
    /// A word or two, in small letters.
    pub(crate) title: String,
    /// What it is about; may be empty.
    pub(crate) about: String,
    /// From top to bottom.
    pub(crate) blocks: Vec<Block>,
    /// How much of it a reader wants who has little time.
    pub(crate) weight: Weight,
}

/// How early a part is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// With the answer.
    Headline,
    /// By who wants to know more.
    Main,
    /// By who looks something up: too much for a terminal.
    Detail,
}

impl Section {
    pub(crate) fn new(title: &str, about: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { title: title.to_owned(), about: about.into(), blocks, weight: Weight::Main }
    }

    pub(crate) fn headline(self) -> Self {
        Self { weight: Weight::Headline, ..self }
    }

    pub(crate) fn detail(self) -> Self {
        Self { weight: Weight::Detail, ..self }
    }
}
