//! JSON that is expected: compared as JSON, with the request's own values in it.

use serde_json::Value;
use velo_model::{Digest, TextPart, TextTemplate};

use crate::expect::digest_text;
use crate::formula::{Formula, Range};
use crate::json::{parse as parse_json, same_number};
use crate::problem::Problem;
use crate::text::excerpt;

/// What JSON may be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Any,
    Bool,
    Int,
    Number,
    Text,
    /// The JSON that a slot's text is.
    Own(usize),
    /// A string with slots.
    OwnText(TextTemplate),
    /// The hash of a text with slots.
    Digest(Digest),
    /// A whole number that is computed from slots.
    Computed(Formula),
    Is(Value),
    Array(Vec<Shape>),
    Object(Vec<(String, Shape)>),
}

/// A slot stands in the text that is parsed as these around its index; Unicode keeps them for private use.
const SLOT: char = '\u{e000}';
const BARE_SLOT: char = '\u{e001}';
const SLOT_END: char = '\u{e002}';

const PLACEHOLDERS: [(&str, Shape); 5] = [
    ("<any>", Shape::Any),
    ("<bool>", Shape::Bool),
    ("<int>", Shape::Int),
    ("<number>", Shape::Number),
    ("<string>", Shape::Text),
];

impl Shape {
    /// Reads JSON in which slots, which have these names, stand inside of strings, or bare where a value is.
    pub(crate) fn parse(text: &TextTemplate, names: &[&str]) -> Result<Self, Problem> {
        let marked = mark(text)?;
        let value = parse_json(marked.as_bytes()).map_err(|reason| {
            Problem::new(
                format!("`{}` is not JSON: {reason}", excerpt(text.written(names).as_bytes())),
                "expected JSON; a value stands as {name} or inside of a text",
            )
        })?;
        node(value)
    }

    /// Whether a value is as expected in a request whose slots hold these texts.
    pub(crate) fn fits(&self, found: &Value, texts: &[impl AsRef<[u8]>]) -> bool {
        match (self, found) {
            (Self::Any, _)
            | (Self::Bool, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::Text, Value::String(_)) => true,
            (Self::Int, Value::Number(number)) => number.is_i64() || number.is_u64(),
            (Self::Own(slot), _) => {
                let own = texts.get(*slot).and_then(|text| parse_json(text.as_ref()).ok());
                own.is_some_and(|own| same(&own, found))
            }
            (Self::OwnText(template), Value::String(text)) => template.render(texts) == text.as_bytes(),
            (Self::Digest(digest), Value::String(text)) => digest_text(digest, texts) == *text,
            (Self::Computed(formula), Value::Number(number)) => {
                let found = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
                found.is_some() && found == formula.value(texts)
            }
            (Self::Is(expected), found) => same(expected, found),
            (Self::Array(shapes), Value::Array(items)) => {
                shapes.len() == items.len()
                    && shapes.iter().zip(items).all(|(shape, item)| shape.fits(item, texts))
            }
            (Self::Object(shapes), Value::Object(members)) => {
                shapes.len() == members.len()
                    && shapes
                        .iter()
                        .all(|(key, shape)| members.get(key).is_some_and(|member| shape.fits(member, texts)))
            }
            _ => false,
        }
    }

    /// Checks that what is computed can be, when each slot lies within its range.
    pub(crate) fn check_computed(
        &self,
        of: &impl Fn(usize) -> Result<Range, Problem>,
    ) -> Result<(), Problem> {
        match self {
            Self::Computed(formula) => formula.check(of),
            Self::Array(shapes) => shapes.iter().try_for_each(|shape| shape.check_computed(of)),
            Self::Object(shapes) => shapes.iter().try_for_each(|(_, shape)| shape.check_computed(of)),
            _ => Ok(()),
        }
    }

    /// Whether it is an object with this member, which may be any boolean.
    pub(crate) fn has_bool(&self, member: &str) -> bool {
        matches!(self, Self::Object(members) if members.iter().any(|(key, shape)| key == member && *shape == Self::Bool))
    }
}

