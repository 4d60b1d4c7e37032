//! Messages that come back, read by their descriptor.

use std::sync::Arc;

use prost_reflect::{
    DynamicMessage, MessageDescriptor, ReflectMessage as _, SerializeOptions, Value as Field,
};
use serde_json::Value;
use velo_load::{BodyChecker, Toss};

use crate::expected::as_expected;

/// Checks messages that were not seen before.
pub(crate) struct MessageChecker {
    output: MessageDescriptor,
    inner: Option<Arc<dyn BodyChecker>>,
    expected: Option<Value>,
}

impl MessageChecker {
    pub(crate) fn new(
        output: MessageDescriptor,
        inner: Option<Arc<dyn BodyChecker>>,
        expected: Option<Value>,
    ) -> Self {
        Self { output, inner, expected }
    }

    /// The message as the JSON that it is compared as.
    fn json(&self, message: &DynamicMessage) -> Result<Value, serde_json::Error> {
        let options = SerializeOptions::new().stringify_64_bit_integers(true).skip_default_fields(true);
        let usual = message.serialize_with_options(serde_json::value::Serializer, &options)?;
        let Some(expected) = &self.expected else { return Ok(usual) };
        let options = SerializeOptions::new().stringify_64_bit_integers(false).skip_default_fields(false);
        let full = message.serialize_with_options(serde_json::value::Serializer, &options)?;
        Ok(as_expected(message, Some(usual), full, expected))
    }
}

impl BodyChecker for MessageChecker {
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        let message = DynamicMessage::decode(self.output.clone(), body)
            .map_err(|error| format!("no message of {}: {error}", self.output.full_name()))?;
        let Some(inner) = &self.inner else { return Ok(None) };
        if let Some((number, of)) = unknown_field(&message) {
            return Err(format!("field {number}, which {of} does not have"));
        }
        let json = self.json(&message).map_err(|error| format!("a message that is no JSON: {error}"))?;
        let text = json.to_string();
        inner
            .check(request, values, text.as_bytes())
            .map_err(|why| format!("{why}, and the message is {text}"))
    }
}

/// The first field that its message's type does not have, which JSON would not show, and the name of that type.
fn unknown_field(message: &DynamicMessage) -> Option<(u32, String)> {
    let own = message.unknown_fields().next();
    own.map(|field| (field.number(), message.descriptor().full_name().to_owned()))
        .or_else(|| message.fields().find_map(|(_, value)| unknown_within(value)))
}

/// The same of the messages in a field. They are no deeper than a decoder goes.
fn unknown_within(value: &Field) -> Option<(u32, String)> {
    match value {
        Field::Message(message) => unknown_field(message),
        Field::List(items) => items.iter().find_map(unknown_within),
        Field::Map(entries) => entries.values().find_map(unknown_within),
        _ => None,
    }
}
