//! A message's JSON in the form in which it is expected.
//!
//! JSON has many spellings of one message: a field by its name in the proto or in JSON, an enum by name or number, `"1.50s"` and
//! `"1.5s"`, a default that is named, left out or null. What is expected is read as the answer's type, so that each of them will do.

use std::borrow::Cow;

use prost::Message as _;
use prost_reflect::{
    DynamicMessage, FieldDescriptor, MapKey, MessageDescriptor, ReflectMessage as _, Value as Field,
};
use serde::de::DeserializeSeed as _;
use serde_json::{Map, Value};

use crate::encode::{alone, field_named, has_json_of_its_own, no_such_field, wrapped};
use crate::error::EncodeError;
use crate::marked;

/// Refuses what no message of this type can be: a field that it does not have, a value that does not belong into its field.
pub(crate) fn check(
    descriptor: &MessageDescriptor,
    expected: &Value,
    place: &str,
) -> Result<(), EncodeError> {
    let members = match expected {
        Value::Object(members) if is_of_fields(descriptor) => members,
        _ if is_plain(expected) => return read(descriptor, expected, place).map(drop),
        _ => return Ok(()),
    };
    let mut seen: Vec<(u32, &str)> = Vec::new();
    for (key, expected) in members {
        let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        let Some(field) = field_named(descriptor, key) else {
            if key.starts_with('[') {
                read(descriptor, &alone(key, Value::Null), &place)?;
                continue;
            }
            return Err(no_such_field(descriptor, &place));
        };
        if let Some((_, other)) = seen.iter().find(|(number, _)| *number == field.number()) {
            let what = format!("the same field as `{other}`");
            return Err(EncodeError::new(&place, what, "expected one of them"));
        }
        seen.push((field.number(), key));
        if is_plain(expected) {
            read(descriptor, &alone(key, expected.clone()), &place)?;
            continue;
        }
        let item = if field.is_map() { map_value(&field) } else { Some(field.clone()) };
        let Some(item) = item.and_then(|item| item.kind().as_message().cloned()) else { continue };
        match expected {
            Value::Array(items) if field.is_list() => {
                items.iter().try_for_each(|expected| check(&item, expected, &place))?;
            }
            Value::Object(entries) if field.is_map() => {
                entries.values().try_for_each(|expected| check(&item, expected, &place))?;
            }
            expected if !field.is_list() && !field.is_map() => check(&item, expected, &place)?,
            _ => {}
        }
    }
    Ok(())
}

/// The JSON of a message as it is expected where it is what is expected, however that is spelt; else as near to it as the message
/// allows. `usual`: its JSON, which leaves out what has its default and writes long numbers as texts; `full`: with neither.
pub(crate) fn as_expected(
    message: &DynamicMessage,
    usual: Option<Value>,
    full: Value,
    expected: &Value,
) -> Value {
    let descriptor = message.descriptor();
    if usual.as_ref() == Some(expected)
        || is_plain(expected) && read(&descriptor, expected, "").is_ok_and(|read| read == *message)
    {
        return expected.clone();
    }
    if let Some(field) = wrapped(&descriptor) {
        return value(&message.get_field(&field), &field, usual, full, expected);
    }
    let (Value::Object(members), Value::Object(mut full), true) = (expected, full, is_of_fields(&descriptor))
    else {
        return usual.unwrap_or(Value::Null);
    };
    let mut usual = match usual {
        Some(Value::Object(usual)) => usual,
        _ => Map::new(),
    };
    let mut seen = Map::new();
    for (key, expected) in members {
        let found = match field_named(&descriptor, key) {
            Some(field) => {
                let own = (usual.remove(field.json_name()), full.remove(field.json_name()));
                if is_the_same(message, &field, key, expected) {
                    Some(expected.clone())
                } else {
                    let (usual, full) = own;
                    full.map(|full| value(&message.get_field(&field), &field, usual, full, expected))
                }
            }
            None => usual.remove(key),
        };
        seen.extend(found.map(|found| (key.clone(), found)));
    }
    // What is not expected, and is there.
    seen.extend(usual);
    Value::Object(seen)
}