/// The template as JSON, with its slots marked.
fn mark(template: &TextTemplate) -> Result<String, Problem> {
    let mut marked = String::new();
    let mut in_string = false;
    for part in &template.parts {
        match part {
            TextPart::Literal(text) if !text.contains([SLOT, BARE_SLOT, SLOT_END]) => {
                let mut escaped = false;
                for c in text.chars() {
                    match c {
                        '"' if !escaped => in_string = !in_string,
                        _ => {}
                    }
                    escaped = in_string && c == '\\' && !escaped;
                }
                marked.push_str(text);
            }
            TextPart::Slot(index) if in_string => marked.push_str(&format!("{SLOT}{index}{SLOT_END}")),
            TextPart::Slot(index) => marked.push_str(&format!("\"{BARE_SLOT}{index}{SLOT_END}\"")),
            TextPart::Literal(_) | TextPart::Bytes(_) => {
                return Err(Problem::new("not UTF-8, or with characters of private use", "expected JSON"));
            }
        }
    }
    Ok(marked)
}

fn node(value: Value) -> Result<Shape, Problem> {
    Ok(match value {
        Value::String(text) => string(&text)?,
        Value::Array(items) => Shape::Array(items.into_iter().map(node).collect::<Result<_, _>>()?),
        Value::Object(members) => {
            let mut shapes = Vec::new();
            for (key, member) in members {
                if key.contains([SLOT, BARE_SLOT]) {
                    return Err(Problem::new(
                        "a value stands in a member's name",
                        "expected values as values only",
                    ));
                }
                shapes.push((key, node(member)?));
            }
            Shape::Object(shapes)
        }
        other => Shape::Is(other),
    })
}

/// A text is itself, but for `{name}`, and for what stands between `<` and `>`. With two `<` it is the text with one.
fn string(text: &str) -> Result<Shape, Problem> {
    if let Some(of) = Digest::argument(text) {
        return Ok(Shape::Digest(Digest::Sha512(unmark(of))));
    }
    if let Some(formula) = text.strip_prefix("<int ").and_then(|text| text.strip_suffix('>')) {
        return Ok(Shape::Computed(Formula::parse(&unmark(formula))?));
    }
    if let Some((_, shape)) = PLACEHOLDERS.iter().find(|(name, _)| *name == text) {
        return Ok(shape.clone());
    }
    let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or_default();
    if !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let known: Vec<&str> = PLACEHOLDERS.iter().map(|(name, _)| *name).collect();
        return Err(Problem::new(
            format!("\"{text}\" stands for nothing"),
            format!(
                "expected one of {}, <int FORMULA>, <sha512 TEXT>, or \"<{text}\" for the text itself",
                known.join(", ")
            ),
        ));
    }
    let template = unmark(if text.starts_with("<<") { &text[1..] } else { text });
    Ok(match template.parts.as_slice() {
        [TextPart::Slot(slot)] if text.starts_with(BARE_SLOT) => Shape::Own(*slot),
        [] => Shape::Is(Value::String(String::new())),
        [TextPart::Literal(literal)] => Shape::Is(Value::String(literal.clone())),
        _ => Shape::OwnText(template),
    })
}

/// A string of the marked text as a template.
fn unmark(text: &str) -> TextTemplate {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once([SLOT, BARE_SLOT]) {
        let Some((index, behind)) = after.split_once(SLOT_END) else { break };
        // OK because `mark` wrote the index.
        let Ok(index) = index.parse() else { break };
        if !before.is_empty() {
            parts.push(TextPart::Literal(before.to_owned()));
        }
        parts.push(TextPart::Slot(index));
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(TextPart::Literal(rest.to_owned()));
    }
    TextTemplate { parts }
}

