//! What the other side has told to keep.

use std::collections::VecDeque;

use super::field_bytes;
use super::static_table::{FIRST_DYNAMIC, field};

/// The dynamic table of one direction, whose size the reader bounds.
#[derive(Debug)]
pub(super) struct Table {
    /// The latest first.
    fields: VecDeque<Field>,
    bytes: usize,
    most_bytes: usize,
}

/// Name and value in one piece.
#[derive(Debug)]
struct Field {
    text: Box<[u8]>,
    name_bytes: usize,
}

impl Field {
    fn bytes(&self) -> usize {
        field_bytes(self.text.len(), 0)
    }
}

impl Table {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { fields: VecDeque::new(), bytes: 0, most_bytes }
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self, most_bytes: usize) {
        self.fields.clear();
        (self.bytes, self.most_bytes) = (0, most_bytes);
    }

    /// The field with this number in both tables.
    pub(super) fn get(&self, number: usize) -> Option<(&[u8], &[u8])> {
        if let Some((name, value)) = field(number) {
            return Some((name.as_bytes(), value.as_bytes()));
        }
        let field = self.fields.get(number.checked_sub(FIRST_DYNAMIC)?)?;
        Some(field.text.split_at(field.name_bytes))
    }

    /// Keeps a field, and forgets the oldest where there is no room; one that is larger than the table empties it.
    pub(super) fn insert(&mut self, name: &[u8], value: &[u8]) {
        let bytes = field_bytes(name.len(), value.len());
        self.shrink(self.most_bytes.saturating_sub(bytes));
        if bytes <= self.most_bytes {
            self.bytes += bytes;
            self.fields.push_front(Field { text: [name, value].concat().into(), name_bytes: name.len() });
        }
    }

    pub(super) fn resize(&mut self, most_bytes: usize) {
        self.most_bytes = most_bytes;
        self.shrink(most_bytes);
    }

    fn shrink(&mut self, most_bytes: usize) {
        while self.bytes > most_bytes
            && let Some(oldest) = self.fields.pop_back()
        {
            self.bytes -= oldest.bytes();
        }
    }

    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn kept_bytes(&self) -> usize {
        self.bytes
    }
}
