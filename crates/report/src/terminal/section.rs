//! A part of a report on a terminal.

use super::notes::{LABEL, print_notes, print_outside};
use super::page::Page;
use super::style::Style;
use super::table::Table;
use crate::text::{clean, columns};
use crate::view::section::{Block, Groups, Named, Place, Section};

/// The columns of a group's answer, unless it is longer.
const ANSWER: usize = 8;
/// Names longer than this stand above what is said of them.
const LONGEST_NAME: usize = 40;

pub(super) fn print(section: &Section, page: &mut Page) {
    if section.is_detail {
        return;
    }
    page.blank();
    let title = clean(&section.title);
    page.labelled(
        &title,
        Style::Strong,
        LABEL.max(columns(&title) + 2),
        &clean(&section.about),
        Style::Faint,
    );
    section.blocks.iter().for_each(|block| print_block(block, page));
}

pub(super) fn print_block(block: &Block, page: &mut Page) {
    let mut lines = |lines: &[String], style: Style| {
        lines.iter().for_each(|line| page.labelled("", Style::Plain, 2, &clean(line), style));
    };
    match block {
        Block::Text(place, text) if place.is_in(Place::Terminal) => {
            lines(std::slice::from_ref(text), Style::Plain);
        }
        Block::Remarks(remarks) => lines(remarks, Style::Faint),
        Block::Faults(place, faults) if place.is_in(Place::Terminal) => lines(faults, Style::Doubtful),
        Block::Table(table) if table.place.is_in(Place::Terminal) && !table.rows.is_empty() => {
            let shown: Vec<usize> = (0..table.columns.len())
                .filter(|column| table.columns[*column].place.is_in(Place::Terminal))
                .collect();
            let titles = shown.iter().map(|column| table.columns[*column].title.as_str()).collect();
            let names = shown.iter().position(|column| !table.columns[*column].is_number);
            let mut printed = Table::new(titles, names.unwrap_or(0));
            let cell = |row: &[Option<String>], column: usize| match &row[column] {
                Some(cell) => clean(cell),
                None => "-".to_owned(),
            };
            for row in &table.rows {
                printed.row(shown.iter().map(|column| cell(row, *column)).collect());
            }
            printed.print(page);
        }
        Block::Named(named) if named.place.is_in(Place::Terminal) => print_named(named, page),
        Block::Table(_) | Block::Named(_) | Block::Faults(..) | Block::Text(..) => {}
        Block::Groups(groups) => print_groups(groups, page),
        Block::Outside(outside) => print_outside(outside, page),
        Block::Notes(notes) => print_notes(notes, page),
    }
}

fn print_named(named: &Named, page: &mut Page) {
    let longest = named.rows.iter().map(|(name, _)| columns(name)).max().unwrap_or(0);
    for (name, words) in named.rows.iter().take(named.most_on_terminal) {
        let (name, words) = (clean(name), clean(words));
        if longest > LONGEST_NAME {
            page.labelled("", Style::Plain, 2, &name, Style::Plain);
            page.labelled("", Style::Plain, 4, &words, Style::Faint);
        } else {
            page.labelled(&format!("  {name}"), Style::Plain, longest + 4, &words, Style::Plain);
        }
    }
    if let Some(more) = named.rows.len().checked_sub(named.most_on_terminal).filter(|more| *more > 0) {
        page.labelled("", Style::Plain, 2, &format!("and {more} more in report.md"), Style::Faint);
    }
}

fn print_groups(groups: &Groups, page: &mut Page) {
    page.labelled("", Style::Plain, 2, &clean(&groups.title), Style::Strong);
    if !groups.about.is_empty() {
        page.labelled("", Style::Plain, 4, &clean(&groups.about), Style::Faint);
    }
    let short = groups.rows.iter().map(|(got, _)| columns(got)).filter(|width| *width <= LONGEST_NAME);
    let indent = short.max().unwrap_or(0).max(ANSWER) + 6;
    for (got, who) in &groups.rows {
        page.labelled(&format!("    {}", clean(got)), Style::Plain, indent, &clean(who), Style::Plain);
    }
}
