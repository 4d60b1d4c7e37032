//! A part of a document as Markdown.

use super::text::Markdown;
use crate::document::{Aside, Block, Claim, Column, Room, Section, Table};
use crate::section::kind;

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
            Block::Table(table) => add_table(table, markdown),
            Block::Named(named) => {
                let rows =
                    named.rows.iter().map(|(name, words)| [name, words].map(|text| Some(text.clone())));
                add_table(&Table::new(named.titles.map(Column::text), rows), markdown);
            }
            Block::Asides { rows } => add_table(&asides(rows), markdown),
            Block::Notes { notes } => {
                let lines: Vec<String> =
                    notes.iter().map(|note| format!("{}: {}", kind(note.kind), note.sentence())).collect();
                add_items(&lines, markdown);
            }
            Block::Claims { claims } => add_table(&table_of_claims(claims), markdown),
            Block::Fold(fold) => {
                markdown.paragraph(&fold.heading());
                add_blocks(&fold.blocks, markdown);
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

fn add_table(table: &Table, markdown: &mut Markdown) {
    let is_shown = |column: &usize| table.columns[*column].room.is_in(Room::Wide);
    let shown: Vec<usize> = (0..table.columns.len()).filter(is_shown).collect();
    let headers =
        shown.iter().map(|column| (table.columns[*column].title.as_str(), table.columns[*column].is_number));
    let rows = table
        .rows
        .iter()
        .map(|row| shown.iter().map(|column| row.cells[*column].as_deref().unwrap_or_default()));
    markdown.table(headers, rows);
}

fn asides(asides: &[Aside]) -> Table {
    let rows = asides.iter().map(|row| {
        let more = row.more.as_ref().map(|more| format!("; {more}")).unwrap_or_default();
        [row.name.clone(), row.what.clone(), format!("{}{more}", row.reason)].map(Some)
    });
    Table::new([Column::text("not ranked"), Column::number("figure"), Column::text("why")], rows)
}

fn table_of_claims(claims: &[Claim]) -> Table {
    let columns = [
        Column::text("claim"),
        Column::number("there"),
        Column::number("here"),
        Column::text("holds"),
        Column::text("verdict"),
        Column::text("why"),
    ];
    let rows = claims.iter().map(|claim| {
        let here = claim.here.as_ref().map(|here| match &claim.interval {
            Some(interval) => format!("{here} ({interval})"),
            None => here.clone(),
        });
        [
            Some(claim.says.clone()),
            claim.there.clone(),
            here,
            claim.bound.clone(),
            Some(claim.verdict.clone()),
            claim.reason.clone(),
        ]
    });
    Table::new(columns, rows)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
