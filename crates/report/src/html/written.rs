//! A document as one page without a script.

use super::Html;
use super::chart;
use super::document::document as page;
use super::table::{Cell, Column, table};
use crate::document::{Block, Claim, Document, Note, Room, Section, Table};
use crate::view::kind;

/// Every part, the answer first. Text from outside is escaped.
pub(crate) fn write(document: &Document, footer: Option<&str>) -> String {
    page(&document.title, |html| {
        html.within("main", &[], |html| {
            let question = Some(&document.question).filter(|question| !question.is_empty());
            html.element("p", &[("class", "about")], question.unwrap_or(&document.title));
            let answer = document.answer.as_ref().map(|(answer, _)| answer.as_str());
            html.element("h1", &[], answer.unwrap_or(&document.title));
            add(document, html);
        });
        if let Some(words) = footer {
            html.element("footer", &[], words);
        }
    })
}

fn add(document: &Document, html: &mut Html) {
    if !document.about.is_empty() {
        html.element("p", &[("class", "about")], &document.about);
    }
    for (label, text) in &document.facts {
        html.element("p", &[("class", "about")], &format!("{label}: {text}"));
    }
    document.sections.iter().for_each(|section| add_section(section, "h3", html));
    for part in &document.parts {
        html.within("section", &[], |html| {
            html.element("h2", &[], &part.title);
            if let Some((answer, _)) = &part.answer {
                html.element("p", &[("class", "answer")], answer);
            }
            add(part, html);
        });
    }
    for section in &document.end {
        html.within("section", &[], |html| add_section(section, "h2", html));
    }
}

fn add_section(section: &Section, heading: &'static str, html: &mut Html) {
    let blocks: Vec<&Block> = section.blocks.iter().filter(|block| block.is_in(Room::Wide)).collect();
    if blocks.is_empty() && section.about.is_empty() {
        return;
    }
    if !section.title.is_empty() {
        html.element(heading, &[], &capital(&section.title));
    }
    if !section.about.is_empty() {
        html.element("p", &[("class", "about")], &section.about);
    }
    blocks.into_iter().for_each(|block| add_block(block, &section.title, html));
}

fn add_block(block: &Block, title: &str, html: &mut Html) {
    match block {
        Block::Text(text) => html.element("p", &[], &text.words),
        Block::Lines(lines) => list(&lines.lines, html),
        Block::Table(rows) => add_table(rows, title, html),
        Block::Named(named) => {
            let rows = named.rows.iter().map(|(name, words)| vec![Cell::text(name), Cell::text(words)]);
            table(html, title, &named.titles.map(Column::of), 0, rows);
        }
        Block::Asides { rows } => {
            let rows = rows.iter().map(|row| {
                let reason = [Some(&row.reason), row.more.as_ref()].into_iter().flatten();
                let reason: Vec<&str> = reason.map(String::as_str).collect();
                vec![Cell::text(&row.name), Cell::text(&row.what), Cell::soft(&reason.join("; "))]
            });
            let columns = ["not ranked", "figure", "why"].map(Column::of);
            table(html, title, &columns, 0, rows);
        }
        Block::Notes { notes } => {
            let words = |note: &Note| format!("{}: {}", kind(note.kind), note.sentence());
            list(&notes.iter().map(words).collect::<Vec<_>>(), html);
        }
        Block::Claims { claims } => {
            let columns = ["claim", "there", "here", "verdict", "why"].map(Column::of);
            let row = |claim: &Claim| {
                let text = |text: &Option<String>| Cell::text(text.as_deref().unwrap_or_default());
                vec![
                    Cell::text(&claim.says),
                    Cell::number(claim.there.clone()),
                    Cell::number(claim.here.clone()),
                    Cell::text(&claim.verdict),
                    text(&claim.reason),
                ]
            };
            table(html, title, &columns, 0, claims.iter().map(row));
        }
        Block::Chart(drawn) => chart::draw(drawn, html),
        Block::Fold(fold) => html.within("details", &[], |html| {
            html.element("summary", &[], &fold.title);
            let blocks = fold.blocks.iter().filter(|block| block.is_in(Room::Wide));
            blocks.for_each(|block| add_block(block, title, html));
        }),
        // They are for little room.
        Block::Groups(_) => {}
    }
}

fn add_table(rows: &Table, title: &str, html: &mut Html) {
    let shown: Vec<usize> =
        (0..rows.columns.len()).filter(|column| rows.columns[*column].room.is_in(Room::Wide)).collect();
    let columns: Vec<Column> = shown.iter().map(|column| Column::of(&rows.columns[*column].title)).collect();
    let head = shown.iter().position(|column| !rows.columns[*column].is_number).unwrap_or(0);
    let cells = rows.rows.iter().map(|row| {
        let cell = |column: &usize| match (&row.cells[*column], rows.columns[*column].is_number) {
            (cell, true) => Cell::number(cell.clone()),
            (cell, false) => Cell::text(cell.as_deref().unwrap_or("-")),
        };
        shown.iter().map(cell).collect()
    });
    table(html, title, &columns, head, cells);
}

fn list(lines: &[String], html: &mut Html) {
    html.within("ul", &[], |html| lines.iter().for_each(|line| html.element("li", &[], line)));
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
