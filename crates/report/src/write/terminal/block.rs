//! A part of a document on a terminal.

use velo_judge::Kind;

use super::page::Page;
use super::style::Style;
use super::table::Table;
use crate::document::{Aside, Block, Claim, Groups, Named, Note, Room, Section, Table as Rows};
use crate::section::kind;
use crate::text::{clean, columns, wrap};

/// Where text begins behind a label.
pub(super) const LABEL: usize = 10;
/// The columns of a group's answer, unless it is longer.
const ANSWER: usize = 8;
/// Names longer than this stand above what is said of them.
const LONGEST_NAME: usize = 40;
/// The columns of a claim's figures, and of its verdict.
const FIGURE: usize = 7;
const VERDICT: usize = 14;

pub(super) fn print_section(section: &Section, page: &mut Page) {
    let title = clean(&section.title);
    if !title.is_empty() || !section.about.is_empty() {
        page.blank();
        let indent = LABEL.max(columns(&title) + 2);
        // A paragraph needs no line of its own below a title.
        if let (true, [Block::Text(text)]) = (section.about.is_empty(), section.blocks.as_slice()) {
            page.labelled(&title, Style::Strong, indent, &clean(&text.words), Style::Plain);
            return;
        }
        page.labelled(&title, Style::Strong, indent, &clean(&section.about), Style::Faint);
    }
    print_blocks(&section.blocks, page);
}

fn print_blocks(blocks: &[Block], page: &mut Page) {
    blocks.iter().filter(|block| block.is_in(Room::Narrow)).for_each(|block| print_block(block, page));
}

fn print_block(block: &Block, page: &mut Page) {
    match block {
        Block::Text(text) => page.labelled("", Style::Plain, 2, &clean(&text.words), Style::Plain),
        Block::Lines(all) => {
            for line in &all.lines {
                page.labelled("", Style::Plain, 2, &clean(line), Style::of(all.tone));
            }
        }
        Block::Table(table) => print_table(table, page),
        Block::Named(named) => print_named(named, page),
        Block::Groups(groups) => print_groups(groups, page),
        Block::Asides { rows } => print_asides(rows, page),
        Block::Notes { notes } => print_notes(notes, page),
        Block::Claims { claims } => print_claims(claims, page),
        Block::Fold(fold) => {
            page.labelled("", Style::Plain, 2, &clean(&fold.title), Style::Strong);
            print_blocks(&fold.blocks, page);
        }
        Block::Chart(_) | Block::Multiples(_) => {}
    }
}

fn print_table(table: &Rows, page: &mut Page) {
    let table = table.clone().seen_in(Room::Narrow);
    let titles = table.columns.iter().map(|column| column.title.as_str()).collect();
    let names = table.columns.iter().position(|column| !column.is_number);
    let mut printed = Table::new(titles, names.unwrap_or(0));
    let cell = |cell: &Option<String>| cell.as_deref().map_or_else(|| "-".to_owned(), clean);
    table.rows.iter().for_each(|row| printed.row(row.cells.iter().map(cell).collect()));
    printed.print(page);
}

fn print_named(named: &Named, page: &mut Page) {
    let longest = named.rows.iter().map(|(name, _)| columns(name)).max().unwrap_or(0);
    for (name, words) in named.rows.iter().take(named.most_when_narrow) {
        let (name, words) = (clean(name), clean(words));
        if longest > LONGEST_NAME {
            page.labelled("", Style::Plain, 2, &name, Style::Plain);
            page.labelled("", Style::Plain, 4, &words, Style::Faint);
        } else {
            page.labelled(&format!("  {name}"), Style::Plain, longest + 4, &words, Style::Plain);
        }
    }
    if let Some(more) = named.rows.len().checked_sub(named.most_when_narrow).filter(|more| *more > 0) {
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

fn print_asides(asides: &[Aside], page: &mut Page) {
    let widest =
        |width: fn(&Aside) -> usize, most: usize| asides.iter().map(width).max().unwrap_or(0).min(most);
    let name = widest(|row| columns(&row.name), 24);
    let what = widest(|row| columns(&row.what), 14);
    let indent = name + what + 10;
    for row in asides {
        if columns(&row.name) > name {
            page.labelled("   - ", Style::Plain, 6, &row.name, Style::Plain);
        }
        let lead =
            if columns(&row.name) > name { "      ".to_owned() } else { format!("   -  {}", row.name) };
        let gap = (indent - 2).saturating_sub(columns(&lead) + columns(&row.what));
        let label = format!("{lead}{}{}", " ".repeat(gap), row.what);
        page.labelled(&label, Style::Plain, indent, &row.reason, Style::Faint);
        if let Some(more) = &row.more {
            page.labelled("", Style::Plain, 8, more, Style::Faint);
        }
    }
}

fn print_notes(notes: &[Note], page: &mut Page) {
    for note in notes {
        let style = match note.kind {
            Kind::Hint => Style::Faint,
            Kind::Warning => Style::Doubtful,
            Kind::Error => Style::Bad,
        };
        page.labelled(kind(note.kind), style, LABEL, &note.sentence(), Style::Plain);
    }
}

fn print_claims(claims: &[Claim], page: &mut Page) {
    let says = page.width - 2 - 2 - FIGURE - 2 - FIGURE - 2 - VERDICT;
    let heads = format!("  {:says$}  {:>FIGURE$}  {:>FIGURE$}  verdict", "claim", "there", "here");
    page.line(&[(&heads, Style::Strong)]);
    for claim in claims {
        let figure = |figure: &Option<String>| figure.clone().unwrap_or_default();
        let (there, here) = (figure(&claim.there), figure(&claim.here));
        for (index, line) in wrap(&clean(&claim.says), says).iter().enumerate() {
            if index > 0 {
                page.line(&[("  ", Style::Plain), (line, Style::Plain)]);
                continue;
            }
            let pad = " ".repeat(says - columns(line));
            let figures = format!("  {line}{pad}  {there:>FIGURE$}  {here:>FIGURE$}  ");
            page.line(&[(&figures, Style::Plain), (&claim.verdict, Style::of(claim.tone))]);
        }
        let holds = claim.bound.as_ref().map(|bound| format!("holds {bound}"));
        for line in holds.iter().chain(&claim.reason) {
            page.labelled("", Style::Plain, 4, &clean(line), Style::Faint);
        }
    }
}
