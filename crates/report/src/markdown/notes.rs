//! Remarks as items of a list.

use super::document::Document;
use crate::view;

pub(super) fn add_notes(notes: &[view::Note], document: &mut Document) {
    notes.iter().for_each(|note| document.item(&format!("{}: {}", view::kind(note.kind), note.sentence())));
}
