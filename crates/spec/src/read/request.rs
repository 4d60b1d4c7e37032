use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

use super::expect::{self, WireExpect};
use super::source::SourceFile;
use super::{checks, template};
use crate::{DataFile, DataSlot, DataSlotKind, Request, Slot, SlotKind, SpecError, TextTemplate, json};

const MAX_SLOTS: usize = 16;

/// `[[request]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireRequest {
    pub(super) name: Spanned<String>,
    weight: Option<Spanned<u64>>,
    method: Spanned<String>,
    path: Spanned<String>,
    content_type: Option<Spanned<String>>,
    body: Option<Spanned<String>>,
    #[serde(default)]
    slots: BTreeMap<Spanned<String>, Spanned<WireSlot>>,
    expect: Spanned<WireExpect>,
}

/// Checks a request of the mix.
pub(super) fn read(file: &SourceFile, wire: WireRequest, data: &[DataFile]) -> Result<Request, SpecError> {
    let slots = slots(file, wire.slots, data)?;
    checks::path(file, &wire.path, "request.path")?;
    let path = text(file, &wire.path, "request.path", &slots.0)?;
    if path.literals().any(|literal| literal.contains(['{', '}'])) {
        let names: Vec<&str> = slots.0.iter().map(|slot| slot.name.as_str()).collect();
        return Err(file.at(&wire.path, "request.path").wrong(
            format!("`request.path` is `{}`: a brace that belongs to no slot", wire.path.get_ref()),
            format!("expected `{{name}}` of a slot that the request declares: {}", names.join(", ")),
        ));
    }
    let body = wire.body.as_ref().map(|body| text(file, body, "request.body", &slots.0)).transpose()?;
    let content_type = content_type(file, wire.content_type, wire.body.is_some(), "request.content_type")?;
    if let (Some("application/json"), Some(template), Some(at)) = (content_type.as_deref(), &body, &wire.body)
    {
        json_body(file, template, at, &slots.0)?;
    }
    for (index, at) in slots.1.iter().enumerate() {
        if !path.uses(index) && !body.as_ref().is_some_and(|body| body.uses(index)) {
            return Err(file.at(at, "request.slots").wrong(
                format!("the slot `{}` stands neither in the path nor in the body", at.get_ref()),
                format!("expected `{{{}}}` in one of them", at.get_ref()),
            ));
        }
    }
    Ok(Request {
        name: checks::sentence(file, wire.name, "request.name")?,
        weight: wire
            .weight
            .map_or(Ok(1), |weight| checks::number(file, &weight, "request.weight", 0..=1_000_000))?,
        method: checks::method(file, wire.method, "request.method")?,
        path,
        content_type,
        body,
        expect: expect::read(file, wire.expect, &slots.0, "request.expect")?,
        slots: slots.0,
    })
}

/// A text with slots.
pub(super) fn text(
    file: &SourceFile,
    value: &Spanned<String>,
    key: &str,
    slots: &[Slot],
) -> Result<TextTemplate, SpecError> {
    template::template(value.get_ref(), slots).map_err(|miss| {
        file.at(value, key).wrong(
            format!("`{key}` holds `{{{}}}`, but no slot has that name", miss.found),
            format!("did you mean `{{{}}}`?", miss.slot),
        )
    })
}

/// A request's media type, which needs a body.
pub(super) fn content_type(
    file: &SourceFile,
    value: Option<Spanned<String>>,
    has_body: bool,
    key: &str,
) -> Result<Option<String>, SpecError> {
    match value {
        Some(value) if !has_body => Err(file.at(&value, key).wrong(
            format!("`{key}` is given without a body"),
            "expected `body` beside it; `body = \"\"` is an empty one",
        )),
        Some(value) => checks::media_type(file, value, key).map(Some),
        None => Ok(None),
    }
}

