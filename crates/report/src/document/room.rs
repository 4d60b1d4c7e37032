/// Where a block or a column is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Room {
    /// Everywhere.
    #[default]
    Any,
    /// Where there is little room: a terminal.
    Narrow,
    /// Where there is enough: Markdown, a page.
    Wide,
}

impl Room {
    pub(crate) fn is_in(self, writer: Self) -> bool {
        self == Self::Any || self == writer
    }
}
