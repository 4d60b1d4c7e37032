//! The strictness tables alone, as Markdown.

use velo_judge::StrictnessTable;

use super::document::Document;
use super::section::add;
use crate::view::strictness;

pub(crate) fn write(tables: &[StrictnessTable]) -> String {
    let mut document = Document::default();
    for table in tables {
        document.heading(2, &strictness::title(table));
        if let Some(part) = strictness::section(&table.cases) {
            add(&part, &mut document);
        }
    }
    document.text
}
