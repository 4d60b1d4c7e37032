use super::source::nearest;
use crate::{Slot, SlotKind, SlotValue, TextPart, TextTemplate};

/// Splits a text at its slots. `{name}` is a slot when one of that name is declared; every other brace is itself, so
/// that JSON needs no escapes. A near miss is more likely a slip than meant: it is the error.
pub(super) fn template(text: &str, slots: &[Slot]) -> Result<TextTemplate, NearMiss> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        literal.push_str(before);
        match slot_at(after, slots)? {
            Some((index, behind)) => {
                if !literal.is_empty() {
                    parts.push(TextPart::Literal(std::mem::take(&mut literal)));
                }
                parts.push(TextPart::Slot(index));
                rest = behind;
            }
            None => {
                literal.push('{');
                rest = after;
            }
        }
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(TextPart::Literal(literal));
    }
    Ok(TextTemplate { parts })
}

/// A name between braces that is almost a slot's.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NearMiss {
    /// As written.
    pub(super) found: String,
    /// The slot that is near.
    pub(super) slot: String,
}

/// The slot whose name and closing brace the text starts with, and the text behind it.
fn slot_at<'a>(text: &'a str, slots: &[Slot]) -> Result<Option<(usize, &'a str)>, NearMiss> {
    const LONGEST_NAME: usize = 64;
    let Some(end) = text.bytes().take(LONGEST_NAME + 1).position(|byte| byte == b'}') else {
        return Ok(None);
    };
    let (name, behind) = (&text[..end], &text[end + 1..]);
    if let Some(index) = slots.iter().position(|slot| slot.name == name) {
        return Ok(Some((index, behind)));
    }
    if !is_slot_name(name) {
        return Ok(None);
    }
    match nearest(name, slots.iter().map(|slot| slot.name.as_str())) {
        Some(slot) => Err(NearMiss { found: name.to_owned(), slot: slot.to_owned() }),
        None => Ok(None),
    }
}

/// Whether a text may be the name of a slot.
pub(super) fn is_slot_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A value that each slot may take, to try a template with.
pub(super) fn sample(slots: &[Slot]) -> Vec<SlotValue> {
    slots
        .iter()
        .map(|slot| match slot.kind {
            SlotKind::Bool => SlotValue::Bool(true),
            SlotKind::Int { max, .. } => SlotValue::Int(max),
            SlotKind::Data { .. } => SlotValue::Int(1),
        })
        .collect()
}

impl TextTemplate {
    /// Whether a slot stands in it.
    pub(super) fn uses(&self, slot: usize) -> bool {
        self.parts.contains(&TextPart::Slot(slot))
    }

    /// The text between the slots.
    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TextPart::Literal(text) => Some(text.as_str()),
            TextPart::Slot(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slots() -> Vec<Slot> {
        let slot = |name: &str| Slot { name: name.to_owned(), kind: SlotKind::Bool };
        vec![slot("bet"), slot("other")]
    }

    fn filled(text: &str) -> String {
        template(text, &slots()).expect("a template").render(&[SlotValue::Bool(true), SlotValue::Int(7)])
    }

    #[test]
    fn only_declared_names_are_slots() {
        assert_eq!(filled("{\"bet\": {bet}}"), "{\"bet\": true}");
        assert_eq!(filled("{bet}{other}"), "true7");
        assert_eq!(filled("{{bet}}"), "{true}");
        assert_eq!(filled("{}{x y}{unrelated}{"), "{}{x y}{unrelated}{");
        assert_eq!(filled(""), "");
    }

    #[test]
    fn a_near_miss_is_a_slip() {
        let miss = NearMiss { found: "bett".to_owned(), slot: "bet".to_owned() };
        assert_eq!(template("{\"bet\": {bett}}", &slots()), Err(miss));
    }

    proptest! {
        #[test]
        fn text_without_slots_is_itself(text in "[^{]{0,100}|\\PC{0,100}") {
            if let Ok(template) = template(&text, &[]) {
                prop_assert_eq!(template.render(&[]), text);
            }
        }

        #[test]
        fn filling_in_is_replacing(text in "([{}]|[a-z\" :]|\\{bet\\}|\u{e9}){0,40}") {
            if let Ok(template) = template(&text, &slots()) {
                let oracle = text.replace("{bet}", "true").replace("{other}", "7");
                prop_assert_eq!(template.render(&[SlotValue::Bool(true), SlotValue::Int(7)]), oracle);
            }
        }
    }
}
