//! JSON that is expected: compared as JSON, with the request's own values in it.

use serde_json::Value;
use velo_load::{Part, Template};
use velo_spec::{parse_json, same_json_number};

use super::files::excerpt;
use super::problem::Problem;
use super::template;
use super::value::{Values, text_of};

/// Whether texts such as `"<bool>"` stand for any value of their kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placeholders {
    /// They do.
    Yes,
    /// They are themselves.
    No,
}

/// JSON with places.
#[derive(Debug, Clone)]
pub(crate) struct JsonShape {
    /// As it was written, for people and for the hash.
    pub(crate) written: String,
    node: Node,
}

#[derive(Debug, Clone)]
enum Node {
    Any,
    Bool,
    Int,
    Number,
    Text,
    /// The JSON that a slot's text is.
    Own(usize),
    /// A slot's text, as a string or as the JSON that it is.
    OwnOrText(usize),
    /// A string with slots.
    OwnText(Template),
    Is(Value),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// A slot stands in the text that is parsed as these around its index; Unicode keeps them for private use.
const SLOT: char = '\u{e000}';
const BARE_SLOT: char = '\u{e001}';
const SLOT_END: char = '\u{e002}';

const PLACEHOLDERS: [(&str, Node); 5] = [
    ("<any>", Node::Any),
    ("<bool>", Node::Bool),
    ("<int>", Node::Int),
    ("<number>", Node::Number),
    ("<string>", Node::Text),
];

impl JsonShape {
    /// Reads JSON in which slots stand inside of strings, or bare where a value is.
    pub(crate) fn parse(text: &[u8], values: &Values, placeholders: Placeholders) -> Result<Self, Problem> {
        let template = template::parse(text, values)?;
        let written = template::written(&template, values);
        let marked = mark(&template)?;
        let value = parse_json(marked.as_bytes()).map_err(|reason| {
            Problem::new(
                format!("`{}` is not JSON: {reason}", excerpt(written.as_bytes())),
                "expected JSON; a value stands as {name} or inside of a text",
            )
        })?;
        Ok(Self { node: node(value, placeholders)?, written })
    }

    /// Whether a value is as expected; `value` gives a slot's value in this request.
    pub(crate) fn fits(&self, found: &Value, values: &Values, value: &dyn Fn(usize) -> u64) -> bool {
        fits(&self.node, found, values, value)
    }

    /// The slots that stand in it.
    pub(crate) fn slots(&self) -> Vec<usize> {
        let mut slots = Vec::new();
        collect(&self.node, &mut slots);
        slots
    }
}

/// The template as JSON, with its slots marked.
fn mark(template: &Template) -> Result<String, Problem> {
    let mut marked = String::new();
    let mut in_string = false;
    for part in &template.0 {
        match part {
            Part::Bytes(bytes) => {
                let text = std::str::from_utf8(bytes)
                    .ok()
                    .filter(|text| !text.contains([SLOT, BARE_SLOT, SLOT_END]))
                    .ok_or_else(|| {
                        Problem::new("not UTF-8, or with characters of private use", "expected JSON")
                    })?;
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
            Part::Slot(index) if in_string => marked.push_str(&format!("{SLOT}{index}{SLOT_END}")),
            Part::Slot(index) => marked.push_str(&format!("\"{BARE_SLOT}{index}{SLOT_END}\"")),
        }
    }
    Ok(marked)
}

fn node(value: Value, placeholders: Placeholders) -> Result<Node, Problem> {
    Ok(match value {
        Value::String(text) => string(text, placeholders)?,
        Value::Array(items) => {
            Node::Array(items.into_iter().map(|item| node(item, placeholders)).collect::<Result<_, _>>()?)
        }
        Value::Object(members) => {
            let mut nodes = Vec::new();
            for (key, member) in members {
                if key.contains([SLOT, BARE_SLOT]) {
                    return Err(Problem::new(
                        "a value stands in a member's name",
                        "expected values as values only",
                    ));
                }
                nodes.push((key, node(member, placeholders)?));
            }
            Node::Object(nodes)
        }
        other => Node::Is(other),
    })
}

fn string(text: String, placeholders: Placeholders) -> Result<Node, Problem> {
    let template = unmark(&text);
    match (template.0.as_slice(), placeholders) {
        ([Part::Slot(slot)], _) if text.starts_with(BARE_SLOT) => Ok(Node::Own(*slot)),
        ([Part::Slot(slot)], Placeholders::Yes) => Ok(Node::OwnOrText(*slot)),
        (parts, _) if parts.iter().any(|part| matches!(part, Part::Slot(_))) => Ok(Node::OwnText(template)),
        (_, Placeholders::No) => Ok(Node::Is(Value::String(text))),
        (_, Placeholders::Yes) => placeholder(text),
    }
}

fn placeholder(text: String) -> Result<Node, Problem> {
    if let Some((_, node)) = PLACEHOLDERS.iter().find(|(name, _)| *name == text) {
        return Ok(node.clone());
    }
    let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or_default();
    if !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let known: Vec<&str> = PLACEHOLDERS.iter().map(|(name, _)| *name).collect();
        return Err(Problem::new(
            format!("\"{text}\" stands for nothing"),
            format!("expected one of {}; a text like that itself needs --expect-json", known.join(", ")),
        ));
    }
    Ok(Node::Is(Value::String(text)))
}

/// A string of the marked text as a template.
fn unmark(text: &str) -> Template {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once([SLOT, BARE_SLOT]) {
        let Some((index, behind)) = after.split_once(SLOT_END) else { break };
        // OK because `mark` wrote the index.
        let Ok(index) = index.parse() else { break };
        if !before.is_empty() {
            parts.push(Part::Bytes(before.as_bytes().to_vec()));
        }
        parts.push(Part::Slot(index));
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Part::Bytes(rest.as_bytes().to_vec()));
    }
    Template(parts)
}

