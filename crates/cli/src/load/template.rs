//! Text with `{name}` in it.

use velo_load::{Part, Template};

use super::problem::Problem;
use super::value::{Values, is_name, text_of};

const LONGEST_NAME: usize = 64;

/// Splits a text at its slots, which are indices into `values`.
///
/// `{name}` is a slot when a value of that name is declared; every other brace is itself, so that JSON needs no
/// escapes. Before such a name two braces stand for one: `{{name}` is the text `{name}`, and `{{{name}` is a brace
/// and the slot.
///
/// # Errors
/// When a name between braces is almost that of a value, which is more likely a slip than meant.
pub(crate) fn parse(text: &[u8], values: &Values) -> Result<Template, Problem> {
    let mut parts = Vec::new();
    let mut literal: Vec<u8> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'{') {
        literal.extend_from_slice(&rest[..at]);
        let braces = rest[at..].iter().take_while(|&&byte| byte == b'{').count();
        let behind = &rest[at + braces..];
        match name_at(behind, values)? {
            Some((index, length)) => {
                literal.resize(literal.len() + braces / 2, b'{');
                if braces % 2 == 1 {
                    if !literal.is_empty() {
                        parts.push(Part::Bytes(std::mem::take(&mut literal)));
                    }
                    parts.push(Part::Slot(index));
                } else {
                    literal.extend_from_slice(&behind[..length]);
                }
                rest = &behind[length..];
            }
            None => {
                literal.resize(literal.len() + braces, b'{');
                rest = behind;
            }
        }
    }
    literal.extend_from_slice(rest);
    if !literal.is_empty() {
        parts.push(Part::Bytes(literal));
    }
    Ok(Template(parts))
}

/// The value whose name and closing brace the text starts with, and how many bytes they are.
fn name_at(text: &[u8], values: &Values) -> Result<Option<(usize, usize)>, Problem> {
    let Some(end) = text.iter().take(LONGEST_NAME + 1).position(|&byte| byte == b'}') else {
        return Ok(None);
    };
    let Ok(name) = std::str::from_utf8(&text[..end]) else { return Ok(None) };
    if let Some(index) = values.names().iter().position(|declared| declared == name) {
        return Ok(Some((index, end + 1)));
    }
    match near(name, values) {
        Some(meant) => Err(Problem::new(
            format!("`{{{name}}}` is no value, but `{{{meant}}}` is"),
            format!("did you mean `{{{meant}}}`? Declared: {}", values.listed()),
        )),
        None => Ok(None),
    }
}

/// A declared name that differs in a few letters. Names of one or two letters are near to everything.
fn near<'a>(name: &str, values: &'a Values) -> Option<&'a str> {
    if !is_name(name) || name.len() < 3 {
        return None;
    }
    let allowed = (name.len() / 3).clamp(1, 3);
    let candidates = values.names().iter().filter(|declared| declared.len() > 2);
    candidates
        .map(|declared| (strsim::damerau_levenshtein(name, declared), declared.as_str()))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, declared)| declared)
}

/// The text with each slot replaced by what `value` gives for its index.
pub(crate) fn render(template: &Template, values: &Values, value: impl Fn(usize) -> u64) -> Vec<u8> {
    let mut text = Vec::new();
    for part in &template.0 {
        match part {
            Part::Bytes(bytes) => text.extend_from_slice(bytes),
            Part::Slot(index) => {
                let slot = values.slot(*index).and_then(|slot| text_of(slot, value(*index)));
                text.extend_from_slice(slot.as_deref().unwrap_or_default());
            }
        }
    }
    text
}

/// As it was written, but for escapes.
pub(crate) fn written(template: &Template, values: &Values) -> String {
    let part = |part: &Part| match part {
        Part::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Part::Slot(index) => format!("{{{}}}", values.names().get(*index).map_or("?", String::as_str)),
    };
    template.0.iter().map(part).collect()
}

/// The slots that stand in a template.
pub(crate) fn slots(template: &Template) -> impl Iterator<Item = usize> {
    template.0.iter().filter_map(|part| if let Part::Slot(index) = part { Some(*index) } else { None })
}

/// The bytes between the slots.
pub(crate) fn literals(template: &Template) -> impl Iterator<Item = &[u8]> {
    template
        .0
        .iter()
        .filter_map(|part| if let Part::Bytes(bytes) = part { Some(bytes.as_slice()) } else { None })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use velo_load::Slot;

    use super::*;

    fn values() -> Values {
        let mut values = Values::default();
        values
            .declare("bet".to_owned(), Slot::Choice(vec![b"true".to_vec(), b"false".to_vec()]))
            .expect("new");
        values.declare("x".to_owned(), Slot::Int { min: 0, max: 9 }).expect("new");
        values
    }

    fn filled(text: &str) -> String {
        let values = values();
        let template = parse(text.as_bytes(), &values).expect("a template");
        String::from_utf8(render(&template, &values, |index| if index == 0 { 0 } else { 7 })).expect("UTF-8")
    }

    #[test]
    fn only_declared_names_are_slots() {
        assert_eq!(filled("{\"bet\": {bet}}"), "{\"bet\": true}");
        assert_eq!(filled("{\"a\": {\"b\": {x}}}"), "{\"a\": {\"b\": 7}}");
        assert_eq!(filled("{bet}{x}"), "true7");
        assert_eq!(filled("{}{x y}{unrelated}{"), "{}{x y}{unrelated}{");
        assert_eq!(filled("{{other}} {{"), "{{other}} {{");
        assert_eq!(filled(""), "");
    }

    #[test]
    fn two_braces_before_a_name_are_one() {
        assert_eq!(filled("{{bet}"), "{bet}");
        assert_eq!(filled("{{bet}}"), "{bet}}");
        assert_eq!(filled("{{{bet}}}"), "{true}}");
        assert_eq!(filled("{{{{x}"), "{{x}");
    }

    #[test]
    fn a_near_miss_is_a_slip() {
        let problem = parse(b"{\"bet\": {bett}}", &values()).expect_err("a slip");
        assert!(problem.cure.contains("did you mean `{bet}`"), "{problem:?}");
        assert!(parse(b"{y}", &values()).is_ok(), "names of one letter are not compared");
    }

    proptest! {
        #[test]
        fn bytes_without_slots_are_themselves(text in prop::collection::vec(any::<u8>(), 0..100)) {
            let none = Values::default();
            prop_assert_eq!(render(&parse(&text, &none).expect("no slip"), &none, |_| 0), text);
        }

        #[test]
        fn filling_in_is_replacing(text in "([}a\": ]|\\{x\\}|\\{\"|\u{e9}){0,40}") {
            prop_assert_eq!(filled(&text), text.replace("{x}", "7"));
        }

        #[test]
        fn any_run_of_braces_can_be_written(braces in 0_usize..6) {
            let escaped = format!("{}x}}", "{".repeat(2 * braces));
            let wanted = format!("{}x}}", "{".repeat(braces));
            prop_assert_eq!(filled(&escaped), wanted);
        }
    }
}
