//! The parameters of an echo, and its answer: of a size, where one is asked for.

use std::borrow::Cow;

use crate::routes::percent_decode;

const NAME: &[u8] = b"{\"Name\":\"";
const SUM: &[u8] = b"\",\"Sum\":";

/// The longest body that may be asked for.
const LARGEST: u32 = 1 << 20;

/// What `name`, `x`, `y`, `e` and `size` ask for.
struct Echo<'a> {
    name: Cow<'a, str>,
    sum: i64,
    /// The body is as long as this by padding, unless it is longer without.
    size: usize,
}

impl<'a> Echo<'a> {
    /// Each parameter once, in any order; others are ignored.
    fn parse(query: &'a [u8]) -> Option<Echo<'a>> {
        let (mut name, mut x, mut y, mut e, mut size) = (None, None, None, None, None);
        for parameter in query.split(|byte| *byte == b'&') {
            let at = parameter.iter().position(|byte| *byte == b'=')?;
            let value = &parameter[at + 1..];
            let is_first = match &parameter[..at] {
                b"name" => name.replace(text(value)?).is_none(),
                b"x" => x.replace(number(value)?).is_none(),
                b"y" => y.replace(number(value)?).is_none(),
                b"e" => e.replace(number(value)?).is_none(),
                b"size" => size.replace(number(value)?).is_none(),
                _ => true,
            };
            if !is_first {
                return None;
            }
        }
        let factor = e.filter(|e| (2..=4).contains(e))?;
        let size = u32::try_from(size.unwrap_or(0)).ok().filter(|size| *size <= LARGEST)?;
        // OK because they are of 32 bits.
        let sum = (i64::from(x?) + i64::from(y?)) * i64::from(factor);
        Some(Echo { name: name?, sum, size: size as usize })
    }

    fn write(&self, body: &mut Vec<u8>) {
        body.extend_from_slice(NAME);
        let bytes = self.name.as_bytes();
        let mut from = 0;
        for at in 0..bytes.len() {
            let byte = bytes[at];
            if !matches!(byte, b'"' | b'\\' | ..b' ') {
                continue;
            }
            body.extend_from_slice(&bytes[from..at]);
            from = at + 1;
            if byte < b' ' {
                let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
                body.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            } else {
                body.extend_from_slice(&[b'\\', byte]);
            }
        }
        body.extend_from_slice(&bytes[from..]);
        let sum = self.sum.unsigned_abs() as usize;
        if self.size > 0 {
            let digits = sum.checked_ilog10().map_or(1, |tens| tens as usize + 1);
            let rest = SUM.len() + usize::from(self.sum < 0) + digits + 1;
            // The body begins with this answer.
            body.resize(body.len().max(self.size.saturating_sub(rest)), b'x');
        }
        body.extend_from_slice(SUM);
        if self.sum < 0 {
            body.push(b'-');
        }
        crate::text::write_number(body, sum);
        body.push(b'}');
    }
}

/// Writes the answer to a query into `body`, which is empty; whether there is one.
pub fn write(query: &[u8], body: &mut Vec<u8>) -> bool {
    let echo = Echo::parse(query);
    if let Some(echo) = &echo {
        echo.write(body);
    }
    echo.is_some()
}

fn number(value: &[u8]) -> Option<i32> {
    std::str::from_utf8(&percent_decode(value)?).ok().filter(|text| !text.starts_with('+'))?.parse().ok()
}

/// A plus sign stands for a blank, as in forms.
fn text(value: &[u8]) -> Option<Cow<'_, str>> {
    if !value.iter().any(|byte| matches!(byte, b'+' | b'%')) {
        return std::str::from_utf8(value).ok().map(Cow::Borrowed);
    }
    let blanks: Vec<u8> = value.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    String::from_utf8(percent_decode(&blanks)?.into_owned()).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(query: &str) -> Option<String> {
        let mut body = Vec::new();
        write(query.as_bytes(), &mut body).then(|| String::from_utf8(body).expect("UTF-8"))
    }

    #[test]
    fn echoes() {
        for (query, expected) in [
            ("name=hogehoge&x=10&y=20&e=2", r#"{"Name":"hogehoge","Sum":60}"#),
            ("e=4&y=-20&x=10&name=", r#"{"Name":"","Sum":-40}"#),
            ("name=a&x=0&other=1&y=-0&e=3&size=9", r#"{"Name":"a","Sum":0}"#),
            ("name=a&x=0&y=0&e=3&size=24", r#"{"Name":"axxxx","Sum":0}"#),
            ("size=24&name=a&x=-3&y=-2&e=2", r#"{"Name":"axx","Sum":-10}"#),
            ("name=a&x=500&y=499&e=2&size=24", r#"{"Name":"ax","Sum":1998}"#),
            ("name=%E3%81%BB+%26%22%5C%0a%2B&x=%2d1&y=1&e=2", r#"{"Name":"ほ &\"\\\u000a+","Sum":0}"#),
            ("name=a&x=2147483647&y=2147483647&e=4", r#"{"Name":"a","Sum":17179869176}"#),
            ("name=a&x=-2147483648&y=-2147483648&e=4", r#"{"Name":"a","Sum":-17179869184}"#),
        ] {
            assert_eq!(answer(query).as_deref(), Some(expected), "{query}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for query in [
            "",
            "&",
            "name=a&x=1&y=1",
            "name=a&x=1&e=2",
            "x=1&y=1&e=2",
            "name=a&x=1&y=1&e=5",
            "name=a&x=1&y=1&e=1",
            "name=a&x=1&y=1&e=B",
            "name=a&x=&y=1&e=2",
            "name=a&x=1.0&y=1&e=2",
            "name=a&x=%201&y=1&e=2",
            "name=a&x=+1&y=1&e=2",
            "name=a&x=2147483648&y=1&e=2",
            "name=a&x=1&x=1&y=1&e=2",
            "name=a&name=a&x=1&y=1&e=2",
            "NAME=a&x=1&y=1&e=2",
            "name=%ff&x=1&y=1&e=2",
            "name=%4&x=1&y=1&e=2",
            "name&x=1&y=1&e=2",
            "name=a&x=1&y=1&e=2&size=1048577",
            "name=a&x=1&y=1&e=2&size=-1",
            "name=a&x=1&y=1&e=2&size=9&size=9",
        ] {
            assert_eq!(answer(query), None, "{query}");
        }
    }
}
