use schemars::JsonSchema;
use serde::Serialize;
use velo_model::ContenderName;

use super::block::Room;

/// A table; one without rows is none.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Table {
    #[serde(skip)]
    pub(crate) room: Room,
    /// From left to right; those for little room alone are left out of what is written as JSON.
    pub(crate) columns: Vec<Column>,
    /// From top to bottom.
    pub(crate) rows: Vec<TableRow>,
}

/// A column of a table.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Column {
    /// Its heading.
    pub(crate) title: String,
    /// Whether its cells stand at the right.
    pub(crate) is_number: bool,
    #[serde(skip)]
    pub(crate) room: Room,
}

/// A row of a table.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct TableRow {
    /// The contender that it is about, where it is about one.
    pub(crate) of: Option<ContenderName>,
    /// One for each column; `None`: not known.
    pub(crate) cells: Vec<Option<String>>,
}

impl Table {
    pub(crate) fn new(
        columns: impl IntoIterator<Item = Column>,
        rows: impl IntoIterator<Item = impl Into<TableRow>>,
    ) -> Self {
        Self {
            room: Room::Any,
            columns: columns.into_iter().collect(),
            rows: rows.into_iter().map(Into::into).collect(),
        }
    }

    pub(crate) fn only(self, room: Room) -> Self {
        Self { room, ..self }
    }

    /// Without the columns that a writer with so much room does not show.
    pub(crate) fn seen_in(mut self, writer: Room) -> Self {
        for column in (0..self.columns.len()).rev() {
            if !self.columns[column].room.is_in(writer) {
                self.remove(column);
            }
        }
        self
    }

    /// Takes a column away, with its cells.
    pub(crate) fn remove(&mut self, column: usize) {
        self.columns.remove(column);
        self.rows.iter_mut().for_each(|row| drop(row.cells.remove(column)));
    }
}

impl TableRow {
    pub(crate) fn of(contender: &ContenderName, cells: impl Into<Self>) -> Self {
        Self { of: Some(contender.clone()), ..cells.into() }
    }
}

impl From<Vec<Option<String>>> for TableRow {
    fn from(cells: Vec<Option<String>>) -> Self {
        Self { of: None, cells }
    }
}

impl<const N: usize> From<[Option<String>; N]> for TableRow {
    fn from(cells: [Option<String>; N]) -> Self {
        Vec::from(cells).into()
    }
}

impl Column {
    pub(crate) fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_number: false, room: Room::Any }
    }

    pub(crate) fn number(title: impl Into<String>) -> Self {
        Self { is_number: true, ..Self::text(title) }
    }

    /// Where there is room.
    pub(crate) fn detail(self) -> Self {
        Self { room: Room::Wide, ..self }
    }

    /// Where there is little room.
    pub(crate) fn brief(self) -> Self {
        Self { room: Room::Narrow, ..self }
    }
}
