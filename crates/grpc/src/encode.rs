//! From JSON with slots to a message with gaps for what is drawn.
//!
//! What has no slot in it is encoded by prost-reflect, field by field in the order of their numbers, as it encodes a whole message.

use std::sync::Arc;

use prost::Message as _;
use prost::encoding::{WireType, encode_varint};
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor};
use serde::de::DeserializeSeed as _;
use serde_json::{Map, Value};
use velo_load::{Binary, LengthForm, NumberForm, Part, Slot, Template};

use crate::error::EncodeError;
use crate::fold;
use crate::marked::{self, Piece};

/// A message of this type, as parts.
pub(crate) fn message(
    descriptor: &MessageDescriptor,
    json: &Template,
    slots: &[Slot],
) -> Result<Vec<Part>, EncodeError> {
    let value = marked::parse(json)?;
    Encoder { slots }.message(descriptor, &value, "")
}

struct Encoder<'a> {
    slots: &'a [Slot],
}

/// JSON that nests deeper is not looked at; serde_json refuses it before.
type Parts = Result<Vec<Part>, EncodeError>;

impl Encoder<'_> {
    fn message(&self, descriptor: &MessageDescriptor, value: &Value, place: &str) -> Parts {
        if !marked::has_slot(value) {
            return whole(descriptor, value, place).map(|bytes| some(Part::Bytes(bytes)));
        }
        if let Some(field) = wrapped(descriptor) {
            return self.singular(&field, value, true, place);
        }
        let (Value::Object(members), false) = (value, has_json_of_its_own(descriptor)) else {
            let what = format!("a drawn value cannot stand in a {}", descriptor.full_name());
            return Err(EncodeError::new(place, what, "expected the whole of it as one of several texts"));
        };
        let mut fields = Vec::new();
        let mut set = Set::default();
        for (key, member) in members {
            let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            let field = field_named(descriptor, key);
            if let Some(field) = &field
                && !member.is_null()
            {
                set.add(field, &place)?;
            }
            match field {
                Some(field) => fields.push((field.number(), self.field(&field, key, member, &place)?)),
                None if marked::has_slot(member) || !key.starts_with('[') => {
                    return Err(no_such_field(descriptor, &place));
                }
                None => {
                    let bytes = whole(descriptor, &alone(key, member.clone()), &place)?;
                    fields.push((u32::MAX, some(Part::Bytes(bytes))));
                }
            }
        }
        fields.sort_by_key(|(number, _)| *number);
        let mut parts = Vec::new();
        fields.into_iter().for_each(|(_, field)| fold::extend(&mut parts, field));
        Ok(parts)
    }

    fn field(&self, field: &FieldDescriptor, key: &str, value: &Value, place: &str) -> Parts {
        let parent = field.parent_message();
        let one = |value| whole(parent, &alone(key, value), place);
        if let Some(parts) = self.without_parts(value, place, one)? {
            return Ok(parts);
        }
        if field.is_map() {
            return self.map(field, value, place);
        }
        if field.is_list() {
            return self.list(field, value, place);
        }
        self.singular(field, value, !field.supports_presence(), place)
    }

    /// A value in which nothing is drawn, or that is one of several texts as a whole; `one` writes it.
    fn without_parts(
        &self,
        value: &Value,
        place: &str,
        one: impl Fn(Value) -> Result<Vec<u8>, EncodeError>,
    ) -> Result<Option<Vec<Part>>, EncodeError> {
        if !marked::has_slot(value) {
            return one(value.clone()).map(|bytes| Some(some(Part::Bytes(bytes))));
        }
        let Some(slot) = marked::only_slot(value) else { return Ok(None) };
        let Some(texts) = self.texts(slot, place)? else { return Ok(None) };
        let is_bare = value.as_str().is_some_and(marked::is_bare);
        let values =
            texts.iter().map(|text| one(alternative(text, is_bare, place)?)).collect::<Result<_, _>>()?;
        Ok(Some(some(Part::Binary(Box::new(Binary::Chosen { slot, values: Arc::new(values) })))))
    }

    fn map(&self, field: &FieldDescriptor, value: &Value, place: &str) -> Parts {
        let (Value::Object(entries), Kind::Message(entry)) = (value, field.kind()) else {
            return Err(EncodeError::new(place, "a drawn value in the place of a map", "expected an object"));
        };
        let (of_key, of_value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
        let mut parts = Vec::new();
        for (key, member) in entries {
            let place = format!("{place}.{key}");
            let as_json = match (of_key.kind(), key.as_str()) {
                (Kind::Bool, "true") => Value::Bool(true),
                (Kind::Bool, "false") => Value::Bool(false),
                _ => Value::String(key.clone()),
            };
            if marked::has_slot(&as_json) {
                return Err(EncodeError::new(
                    &place,
                    "a value stands in a member's name",
                    "expected values as values only",
                ));
            }
            // What an entry's value may be depends on the map: `null` is none, though a field may have it.
            let one =
                |value| whole(field.parent_message(), &alone(field.json_name(), alone(key, value)), &place);
            if let Some(entry) = self.without_parts(member, &place, one)? {
                fold::extend(&mut parts, entry);
                continue;
            }
            let mut content = some(Part::Bytes(whole(&entry, &alone("key", as_json), &place)?));
            fold::extend(&mut content, self.field(&of_value, "value", member, &place)?);
            let tag = tag(field.number(), WireType::LengthDelimited);
            fold::push(&mut parts, fold::delimited(tag, LengthForm::Varint, false, content));
        }
        Ok(parts)
    }

    fn list(&self, field: &FieldDescriptor, value: &Value, place: &str) -> Parts {
        let Value::Array(items) = value else {
            return Err(EncodeError::new(place, "a drawn value in the place of a list", "expected a list"));
        };
        let mut parts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let place = format!("{place}[{at}]");
            fold::extend(&mut parts, self.item(field, item, &place)?);
        }
        if !field.is_packed() {
            return Ok(parts);
        }
        let tag = tag(field.number(), WireType::LengthDelimited);
        Ok(some(fold::delimited(tag, LengthForm::Varint, true, parts)))
    }

    /// An item of a list, with its tag unless the list is packed.
    fn item(&self, field: &FieldDescriptor, item: &Value, place: &str) -> Parts {
        let one = |value: Value| {
            let list = alone(field.json_name(), Value::Array(vec![value]));
            let bytes = whole(field.parent_message(), &list, place)?;
            Ok(if field.is_packed() { unpacked(&bytes) } else { bytes })
        };
        if let Some(parts) = self.without_parts(item, place, one)? {
            return Ok(parts);
        }
        self.singular(field, item, false, place)
    }

    /// A field with one value in which something is drawn.
    fn singular(&self, field: &FieldDescriptor, value: &Value, omits: bool, place: &str) -> Parts {
        let behind_tag = |wire| match field.is_packed() {
            true => Vec::new(),
            false => tag(field.number(), wire),
        };
        match field.kind() {
            Kind::Message(_) if field.is_group() => {
                Err(EncodeError::new(place, "a drawn value within a group", "expected a message"))
            }
            Kind::Message(descriptor) => {
                let content = self.message(&descriptor, value, place)?;
                let tag = tag(field.number(), WireType::LengthDelimited);
                Ok(some(fold::delimited(tag, LengthForm::Varint, false, content)))
            }
            Kind::String => {
                let content = self.text(value, place)?;
                let tag = tag(field.number(), WireType::LengthDelimited);
                Ok(some(fold::delimited(tag, LengthForm::Varint, omits, content)))
            }
            kind => {
                let (form, wire, most) = number(&kind).ok_or_else(|| {
                    let what = format!("a drawn number is no {}", name(&kind));
                    EncodeError::new(place, what, "expected one of several texts as the whole value")
                })?;
                if matches!(kind, Kind::Enum(_)) && value.as_str().is_some_and(|text| !marked::is_bare(text))
                {
                    let what = "a drawn number between quotes is no name of this enum";
                    return Err(EncodeError::new(place, what, "expected {NAME} without quotes"));
                }
                let slot = self.number(value, most, place)?;
                let tag = behind_tag(wire);
                Ok(some(Part::Binary(Box::new(Binary::Number { tag, slot, form, omits_zero: omits }))))
            }
        }
    }

    /// The slot that is the whole of a number.
    fn number(&self, value: &Value, most: u64, place: &str) -> Result<usize, EncodeError> {
        let slot = marked::only_slot(value);
        let found = slot.and_then(|slot| Some((slot, self.slots.get(slot)?)));
        let greatest = match found {
            Some((_, Slot::Int { max, .. })) => *max,
            Some((_, Slot::Counter { first })) => *first,
            Some((_, Slot::Signed { min, .. })) => {
                let what =
                    format!("a drawn value may be {min}, and a drawn number of a message is never negative");
                return Err(EncodeError::new(place, what, "expected a range from 0 or more"));
            }
            _ => {
                let what = "a number with a drawn value in it";
                return Err(EncodeError::new(place, what, "expected {NAME} alone, without other digits"));
            }
        };
        if greatest > most {
            let what = format!("a drawn value may be {greatest}, and the field holds {most} at most");
            return Err(EncodeError::new(place, what, "expected a smaller range"));
        }
        // OK because a slot was found.
        slot.ok_or_else(|| EncodeError::new(place, "no slot", "expected {NAME}"))
    }

    /// The text of a string field.
    fn text(&self, value: &Value, place: &str) -> Parts {
        let text = value.as_str().filter(|text| !marked::is_bare(text));
        let text = text.ok_or_else(|| {
            EncodeError::new(place, "a text without quotes", "expected \"{NAME}\" between quotes")
        })?;
        let mut parts = Vec::new();
        for piece in marked::pieces(text) {
            match piece {
                Piece::Text(text) => fold::push(&mut parts, Part::Bytes(text.into_bytes())),
                Piece::Slot(slot) => {
                    let texts = self.texts(slot, place)?.unwrap_or_default();
                    if texts.iter().any(|text| str::from_utf8(text).is_err()) {
                        return Err(EncodeError::new(place, "a drawn text is not UTF-8", "expected UTF-8"));
                    }
                    fold::push(&mut parts, Part::Slot(slot));
                }
            }
        }
        Ok(parts)
    }

    /// The texts that a slot may hold, unless they are numbers.
    fn texts(&self, slot: usize, place: &str) -> Result<Option<Vec<Vec<u8>>>, EncodeError> {
        match self.slots.get(slot) {
            Some(Slot::Choice(texts)) => Ok(Some(texts.clone())),
            Some(Slot::Cell { table, column }) => {
                let cell = |row: &Vec<Vec<u8>>| row.get(*column).cloned().unwrap_or_default();
                Ok(Some(table.rows.iter().map(cell).collect()))
            }
            Some(Slot::Int { .. } | Slot::Signed { .. } | Slot::Counter { .. }) => Ok(None),
            None => {
                Err(EncodeError::new(place, format!("there is no slot {slot}"), "expected a declared one"))
            }
        }
    }
}

