use serde::Serialize;
use velo_model::ContenderName;

use super::link::Link;
use super::room::Room;

/// A table; one without rows is none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Table {
    #[serde(skip)]
    pub(crate) room: Room,
    /// What it is, for who cannot see it; empty: what its part is called.
    #[serde(skip)]
    pub(crate) label: String,
    /// From left to right; those for little room alone are left out of what is written as JSON.
    pub(crate) columns: Vec<Column>,
    /// From top to bottom.
    pub(crate) rows: Vec<TableRow>,
}

/// A column of a table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Column {
    /// Its heading.
    pub(crate) title: String,
    /// Whether its cells stand at the right.
    pub(crate) is_number: bool,
    #[serde(skip)]
    pub(crate) room: Room,
}

/// A row of a table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct TableRow {
    /// The contender that it is about, where it is about one.
    pub(crate) of: Option<ContenderName>,
    /// One for each column; `None`: not known.
    pub(crate) cells: Vec<Option<String>>,
    /// Parts of cells that lead somewhere, by the place of the column.
    #[serde(skip)]
    pub(crate) links: Vec<(usize, Link)>,
    /// The place of the column whose cell says in words why there is no figure.
    #[serde(skip)]
    pub(crate) reason: Option<usize>,
}

impl Table {
    pub(crate) fn new(
        columns: impl IntoIterator<Item = Column>,
        rows: impl IntoIterator<Item = impl Into<TableRow>>,
    ) -> Self {
        Self {
            room: Room::Any,
            label: String::new(),
            columns: columns.into_iter().collect(),
            rows: rows.into_iter().map(Into::into).collect(),
        }
    }

    pub(crate) fn called(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
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
        self.rows.iter_mut().for_each(|row| row.remove(column));
    }
}

impl TableRow {
    pub(crate) fn of(contender: &ContenderName, cells: impl Into<Self>) -> Self {
        Self { of: Some(contender.clone()), ..cells.into() }
    }

    /// With the cell of a column as a link.
    pub(crate) fn leading(mut self, column: usize, href: String) -> Self {
        let end = self.cells[column].as_ref().map_or(0, String::len);
        self.links.push((column, Link { at: 0..end, href }));
        self
    }

    fn remove(&mut self, column: usize) {
        self.cells.remove(column);
        let behind = |place: usize| if place > column { place - 1 } else { place };
        self.links.retain(|(place, _)| *place != column);
        self.links.iter_mut().for_each(|(place, _)| *place = behind(*place));
        self.reason = self.reason.filter(|place| *place != column).map(behind);
    }
}

impl From<Vec<Option<String>>> for TableRow {
    fn from(cells: Vec<Option<String>>) -> Self {
        Self { of: None, cells, links: Vec::new(), reason: None }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_somewhere_moves_with_its_column() {
        let columns = ["rank", "note", "name", "figure"].map(Column::text);
        let row = TableRow::from(["1", "x", "go/gin", "skipped"].map(|cell| Some(cell.to_owned())));
        let mut table =
            Table::new(columns, [row.leading(1, "b.html".to_owned()).leading(2, "a.html".to_owned())]);
        table.rows[0].reason = Some(3);
        table.remove(1);
        let row = &table.rows[0];
        let links: Vec<(usize, &str)> =
            row.links.iter().map(|(place, link)| (*place, link.href.as_str())).collect();
        assert_eq!((links.as_slice(), row.reason), (&[(1, "a.html")][..], Some(2)));
        assert_eq!(row.links[0].1.at, 0..6);
    }
}
