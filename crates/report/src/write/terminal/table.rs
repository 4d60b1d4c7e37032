use super::page::Page;
use crate::text::{columns, cut, wrap};
use crate::write::terminal::style::Style;

/// A table: one column holds names and takes what the others leave; a name that does not fit stands on a line
/// of its own. When the page is narrow the last columns are left out.
pub(super) struct Table<'h> {
    headers: Vec<&'h str>,
    /// The column of the names.
    names: usize,
    rows: Vec<Vec<String>>,
}

const GAP: usize = 2;
const LEAST_NAME: usize = 14;

impl<'h> Table<'h> {
    /// `names`: which column holds them; not the last one.
    pub(super) fn new(headers: Vec<&'h str>, names: usize) -> Self {
        Self { headers, names, rows: Vec::new() }
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
            |widths: &[usize]| widths.iter().sum::<usize>() - widths[self.names] + GAP * (widths.len() - 1);
        while widths.len() > 3 && others(&widths) + widths[self.names].min(LEAST_NAME) > page.width {
            widths.pop();
        }
        // What is too long even so is cut.
        let room = page.width.saturating_sub(LEAST_NAME + GAP * (widths.len() - 1));
        let each = room / (widths.len() - 1).max(1);
        if others(&widths) + LEAST_NAME > page.width {
            let names = self.names;
            let cells = widths.iter_mut().enumerate().filter(|(column, _)| *column != names);
            cells.for_each(|(_, width)| *width = (*width).min(each));
        }
        widths[self.names] = widths[self.names].min(page.width.saturating_sub(others(&widths)));
        let headers: Vec<String> = self.headers.iter().map(ToString::to_string).collect();
        self.print_row(&headers, &widths, Style::Strong, page);
        for row in &self.rows {
            self.print_row(row, &widths, Style::Plain, page);
        }
    }

    fn print_row(&self, cells: &[String], widths: &[usize], style: Style, page: &mut Page) {
        let name_fits = columns(&cells[self.names]) <= widths[self.names];
        let before: usize = widths[..self.names].iter().map(|width| width + GAP).sum();
        let indent = " ".repeat(before);
        if !name_fits {
            for line in wrap(&cells[self.names], page.width - indent.len()) {
                page.line(&[(&indent, Style::Plain), (&line, style)]);
            }
        }
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let cell = match column == self.names {
                true if !name_fits => String::new(),
                true => cell.clone(),
                false => cut(cell, *width),
            };
            let pad = " ".repeat(width.saturating_sub(columns(&cell)));
            if column > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            line.push_str(&if column == self.names {
                format!("{cell}{pad}")
            } else {
                format!("{pad}{cell}")
            });
        }
        page.line(&[(line.trim_end(), style)]);
    }
}