/// The fields of a message that have a value.
#[derive(Default)]
struct Set(Vec<(FieldDescriptor, String)>);

impl Set {
    /// Refuses a field that has a value under its other name, and a second one of those that exclude each other.
    fn add(&mut self, field: &FieldDescriptor, place: &str) -> Result<(), EncodeError> {
        let excludes = |other: &FieldDescriptor| {
            let (one, another) = (field.containing_oneof(), other.containing_oneof());
            other.number() == field.number() || (one.is_some() && one == another)
        };
        if let Some((_, other)) = self.0.iter().find(|(other, _)| excludes(other)) {
            let what = format!("`{other}` has a value already, and both cannot have one");
            return Err(EncodeError::new(place, what, "expected one of them"));
        }
        self.0.push((field.clone(), place.to_owned()));
        Ok(())
    }
}

fn some(part: Part) -> Vec<Part> {
    let mut parts = Vec::new();
    fold::push(&mut parts, part);
    parts
}

/// The field that a member of JSON is, by either of its names.
pub(crate) fn field_named(descriptor: &MessageDescriptor, key: &str) -> Option<FieldDescriptor> {
    descriptor.get_field_by_json_name(key).or_else(|| descriptor.get_field_by_name(key))
}

/// Says which fields there are.
pub(crate) fn no_such_field(descriptor: &MessageDescriptor, place: &str) -> EncodeError {
    let known: Vec<_> = descriptor.fields().map(|field| field.json_name().to_owned()).collect();
    let expected = match known.as_slice() {
        [] => "expected no member".to_owned(),
        _ => format!("expected one of: {}", known.join(", ")),
    };
    EncodeError::new(place, format!("{} has no such field", descriptor.full_name()), expected)
}

