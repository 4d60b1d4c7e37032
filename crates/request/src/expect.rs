//! What a correct answer is.

use std::fmt;

use regex::bytes::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use velo_load::StatusSet;

use crate::template::TextTemplate;

/// The answer that a request must get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// The status codes.
    pub status: Statuses,
    /// The media type of `Content-Type`, lower case, without parameters; `None`: anything, also none.
    pub content_type: Option<String>,
    /// Headers that must be there.
    #[serde(default)]
    pub headers: Vec<ExpectedHeader>,
    /// The body.
    pub body: BodyExpectation,
    /// The slot, a whole number, of the milliseconds that must pass before the answer.
    #[serde(default)]
    pub not_before_ms: Option<usize>,
}

impl Expectation {
    /// The longest body that a length may ask for: an answer is held in memory.
    pub const LONGEST_BODY_BYTES: usize = 64 * 1024 * 1024;

    /// How long a body may be, in bytes, where a length is expected.
    pub fn longest_body_bytes(&self) -> Option<usize> {
        match self.body {
            BodyExpectation::Length { max, .. } => Some(max),
            _ => None,
        }
    }
}

/// A header that must be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedHeader {
    /// Its name, in any case.
    pub name: String,
    /// Its value; `None`: any.
    pub value: Option<String>,
}

/// What a body must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BodyExpectation {
    /// Anything.
    Any,
    /// No byte.
    Empty,
    /// These bytes; may hold the request's slots.
    Exact(TextTemplate),
    /// The body of the first correct answer.
    Same,
    /// So many bytes, both ends included.
    Length {
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
    /// One that this regular expression matches somewhere.
    Regex(String),
    /// One with this SHA-256, in lower-case hexadecimal digits.
    Sha256(String),
    /// JSON.
    Json(JsonShape),
}

/// JSON compared as JSON: white space and the order of members do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JsonShape {
    /// As it was written: with slots, and with what stands for any value of a kind.
    pub text: TextTemplate,
    /// For a workload with a coin: which slot is the bet and which member of the answer says that it won, so
    /// that the draw is `win ? bet : !bet`.
    pub coin: Option<Coin>,
}

/// Where the bet and the outcome of a toss are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coin {
    /// The index in [`crate::Request::slots`] of the bet, a boolean slot.
    pub bet_slot: usize,
    /// The member of the answer, a boolean.
    pub win_member: String,
}

/// A text made from a request's slots by a hash function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Digest {
    /// SHA-512 in lower-case hexadecimal digits.
    Sha512(TextTemplate),
}

impl Digest {
    /// What stands in `<sha512 TEXT>`; `None` for any other text.
    pub fn argument(text: &str) -> Option<&str> {
        text.strip_prefix("<sha512 ")?.strip_suffix('>')
    }

    /// The text for these slots.
    pub fn text(&self, texts: &[impl AsRef<[u8]>]) -> String {
        let Self::Sha512(of) = self;
        hex(&sha2::Sha512::digest(of.render(texts)))
    }
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Status codes: ranges with both ends included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Statuses(Vec<(u16, u16)>);

impl Statuses {
    /// What is correct unless said otherwise.
    pub fn successes() -> Self {
        Self(vec![(200, 299)])
    }

    /// One code alone, whatever it is a code of.
    pub fn only(code: u16) -> Self {
        Self(vec![(code, code)])
    }

    /// `200`, `2xx`, `200-204`, and several of them with commas between.
    ///
    /// # Errors
    /// When it is something else; what was expected.
    pub fn of(text: &str) -> Result<Self, String> {
        let expected = || "expected statuses from 200 to 599, as in 200, 200,3xx or 200-204".to_owned();
        let code =
            |text: &str| text.parse().ok().filter(|code| (200..=599).contains(code)).ok_or_else(expected);
        let range = |part: &str| {
            let (first, last) = match (part.as_bytes(), part.split_once('-')) {
                ([class @ b'2'..=b'5', b'x' | b'X', b'x' | b'X'], _) => {
                    let first = u16::from(class - b'0') * 100;
                    (first, first + 99)
                }
                (_, Some((first, last))) => (code(first)?, code(last)?),
                (_, None) => (code(part)?, code(part)?),
            };
            if first > last { Err(expected()) } else { Ok((first, last)) }
        };
        text.split(',').map(|part| range(part.trim())).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a status is one of them.
    pub fn contains(&self, status: u16) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&status))
    }

    /// As the load engine takes them.
    pub(crate) fn compiled(&self) -> StatusSet {
        self.0.iter().fold(StatusSet::EMPTY, |set, (first, last)| set.and(StatusSet::range(*first, *last)))
    }

    fn written(&self, between: &str) -> String {
        let range = |&(first, last): &(u16, u16)| match (first, last) {
            _ if first == last => first.to_string(),
            _ if first % 100 == 0 && last == first + 99 => format!("{}xx", first / 100),
            _ => format!("{first}-{last}"),
        };
        self.0.iter().map(range).collect::<Vec<_>>().join(between)
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(" or "))
    }
}

