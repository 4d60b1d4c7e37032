//! A part of a report before it is laid out: one for the terminal and the Markdown alike.

use super::notes::Note;
use super::rows::Outside;

/// A part with its heading.
pub(crate) struct Section {
    /// A word or two, in small letters.
    pub(crate) title: String,
    /// What it is about; may be empty.
    pub(crate) about: String,
    pub(crate) blocks: Vec<Block>,
    /// Too much for a terminal.
    pub(crate) is_detail: bool,
}

/// What stands in a part, from top to bottom. One that is empty is left out.
pub(crate) enum Block {
    Text(Place, String),
    Table(Table),
    /// Lines below a table.
    Remarks(Vec<String>),
    /// The same of what went wrong.
    Faults(Place, Vec<String>),
    /// A name and what is said of it.
    Named(Named),
    /// The same in groups, on a terminal.
    Groups(Groups),
    Outside(Vec<Outside>),
    Notes(Vec<Note>),
}

/// Where a block or a column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Both,
    /// Where there is little room.
    Terminal,
    /// Where there is enough.
    Markdown,
}

/// A table; one without rows is none.
pub(crate) struct Table {
    pub(crate) place: Place,
    pub(crate) columns: Vec<Column>,
    /// `None`: not known.
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

/// A column of a table.
pub(crate) struct Column {
    pub(crate) title: String,
    pub(crate) is_number: bool,
    pub(crate) place: Place,
}

/// Names and what is said of them.
pub(crate) struct Named {
    pub(crate) place: Place,
    pub(crate) titles: [&'static str; 2],
    pub(crate) rows: Vec<(String, String)>,
    /// So many stand on a terminal, and the number of the others.
    pub(crate) most_on_terminal: usize,
}

/// What is said of something by groups of names, on a terminal only.
pub(crate) struct Groups {
    pub(crate) title: String,
    pub(crate) about: String,
    pub(crate) rows: Vec<(String, String)>,
}

impl Place {
    pub(crate) fn is_in(self, writer: Self) -> bool {
        self == Self::Both || self == writer
    }
}

impl Section {
    pub(crate) fn new(title: &str, about: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { title: title.to_owned(), about: about.into(), blocks, is_detail: false }
    }
}

impl Table {
    pub(crate) fn new<const N: usize>(columns: [Column; N], rows: Vec<[Option<String>; N]>) -> Self {
        Self { place: Place::Both, columns: columns.into(), rows: rows.into_iter().map(Vec::from).collect() }
    }

    pub(crate) fn only(self, place: Place) -> Self {
        Self { place, ..self }
    }
}

impl Column {
    pub(crate) fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_number: false, place: Place::Both }
    }

    pub(crate) fn number(title: impl Into<String>) -> Self {
        Self { is_number: true, ..Self::text(title) }
    }

    /// Not on a terminal.
    pub(crate) fn detail(self) -> Self {
        Self { place: Place::Markdown, ..self }
    }
}