/// An object with one member.
pub(crate) fn alone(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// A text that a slot may hold, as JSON.
fn alternative(text: &[u8], is_bare: bool, place: &str) -> Result<Value, EncodeError> {
    let wrong = |what: &str| {
        let what = format!("the drawn value `{}` is {what}", String::from_utf8_lossy(text));
        EncodeError::new(place, what, "expected what belongs into the field")
    };
    let text = str::from_utf8(text).map_err(|_| wrong("not UTF-8"))?;
    if !is_bare {
        return Ok(Value::String(text.to_owned()));
    }
    serde_json::from_str(text).map_err(|_| wrong("not JSON, and stands without quotes"))
}

/// A message without slots.
fn whole(descriptor: &MessageDescriptor, value: &Value, place: &str) -> Result<Vec<u8>, EncodeError> {
    let message: DynamicMessage = descriptor.clone().deserialize(value.clone()).map_err(|error| {
        let what = format!("no {}: {error}", descriptor.full_name());
        EncodeError::new(place, what, "expected the JSON of the message, as its fields have it")
    })?;
    Ok(message.encode_to_vec())
}

/// The content of a field that is a list, behind its tag and length.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut rest = bytes;
    let mut skip = || prost::encoding::decode_varint(&mut rest).is_ok();
    if skip() && skip() { rest.to_vec() } else { Vec::new() }
}

