//! A part of a document as Markdown.

use super::text::Markdown;
use crate::document::{Block, Room, Section, Table};
use crate::section::kind;
use crate::text::capital;

pub(super) fn add(section: &Section, level: usize, markdown: &mut Markdown) {
    if !section.is_in(Room::Wide) {
        return;
    }
    if !section.title.is_empty() {
        markdown.heading(level, &capital(&section.title));
    }
    if !section.about.is_empty() {
        markdown.paragraph(&format!("{}.", capital(section.about.trim_end_matches('.'))));
    }
    add_blocks(&section.blocks, markdown);
}

pub(super) fn add_blocks(blocks: &[Block], markdown: &mut Markdown) {
    for block in blocks.iter().filter(|block| block.is_in(Room::Wide)) {
        match block {
            Block::Text(text) => markdown.paragraph(&text.words),
            Block::Lines(lines) => add_items(&lines.lines, markdown),
            Block::Notes { notes } => {
                let lines: Vec<String> =
                    notes.iter().map(|note| format!("{}: {}", kind(note.kind), note.sentence())).collect();
                add_items(&lines, markdown);
            }
            Block::Fold(fold) => {
                markdown.paragraph(&fold.heading());
                add_blocks(&fold.blocks, markdown);
            }
            Block::Table(_) | Block::Named(_) | Block::Asides { .. } | Block::Claims { .. } => {
                block.as_table().into_iter().for_each(|table| add_table(table, markdown));
            }
            // Markdown has no charts, and their figures stand in tables; groups are for little room.
            Block::Chart(_) | Block::Multiples(_) | Block::Groups(_) => {}
        }
    }
}

fn add_items(lines: &[String], markdown: &mut Markdown) {
    lines.iter().for_each(|line| markdown.item(line));
    markdown.end();
}

fn add_table(table: Table, markdown: &mut Markdown) {
    let table = table.seen_in(Room::Wide);
    let headers = table.columns.iter().map(|column| (column.title.as_str(), column.is_number));
    let rows = table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.as_deref().unwrap_or_default()));
    markdown.table(headers, rows);
}
