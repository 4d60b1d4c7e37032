//! A document as one page without a script.

use super::Html;
use super::chart::{self, Size};
use super::document::{Frame, page};
use super::table::{Cell, table};
use crate::document::{Block, Document, Link, Multiple, Note, Room, Section, Table};
use crate::section::kind;
use crate::text::capital;

/// From the whole document's down.
const HEADINGS: [&str; 5] = ["h1", "h2", "h3", "h4", "h5"];

/// Every part, the answer first. Text from outside is escaped.
pub(crate) fn write(document: &Document, frame: &Frame) -> String {
    page(&document.title, frame, |html| {
        let answer = document.answer.as_ref().map(|(answer, _)| answer.as_str());
        // With an answer as the heading the title says what it is of.
        let above = if document.question.is_empty() { &document.title } else { &document.question };
        if answer.is_some() || above != &document.title {
            html.element("p", &[("class", "about")], above);
        }
        html.element("h1", &[], answer.unwrap_or(&document.title));
        add(document, 1, html);
    })
}

/// `level`: that of its own heading.
fn add(document: &Document, level: usize, html: &mut Html) {
    if !document.about.is_empty() {
        html.element("p", &[("class", "about")], &document.about);
    }
    for (label, text) in &document.facts {
        html.element("p", &[("class", "about")], &format!("{label}: {text}"));
    }
    let heading = HEADINGS[level.min(HEADINGS.len() - 1)];
    add_sections(&document.sections, heading, html);
    document.parts.iter().for_each(|part| add_part(part, level, heading, html));
    add_sections(&document.end, heading, html);
}

fn add_sections(sections: &[Section], heading: &'static str, html: &mut Html) {
    for section in sections.iter().filter(|section| section.is_in(Room::Wide)) {
        // One without a heading belongs to what it is in.
        if section.title.is_empty() {
            add_section(section, heading, html);
        } else {
            html.within("section", &[], |html| add_section(section, heading, html));
        }
    }
}

fn add_part(part: &Document, level: usize, heading: &'static str, html: &mut Html) {
    let id = part.anchor.map(|anchor| ("id", anchor));
    let labelled_by = part.anchor.map(|anchor| ("aria-labelledby", anchor));
    html.within("section", labelled_by.as_slice(), |html| {
        html.within(heading, id.as_slice(), |html| match &part.href {
            Some(href) => html.link(href, &part.title),
            None => html.text(&part.title),
        });
        if !part.question.is_empty() {
            html.element("p", &[("class", "about")], &part.question);
        }
        if let Some((answer, _)) = &part.answer {
            html.element("p", &[("class", "answer")], answer);
        }
        add(part, level + 1, html);
    });
}

fn add_section(section: &Section, heading: &'static str, html: &mut Html) {
    if !section.title.is_empty() {
        html.element(heading, &[], &capital(&section.title));
    }
    if !section.about.is_empty() {
        html.element("p", &[("class", "about")], &section.about);
    }
    let blocks = section.blocks.iter().filter(|block| block.is_in(Room::Wide));
    blocks.for_each(|block| add_block(block, &section.title, html));
}

fn add_block(block: &Block, title: &str, html: &mut Html) {
    match block {
        Block::Text(text) => html.within("p", &[], |html| html.linked(&text.words, &text.links)),
        Block::Lines(lines) => list(&lines.lines, html),
        Block::Notes { notes } => {
            let words = |note: &Note| format!("{}: {}", kind(note.kind), note.sentence());
            list(&notes.iter().map(words).collect::<Vec<_>>(), html);
        }
        Block::Table(_) | Block::Named(_) | Block::Asides { .. } | Block::Claims { .. } => {
            block.as_table().into_iter().for_each(|table| add_table(table, title, html));
        }
        Block::Chart(drawn) => chart::draw(drawn, Size::Large, html),
        Block::Multiples(all) => add_multiples(all, html),
        Block::Fold(fold) => html.within("details", &[], |html| {
            html.element("summary", &[], &fold.heading());
            let blocks = fold.blocks.iter().filter(|block| block.is_in(Room::Wide));
            blocks.for_each(|block| add_block(block, title, html));
        }),
        // They are for little room.
        Block::Groups(_) => {}
    }
}

fn add_table(rows: Table, title: &str, html: &mut Html) {
    let rows = rows.seen_in(Room::Wide);
    let head = rows.columns.iter().position(|column| !column.is_number).unwrap_or(0);
    let cells = rows.rows.iter().map(|row| {
        let cell = |(column, text): (usize, &Option<String>)| {
            let links: Vec<Link> = row
                .links
                .iter()
                .filter(|(place, _)| *place == column)
                .map(|(_, link)| link.clone())
                .collect();
            match text {
                Some(reason) if row.reason == Some(column) => Cell::soft(reason),
                number if rows.columns[column].is_number => Cell::number(number.clone()),
                text => Cell::text(text.as_deref().unwrap_or("-")),
            }
            .leading(links)
        };
        row.cells.iter().enumerate().map(cell).collect()
    });
    let label = if rows.label.is_empty() { title } else { &rows.label };
    table(html, label, &rows.columns, head, cells);
}

fn add_multiples(all: &[Multiple], html: &mut Html) {
    html.within("div", &[("class", "multiples")], |html| {
        for Multiple { caption, chart } in all {
            html.within("figure", &[], |html| {
                html.within("figcaption", &[], |html| html.linked(&caption.words, &caption.links));
                chart::draw(chart, Size::Small, html);
            });
        }
    });
}

fn list(lines: &[String], html: &mut Html) {
    html.within("ul", &[], |html| lines.iter().for_each(|line| html.element("li", &[], line)));
}