/// The same of a field's value.
fn value(
    found: &Field,
    field: &FieldDescriptor,
    usual: Option<Value>,
    full: Value,
    expected: &Value,
) -> Value {
    match (found, usual, full, expected) {
        (Field::Message(message), usual, full, expected) => as_expected(message, usual, full, expected),
        (Field::List(items), usual, Value::Array(full), Value::Array(expected)) => {
            let mut usual = array(usual).into_iter();
            let mut wanted = expected.iter();
            let seen = items.iter().zip(full).map(|(item, full)| {
                let usual = usual.next();
                match wanted.next() {
                    Some(expected) if is_the_item(field, item, expected) => expected.clone(),
                    Some(expected) => value(item, field, usual, full, expected),
                    None => usual.unwrap_or(full),
                }
            });
            Value::Array(seen.collect())
        }
        (Field::Map(entries), usual, Value::Object(mut full), Value::Object(expected)) => {
            let mut usual = match usual {
                Some(Value::Object(usual)) => usual,
                _ => Map::new(),
            };
            let Some(of) = map_value(field) else { return Value::Object(full) };
            let seen = entries.iter().filter_map(|(key, entry)| {
                let key = name(key);
                let (usual, full) = (usual.remove(&*key), full.remove(&*key)?);
                let seen = match expected.get(&*key) {
                    Some(expected) if is_the_entry(field, &key, entry, expected) => expected.clone(),
                    Some(expected) => value(entry, &of, usual, full, expected),
                    None => usual.unwrap_or(full),
                };
                Some((key.into_owned(), seen))
            });
            Value::Object(seen.collect())
        }
        (Field::EnumNumber(number), _, Value::String(_), expected)
            if !wants_text(expected) && *expected != "<any>" =>
        {
            Value::from(*number)
        }
        (_, _, Value::Number(number), expected) if wants_text(expected) => Value::String(number.to_string()),
        (_, _, full @ Value::Number(_), _) => full,
        (_, usual, full, _) => usual.unwrap_or(full),
    }
}

fn array(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// The key of an entry of a map, as JSON has it.
fn name(key: &MapKey) -> Cow<'_, str> {
    match key {
        MapKey::String(text) => Cow::Borrowed(text),
        MapKey::Bool(key) => key.to_string().into(),
        MapKey::I32(key) => key.to_string().into(),
        MapKey::I64(key) => key.to_string().into(),
        MapKey::U32(key) => key.to_string().into(),
        MapKey::U64(key) => key.to_string().into(),
    }
}

/// The field that holds the values of a map.
fn map_value(field: &FieldDescriptor) -> Option<FieldDescriptor> {
    field.kind().as_message().map(MessageDescriptor::map_entry_value_field)
}

/// Whether JSON of a message is an object of its fields.
fn is_of_fields(descriptor: &MessageDescriptor) -> bool {
    wrapped(descriptor).is_none() && !has_json_of_its_own(descriptor)
}

/// Whether nothing in it is drawn or stands for several values.
fn is_plain(expected: &Value) -> bool {
    match expected {
        Value::String(text) => !text.starts_with('<') && !marked::has_slot(expected),
        Value::Array(items) => items.iter().all(is_plain),
        Value::Object(members) => members.values().all(is_plain) && !marked::has_slot(expected),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// JSON as the message that it is, as one that came would be.
fn read(descriptor: &MessageDescriptor, json: &Value, place: &str) -> Result<DynamicMessage, EncodeError> {
    let unusable = |error: String| {
        let what = format!("no {}: {error}", descriptor.full_name());
        EncodeError::new(place, what, "expected the JSON of the answer's message, as its fields have it")
    };
    let message =
        descriptor.clone().deserialize(json.clone()).map_err(|error| unusable(error.to_string()))?;
    // A default that was named is none that came.
    DynamicMessage::decode(descriptor.clone(), message.encode_to_vec().as_slice())
        .map_err(|error| unusable(error.to_string()))
}

/// Whether a field is what is expected of it.
fn is_the_same(message: &DynamicMessage, field: &FieldDescriptor, key: &str, expected: &Value) -> bool {
    is_plain(expected)
        && read(field.parent_message(), &alone(key, expected.clone()), "").is_ok_and(|read| {
            read.has_field(field) == message.has_field(field)
                && read.get_field(field) == message.get_field(field)
        })
}

/// The same of an item of a list.
fn is_the_item(field: &FieldDescriptor, item: &Field, expected: &Value) -> bool {
    let list = Value::Array(vec![expected.clone()]);
    is_plain(expected)
        && read(field.parent_message(), &alone(field.json_name(), list), "").is_ok_and(
            |read| matches!(&*read.get_field(field), Field::List(items) if items.first() == Some(item)),
        )
}

/// The same of an entry of a map.
fn is_the_entry(field: &FieldDescriptor, key: &str, entry: &Field, expected: &Value) -> bool {
    is_plain(expected)
        && read(field.parent_message(), &alone(field.json_name(), alone(key, expected.clone())), "")
            .is_ok_and(
                |read| matches!(&*read.get_field(field), Field::Map(read) if read.values().eq([entry])),
            )
}

/// Whether what is expected is a text and no number.
fn wants_text(expected: &Value) -> bool {
    match expected {
        Value::String(text) => {
            let is_number =
                matches!(text.as_str(), "<int>" | "<number>" | "<any>") || text.starts_with("<int ");
            !(marked::is_bare(text) || is_number)
        }
        _ => false,
    }
}
