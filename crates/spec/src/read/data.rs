//! `[[data]]`: files that contenders read.

use serde::Deserialize;
use toml::Spanned;
use velo_model::{DataFile, DataSlot, DataSlotKind, SlotKind};
use velo_request::read::WireMap;
use velo_request::value::{self, NAME_EXPECTED};
use velo_request::{Problem, SourceFile, SpecError, parse_json, parse_template};

use super::checks;

const MOST_SLOTS: usize = 16;
/// With keys below a million, of which half are of one version, more would be hard to draw.
const MOST_RECORDS: u32 = 100_000;

/// `[[data]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireData {
    pub(super) file: Spanned<String>,
    records: Spanned<u64>,
    record: Spanned<String>,
    #[serde(default)]
    values: WireMap,
}

/// Checks a data file.
pub(super) fn read(file: &SourceFile, wire: WireData) -> Result<DataFile, SpecError> {
    let name = wire.file.get_ref();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.bytes().all(is_name) {
        return Err(file.at(&wire.file, "data.file").wrong(
            format!("`data.file` is `{name}`"),
            "expected a file's name without a folder, as in `user.json`",
        ));
    }
    if wire.values.len() > MOST_SLOTS {
        let problem = format!("more than {MOST_SLOTS} values");
        return Err(file.at(&wire.file, "data.values").wrong(problem, "expected fewer"));
    }
    let mut slots = Vec::new();
    for (name, kind) in wire.values {
        if !value::is_name(name.get_ref()) {
            let problem = format!("`{}` is no name", name.get_ref());
            return Err(file.at(&name, "data.values").wrong(problem, NAME_EXPECTED));
        }
        let kind = self::kind(kind.get_ref()).ok_or_else(|| {
            file.at(&kind, "data.values").wrong(
                format!("`{}` is no value of a record", kind.get_ref()),
                "expected \"key\", \"word\", \"bool\" or a range of whole numbers, the least first, as in \"1..9\"",
            )
        })?;
        slots.push(DataSlot { name: name.into_inner(), kind });
    }
    let names: Vec<&str> = slots.iter().map(|slot| slot.name.as_str()).collect();
    let refused = |problem: Problem| file.at(&wire.record, "data.record").wrong(problem.what, problem.cure);
    let record = parse_template(wire.record.get_ref().as_bytes(), &names).map_err(refused)?;
    // A word stands between quotation marks, where a number will do as well.
    let sample = |slot: &DataSlot| if slot.kind == DataSlotKind::Bool { "true" } else { "1" };
    parse_json(&record.render(&slots.iter().map(sample).collect::<Vec<_>>())).map_err(|reason| {
        refused(Problem::new(
            format!("`data.record` is not JSON once its values are filled in: {reason}"),
            "expected an object; words stand between quotation marks",
        ))
    })?;
    Ok(DataFile {
        file: wire.file.into_inner(),
        records: checks::number(file, &wire.records, "data.records", 1..=MOST_RECORDS)?,
        record,
        slots,
    })
}

/// `"key"`, `"word"`, `"bool"` or `"1..9"`.
fn kind(text: &str) -> Option<DataSlotKind> {
    match (text, value::kind(text)) {
        ("key", _) => Some(DataSlotKind::Key),
        ("word", _) => Some(DataSlotKind::Word),
        (_, Ok(SlotKind::Bool)) => Some(DataSlotKind::Bool),
        (_, Ok(SlotKind::Int { min, max })) => Some(DataSlotKind::Int { min, max }),
        _ => None,
    }
}

/// The keys of a data file, which values of requests may name, with their places.
pub(super) fn keys((number, file): (usize, &DataFile)) -> Vec<((String, String), (usize, usize))> {
    let keys = file.slots.iter().enumerate().filter(|(_, slot)| slot.kind == DataSlotKind::Key);
    keys.map(|(slot, own)| ((file.file.clone(), own.name.clone()), (number, slot))).collect()
}
