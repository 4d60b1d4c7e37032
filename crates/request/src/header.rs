//! Headers as they are typed, and what may stand in one.

use crate::problem::Problem;

const EXPECTED: &str = "expected `Name: value`, as in 'Accept: text/plain'";

/// Name and value of `Name: value`, without blanks at the value's ends.
///
/// # Errors
/// When it is no header.
pub fn split(text: &str) -> Result<(String, String), Problem> {
    let refused =
        || Problem::new(format!("`{}` is no header", crate::text::excerpt(text.as_bytes())), EXPECTED);
    let (name, value) = text.split_once(':').ok_or_else(refused)?;
    let name = name.trim_end_matches([' ', '\t']);
    if !is_token(name.as_bytes()) {
        return Err(refused());
    }
    Ok((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()))
}

/// A method or a header's name (RFC 9110, 5.6.2).
pub fn is_token(text: &[u8]) -> bool {
    let sign = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.len() <= 256 && text.iter().all(sign)
}

/// What a header's value may hold: anything but control characters.
pub fn is_value(text: &[u8]) -> bool {
    text.iter().all(|&byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f))
}

/// A media type without parameters, lower case.
///
/// # Errors
/// When it is none; what was expected.
pub fn media_type(text: &str) -> Result<String, String> {
    let part = |part: &str| is_token(part.as_bytes());
    match text.split_once('/') {
        Some((kind, subtype)) if part(kind) && part(subtype) => Ok(text.to_ascii_lowercase()),
        _ => Err("expected a media type without parameters, as in application/json".to_owned()),
    }
}

/// A path with its query as a request may have it, or the byte that it may not.
pub fn unfit_for_path(bytes: &[u8]) -> Option<u8> {
    bytes.iter().copied().find(|byte| !byte.is_ascii_graphic() || *byte == b'#')
}

/// Bytes with everything encoded that a path may not have.
pub fn encoded(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&byte| match unfit_for_path(&[byte]) {
            Some(byte) => format!("%{byte:02X}"),
            None => char::from(byte).to_string(),
        })
        .collect()
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
    }

    #[test]
    fn a_value_cannot_begin_another_line() {
        assert!(is_value(b"caf\xc3\xa9\t1") && is_value(b""));
        assert!(!is_value(b"a\r\nX: y") && !is_value(b"\x00"));
    }

    #[test]
    fn a_media_type_has_two_parts_and_no_parameters() {
        assert_eq!(media_type("Text/Plain"), Ok("text/plain".to_owned()));
        assert!(media_type("text/plain; charset=utf-8").is_err() && media_type("json").is_err());
    }

    #[test]
    fn a_path_that_will_not_do_is_shown_encoded() {
        assert_eq!(unfit_for_path(b"/a b"), Some(b' '));
        assert_eq!(unfit_for_path(b"/a?b={c}"), None);
        assert_eq!(encoded("/a b\u{e9}#".as_bytes()), "/a%20b%C3%A9%23");
    }
}
