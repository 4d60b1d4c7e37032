//! As much JSON as the request bodies need.

/// What follows `token`, which whitespace may stand before.
pub fn token<'a>(text: &'a [u8], token: &[u8]) -> Option<&'a [u8]> {
    skip_space(text).strip_prefix(token)
}

pub fn is_space(text: &[u8]) -> bool {
    skip_space(text).is_empty()
}

fn skip_space(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = text {
        text = rest;
    }
    text
}

/// A string without its escapes, and what follows it.
pub fn string(text: &[u8]) -> Option<(String, &[u8])> {
    let mut rest = token(text, b"\"")?;
    let mut string = String::new();
    loop {
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..b' '))?;
        string.push_str(std::str::from_utf8(&rest[..end]).ok()?);
        let tail = &rest[end + 1..];
        rest = match rest[end] {
            b'"' => return Some((string, tail)),
            b'\\' => {
                let (character, tail) = escaped(tail)?;
                string.push(character);
                tail
            }
            _ => return None,
        };
    }
}

/// What stands for a character after the backslash.
fn escaped(text: &[u8]) -> Option<(char, &[u8])> {
    let (kind, rest) = text.split_first()?;
    let character = match kind {
        b'"' | b'\\' | b'/' => char::from(*kind),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return escaped_utf16(rest),
        _ => return None,
    };
    Some((character, rest))
}

fn escaped_utf16(text: &[u8]) -> Option<(char, &[u8])> {
    let (first, rest) = code_unit(text)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, rest));
    }
    // Half of a surrogate pair: only with the other half is it a character.
    let (second, rest) = code_unit(rest.strip_prefix(b"\\u")?)?;
    let character = char::decode_utf16([first, second]).next()?.ok()?;
    Some((character, rest))
}

fn code_unit(text: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, rest) = text.split_at_checked(4)?;
    let unit =
        digits.iter().try_fold(0, |unit: u32, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))?;
    Some((u16::try_from(unit).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_strings() {
        for (json, expected) in [
            (r#""""#, ""),
            (r#"  "a b" "#, "a b"),
            ("\"pä\u{7f}ß\u{1f600}\"", "pä\u{7f}ß\u{1f600}"),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r#""x\u0041\u00e4\u20ACy""#, "xAä€y"),
            (r#""\ud83d\uDE00\u0000""#, "\u{1f600}\0"),
        ] {
            let (read, rest) = string(json.as_bytes()).expect(json);
            assert_eq!(read, expected, "{json}");
            assert!(is_space(rest), "{json}");
        }
        assert_eq!(string(br#""a","b""#), Some(("a".to_owned(), &br#","b""#[..])));
    }

    #[test]
    fn refuses_what_is_no_string() {
        for json in [
            &br#""#[..],
            br#"a"#,
            br#"'a'"#,
            b"\"",
            br#""a"#,
            br#""a\"#,
            br#""a\""#,
            br#""\x41""#,
            br#""\u""#,
            br#""\u12""#,
            br#""\u+123""#,
            br#""\u12g4""#,
            br#""\ud83d""#,
            br#""\ud83dx""#,
            br#""\ud83d\n""#,
            br#""\ud83d\u0041""#,
            br#""\ud83d\ud83d""#,
            br#""\ude00""#,
            br#""\ude00\ud83d""#,
            b"\"a\nb\"",
            b"\"a\0b\"",
            b"\"\xff\"",
            b"\"\xc3\"",
        ] {
            assert_eq!(string(json), None, "{}", json.escape_ascii());
        }
    }
}
