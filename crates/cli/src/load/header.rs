//! Headers as they are typed, and what may stand in one.

use velo_load::HeaderExpect;

use super::problem::Problem;
use super::units;

const EXPECTED: &str = "expected `Name: value`, as in 'Accept: text/plain'";

/// Name and value of `Name: value`, without blanks at the value's ends.
pub(crate) fn split(text: &str) -> Result<(String, String), Problem> {
    let refused =
        || Problem::new(format!("`{}` is no header", super::files::excerpt(text.as_bytes())), EXPECTED);
    let (name, value) = text.split_once(':').ok_or_else(refused)?;
    let name = name.trim_end_matches([' ', '\t']);
    if !is_token(name.as_bytes()) {
        return Err(refused());
    }
    Ok((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()))
}

/// A header that an answer must have: `Name: value`, or `Name` for any value.
pub(crate) fn expected(text: &str) -> Result<HeaderExpect, Problem> {
    if is_token(text.as_bytes()) {
        return Ok(HeaderExpect { name: text.to_owned(), value: None });
    }
    let (name, value) = split(text)?;
    if !is_value(value.as_bytes()) {
        return Err(Problem::new(format!("the value of `{name}` has a control character"), EXPECTED));
    }
    Ok(HeaderExpect { name, value: Some(value) })
}

/// A method or a header's name (RFC 9110, 5.6.2).
pub(crate) fn is_token(text: &[u8]) -> bool {
    let sign = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.len() <= 256 && text.iter().all(sign)
}

/// What a header's value may hold: anything but control characters.
pub(crate) fn is_value(text: &[u8]) -> bool {
    text.iter().all(|&byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f))
}

/// A media type without parameters, lower case.
pub(crate) fn media_type(text: &str) -> Result<String, String> {
    let part = |part: &str| is_token(part.as_bytes());
    match text.split_once('/') {
        Some((kind, subtype)) if part(kind) && part(subtype) => Ok(text.to_ascii_lowercase()),
        _ => Err("expected a media type without parameters, as in application/json".to_owned()),
    }
}

/// What stands in `Content-Type`, parameters too. Some know the letter as that of a timeout.
pub(crate) fn media_type_of_a_body(text: &str) -> Result<String, String> {
    if units::time(text).is_ok() {
        return Err(format!(
            "-T is the content type here, as in ab, hey and oha\n  a timeout is --timeout {text}"
        ));
    }
    if text.contains('/') && is_value(text.as_bytes()) {
        return Ok(text.to_owned());
    }
    Err("expected a media type, as in application/json".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_a_name_and_a_value() {
        let owned = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(split("Accept: text/plain"), owned("Accept", "text/plain"));
        assert_eq!(split("X:a: b "), owned("X", "a: b"));
        assert_eq!(split("X-Empty:"), owned("X-Empty", ""));
        for odd in ["Accept", ": x", "a b: c", "", "\u{e9}: x"] {
            assert!(split(odd).is_err(), "{odd}");
        }
        assert_eq!(expected("ETag").map(|header| header.value), Ok(None));
        assert_eq!(expected("ETag: x").map(|header| header.value), Ok(Some("x".to_owned())));
        assert!(expected("a b").is_err());
    }

    #[test]
    fn a_value_cannot_begin_another_line() {
        assert!(is_value(b"caf\xc3\xa9\t1") && is_value(b""));
        assert!(!is_value(b"a\r\nX: y") && !is_value(b"\x00"));
    }

    #[test]
    fn media_types_are_told_from_times() {
        assert_eq!(media_type("Text/Plain"), Ok("text/plain".to_owned()));
        assert!(media_type("text/plain; charset=utf-8").is_err() && media_type("json").is_err());
        assert!(media_type_of_a_body("text/plain; charset=utf-8").is_ok());
        assert!(media_type_of_a_body("5s").expect_err("a time").contains("--timeout 5s"));
        assert!(media_type_of_a_body("json").is_err());
    }
}
