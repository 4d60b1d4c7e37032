//! The strictness tables alone, for a terminal.

use velo_judge::StrictnessTable;

use super::page::Page;
use super::section;
use crate::TerminalOptions;
use crate::terminal::style::Style;
use crate::text::clean;
use crate::view::strictness;

pub(crate) fn print(tables: &[StrictnessTable], options: &TerminalOptions) -> String {
    let mut page = Page::of(options);
    for (index, table) in tables.iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        page.paragraph(&clean(&strictness::title(table)), Style::Strong);
        if let Some(part) = strictness::section(&table.cases) {
            section::print(&part, &mut page);
        }
    }
    page.finish()
}
