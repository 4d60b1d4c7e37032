//! What a correct answer is.

use std::path::Path;

use regex::bytes::{Regex, RegexBuilder};
use velo_load::{HeaderExpect, StatusSet, Template};

use super::flags::ExpectFlags;
use super::json_shape::{JsonShape, Placeholders};
use super::problem::Problem;
use super::value::Values;
use super::{files, header, template};

/// The answer that is correct.
#[derive(Debug, Clone)]
pub(crate) struct Expectation {
    /// The status codes.
    pub(crate) status: StatusSet,
    /// The media type, lower case.
    pub(crate) content_type: Option<String>,
    /// Headers that must be there.
    pub(crate) headers: Vec<HeaderExpect>,
    /// The body.
    pub(crate) body: BodyCheck,
}

/// The body that is correct; slots are indices into the values.
#[derive(Debug, Clone)]
pub(crate) enum BodyCheck {
    /// Any.
    Any,
    /// No byte.
    Empty,
    /// These bytes.
    Exact(Template),
    /// The first correct one.
    Same,
    /// So many bytes, both included.
    Length(usize, usize),
    /// One that the expression matches.
    Regex(Regex),
    /// One with this sum.
    Sha256([u8; 32]),
    /// JSON of this shape.
    Json(JsonShape),
}

impl Expectation {
    /// What the flags say.
    pub(crate) fn of_flags(flags: &ExpectFlags, values: &Values) -> anyhow::Result<Self> {
        let headers = flags
            .header
            .iter()
            .map(|text| header::expected(text).map_err(|problem| problem.at("--expect-header")))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            status: flags.status.unwrap_or_else(successes),
            content_type: flags.content_type.clone(),
            headers,
            body: body(flags, values)?,
        })
    }
}

fn body(flags: &ExpectFlags, values: &Values) -> anyhow::Result<BodyCheck> {
    // The group of these flags lets one of them through.
    if flags.empty {
        return Ok(BodyCheck::Empty);
    }
    if flags.same {
        return Ok(BodyCheck::Same);
    }
    if let Some((min, max)) = flags.length {
        return Ok(BodyCheck::Length(min, max));
    }
    if let Some(regex) = &flags.regex {
        return Ok(BodyCheck::Regex(regex.clone()));
    }
    if let Some(sum) = flags.sha256 {
        return Ok(BodyCheck::Sha256(sum));
    }
    if let Some(text) = &flags.body {
        let template = exact(text, Path::new(""), values).map_err(|problem| problem.at("--expect-body"))?;
        return Ok(BodyCheck::Exact(template));
    }
    for (flag, text, placeholders) in [
        ("--expect-json", &flags.json, Placeholders::No),
        ("--expect-json-slots", &flags.json_slots, Placeholders::Yes),
    ] {
        if let Some(text) = text {
            let shape =
                json(text, Path::new(""), values, placeholders).map_err(|problem| problem.at(flag))?;
            return Ok(BodyCheck::Json(shape));
        }
    }
    Ok(BodyCheck::Any)
}

/// `TEXT|@FILE` with slots, byte for byte.
pub(crate) fn exact(text: &str, folder: &Path, values: &Values) -> Result<Template, Problem> {
    template::parse(&files::text_or_file(text, folder)?, values)
}

/// `TEXT|@FILE` with slots, as JSON.
pub(crate) fn json(
    text: &str,
    folder: &Path,
    values: &Values,
    placeholders: Placeholders,
) -> Result<JsonShape, Problem> {
    JsonShape::parse(&files::text_or_file(text, folder)?, values, placeholders)
}

/// The statuses that are correct unless said otherwise.
pub(crate) fn successes() -> StatusSet {
    StatusSet::range(200, 299)
}

/// `200`, `2xx`, `200-204`, and several of them with commas between.
pub(crate) fn statuses(text: &str) -> Result<StatusSet, String> {
    let expected = || "expected statuses from 200 to 599, as in 200, 200,3xx or 200-204".to_owned();
    let code = |text: &str| text.parse().ok().filter(|code| (200..=599).contains(code)).ok_or_else(expected);
    let mut set = StatusSet::EMPTY;
    for part in text.split(',') {
        let part = part.trim();
        let (first, last) = match (part.as_bytes(), part.split_once('-')) {
            ([class @ b'2'..=b'5', b'x' | b'X', b'x' | b'X'], _) => {
                let first = u16::from(class - b'0') * 100;
                (first, first + 99)
            }
            (_, Some((first, last))) => (code(first)?, code(last)?),
            (_, None) => (code(part)?, code(part)?),
        };
        if first > last {
            return Err(expected());
        }
        set = set.and(StatusSet::range(first, last));
    }
    Ok(set)
}

/// `N`, or `A..B` with both ends included.
pub(crate) fn length(text: &str) -> Result<(usize, usize), String> {
    let (min, max) = text.split_once("..").unwrap_or((text, text));
    match (min.trim().parse(), max.trim().parse()) {
        (Ok(min), Ok(max)) if min <= max => Ok((min, max)),
        _ => Err("expected bytes, as in 13 or 10..2000".to_owned()),
    }
}

/// A regular expression over bytes.
pub(crate) fn regex(text: &str) -> Result<Regex, String> {
    const MOST_BYTES: usize = 8 * 1024 * 1024;
    RegexBuilder::new(text).size_limit(MOST_BYTES).build().map_err(|error| {
        // The whole message draws the expression with a mark under it; its last line says what is wrong.
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        format!("it is no regular expression: {}", last.trim_start_matches("error: "))
    })
}

/// 64 hexadecimal digits.
pub(crate) fn sha256(text: &str) -> Result<[u8; 32], String> {
    let expected = || "expected 64 hexadecimal digits, as sha256sum prints".to_owned();
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(expected());
    }
    let mut sum = [0; 32];
    for (byte, digits) in sum.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).map_err(|_| expected())?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| expected())?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn codes(text: &str) -> Vec<u16> {
        let set = statuses(text).expect("statuses");
        (0..1000).filter(|&code| set.contains(code)).collect()
    }

    #[test]
    fn statuses_are_codes_classes_and_ranges() {
        assert_eq!(codes("200, 404"), [200, 404]);
        assert_eq!(codes("200-202,204"), [200, 201, 202, 204]);
        assert_eq!(codes("3xx").len(), 100);
        assert!(codes("2xx,5XX").contains(&599));
        for odd in ["", "2x", "1xx", "100", "600", "204-200", "200,", "ok", "2xx-3xx"] {
            assert!(statuses(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn lengths_sums_and_expressions_are_read() {
        assert_eq!(length("13"), Ok((13, 13)));
        assert_eq!(length("0..20"), Ok((0, 20)));
        assert!(length("5..1").is_err() && length("x").is_err() && length("..5").is_err());
        let sum = sha256("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855").expect("a sum");
        assert_eq!((sum[0], sum[31]), (0xe3, 0x55));
        assert!(sha256("e3b0").is_err() && sha256(&"\u{e9}".repeat(32)).is_err());
        assert!(regex("^\\d+$").expect("an expression").is_match(b"42"));
        assert!(regex("(").expect_err("unclosed").contains("unclosed group"));
        assert!(regex("(\\w{1000}){1000}").is_err(), "bounded memory");
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[0-9x,.-]{0,12}|.{0,30}") {
            if let Ok(set) = statuses(&text) {
                prop_assert!((200..600).any(|code| set.contains(code)));
            }
            if let Ok((min, max)) = length(&text) {
                prop_assert!(min <= max);
            }
            let _ = regex(&text);
        }
    }
}
