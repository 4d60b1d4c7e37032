use serde::Serialize;

use super::block::Block;
use super::room::Room;

/// A part with its heading.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// Whether a writer with so much room shows anything of it.
    pub(crate) fn is_in(&self, writer: Room) -> bool {
        !self.about.is_empty() || self.blocks.iter().any(|block| block.is_in(writer))
    }

    /// What a writer with so much room shows of it; `None` where that is nothing.
    pub(crate) fn seen_in(self, writer: Room) -> Option<Self> {
        let blocks: Vec<Block> = self.blocks.into_iter().filter_map(|block| block.seen_in(writer)).collect();
        (!blocks.is_empty() || !self.about.is_empty()).then_some(Self { blocks, ..self })
    }

    pub(crate) fn headline(self) -> Self {
        Self { weight: Weight::Headline, ..self }
    }

    pub(crate) fn detail(self) -> Self {
        Self { weight: Weight::Detail, ..self }
    }
}
