//! JSON with slots in it: parsed with a mark in the place of each.

use serde_json::Value;
use velo_load::{Part, Template};

use crate::error::EncodeError;

/// Characters of private use around the number of a slot, within a string and outside of any.
const SLOT: char = '\u{f8f0}';
const BARE_SLOT: char = '\u{f8f1}';
const SLOT_END: char = '\u{f8f2}';

/// A string of the JSON in pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Slot(usize),
}

/// Parses JSON with slots.
pub(crate) fn parse(template: &Template) -> Result<Value, EncodeError> {
    let marked = mark(template)?;
    serde_json::from_str(&marked).map_err(|error| {
        EncodeError::new(
            "",
            format!("not JSON: {}", written(&error.to_string())),
            "expected a message as JSON",
        )
    })
}

fn mark(template: &Template) -> Result<String, EncodeError> {
    let mut marked = String::new();
    let mut in_string = false;
    for part in &template.0 {
        match part {
            Part::Bytes(bytes) => {
                let text =
                    str::from_utf8(bytes).ok().filter(|text| !text.contains([SLOT, BARE_SLOT, SLOT_END]));
                let text = text.ok_or_else(|| {
                    EncodeError::new("", "not UTF-8, or with characters of private use", "expected JSON")
                })?;
                let mut escaped = false;
                for c in text.chars() {
                    if c == '"' && !escaped {
                        in_string = !in_string;
                    }
                    escaped = in_string && c == '\\' && !escaped;
                }
                marked.push_str(text);
            }
            Part::Slot(index) if in_string => marked.push_str(&format!("{SLOT}{index}{SLOT_END}")),
            Part::Slot(index) => marked.push_str(&format!("\"{BARE_SLOT}{index}{SLOT_END}\"")),
            Part::Binary(_) => {
                return Err(EncodeError::new("", "a message in binary where JSON belongs", "expected JSON"));
            }
        }
    }
    Ok(marked)
}

/// A text of marked JSON for people.
fn written(text: &str) -> String {
    text.replace([SLOT, BARE_SLOT], "{").replace(SLOT_END, "}")
}

/// Whether a slot stands in it, names of members included.
pub(crate) fn has_slot(value: &Value) -> bool {
    let marked = |text: &str| text.contains([SLOT, BARE_SLOT]);
    match value {
        Value::String(text) => marked(text),
        Value::Array(items) => items.iter().any(has_slot),
        Value::Object(members) => members.iter().any(|(key, member)| marked(key) || has_slot(member)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether it is a slot that stands outside of quotes.
pub(crate) fn is_bare(text: &str) -> bool {
    text.starts_with(BARE_SLOT)
}

/// A string at its slots.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once([SLOT, BARE_SLOT]) {
        let Some((index, behind)) = after.split_once(SLOT_END) else { break };
        let Ok(index) = index.parse() else { break };
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        pieces.push(Piece::Slot(index));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    pieces
}

/// The slot that a value is and nothing else.
pub(crate) fn only_slot(value: &Value) -> Option<usize> {
    match pieces(value.as_str()?).as_slice() {
        [Piece::Slot(slot)] => Some(*slot),
        _ => None,
    }
}