/// The mix sends correct requests; one that calls itself JSON must be JSON.
fn json_body(
    file: &SourceFile,
    template: &TextTemplate,
    at: &Spanned<String>,
    slots: &[Slot],
) -> Result<(), SpecError> {
    let filled = template.render(&template::sample(slots));
    json::parse(filled.as_bytes()).map(drop).map_err(|reason| {
        file.at(at, "request.body").wrong(
            format!("`request.body` is not JSON once its slots are filled in: {reason}"),
            "expected JSON, as its `content_type` says",
        )
    })
}

type WireSlots = BTreeMap<Spanned<String>, Spanned<WireSlot>>;

/// The slots and, in the same order, where their names stand.
fn slots(
    file: &SourceFile,
    wire: WireSlots,
    data: &[DataFile],
) -> Result<(Vec<Slot>, Vec<Spanned<String>>), SpecError> {
    let mut slots = Vec::new();
    let mut places = Vec::new();
    for (name, kind) in wire {
        let place = file.at(&name, "request.slots");
        if slots.len() == MAX_SLOTS {
            return Err(place.wrong(format!("more than {MAX_SLOTS} slots"), "expected fewer"));
        }
        if !template::is_slot_name(name.get_ref()) {
            return Err(place.wrong(
                format!("`{}` is not a slot's name", name.get_ref()),
                "expected a lower-case letter, then lower-case letters, digits and underscores",
            ));
        }
        let kind = match kind.get_ref() {
            WireSlot::Bool => SlotKind::Bool,
            WireSlot::Data { file: of, slot } => data_slot(file, &kind, of, slot, data)?,
            WireSlot::Int { min, max } if min <= max => SlotKind::Int { min: *min, max: *max },
            WireSlot::Int { min, max } => {
                return Err(file.at(&kind, "request.slots").wrong(
                    format!("the slot `{}` has min {min} above max {max}", name.get_ref()),
                    "expected min to be at most max",
                ));
            }
        };
        slots.push(Slot { name: name.get_ref().clone(), kind });
        places.push(name);
    }
    Ok((slots, places))
}

/// A key of a data file.
fn data_slot(
    source: &SourceFile,
    at: &Spanned<WireSlot>,
    file: &str,
    slot: &str,
    data: &[DataFile],
) -> Result<SlotKind, SpecError> {
    let found = data.iter().enumerate().find(|(_, known)| known.file == file).and_then(|(number, known)| {
        let is_it = |own: &DataSlot| own.name == slot && own.kind == DataSlotKind::Key;
        Some(SlotKind::Data { file: number, slot: known.slots.iter().position(is_it)? })
    });
    found.ok_or_else(|| {
        source.at(at, "request.slots").wrong(
            format!("`{slot}` of the file `{file}` is no key of a data file"),
            "expected a `[[data]]` with that `file`, and a slot of it that is \"key\"",
        )
    })
}

/// `"bool"`, `{ min = 1, max = 9 }` or `{ file = "user.json", slot = "id" }`.
enum WireSlot {
    Bool,
    Int { min: u64, max: u64 },
    Data { file: String, slot: String },
}

impl<'de> Deserialize<'de> for WireSlot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            min: Option<u64>,
            max: Option<u64>,
            file: Option<String>,
            slot: Option<String>,
        }

        struct SlotVisitor;

        impl<'de> Visitor<'de> for SlotVisitor {
            type Value = WireSlot;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "\"bool\", a range of whole numbers such as { min = 1, max = 9 }, or a key of a data file such as \
                     { file = \"user.json\", slot = \"id\" }",
                )
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<WireSlot, E> {
                match text {
                    "bool" => Ok(WireSlot::Bool),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WireSlot, A::Error> {
                match Table::deserialize(MapAccessDeserializer::new(map))? {
                    Table { min: Some(min), max: Some(max), file: None, slot: None } => {
                        Ok(WireSlot::Int { min, max })
                    }
                    Table { min: None, max: None, file: Some(file), slot: Some(slot) } => {
                        Ok(WireSlot::Data { file, slot })
                    }
                    _ => Err(de::Error::invalid_type(de::Unexpected::Map, &self)),
                }
            }
        }

        deserializer.deserialize_any(SlotVisitor)
    }
}