impl TryFrom<String> for Statuses {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        // A code of `grpc-status`, which only a workload's calls have.
        match text.parse() {
            Ok(code @ 0..=16) => Ok(Self::only(code)),
            _ => Self::of(&text),
        }
    }
}

impl From<Statuses> for String {
    fn from(statuses: Statuses) -> Self {
        statuses.written(",")
    }
}

/// `N`, or `A..B` with both ends included.
///
/// # Errors
/// When it is something else; what was expected.
pub fn length(text: &str) -> Result<(usize, usize), String> {
    let (min, max) = text.split_once("..").unwrap_or((text, text));
    match (min.trim().parse(), max.trim().parse()) {
        (Ok(min), Ok(max)) if min <= max => Ok((min, max)),
        _ => Err("expected bytes, as in 13 or 10..2000".to_owned()),
    }
}

/// A regular expression over bytes.
///
/// # Errors
/// When it is none, or would take too much memory; what is wrong with it.
pub fn regex(text: &str) -> Result<Regex, String> {
    const MOST_BYTES: usize = 8 * 1024 * 1024;
    RegexBuilder::new(text).size_limit(MOST_BYTES).build().map_err(|error| {
        // The whole message draws the expression with a mark under it; its last line says what is wrong.
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        format!("it is no regular expression: {}", last.trim_start_matches("error: "))
    })
}

/// 64 hexadecimal digits, in lower case.
///
/// # Errors
/// When it is something else; what was expected.
pub fn sha256(text: &str) -> Result<String, String> {
    if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err("expected 64 hexadecimal digits, as sha256sum prints".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn codes(text: &str) -> Vec<u16> {
        let statuses = Statuses::of(text).expect("statuses");
        let set = statuses.compiled();
        assert!((0..1000).all(|code| statuses.contains(code) == set.contains(code)), "{text}");
        assert_eq!(Statuses::of(&String::from(statuses.clone())), Ok(statuses));
        (0..1000).filter(|&code| set.contains(code)).collect()
    }

    #[test]
    fn statuses_are_codes_classes_and_ranges() {
        assert_eq!(codes("200, 404"), [200, 404]);
        assert_eq!(codes("200-202,204"), [200, 201, 202, 204]);
        assert_eq!(codes("3xx").len(), 100);
        assert!(codes("2xx,5XX").contains(&599));
        for odd in ["", "2x", "1xx", "100", "600", "204-200", "200,", "ok", "2xx-3xx"] {
            assert!(Statuses::of(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_code_alone_is_read_from_a_file_as_it_was_written() {
        for code in [0, 5, 16, 404] {
            let only = Statuses::only(code);
            assert_eq!(Statuses::try_from(String::from(only.clone())), Ok(only));
        }
        assert!(Statuses::try_from("17".to_owned()).is_err());
    }

    #[test]
    fn lengths_sums_and_expressions_are_read() {
        assert_eq!(length("13"), Ok((13, 13)));
        assert_eq!(length("0..20"), Ok((0, 20)));
        assert!(length("5..1").is_err() && length("x").is_err() && length("..5").is_err());
        let sum = sha256("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855").expect("a sum");
        assert_eq!(sha256(&sum.to_uppercase()), Ok(sum));
        assert!(sha256("e3b0").is_err() && sha256(&"\u{e9}".repeat(32)).is_err());
        assert!(regex("^\\d+$").expect("an expression").is_match(b"42"));
        assert!(regex("(").expect_err("unclosed").contains("unclosed group"));
        assert!(regex("(\\w{1000}){1000}").is_err(), "bounded memory");
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[0-9x,.-]{0,12}|.{0,30}") {
            if let Ok(set) = Statuses::of(&text) {
                prop_assert!((200..600).any(|code| set.contains(code)));
            }
            if let Ok((min, max)) = length(&text) {
                prop_assert!(min <= max);
            }
            let _ = regex(&text);
        }
    }
}
