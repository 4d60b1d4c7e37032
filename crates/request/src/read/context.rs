use velo_model::{Slot, TextTemplate};

use super::origin::Origin;
use crate::problem::Problem;
use crate::template::parse as parse_template;
use crate::text::Folder;
use crate::value::{self, Tables};

/// What a text is read with.
pub(super) struct Context<'a> {
    pub(super) origin: Origin<'a>,
    pub(super) folder: &'a Folder,
    /// All values that are declared.
    pub(super) slots: &'a [Slot],
    pub(super) tables: &'a Tables,
}

impl Context<'_> {
    pub(super) fn names(&self) -> Vec<&str> {
        value::names(self.slots)
    }

    /// `TEXT|@FILE` with slots.
    pub(super) fn template(&self, text: &str) -> Result<TextTemplate, Problem> {
        parse_template(&self.folder.text(text)?, &self.names())
    }
}
