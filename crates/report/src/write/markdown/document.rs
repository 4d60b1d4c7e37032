//! A whole document as Markdown.

use super::block::add;
use super::text::Markdown;
use crate::document::{Document, Section};

/// Every part, the answer first.
pub(crate) fn write(document: &Document) -> String {
    let mut markdown = Markdown::default();
    add_document(document, 1, &mut markdown);
    markdown.text
}

fn add_document(document: &Document, level: usize, markdown: &mut Markdown) {
    markdown.heading(level, format!("{} {}", document.title, document.question).trim_end());
    for (label, text) in &document.facts {
        markdown.item(&format!("{label}: {text}"));
    }
    markdown.end();
    match &document.answer {
        // Of a whole document it is about all that follows.
        Some((answer, _)) if level == 1 => markdown.strong(answer),
        Some((answer, _)) => markdown.paragraph(answer),
        None => {}
    }
    if !document.about.is_empty() {
        markdown.paragraph(&document.about);
    }
    let add_all = |sections: &[Section], level: usize, markdown: &mut Markdown| {
        sections.iter().for_each(|section| add(section, level, markdown));
    };
    add_all(&document.sections, level + 1, markdown);
    for part in &document.parts {
        add_document(part, level + 1, markdown);
    }
    add_all(&document.end, level + 1, markdown);
}
