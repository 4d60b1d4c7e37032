//! A message's JSON in the form in which it is expected.

use serde_json::{Map, Value};

use crate::marked;

/// Of a message's usual JSON, which leaves out what has its default and writes long numbers as texts, and its full JSON, which does
/// neither: the usual one, but where a member is expected that it leaves out, or a number where it has a text, as the full one has it.
pub(crate) fn as_expected(usual: Option<Value>, full: Value, expected: Option<&Value>) -> Value {
    match (usual, full, expected) {
        (usual, Value::Object(full), Some(Value::Object(expected))) => {
            let mut usual = match usual {
                Some(Value::Object(usual)) => usual,
                _ => Map::new(),
            };
            let members = full.into_iter().filter_map(|(key, full)| {
                let (usual, expected) = (usual.remove(&key), expected.get(&key));
                (usual.is_some() || expected.is_some()).then(|| (key, as_expected(usual, full, expected)))
            });
            Value::Object(members.collect())
        }
        (usual, Value::Array(full), Some(Value::Array(expected))) => {
            let usual = match usual {
                Some(Value::Array(usual)) => usual,
                _ => Vec::new(),
            };
            let mut usual = usual.into_iter();
            let item = |(at, full)| as_expected(usual.next(), full, expected.get(at));
            Value::Array(full.into_iter().enumerate().map(item).collect())
        }
        (Some(Value::String(text)), Value::Number(number), Some(expected)) if !wants_text(expected) => {
            // A number that is no number in JSON stays a text.
            if number.to_string() == text { Value::Number(number) } else { Value::String(text) }
        }
        (Some(usual), _, _) => usual,
        (None, Value::Number(number), Some(expected)) if wants_text(expected) => {
            Value::String(number.to_string())
        }
        (None, full, _) => full,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(usual: &str, full: &str, expected: &str) -> Value {
        let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        as_expected(Some(read(usual)), read(full), Some(&read(expected)))
    }

    #[test]
    fn what_is_expected_decides_on_defaults_and_numbers() {
        let full = r#"{"id": 5, "win": false, "name": ""}"#;
        assert_eq!(seen(r#"{"id": "5"}"#, full, r#"{"id": 5}"#).to_string(), r#"{"id":5}"#);
        assert_eq!(seen(r#"{"id": "5"}"#, full, r#"{"id": "<int 2 + 3>"}"#).to_string(), r#"{"id":5}"#);
        assert_eq!(seen(r#"{"id": "5"}"#, full, r#"{"id": "5"}"#).to_string(), r#"{"id":"5"}"#);
        assert_eq!(
            seen(r#"{"id": "5"}"#, full, r#"{"win": false}"#).to_string(),
            r#"{"id":"5","win":false}"#
        );
        assert_eq!(seen("{}", r#"{"a": [], "b": {"c": 0}}"#, r#"{"a": []}"#).to_string(), r#"{"a":[]}"#);
    }
}
