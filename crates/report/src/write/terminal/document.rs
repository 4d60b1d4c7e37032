//! A document on a terminal, the answer at its end: there it is on the screen when a run ends.

use super::block::{LABEL, print_section};
use super::options::TerminalOptions;
use super::page::Page;
use super::style::Style;
use crate::document::{Document, Room, Section, Weight};
use crate::text::clean;

/// The document down to the weight asked for. Text from outside is stripped of escape sequences and control characters.
pub(crate) fn print(document: &Document, options: &TerminalOptions) -> String {
    let mut page = Page::of(options);
    let depth = options.down_to;
    if !document.question.is_empty() {
        page.paragraph(&clean(&document.question), Style::Strong);
    }
    if depth > Weight::Headline {
        if !document.question.is_empty() && !document.facts.is_empty() {
            page.blank();
        }
        print_body(document, depth, &mut page);
    }
    print_answers(document, depth, &mut page);
    page.finish()
}

/// What the answers rest on, and what else was measured.
fn print_body(document: &Document, depth: Weight, page: &mut Page) {
    for (label, text) in &document.facts {
        page.labelled(label, Style::Strong, LABEL, &clean(text), Style::Plain);
    }
    for part in &document.parts {
        page.blank();
        page.paragraph(&clean(&part.title), Style::Strong);
        if !part.about.is_empty() {
            page.paragraph(&clean(&part.about), Style::Faint);
        }
        print_body(part, depth, page);
    }
    let of_body = |section: &&Section| section.weight > Weight::Headline && section.weight <= depth;
    document
        .sections
        .iter()
        .chain(&document.end)
        .filter(of_body)
        .for_each(|section| print_section(section, page));
}

/// Headlines; those of which the body has the whole stand there.
fn print_answers(document: &Document, depth: Weight, page: &mut Page) {
    let print_headlines = |sections: &[Section], page: &mut Page| {
        let is_whole = |section: &Section| {
            let same = |other: &Section| other.title == section.title && other.weight > Weight::Headline;
            !section.title.is_empty() && sections.iter().any(|other| same(other) && other.weight <= depth)
        };
        let shown = sections.iter().filter(|section| is_of_answer(section) && !is_whole(section));
        shown.for_each(|section| print_section(section, page));
    };
    let several = document.parts.len() > 1 && document.parts.iter().any(|part| part.answer.is_some());
    for part in &document.parts {
        if !part.sections.iter().any(is_of_answer) && part.answer.is_none() {
            continue;
        }
        page.blank();
        let name = part.title.split(": ").next().unwrap_or_default();
        let lead = if several { format!("{}: ", clean(name)) } else { String::new() };
        match &part.answer {
            Some((answer, _)) => page.paragraph(&format!("{lead}{}", clean(answer)), Style::Strong),
            None if several => page.paragraph(&format!("{lead}no answer"), Style::Strong),
            None => {}
        }
        print_headlines(&part.sections, page);
    }
    print_headlines(&document.sections, page);
    print_headlines(&document.end, page);
    if let Some((answer, tone)) = &document.answer {
        page.blank();
        page.paragraph(&clean(answer), Style::of(*tone));
    }
}

fn is_of_answer(section: &Section) -> bool {
    section.weight == Weight::Headline && section.is_in(Room::Narrow)
}