fn fits(node: &Node, found: &Value, values: &Values, value: &dyn Fn(usize) -> u64) -> bool {
    let own = |slot: usize| values.slot(slot).and_then(|kind| text_of(kind, value(slot)));
    let own_json =
        |slot| own(slot).and_then(|text| parse_json(&text).ok()).is_some_and(|own| same(&own, found));
    match (node, found) {
        (Node::Any, _)
        | (Node::Bool, Value::Bool(_))
        | (Node::Number, Value::Number(_))
        | (Node::Text, Value::String(_)) => true,
        (Node::Int, Value::Number(number)) => number.is_i64() || number.is_u64(),
        (Node::Own(slot), _) => own_json(*slot),
        (Node::OwnOrText(slot), Value::String(text)) => {
            own(*slot).is_some_and(|own| *own == *text.as_bytes())
        }
        (Node::OwnOrText(slot), _) => own_json(*slot),
        (Node::OwnText(template), Value::String(text)) => {
            template::render(template, values, value) == text.as_bytes()
        }
        (Node::Is(expected), found) => same(expected, found),
        (Node::Array(nodes), Value::Array(items)) => {
            nodes.len() == items.len()
                && nodes.iter().zip(items).all(|(node, item)| fits(node, item, values, value))
        }
        (Node::Object(nodes), Value::Object(members)) => {
            nodes.len() == members.len()
                && nodes.iter().all(|(key, node)| {
                    members.get(key).is_some_and(|member| fits(node, member, values, value))
                })
        }
        _ => false,
    }
}

/// Whether two scalars, or two values without numbers, are the same in JSON, where 1 and 1.0 are.
fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(expected), Value::Number(found)) => same_json_number(expected, found),
        _ => expected == found,
    }
}

