//! Values that change from request to request: what `{name}` stands for.

use std::borrow::Cow;
use std::sync::Arc;

use velo_load::Slot as Drawn;
use velo_model::{CsvTable, Slot, SlotKind, Table};

/// Where the cells of slots come from.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// Of [`SlotKind::Cell`].
    pub csv: Vec<Arc<Table>>,
    /// Of [`SlotKind::Data`]: for each data file its keys, a column for each slot.
    pub data: Vec<Arc<Table>>,
}

impl Tables {
    /// Those of CSV files, without data files.
    pub fn of(tables: &[CsvTable]) -> Self {
        Self { csv: tables.iter().filter_map(|table| table.cells.clone()).collect(), data: Vec::new() }
    }

    /// The slot as the load engine draws it.
    pub(crate) fn slot(&self, kind: &SlotKind) -> Drawn {
        let cell = |tables: &[Arc<Table>], table: usize, column| match tables.get(table) {
            Some(table) => Drawn::Cell { table: Arc::clone(table), column },
            // Before the data is made, and of a record, which has no rows: a number stands for it.
            None => Drawn::Choice(vec![b"1".to_vec()]),
        };
        match kind {
            SlotKind::Bool => Drawn::Choice(vec![b"false".to_vec(), b"true".to_vec()]),
            SlotKind::Int { min, max } => Drawn::Int { min: *min, max: *max },
            SlotKind::Signed { min, max } => Drawn::Signed { min: *min, max: *max },
            SlotKind::Choice(texts) => {
                Drawn::Choice(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
            }
            SlotKind::Counter { first } => Drawn::Counter { first: *first },
            SlotKind::Cell { table, column } => cell(&self.csv, *table, *column),
            SlotKind::Data { file, slot } => cell(&self.data, *file, *slot),
        }
    }
}

/// The names of slots, in their order.
pub fn names(slots: &[Slot]) -> Vec<&str> {
    slots.iter().map(|slot| slot.name.as_str()).collect()
}

/// `id=1..1000`, `n=counter`, `n=counter:100`, `bet=true|false`.
pub fn declaration(text: &str) -> Result<(String, SlotKind), String> {
    let expected = "expected NAME=VALUES, as in id=1..1000, n=counter, n=counter:100 or bet=true|false";
    let (name, values) = text.split_once('=').ok_or(expected)?;
    if !is_name(name) {
        return Err(format!("`{name}` is no name\n  {NAME_EXPECTED}"));
    }
    kind(values).map(|kind| (name.to_owned(), kind))
}

/// What stands behind the name.
pub fn kind(values: &str) -> Result<SlotKind, String> {
    if let Some(first) = values.strip_prefix("counter") {
        let first = match first.strip_prefix(':') {
            Some(first) => first.parse().ok(),
            None if first.is_empty() => Some(1),
            None => None,
        };
        if let Some(first) = first {
            return Ok(SlotKind::Counter { first });
        }
    }
    if let (false, Some((min, max))) = (values.contains('|'), values.split_once("..")) {
        let (min, max) = (min.trim(), max.trim());
        if let (Ok(min), Ok(max)) = (min.parse(), max.parse())
            && min <= max
        {
            return Ok(SlotKind::Int { min, max });
        }
        return match (min.parse(), max.parse()) {
            (Ok(min), Ok(max)) if min <= max && min < 0 => Ok(SlotKind::Signed { min, max }),
            _ => Err("expected whole numbers, the least first, as in 1..1000 or -50..50".to_owned()),
        };
    }
    if matches!(values, "bool" | "true|false" | "false|true") {
        return Ok(SlotKind::Bool);
    }
    // One choice alone is most likely a slip in one of the other forms, and can be typed where it is wanted.
    if !values.contains('|') {
        return Err(
            "expected a range (1..1000), counter, counter:FIRST, bool, or choices (red|green)".to_owned()
        );
    }
    Ok(SlotKind::Choice(values.split('|').map(str::to_owned).collect()))
}

/// What [`is_name`] wants.
pub const NAME_EXPECTED: &str =
    "expected a letter or underscore, then letters, digits, `_` and `-`, 64 at most";

/// Whether a text may stand between braces.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The text of a slot in one request: `value` is the index chosen, the number itself, or the row of a table.
pub(crate) fn text_of(slot: &Drawn, value: u64) -> Option<Cow<'_, [u8]>> {
    let index = usize::try_from(value).ok();
    match slot {
        Drawn::Choice(choices) => choices.get(index?).map(|choice| Cow::Borrowed(choice.as_slice())),
        Drawn::Int { .. } | Drawn::Counter { .. } => Some(Cow::Owned(value.to_string().into_bytes())),
        Drawn::Signed { .. } => Some(Cow::Owned(value.cast_signed().to_string().into_bytes())),
        Drawn::Cell { table, column } => {
            table.rows.get(index?)?.get(*column).map(|cell| Cow::Borrowed(cell.as_slice()))
        }
    }
}

