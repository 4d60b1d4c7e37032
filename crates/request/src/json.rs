//! JSON from an untrusted peer: parsed strictly and compared with what was expected.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Parses a whole text. Unlike `serde_json` it refuses an object that has a member twice, because the reader
/// at the other end might take the other one.
///
/// # Errors
/// When the text is not JSON or has a member twice.
pub fn parse(text: &[u8]) -> Result<Value, String> {
    serde_json::from_slice::<Strict>(text).map(|strict| strict.0).map_err(|error| error.to_string())
}

/// Whether two numbers are the same in JSON, where 1 and 1.0 are.
pub(crate) fn same_number(a: &Number, b: &Number) -> bool {
    a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let Strict(value) = members.next_value()?;
            if object.contains_key(&key) {
                let shown = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
                let key: String = key.chars().take(40).map(shown).collect();
                return Err(de::Error::custom(format_args!("the member `{key}` stands twice")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