fn collect(node: &Node, slots: &mut Vec<usize>) {
    match node {
        Node::Own(slot) | Node::OwnOrText(slot) => slots.push(*slot),
        Node::OwnText(template) => slots.extend(template::slots(template)),
        Node::Array(nodes) => nodes.iter().for_each(|node| collect(node, slots)),
        Node::Object(nodes) => nodes.iter().for_each(|(_, node)| collect(node, slots)),
        Node::Any | Node::Bool | Node::Int | Node::Number | Node::Text | Node::Is(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use velo_load::Slot;

    use super::*;

    fn values() -> Values {
        let mut values = Values::default();
        values.declare("id".to_owned(), Slot::Int { min: 0, max: 99 }).expect("new");
        values
            .declare(
                "name".to_owned(),
                Slot::Choice(vec![b"Ada".to_vec(), b"a\"b".to_vec(), b"true".to_vec()]),
            )
            .expect("new");
        values
    }

    fn check(text: &str, placeholders: Placeholders, name: u64, found: &str) -> bool {
        let values = values();
        let shape = JsonShape::parse(text.as_bytes(), &values, placeholders).expect("a shape");
        let found = parse_json(found.as_bytes()).expect("JSON");
        shape.fits(&found, &values, &|slot| if slot == 0 { 42 } else { name })
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
        ] {
            assert!(check(shape, Placeholders::Yes, 0, fit), "{shape} {fit}");
            assert!(!check(shape, Placeholders::Yes, 0, unfit), "{shape} {unfit}");
        }
        assert!(
            check("\"<bool>\"", Placeholders::No, 0, "\"<bool>\""),
            "without placeholders a text is itself"
        );
        assert!(!check("\"<bool>\"", Placeholders::No, 0, "true"));
    }

    #[test]
    fn the_requests_own_values_are_expected() {
        let bare = "{\"id\": {id}, \"text\": \"user {id}: {name}\"}";
        assert!(check(bare, Placeholders::No, 0, "{\"text\": \"user 42: Ada\", \"id\": 42}"));
        assert!(!check(bare, Placeholders::No, 0, "{\"text\": \"user 42: Ada\", \"id\": \"42\"}"));
        assert!(!check(bare, Placeholders::No, 0, "{\"text\": \"user 42: Bob\", \"id\": 42}"));
        assert!(
            check("[\"{name}\"]", Placeholders::No, 1, "[\"a\\\"b\"]"),
            "quotes in a value are no syntax"
        );
        let quoted = "{\"id\": \"{id}\"}";
        assert!(
            check(quoted, Placeholders::Yes, 0, "{\"id\": 42}")
                && check(quoted, Placeholders::Yes, 0, "{\"id\": \"42\"}")
        );
        assert!(!check(quoted, Placeholders::No, 0, "{\"id\": 42}"));
        assert!(check("\"{name}\"", Placeholders::Yes, 2, "true"));
        assert!(
            !check("{name}", Placeholders::No, 0, "\"Ada\""),
            "a bare value that is no JSON fits nothing"
        );
        assert!(check("\"\\\"{id}\"", Placeholders::No, 0, "\"\\\"42\""), "an escaped quote ends no string");
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        let refused = |text: &[u8], placeholders| {
            JsonShape::parse(text, &values(), placeholders).expect_err("no shape").what
        };
        assert!(refused(b"{\"a\": ", Placeholders::No).contains("not JSON"));
        assert!(refused(b"{\"{id}\": 1}", Placeholders::No).contains("member's name"));
        assert!(refused(b"\"<boolean>\"", Placeholders::Yes).contains("stands for nothing"));
        assert!(refused(b"\"\xff\"", Placeholders::No).contains("UTF-8"));
        assert!(refused("\"\u{e000}0\u{e002}\"".as_bytes(), Placeholders::No).contains("private"));
        assert!(refused(b"{\"a\":1,\"a\":2}", Placeholders::No).contains("twice"));
    }

    #[test]
    fn all_its_slots_are_known() {
        let shape = JsonShape::parse(b"[{id}, {\"a\": \"x{name}\"}, \"{id}\"]", &values(), Placeholders::Yes);
        assert_eq!(shape.expect("a shape").slots(), [0, 1, 0]);
    }

    proptest! {
        #[test]
        fn json_fits_itself(text in "[a-z<>\"\\\\{}]{0,8}", number: i64, flag: bool) {
            let value = serde_json::json!({ "text": text, "list": [number, flag, null] });
            let none = Values::default();
            let shape = JsonShape::parse(value.to_string().as_bytes(), &none, Placeholders::No).expect("a shape");
            prop_assert!(shape.fits(&value, &none, &|_| 0));
        }

        #[test]
        fn any_bytes_get_an_answer(text in prop::collection::vec(prop::sample::select(b"{}[]\"\\:,id1<>".to_vec()), 0..40)) {
            if let Ok(shape) = JsonShape::parse(&text, &values(), Placeholders::Yes) {
                shape.fits(&Value::Null, &values(), &|_| 0);
            }
        }
    }
}