/// Whether two scalars, or two values without numbers, are the same in JSON, where 1 and 1.0 are.
fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(expected), Value::Number(found)) => same_number(expected, found),
        _ => expected == found,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::template::parse as parse_template;

    const NAMES: [&str; 2] = ["id", "name"];

    fn parse(text: &[u8]) -> Result<Shape, Problem> {
        Shape::parse(&parse_template(text, &NAMES)?, &NAMES)
    }

    fn check(shape: &str, name: &str, found: &str) -> bool {
        let shape = parse(shape.as_bytes()).expect("a shape");
        shape.fits(&parse_json(found.as_bytes()).expect("JSON"), &["42", name])
    }

    #[test]
    fn placeholders_stand_for_their_kind() {
        for (shape, fit, unfit) in [
            ("\"<bool>\"", "true", "1"),
            ("\"<int>\"", "-3", "3.5"),
            ("\"<number>\"", "3.5", "\"3.5\""),
            ("\"<string>\"", "\"\"", "null"),
            ("[\"<any>\", 1]", "[{\"a\": null}, 1.0]", "[1]"),
            ("{\"a\": [\"<int>\"]}", " {\"a\":[7]} ", "{\"a\":[7],\"b\":1}"),
            // Two signs are the text itself.
            ("\"<<bool>\"", "\"<bool>\"", "true"),
        ] {
            assert!(check(shape, "Ada", fit), "{shape} {fit}");
            assert!(!check(shape, "Ada", unfit), "{shape} {unfit}");
        }
    }

    #[test]
    fn the_requests_own_values_are_expected() {
        let bare = "{\"id\": {id}, \"text\": \"user {id}: {name}\"}";
        assert!(check(bare, "Ada", "{\"text\": \"user 42: Ada\", \"id\": 42}"));
        assert!(!check(bare, "Ada", "{\"text\": \"user 42: Ada\", \"id\": \"42\"}"));
        assert!(!check(bare, "Ada", "{\"text\": \"user 42: Bob\", \"id\": 42}"));
        assert!(check("[\"{name}\"]", "a\"b", "[\"a\\\"b\"]"), "quotes in a value are no syntax");
        assert!(check("{\"id\": \"{id}\"}", "Ada", "{\"id\": \"42\"}"));
        assert!(!check("{\"id\": \"{id}\"}", "Ada", "{\"id\": 42}"));
        assert!(check("{name}", "true", "true"));
        assert!(!check("{name}", "Ada", "\"Ada\""), "a bare value that is no JSON fits nothing");
        assert!(check("\"\\\"{id}\"", "Ada", "\"\\\"42\""), "an escaped quote ends no string");
        // printf 42-Ada | sha512sum
        let hash = "a1b8e5f5a3da0844bac002fbf4407772950f1a3a0ba66e8a18ddc39b4af806d1cdc7fcb0f3f2ee86345b7ebbd1a36120dbf5d7055478f0a99a4ec0808c67d5c0";
        assert!(check("{\"h\": \"<sha512 {id}-{name}>\"}", "Ada", &format!("{{\"h\": \"{hash}\"}}")));
        assert!(!check("{\"h\": \"<sha512 {id}-{name}>\"}", "Eve", &format!("{{\"h\": \"{hash}\"}}")));
    }

    #[test]
    fn numbers_are_computed_from_the_requests_own() {
        let shape = "{\"name\": \"{name}\", \"sum\": \"<int ({id} - 50) * 2>\"}";
        assert!(check(shape, "Ada", "{\"sum\": -16, \"name\": \"Ada\"}"));
        for wrong in ["-15", "16", "-16.0", "\"-16\"", "null", "18446744073709551600"] {
            assert!(!check(shape, "Ada", &format!("{{\"name\": \"Ada\", \"sum\": {wrong}}}")), "{wrong}");
        }
        assert!(check("\"<int {name}>\"", "18446744073709551615", "18446744073709551615"));
        assert!(!check("\"<int {name}>\"", "18446744073709551616", "1"), "no number of JSON is as large");
        assert!(!check("\"<int {name}>\"", "Ada", "0"), "what is no number fits nothing");
        assert!(check("\"<<int {name}>\"", "Ada", "\"<int Ada>\""), "two signs are the text itself");
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        let refused = |text: &[u8]| parse(text).expect_err("no shape").what;
        assert!(refused(b"{\"a\": ").contains("not JSON"));
        assert!(refused(b"{\"{id}\": 1}").contains("member's name"));
        assert!(refused(b"\"<boolean>\"").contains("stands for nothing"));
        assert!(refused(b"[\"<int {id} +>\"]").contains("ends where a number belongs"));
        assert!(refused(b"\"\xff\"").contains("UTF-8"));
        assert!(refused("\"\u{e000}0\u{e002}\"".as_bytes()).contains("private"));
        assert!(refused(b"{\"a\":1,\"a\":2}").contains("twice"));
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z\"\\\\{}]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[a-c]", inner, 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_fits_itself_and_nothing_else(a in json_value(), b in json_value()) {
            let shape = Shape::parse(&TextTemplate::fixed(&a.to_string()), &[]).expect("a shape");
            prop_assert!(shape.fits(&a, &[""]));
            prop_assert_eq!(shape.fits(&b, &[""]), a == b);
            prop_assert_eq!(parse_json(a.to_string().as_bytes()), Ok(a));
        }

        #[test]
        fn any_bytes_get_an_answer(text in prop::collection::vec(prop::sample::select(b"{}[]\"\\:,id1<>".to_vec()), 0..40)) {
            if let Ok(shape) = parse(&text) {
                shape.fits(&Value::Null, &["42", "Ada"]);
            }
        }
    }
}