/// A value that the slot may take.
pub(crate) fn sample(slot: &Drawn) -> u64 {
    match slot {
        Drawn::Int { max, .. } => *max,
        Drawn::Signed { min, .. } => min.cast_unsigned(),
        Drawn::Counter { first } => *first,
        Drawn::Choice(_) | Drawn::Cell { .. } => 0,
    }
}

/// The first text that the slot may hold and that will not do.
pub(crate) fn unfit(slot: &Drawn, fits: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    match slot {
        Drawn::Int { .. } | Drawn::Signed { .. } | Drawn::Counter { .. } => None,
        Drawn::Choice(choices) => choices.iter().map(Vec::as_slice).find(|choice| !fits(choice)),
        Drawn::Cell { table, column } => {
            table.rows.iter().filter_map(|row| row.get(*column)).map(Vec::as_slice).find(|cell| !fits(cell))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use velo_model::Pick;

    use super::*;

    #[test]
    fn values_are_read_as_their_help_says() {
        let read = |text: &str| declaration(text).map(|(_, slot)| slot);
        assert_eq!(declaration("id=1..1000"), Ok(("id".to_owned(), SlotKind::Int { min: 1, max: 1000 })));
        assert_eq!(read("id=0..18446744073709551615"), Ok(SlotKind::Int { min: 0, max: u64::MAX }));
        assert_eq!(read("x=-50..50"), Ok(SlotKind::Signed { min: -50, max: 50 }));
        assert_eq!(read("n=counter"), Ok(SlotKind::Counter { first: 1 }));
        assert_eq!(read("n=counter:7"), Ok(SlotKind::Counter { first: 7 }));
        for both in ["bet=true|false", "bet=false|true", "bet=bool"] {
            assert_eq!(read(both), Ok(SlotKind::Bool), "{both}");
        }
        let choice =
            |texts: &[&str]| Ok(SlotKind::Choice(texts.iter().map(|&text| text.to_owned()).collect()));
        assert_eq!(read("x=a..b|counter"), choice(&["a..b", "counter"]));
        assert_eq!(read("x=a=b|"), choice(&["a=b", ""]));
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
            "id=-1..-2",
            "id=-1..9223372036854775808",
            "id=one",
            "n=counter:x",
            "n=counter:-1",
            "a b=1..2",
        ] {
            assert!(declaration(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn each_slot_has_its_text() {
        let table = Arc::new(Table {
            rows: vec![vec![b"a".to_vec(), b"b".to_vec()], vec![b"c".to_vec(), b"d e".to_vec()]],
            pick: Pick::InOrder,
        });
        let tables = Tables { csv: vec![table], data: vec![] };
        let cell = tables.slot(&SlotKind::Cell { table: 0, column: 1 });
        let text = |slot: &Drawn, value| text_of(slot, value).map(Cow::into_owned);
        assert_eq!(text(&cell, 1), Some(b"d e".to_vec()));
        assert_eq!(text(&cell, 2), None);
        assert_eq!(text(&Drawn::Int { min: 1, max: 9 }, 7), Some(b"7".to_vec()));
        assert_eq!(text(&Drawn::Signed { min: -9, max: 9 }, u64::MAX), Some(b"-1".to_vec()));
        assert_eq!(text(&tables.slot(&SlotKind::Bool), 1), Some(b"true".to_vec()));
        assert_eq!(unfit(&cell, |text| !text.contains(&b' ')), Some(b"d e".as_slice()));
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[a-z]{0,3}=?[0-9]{0,21}(\\.\\.)?[0-9]{0,21}|.{0,30}") {
            if let Ok((name, kind)) = declaration(&text) {
                prop_assert!(is_name(&name));
                let slot = Tables::default().slot(&kind);
                prop_assert!(text_of(&slot, sample(&slot)).is_some());
            }
        }
    }
}
