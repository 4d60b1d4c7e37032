use super::page::Page;
use crate::terminal::style::Style;
use crate::text::{columns, wrap};

/// A table: the second column holds names and takes what the others leave; a name that does not fit stands on a line
/// of its own. When the page is narrow the last columns are left out.
pub(super) struct Table<'h> {
    headers: Vec<&'h str>,
    rows: Vec<Vec<String>>,
}

const NAME: usize = 1;
const GAP: usize = 2;
const LEAST_NAME: usize = 14;

impl<'h> Table<'h> {
    pub(super) fn new(headers: Vec<&'h str>) -> Self {
        Self { headers, rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(super) fn print(&self, page: &mut Page) {
        let mut widths: Vec<usize> = (0..self.headers.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| columns(cell));
                cells.chain([columns(self.headers[column])]).max().unwrap_or(0)
            })
            .collect();
        let others =
            |widths: &[usize]| widths.iter().sum::<usize>() - widths[NAME] + GAP * (widths.len() - 1);
        while widths.len() > 3 && others(&widths) + widths[NAME].min(LEAST_NAME) > page.width {
            widths.pop();
        }
        widths[NAME] = widths[NAME].min(page.width.saturating_sub(others(&widths)));
        let headers: Vec<String> = self.headers.iter().map(ToString::to_string).collect();
        Self::print_row(&headers, &widths, Style::Strong, page);
        for row in &self.rows {
            Self::print_row(row, &widths, Style::Plain, page);
        }
    }

    fn print_row(cells: &[String], widths: &[usize], style: Style, page: &mut Page) {
        let name_fits = columns(&cells[NAME]) <= widths[NAME];
        let indent = " ".repeat(widths[0] + GAP);
        if !name_fits {
            for line in wrap(&cells[NAME], page.width - indent.len()) {
                page.line(&[(&indent, Style::Plain), (&line, style)]);
            }
        }
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let cell = if column == NAME && !name_fits { "" } else { cell.as_str() };
            let pad = " ".repeat(width.saturating_sub(columns(cell)));
            if column > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            line.push_str(&if column == NAME { format!("{cell}{pad}") } else { format!("{pad}{cell}") });
        }
        page.line(&[(line.trim_end(), style)]);
    }
}
