//! `[[data]]`: files that contenders read.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

use super::source::SourceFile;
use super::{checks, template};
use crate::{DataFile, DataSlot, DataSlotKind, Slot, SlotKind, SlotValue, SpecError, json};

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
    slots: BTreeMap<Spanned<String>, Spanned<WireDataSlot>>,
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
    if wire.slots.len() > MOST_SLOTS {
        let problem = format!("more than {MOST_SLOTS} slots");
        return Err(file.at(&wire.file, "data.slots").wrong(problem, "expected fewer"));
    }
    let mut slots = Vec::new();
    for (name, kind) in wire.slots {
        let place = file.at(&name, "data.slots");
        if !template::is_slot_name(name.get_ref()) {
            return Err(place.wrong(
                format!("`{}` is not a slot's name", name.get_ref()),
                "expected a lower-case letter, then lower-case letters, digits and underscores",
            ));
        }
        let kind = match kind.into_inner() {
            WireDataSlot(DataSlotKind::Int { min, max }) if min > max => {
                return Err(place.wrong(
                    format!("the slot `{}` has min {min} above max {max}", name.get_ref()),
                    "expected min to be at most max",
                ));
            }
            WireDataSlot(kind) => kind,
        };
        slots.push(DataSlot { name: name.into_inner(), kind });
    }
    // Only the names matter to a template.
    let named: Vec<Slot> =
        slots.iter().map(|slot| Slot { name: slot.name.clone(), kind: SlotKind::Bool }).collect();
    let record = super::request::text(file, &wire.record, "data.record", &named)?;
    let sample: Vec<SlotValue> = slots
        .iter()
        .map(|slot| match slot.kind {
            DataSlotKind::Bool => SlotValue::Bool(true),
            // A word stands between quotation marks, where a number will do as well.
            _ => SlotValue::Int(1),
        })
        .collect();
    json::parse(record.render(&sample).as_bytes()).map_err(|reason| {
        file.at(&wire.record, "data.record").wrong(
            format!("`data.record` is not JSON once its slots are filled in: {reason}"),
            "expected an object; words stand between quotation marks",
        )
    })?;
    Ok(DataFile {
        file: wire.file.into_inner(),
        records: checks::number(file, &wire.records, "data.records", 1..=MOST_RECORDS)?,
        record,
        slots,
    })
}

/// `"key"`, `"word"`, `"bool"` or `{ min = 1, max = 9 }`.
struct WireDataSlot(DataSlotKind);

impl<'de> Deserialize<'de> for WireDataSlot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Range {
            min: u64,
            max: u64,
        }

        struct SlotVisitor;

        impl<'de> Visitor<'de> for SlotVisitor {
            type Value = WireDataSlot;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "\"key\", \"word\", \"bool\" or a range of whole numbers such as { min = 1, max = 9 }",
                )
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<WireDataSlot, E> {
                match text {
                    "key" => Ok(WireDataSlot(DataSlotKind::Key)),
                    "word" => Ok(WireDataSlot(DataSlotKind::Word)),
                    "bool" => Ok(WireDataSlot(DataSlotKind::Bool)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WireDataSlot, A::Error> {
                let Range { min, max } = Range::deserialize(MapAccessDeserializer::new(map))?;
                Ok(WireDataSlot(DataSlotKind::Int { min, max }))
            }
        }

        deserializer.deserialize_any(SlotVisitor)
    }
}
