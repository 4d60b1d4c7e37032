//! Values that change from request to request: what `{name}` stands for.

use std::borrow::Cow;

use velo_load::Slot;

use super::problem::Problem;

/// All values that requests may name.
#[derive(Debug, Default)]
pub(crate) struct Values {
    names: Vec<String>,
    slots: Vec<Slot>,
}

impl Values {
    /// Adds one.
    pub(crate) fn declare(&mut self, name: String, slot: Slot) -> Result<(), Problem> {
        if self.names.contains(&name) {
            return Err(Problem::new(
                format!("the value `{name}` is declared twice"),
                "expected each name once, over --value, --csv-values and `[values]` of a file",
            ));
        }
        self.names.push(name);
        self.slots.push(slot);
        Ok(())
    }

    /// Their names, in the order of their indices.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// What the value with this index may hold.
    pub(crate) fn slot(&self, index: usize) -> Option<&Slot> {
        self.slots.get(index)
    }

    /// The names, for a message.
    pub(crate) fn listed(&self) -> String {
        if self.names.is_empty() { "none".to_owned() } else { self.names.join(", ") }
    }
}

/// `id=1..1000`, `n=counter`, `n=counter:100`, `bet=true|false`.
pub(crate) fn declaration(text: &str) -> Result<(String, Slot), String> {
    let expected = "expected NAME=VALUES, as in id=1..1000, n=counter, n=counter:100 or bet=true|false";
    let (name, values) = text.split_once('=').ok_or(expected)?;
    if !is_name(name) {
        return Err(format!("`{name}` is no name\n  {NAME_EXPECTED}"));
    }
    slot(values).map(|slot| (name.to_owned(), slot))
}

/// What stands behind the name.
pub(crate) fn slot(values: &str) -> Result<Slot, String> {
    if let Some(first) = values.strip_prefix("counter") {
        let first = match first.strip_prefix(':') {
            Some(first) => first.parse().ok(),
            None if first.is_empty() => Some(1),
            None => None,
        };
        if let Some(first) = first {
            return Ok(Slot::Counter { first });
        }
    }
    if let (false, Some((min, max))) = (values.contains('|'), values.split_once("..")) {
        return match (min.trim().parse(), max.trim().parse()) {
            (Ok(min), Ok(max)) if min <= max => Ok(Slot::Int { min, max }),
            _ => Err("expected whole numbers, the least first, as in 1..1000".to_owned()),
        };
    }
    // One choice alone is most likely a slip in one of the other forms, and can be typed where it is wanted.
    if !values.contains('|') {
        return Err("expected a range (1..1000), counter, counter:FIRST, or choices (true|false)".to_owned());
    }
    Ok(Slot::Choice(values.split('|').map(|choice| choice.as_bytes().to_vec()).collect()))
}

/// What [`is_name`] wants.
pub(crate) const NAME_EXPECTED: &str =
    "expected a letter or underscore, then letters, digits, `_` and `-`, 64 at most";

/// Whether a text may stand between braces.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The text of a slot in one request: `value` is the index chosen, the number itself, or the row of a table.
pub(crate) fn text_of(slot: &Slot, value: u64) -> Option<Cow<'_, [u8]>> {
    let index = usize::try_from(value).ok();
    match slot {
        Slot::Choice(choices) => choices.get(index?).map(|choice| Cow::Borrowed(choice.as_slice())),
        Slot::Int { .. } | Slot::Counter { .. } => Some(Cow::Owned(value.to_string().into_bytes())),
        Slot::Cell { table, column } => {
            table.rows.get(index?)?.get(*column).map(|cell| Cow::Borrowed(cell.as_slice()))
        }
    }
}

/// A value that the slot may take.
pub(crate) fn sample(slot: &Slot) -> u64 {
    match slot {
        Slot::Int { max, .. } => *max,
        Slot::Counter { first } => *first,
        Slot::Choice(_) | Slot::Cell { .. } => 0,
    }
}

/// The first text that the slot may hold and that will not do.
pub(crate) fn unfit(slot: &Slot, fits: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    match slot {
        Slot::Int { .. } | Slot::Counter { .. } => None,
        Slot::Choice(choices) => choices.iter().map(Vec::as_slice).find(|choice| !fits(choice)),
        Slot::Cell { table, column } => {
            table.rows.iter().filter_map(|row| row.get(*column)).map(Vec::as_slice).find(|cell| !fits(cell))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use velo_load::{Pick, Table};

    use super::*;

    #[test]
    fn values_are_read_as_their_help_says() {
        let read = |text: &str| declaration(text).map(|(_, slot)| slot);
        assert_eq!(declaration("id=1..1000"), Ok(("id".to_owned(), Slot::Int { min: 1, max: 1000 })));
        assert_eq!(read("id=0..18446744073709551615"), Ok(Slot::Int { min: 0, max: u64::MAX }));
        assert_eq!(read("n=counter"), Ok(Slot::Counter { first: 1 }));
        assert_eq!(read("n=counter:7"), Ok(Slot::Counter { first: 7 }));
        assert_eq!(read("bet=true|false"), Ok(Slot::Choice(vec![b"true".to_vec(), b"false".to_vec()])));
        assert_eq!(read("x=a..b|counter"), Ok(Slot::Choice(vec![b"a..b".to_vec(), b"counter".to_vec()])));
        assert_eq!(read("x=a=b|"), Ok(Slot::Choice(vec![b"a=b".to_vec(), vec![]])));
    }

    #[test]
    fn slips_are_refused() {
        for odd in [
            "id",
            "id=",
            "=1..2",
            "1d=1..2",
            "id=2..1",
            "id=1..",
            "id=1-1000",
            "id=one",
            "n=counter:x",
            "n=counter:-1",
            "a b=1..2",
        ] {
            assert!(declaration(odd).is_err(), "{odd}");
        }
        let mut values = Values::default();
        values.declare("id".to_owned(), Slot::Counter { first: 1 }).expect("new");
        assert!(values.declare("id".to_owned(), Slot::Counter { first: 1 }).is_err());
    }

    #[test]
    fn each_slot_has_its_text() {
        let table = Arc::new(Table {
            rows: vec![vec![b"a".to_vec(), b"b".to_vec()], vec![b"c".to_vec(), b"d e".to_vec()]],
            pick: Pick::InOrder,
        });
        let cell = Slot::Cell { table, column: 1 };
        let text = |slot: &Slot, value| text_of(slot, value).map(Cow::into_owned);
        assert_eq!(text(&cell, 1), Some(b"d e".to_vec()));
        assert_eq!(text(&cell, 2), None);
        assert_eq!(text(&Slot::Int { min: 1, max: 9 }, 7), Some(b"7".to_vec()));
        assert_eq!(text(&Slot::Choice(vec![b"x".to_vec()]), 0), Some(b"x".to_vec()));
        assert_eq!(unfit(&cell, |text| !text.contains(&b' ')), Some(b"d e".as_slice()));
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[a-z]{0,3}=?[0-9]{0,21}(\\.\\.)?[0-9]{0,21}|.{0,30}") {
            if let Ok((name, slot)) = declaration(&text) {
                prop_assert!(is_name(&name));
                prop_assert!(text_of(&slot, sample(&slot)).is_some());
            }
        }
    }
}
