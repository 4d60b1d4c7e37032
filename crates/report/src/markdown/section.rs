//! A part of a report as Markdown.

use super::document::Document;
use super::notes::add_notes;
use crate::view::Outside;
use crate::view::section::{Block, Column, Place, Section, Table};

pub(super) fn add(section: &Section, document: &mut Document) {
    document.heading(3, &capital(&section.title));
    if !section.about.is_empty() {
        document.paragraph(&format!("{}.", capital(section.about.trim_end_matches('.'))));
    }
    add_blocks(&section.blocks, document);
}

pub(super) fn add_blocks(blocks: &[Block], document: &mut Document) {
    for block in blocks {
        match block {
            Block::Text(place, text) if place.is_in(Place::Markdown) => document.paragraph(text),
            Block::Remarks(lines) => {
                lines.iter().for_each(|line| document.item(line));
                document.end();
            }
            Block::Table(table) if table.place.is_in(Place::Markdown) => {
                add_table(table, document);
            }
            Block::Faults(place, lines) if place.is_in(Place::Markdown) => {
                lines.iter().for_each(|line| document.item(line));
                document.end();
            }
            Block::Named(named) if named.place.is_in(Place::Markdown) => {
                let rows =
                    named.rows.iter().map(|(name, words)| [name, words].map(|text| Some(text.clone())));
                add_table(&Table::new(named.titles.map(Column::text), rows.collect()), document);
            }
            Block::Text(..) | Block::Table(_) | Block::Faults(..) | Block::Named(_) | Block::Groups(_) => {}
            Block::Outside(outside) => add_table(&outside_table(outside), document),
            Block::Notes(notes) => {
                add_notes(notes, document);
                document.end();
            }
        }
    }
}

fn add_table(table: &Table, document: &mut Document) {
    let is_shown = |column: &usize| table.columns[*column].place.is_in(Place::Markdown);
    let shown: Vec<usize> = (0..table.columns.len()).filter(is_shown).collect();
    let headers =
        shown.iter().map(|column| (table.columns[*column].title.as_str(), table.columns[*column].is_number));
    let rows =
        table.rows.iter().map(|row| shown.iter().map(|column| row[*column].as_deref().unwrap_or_default()));
    document.table(headers, rows);
}

fn outside_table(outside: &[Outside]) -> Table {
    let rows = outside.iter().map(|row| {
        let more = row.more.as_ref().map(|more| format!("; {more}")).unwrap_or_default();
        [row.name.clone(), row.what.clone(), format!("{}{more}", row.reason)].map(Some)
    });
    let columns = [Column::text("not ranked"), Column::number("figure"), Column::text("why")];
    Table::new(columns, rows.collect())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
