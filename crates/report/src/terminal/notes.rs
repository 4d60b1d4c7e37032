//! Remarks, and rows beside the table, behind their labels.

use velo_judge::Kind;

use super::page::Page;
use super::style::Style;
use crate::text::columns;
use crate::view;

/// Where text begins behind a label.
pub(super) const LABEL: usize = 10;

pub(super) fn print_outside(outside: &[view::Outside], page: &mut Page) {
    if outside.is_empty() {
        return;
    }
    page.line(&[("not ranked", Style::Strong)]);
    let widest = |width: fn(&view::Outside) -> usize, most: usize| {
        outside.iter().map(width).max().unwrap_or(0).min(most)
    };
    let name = widest(|row| columns(&row.name), 24);
    let what = widest(|row| columns(&row.what), 14);
    let indent = name + what + 10;
    for row in outside {
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

pub(super) fn print_notes(notes: &[view::Note], page: &mut Page) {
    for note in notes {
        let style = match note.kind {
            Kind::Hint => Style::Faint,
            Kind::Warning => Style::Doubtful,
            Kind::Error => Style::Bad,
        };
        page.labelled(view::kind(note.kind), style, LABEL, &note.sentence(), Style::Plain);
    }
}