fn tag(number: u32, wire: WireType) -> Vec<u8> {
    let mut tag = Vec::new();
    encode_varint(u64::from(number << 3 | wire as u32), &mut tag);
    tag
}

/// How a kind of number is written, and the greatest that it holds.
fn number(kind: &Kind) -> Option<(NumberForm, WireType, u64)> {
    let (i32_most, i64_most) = (i32::MAX as u64, i64::MAX as u64);
    Some(match kind {
        Kind::Int32 | Kind::Enum(_) => (NumberForm::Varint, WireType::Varint, i32_most),
        Kind::Int64 => (NumberForm::Varint, WireType::Varint, i64_most),
        Kind::Uint32 => (NumberForm::Varint, WireType::Varint, u64::from(u32::MAX)),
        Kind::Uint64 => (NumberForm::Varint, WireType::Varint, u64::MAX),
        Kind::Sint32 => (NumberForm::ZigZag, WireType::Varint, i32_most),
        Kind::Sint64 => (NumberForm::ZigZag, WireType::Varint, i64_most),
        Kind::Fixed32 => (NumberForm::Fixed32, WireType::ThirtyTwoBit, u64::from(u32::MAX)),
        Kind::Sfixed32 => (NumberForm::Fixed32, WireType::ThirtyTwoBit, i32_most),
        Kind::Fixed64 => (NumberForm::Fixed64, WireType::SixtyFourBit, u64::MAX),
        Kind::Sfixed64 => (NumberForm::Fixed64, WireType::SixtyFourBit, i64_most),
        Kind::Float => (NumberForm::Float, WireType::ThirtyTwoBit, u64::MAX),
        Kind::Double => (NumberForm::Double, WireType::SixtyFourBit, u64::MAX),
        Kind::Bool | Kind::String | Kind::Bytes | Kind::Message(_) => return None,
    })
}

fn name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Bool => "bool",
        Kind::Bytes => "bytes",
        _ => "value of this field",
    }
}

/// The field of a message that is written as its value alone in JSON.
pub(crate) fn wrapped(descriptor: &MessageDescriptor) -> Option<FieldDescriptor> {
    let name = descriptor.full_name().strip_prefix("google.protobuf.")?.strip_suffix("Value")?;
    let is_wrapper = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"];
    if is_wrapper.contains(&name) { descriptor.get_field(1) } else { None }
}

/// Whether a message's JSON is not an object of its fields.
pub(crate) fn has_json_of_its_own(descriptor: &MessageDescriptor) -> bool {
    let name = descriptor.full_name().strip_prefix("google.protobuf.");
    name.is_some_and(|name| {
        ["Any", "Timestamp", "Duration", "Struct", "Value", "ListValue", "FieldMask", "Empty"].contains(&name)
    })
}
