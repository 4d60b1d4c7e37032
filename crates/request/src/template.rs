//! Text with `{name}` in it.

use velo_load::{Part, Template};
use velo_model::{TextPart, TextTemplate};

use crate::problem::Problem;
use crate::source::nearest;
use crate::value::is_name;

const LONGEST_NAME: usize = 64;

/// Splits a text at its slots, which are indices into `names`.
///
/// `{name}` is a slot when a value of that name is declared; every other brace is itself, so that JSON needs no
/// escapes. Before such a name two braces stand for one: `{{name}` is the text `{name}`, and `{{{name}` is a brace
/// and the slot.
///
/// # Errors
/// When a name between braces is almost that of a value, which is more likely a slip than meant.
pub fn parse(text: &[u8], names: &[&str]) -> Result<TextTemplate, Problem> {
    let mut parts = Vec::new();
    let mut literal: Vec<u8> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'{') {
        literal.extend_from_slice(&rest[..at]);
        let braces = rest[at..].iter().take_while(|&&byte| byte == b'{').count();
        let behind = &rest[at + braces..];
        match name_at(behind, names)? {
            Some((index, length)) => {
                literal.resize(literal.len() + braces / 2, b'{');
                if braces % 2 == 1 {
                    if !literal.is_empty() {
                        parts.push(TextPart::of(std::mem::take(&mut literal)));
                    }
                    parts.push(TextPart::Slot(index));
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
        parts.push(TextPart::of(literal));
    }
    Ok(TextTemplate { parts })
}

/// As the load engine takes it.
pub fn compiled(template: &TextTemplate) -> Template {
    let part = |part: &TextPart| match part {
        TextPart::Slot(slot) => Part::Slot(*slot),
        literal => Part::Bytes(literal.literal().unwrap_or_default().to_vec()),
    };
    Template(template.parts.iter().map(part).collect())
}

/// The value whose name and closing brace the text starts with, and how many bytes they are.
fn name_at(text: &[u8], names: &[&str]) -> Result<Option<(usize, usize)>, Problem> {
    let Some(end) = text.iter().take(LONGEST_NAME + 1).position(|&byte| byte == b'}') else {
        return Ok(None);
    };
    let Ok(name) = std::str::from_utf8(&text[..end]) else { return Ok(None) };
    if let Some(index) = names.iter().position(|declared| *declared == name) {
        return Ok(Some((index, end + 1)));
    }
    // Names of one or two letters are near to everything.
    let long = names.iter().copied().filter(|declared| declared.len() > 2);
    match nearest(name, long).filter(|_| is_name(name) && name.len() > 2) {
        Some(meant) => Err(Problem::new(
            format!("`{{{name}}}` is no value, but `{{{meant}}}` is"),
            format!("did you mean `{{{meant}}}`? Declared: {}", names.join(", ")),
        )),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [&str; 2] = ["bet", "x"];

    fn filled(text: &str) -> String {
        let template = parse(text.as_bytes(), &NAMES).expect("a template");
        String::from_utf8(template.render(&["true", "7"])).expect("UTF-8")
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
        let problem = parse(b"{\"bet\": {bett}}", &NAMES).expect_err("a slip");
        assert!(problem.cure.contains("did you mean `{bet}`"), "{problem:?}");
        assert!(parse(b"{y}", &NAMES).is_ok(), "names of one letter are not compared");
    }

    proptest! {
        #[test]
        fn bytes_without_slots_are_themselves(text in prop::collection::vec(any::<u8>(), 0..100)) {
            let template = parse(&text, &[]).expect("no slip");
            prop_assert_eq!(template.render(&[""]), text.clone());
            let kept = serde_json::to_string(&template).expect("it can be kept");
            let read: TextTemplate = serde_json::from_str(&kept).expect("it can be read again");
            prop_assert_eq!(read, template);
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
